/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
#include "cli/probe_words.h"

#include "base/error.h"
#include "harness/plan.h"

#include <laxity/units.h>

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum {
    /* A pass over less would be shorter than reading the clock. */
    SIZE_MIN_BYTES = 1024,
};
static const uint64_t size_max_bytes = UINT64_C(1) << 36;

/* One of `names`, which ends with NULL. Returns its index, or -1 with error set. */
static int take_choice(
    const char *option, const char *word, const char *const *names, struct laxity_error *error
)
{
    for (int i = 0; names[i]; i++) {
        if (strcmp(names[i], word) == 0) {
            return i;
        }
    }
    return laxity_refuse(
        error, LAXITY_EXIT_USAGE, "%s: unknown value \"%.60s\"; see --help", option, word
    );
}

int laxity_take_choices(
    const char *option,
    const struct laxity_words *words,
    const char *const *names,
    bool *out_flags,
    struct laxity_error *error
)
{
    if (words->n == 0) {
        out_flags[0] = true;
    }
    for (size_t i = 0; i < words->n; i++) {
        const int index = take_choice(option, words->items[i], names, error);
        if (index < 0) {
            return -1;
        }
        out_flags[index] = true;
    }
    return 0;
}

int laxity_take_sizes(
    const char *option,
    const struct laxity_words *words,
    uint64_t **out_sizes,
    size_t *out_n,
    struct laxity_error *error
)
{
    uint64_t *sizes = calloc(words->n, sizeof *sizes);
    if (!sizes) {
        return laxity_refuse(error, LAXITY_EXIT_LACKING, "no memory for the list of sizes");
    }
    *out_sizes = sizes;
    for (size_t i = 0; i < words->n; i++) {
        const int rc = laxity_parse_bytes(words->items[i], &sizes[i]);
        if (rc || sizes[i] < SIZE_MIN_BYTES || sizes[i] > size_max_bytes) {
            return laxity_refuse(
                error,
                LAXITY_EXIT_USAGE,
                "%s \"%.60s\": %s; write 64KiB",
                option,
                words->items[i],
                rc ? "no size" : "not within 1KiB to 64GiB"
            );
        }
        ++*out_n;
    }
    return 0;
}

int laxity_take_needed_sizes(
    const char *of_what,
    const struct laxity_words *words,
    uint64_t **out_sizes,
    size_t *out_n,
    struct laxity_error *error
)
{
    if (words->n == 0) {
        return laxity_refuse(error, LAXITY_EXIT_USAGE, "no %s; add --size 64KiB", of_what);
    }
    return laxity_take_sizes("--size", words, out_sizes, out_n, error);
}
