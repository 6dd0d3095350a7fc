/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
#include "outcome.h"

#include "arguments.h"
#include "random.h"

#include <laxity/hooks.h>

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

enum {
    REASON_BYTES = 201 /* hooks.h: at most 200, and the final 0 */
};

int workload_begin(
    const struct workload_sizes *const sizes,
    const int argc,
    void **const argv,
    struct workload_outcome *const out_outcome,
    size_t *const out_count,
    uint64_t *const out_seed
)
{
    const int bounds[2] = {1, 1};
    int status = workload_check_word_count(sizes->workload, "small|large", argc, argv, bounds);

    if (status != 0) {
        return status;
    }
    const char *const word = argv[0];
    const bool is_large = strcmp(word, "large") == 0;

    if (!is_large && strcmp(word, "small") != 0) {
        (void)fprintf(stderr, "%s: no size \"%s\"; write small or large\n", sizes->workload, word);
        return -EINVAL;
    }
    status = workload_read_seed(sizes->workload, out_seed);
    if (status != 0) {
        return status;
    }
    *out_count = is_large ? sizes->large : sizes->small;
    *out_outcome = (struct workload_outcome){.workload = sizes->workload,
                                             .size_name = is_large ? "large" : "small"};
    return 0;
}

void workload_check_digest(struct workload_outcome *const outcome, const uint32_t digest)
{
    if (!outcome->is_known) {
        outcome->digest = digest;
        outcome->is_known = true;
    }
    if (digest != outcome->digest) {
        workload_fail_job(
            outcome->workload,
            "the result's digest is %08" PRIx32 ", the first one's was %08" PRIx32,
            digest,
            outcome->digest
        );
    }
}

void workload_print_outcome(const struct workload_outcome *const outcome)
{
    if (outcome->is_known) {
        (void)printf(
            "%s %s digest=%08" PRIx32 "\n", outcome->workload, outcome->size_name, outcome->digest
        );
    }
}

void workload_fail_job(const char *const workload, const char *const format, ...)
{
    char reason[REASON_BYTES];
    const int length = snprintf(reason, sizeof reason, "%s: ", workload);
    va_list arguments;

    if (length > 0 && (size_t)length < sizeof reason) {
        va_start(arguments, format);
        (void)vsnprintf(reason + length, sizeof reason - (size_t)length, format, arguments);
        va_end(arguments);
    }
    laxity_job_failed(reason);
}
