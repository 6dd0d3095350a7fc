/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
/* One option: what it takes, and its value read, refused, completed, freed. */
#ifndef LAXITY_CLI_OPTION_H
#define LAXITY_CLI_OPTION_H

#include "base/error.h"

#include <stddef.h>
#include <stdint.h>

enum laxity_option_kind {
    LAXITY_OPTION_FLAG,     /* bool */
    LAXITY_OPTION_DURATION, /* int64_t, nanoseconds; within [low, high]; "none" allowed if has_none
                             */
    LAXITY_OPTION_SIZE,     /* uint64_t, bytes */
    LAXITY_OPTION_COUNT,    /* uint64_t */
    LAXITY_OPTION_CHOICE,   /* int, index into choices (blank-separated) */
    LAXITY_OPTION_TEXT,     /* const char * */
    LAXITY_OPTION_CPUS,     /* struct laxity_cpus */
    LAXITY_OPTION_WORD,     /* struct laxity_words: may be repeated */
    LAXITY_OPTION_KEEP,     /* struct laxity_keep_value: all, misses, tail:N */
    /* May be repeated, too. */
    LAXITY_OPTION_SIZES,   /* struct laxity_numbers, bytes */
    LAXITY_OPTION_COUNTS,  /* struct laxity_numbers */
    LAXITY_OPTION_CHOICES, /* bool for each of the choices */
    LAXITY_OPTION_PAIRS,   /* struct laxity_cpu_pairs: 0:1 */
};

struct laxity_option {
    const char *name;    /* with "--" */
    const char *metavar; /* NULL for a flag, and where the choices say it */
    const char *choices; /* of LAXITY_OPTION_CHOICE, LAXITY_OPTION_CHOICES */
    const char *initial; /* of SIZES to PAIRS: the only item where none is given; NULL = none */
    const char *needed;  /* of the same: refuses that, with what to do */
    const char *default_text;
    const char *help;
    enum laxity_option_kind kind;
    char letter; /* '\0' = none */
    char has_none;
    int64_t low;
    int64_t high;
    size_t offset;
};

struct laxity_keep_value {
    int keep; /* enum laxity_keep */
    uint64_t rows;
};

/*
 * laxity_option_store - read the text of a value into what the option's table fills; of an option
 * that may be repeated it is appended
 *
 * Returns 0, -EINVAL where it is not understood, -ERANGE where it is out of bounds, -ENOMEM.
 */
int laxity_option_store(const struct laxity_option *option, char *text, void *target);

/* laxity_option_refuse - say what is wrong with `text`, for which storing returned `rc`; exit 2 */
void laxity_option_refuse(
    const struct laxity_option *option, const char *text, int rc, struct laxity_error *error
);

/*
 * laxity_option_complete - take the initial value of a list to which nothing was appended
 *
 * Returns 0, or -1 with error set (exit 2) where it needs one and has none.
 */
int laxity_option_complete(
    const struct laxity_option *option, void *target, struct laxity_error *error
);

/* laxity_option_free - what storing allocated */
void laxity_option_free(const struct laxity_option *option, void *target);

#endif
