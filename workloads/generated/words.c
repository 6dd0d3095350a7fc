/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
#include "words.h"

#include "../common/arguments.h"
#include "codegen/shape.h"

#include <laxity/units.h>

#include <errno.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

static const char workload[] = "generated";

enum {
    HIGHEST_PASSES = 1000000000,
    PERCENT = LAXITY_RATIO_ONE / 100,
    PERCENT_DECIMALS = 4, /* to parts per million */
    DECIMAL = 10,
};

enum key {
    KEY_CODE,
    KEY_CODE_MISS,
    KEY_DATA,
    KEY_DATA_MISS,
    KEY_LINE,
    KEY_PASSES,
    KEY_LOCKED, /* known by name, so that the answer is no riddle */
    KEYS
};

static const char *const key_names[KEYS] = {
    "code", "code_miss", "data", "data_miss", "line", "passes", "locked"
};

/* Where the value of each key begins; NULL: not given. */
static int find_values(const int argc, void **const argv, const char *values[KEYS])
{
    for (int i = 0; i < argc; i++) {
        const char *const word = argv[i];
        const char *const equals = strchr(word, '=');
        const size_t length = equals == NULL ? 0 : (size_t)(equals - word);
        int key = 0;

        while (key < KEYS &&
               (strlen(key_names[key]) != length || strncmp(word, key_names[key], length) != 0)) {
            key++;
        }
        if (key == KEYS) {
            (void)fprintf(
                stderr,
                "%s: unknown word \"%s\"; write code= code_miss= data= data_miss= line= passes=\n",
                workload,
                word
            );
            return -EINVAL;
        }
        if (values[key] != NULL) {
            (void
            )fprintf(stderr, "%s: %s= is given twice; write it once\n", workload, key_names[key]);
            return -EINVAL;
        }
        values[key] = equals + 1;
    }
    return 0;
}

/* "12.5%" in parts per million; false if it is no percentage of at most 4 decimals. */
static bool parse_percent(const char *text, uint32_t *const out_ratio)
{
    uint32_t value = 0;
    int decimals = -1; /* no point yet */

    if (*text == '%' || *text == '.') {
        return false;
    }
    for (; (*text >= '0' && *text <= '9') || (*text == '.' && decimals < 0); text++) {
        if (*text == '.') {
            decimals = 0;
            continue;
        }
        value = value * DECIMAL + (uint32_t)(*text - '0');
        decimals += decimals >= 0;
        if (value > LAXITY_RATIO_ONE || decimals > PERCENT_DECIMALS) {
            return false;
        }
    }
    for (int i = decimals < 0 ? 0 : decimals; i < PERCENT_DECIMALS; i++) {
        value *= DECIMAL;
        if (value > LAXITY_RATIO_ONE) {
            return false;
        }
    }
    *out_ratio = value;
    return strcmp(text, "%") == 0 && decimals != 0;
}

static int read_line(const char *const value, uint32_t *const out_line_bytes)
{
    uint64_t bytes = WORKLOAD_LINE_BYTES;

    if (value != NULL && laxity_parse_bytes(value, &bytes) != 0) {
        bytes = 0;
    }
    if (bytes < LAXITY_SHORTEST_LINE_BYTES || bytes > LAXITY_LONGEST_LINE_BYTES ||
        (bytes & (bytes - 1)) != 0) {
        (void)fprintf(
            stderr, "%s: line \"%s\": is none of 16B, 32B, 64B, 128B; write one\n", workload, value
        );
        return -EINVAL;
    }
    *out_line_bytes = (uint32_t)bytes;
    return 0;
}

static int read_ratio(const char *const name, const char *const value, struct laxity_shape *shape)
{
    const uint32_t lowest = laxity_shape_lowest_ratio(shape->line_bytes);

    shape->miss_ratio = lowest;
    if (value != NULL &&
        (!parse_percent(value, &shape->miss_ratio) || shape->miss_ratio < lowest)) {
        (void)fprintf(
            stderr,
            "%s: %s \"%s\": is no percentage from %" PRIu32 ".%04" PRIu32 "%% (all %" PRIu32
            " words of a line) to 100%%; write one, such as 50%%\n",
            workload,
            name,
            value,
            lowest / PERCENT,
            lowest % PERCENT,
            laxity_shape_uses_max(shape->line_bytes)
        );
        return -EINVAL;
    }
    return 0;
}

/* Size and miss ratio of code or data, whose keys are `size` and the one behind it. */
static int
read_shape(const char *values[KEYS], const enum key size, struct laxity_shape *const shape)
{
    const struct workload_size rule = {workload, shape->line_bytes, shape->line_bytes};
    const enum key ratio = size == KEY_CODE ? KEY_CODE_MISS : KEY_DATA_MISS;
    size_t bytes = 0;

    if (values[size] == NULL && values[ratio] != NULL) {
        (void)fprintf(
            stderr,
            "%s: %s= without %s=; add its size\n",
            workload,
            key_names[ratio],
            key_names[size]
        );
        return -EINVAL;
    }
    if (values[size] != NULL) {
        const int status = workload_parse_size(&rule, values[size], &bytes);

        if (status != 0) {
            return status;
        }
    }
    shape->bytes = bytes;
    if (shape->bytes > LAXITY_SHAPE_BYTES_MAX) {
        (void)fprintf(
            stderr, "%s: SIZE \"%s\": is more than 1TiB; ask for less\n", workload, values[size]
        );
        return -ERANGE;
    }
    return read_ratio(key_names[ratio], values[ratio], shape);
}

/* docs/generated.md, "Locked lines", says it for each processor. */
static int refuse_locked(const char *const value)
{
    (void)fprintf(
        stderr,
        "%s: locked=%s: no processor that laxity runs on lets a program lock cache lines; leave it "
        "out\n",
        workload,
        value
    );
    return -ENOTSUP;
}

int generated_read_words(const int argc, void **const argv, struct generated_words *const out_words)
{
    const struct workload_count passes_rule = {workload, "passes", 1, HIGHEST_PASSES};
    const char *values[KEYS] = {NULL};
    struct generated_words words = {.passes_per_job = 1};
    uint32_t line_bytes = 0;
    int status = find_values(argc, argv, values);

    if (status != 0) {
        return status;
    }
    if (values[KEY_LOCKED] != NULL) {
        return refuse_locked(values[KEY_LOCKED]);
    }
    if (values[KEY_CODE] == NULL && values[KEY_DATA] == NULL) {
        (void
        )fprintf(stderr, "%s: neither code= nor data=; write one, such as code=32KiB\n", workload);
        return -EINVAL;
    }
    status = read_line(values[KEY_LINE], &line_bytes);
    if (status != 0) {
        return status;
    }
    words.code.line_bytes = line_bytes;
    words.data.line_bytes = line_bytes;
    if (read_shape(values, KEY_CODE, &words.code) != 0 ||
        read_shape(values, KEY_DATA, &words.data) != 0 ||
        (values[KEY_PASSES] != NULL &&
         workload_parse_count(&passes_rule, values[KEY_PASSES], &words.passes_per_job) != 0)) {
        return -EINVAL;
    }
    *out_words = words;
    return 0;
}
