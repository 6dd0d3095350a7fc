/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
/* The standard streams of a guest: input from its beginning in each job, output captured per job.
 */
#ifndef LAXITY_GUESTS_GUEST_STREAMS_H
#define LAXITY_GUESTS_GUEST_STREAMS_H

#include <stddef.h>
#include <stdint.h>

enum {
    LAXITY_COMPLAINT_BYTES = 200,
    /* Somebody looks for the first line that differs; python/laxity/suites/jobs.py has it, too. */
    LAXITY_KEPT_OUTPUT_BYTES = 256 << 10,
};

/* What one job has read and written. */
struct laxity_guest_output {
    uint64_t input_bytes;                   /* of standard input that are behind its position now */
    uint64_t bytes;                         /* written to standard output, less what is cut out */
    uint64_t hash;                          /* of them */
    char complaint[LAXITY_COMPLAINT_BYTES]; /* first line on standard error */
};

/*
 * laxity_guest_streams_open - make standard input a file and the other two captured
 *
 * `input` NULL: an empty one. Returns 0 or -errno.
 */
int laxity_guest_streams_open(const char *input);

/*
 * laxity_guest_streams_filter - leave parts of the output out of what is compared
 *
 * `pattern` is an extended regular expression; within each line all matches are cut out before it
 * is hashed. NULL or "": none. Returns 0, or -EINVAL if it is no such expression.
 */
int laxity_guest_streams_filter(const char *pattern);

/*
 * laxity_guest_streams_keep - write the output of each job to a file, too, one behind the other
 *
 * Of each the first LAXITY_KEPT_OUTPUT_BYTES as they are compared. Returns 0 or -errno.
 */
int laxity_guest_streams_keep(const char *path);

/* laxity_guest_streams_begin - before each job: input from its beginning, nothing written yet */
void laxity_guest_streams_begin(void);

/* laxity_guest_streams_take - after each job: what it has read and written */
void laxity_guest_streams_take(struct laxity_guest_output *out_output);

#endif
