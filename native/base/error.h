/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
/* An error as data: what a library function tells its caller, who alone may print it. */
#ifndef LAXITY_BASE_ERROR_H
#define LAXITY_BASE_ERROR_H

/* Exit codes of every command (design section 5). */
enum laxity_exit {
    LAXITY_EXIT_DONE = 0,
    LAXITY_EXIT_VIOLATED = 1,
    LAXITY_EXIT_USAGE = 2,
    LAXITY_EXIT_LACKING = 3,
    LAXITY_EXIT_NO_VERDICT = 4,
    LAXITY_EXIT_INTERNAL = 5,
    LAXITY_EXIT_INTERRUPTED = 130,
};

enum {
    LAXITY_ERROR_TEXT_BYTES = 200
};

struct laxity_error {
    int exit_code; /* enum laxity_exit; 0 = no error */
    char text[LAXITY_ERROR_TEXT_BYTES];
};

/* laxity_error_set - store a message; the first one stays, because the first cause in time decides
 */
__attribute__((format(printf, 3, 4))) void
laxity_error_set(struct laxity_error *error, int exit_code, const char *format, ...);

/* laxity_refuse - the same; returns -1, which is what a function that failed so returns */
__attribute__((format(printf, 3, 4))) int
laxity_refuse(struct laxity_error *error, int exit_code, const char *format, ...);

/*
 * laxity_format - snprintf that always terminates and never overruns; a longer text is cut
 *
 * `text` has room for `bytes` > 0 bytes.
 */
__attribute__((format(printf, 3, 4))) void
laxity_format(char *text, unsigned long bytes, const char *format, ...);

#endif
