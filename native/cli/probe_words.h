/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
/* Words of a probe's options as settings. */
#ifndef LAXITY_CLI_PROBE_WORDS_H
#define LAXITY_CLI_PROBE_WORDS_H

#include "base/error.h"
#include "harness/plan.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * laxity_take_sizes - read sizes of 1 KiB to 64 GiB into a new array, freed by the caller
 *
 * Returns 0, or -1 with error set; *out_sizes may be set in either case.
 */
int laxity_take_sizes(
    const char *option,
    const struct laxity_words *words,
    uint64_t **out_sizes,
    size_t *out_n,
    struct laxity_error *error
);

/*
 * laxity_take_needed_sizes - the same of --size, of which there must be one
 *
 * `of_what` they are tells the message.
 */
int laxity_take_needed_sizes(
    const char *of_what,
    const struct laxity_words *words,
    uint64_t **out_sizes,
    size_t *out_n,
    struct laxity_error *error
);

/*
 * laxity_take_choices - set the flag of each word; of the first name where there is no word
 *
 * `names` ends with NULL; `out_flags` has as many members. Returns 0, or -1 with error set.
 */
int laxity_take_choices(
    const char *option,
    const struct laxity_words *words,
    const char *const *names,
    bool *out_flags,
    struct laxity_error *error
);

#endif
