/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
#include "arguments.h"

#include <laxity/units.h>

#include <errno.h>
#include <inttypes.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int workload_check_word_count(
    const char *const workload,
    const char *const usage,
    const int argc,
    void **const argv,
    const int bounds[2]
)
{
    if (argc >= bounds[0] && argc <= bounds[1]) {
        return 0;
    }
    if (bounds[1] == 0) {
        (void)fprintf(
            stderr,
            "%s: takes no arguments, got \"%s\"; leave it out\n",
            workload,
            (const char *)argv[0]
        );
    } else if (argc > bounds[1]) {
        (void)fprintf(
            stderr,
            "%s: takes %s, got one word more, \"%s\"; leave it out\n",
            workload,
            usage,
            (const char *)argv[bounds[1]]
        );
    } else {
        (void)fprintf(
            stderr, "%s: takes %s, got %d words; add what is missing\n", workload, usage, argc
        );
    }
    return -EINVAL;
}

static int
check_size(const struct workload_size *const rule, const char *const word, const uint64_t bytes)
{
    char text[LAXITY_BYTES_TEXT_BYTES];

    if (bytes < rule->lowest_bytes) {
        (void)fprintf(
            stderr,
            "%s: SIZE \"%s\": is less than %s; ask for more\n",
            rule->workload,
            word,
            laxity_format_bytes(rule->lowest_bytes, text)
        );
        return -ERANGE;
    }
    if (bytes % rule->granule_bytes != 0) {
        char below[LAXITY_BYTES_TEXT_BYTES];

        (void)fprintf(
            stderr,
            "%s: SIZE \"%s\": is no multiple of %s; write %s\n",
            rule->workload,
            word,
            laxity_format_bytes(rule->granule_bytes, text),
            laxity_format_bytes(bytes - bytes % rule->granule_bytes, below)
        );
        return -EINVAL;
    }
    return 0;
}

int workload_parse_size(
    const struct workload_size *const rule, const char *const word, size_t *const out_bytes
)
{
    uint64_t bytes = 0;
    int status = laxity_parse_bytes(word, &bytes);

    if (status == -ERANGE || (status == 0 && bytes > SIZE_MAX)) {
        (void)fprintf(
            stderr, "%s: SIZE \"%s\": is more than any memory; ask for less\n", rule->workload, word
        );
        return -ERANGE;
    }
    if (status != 0) {
        (void)fprintf(
            stderr,
            "%s: SIZE \"%s\": is no size in whole bytes; write a number and its unit, such as "
            "64KiB\n",
            rule->workload,
            word
        );
        return status;
    }
    status = check_size(rule, word, bytes);
    if (status == 0) {
        *out_bytes = (size_t)bytes;
    }
    return status;
}

int workload_parse_count(
    const struct workload_count *const rule, const char *const word, uint64_t *const out_count
)
{
    const int status = laxity_parse_count(word, rule->low, rule->high, out_count);

    if (status != 0) {
        (void)fprintf(
            stderr,
            "%s: %s \"%s\": is %s; write a number from %" PRIu64 " to %" PRIu64 "\n",
            rule->workload,
            rule->name,
            word,
            status == -ERANGE ? "out of bounds" : "no whole number",
            rule->low,
            rule->high
        );
    }
    return status;
}

void *workload_allocate(const char *const workload, const size_t bytes)
{
    /* aligned_alloc wants a multiple of the alignment; a size so large that it wraps round is no
     * memory either. */
    const size_t rest = bytes % WORKLOAD_LINE_BYTES;
    const size_t whole_lines = rest == 0 ? bytes : bytes - rest + WORKLOAD_LINE_BYTES;
    void *const memory =
        whole_lines < bytes ? NULL : aligned_alloc(WORKLOAD_LINE_BYTES, whole_lines);

    if (memory == NULL) {
        char text[LAXITY_BYTES_TEXT_BYTES];

        (void)fprintf(
            stderr,
            "%s: allocating %s: there is no such memory; ask for less\n",
            workload,
            laxity_format_bytes(bytes, text)
        );
        return NULL;
    }
    memset(memory, 0, whole_lines);
    return memory;
}
