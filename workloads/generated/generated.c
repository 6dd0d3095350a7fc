/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
/*
 * generated [code=SIZE [code_miss=PERCENT]] [data=SIZE [data_miss=PERCENT]] [line=SIZE]
 * [passes=N]: executes generated code and reads data, both of a given size and miss ratio.
 *
 * A job makes N passes (default 1); a pass executes the code once, then reads the data once. Of
 * each line of LINE bytes (default 64B) as many words are used as the miss ratio says: 100 % is one
 * use per line, and without a ratio all words are used. docs/generated.md says what else decides
 * how many misses that makes.
 *
 * Source: Sebek, "The real cost of task pre-emptions", sections 3.1 and 3.3.
 */
#include "../common/arguments.h"
#include "../common/outcome.h"
#include "base/error.h"
#include "codegen/code.h"
#include "codegen/shape.h"
#include "words.h"

#include <laxity/hooks.h>
#include <laxity/units.h>

#include <inttypes.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

static struct {
    struct generated_words words;
    struct laxity_code code;
    uint32_t *data;
    uint32_t expected_sum; /* of the words that one pass reads, modulo 2^32 */
    uint32_t digest;
    uint32_t job_number;
} generated;

/*
 * The measured loop over data. Do not add anything: its reads are the workload. How many there are
 * in a line comes from registers (Bresenham's line), so that no table is read between them; the
 * lines are those of laxity_shape_line_uses().
 */
__attribute__((noinline)) static uint32_t
read_data(const volatile uint32_t *const data, const struct laxity_shape *const shape)
{
    const uint32_t scale = 2 * shape->miss_ratio;
    const uint32_t fewest = 2 * (uint32_t)LAXITY_RATIO_ONE / scale;
    const uint32_t rest = 2 * (uint32_t)LAXITY_RATIO_ONE % scale;
    const size_t words_per_line = laxity_shape_uses_max(shape->line_bytes);
    const volatile uint32_t *const end = &data[shape->bytes / sizeof *data];
    uint32_t excess = shape->miss_ratio;
    uint32_t sum = 0;

    for (const volatile uint32_t *line = data; line < end; line += words_per_line) {
        uint32_t uses = fewest;

        excess += rest;
        if (excess >= scale) {
            excess -= scale;
            uses++;
        }
        for (uint32_t i = 0; i < uses; i++) {
            sum += line[i];
        }
    }
    return sum;
}

/* The whole job, so that a pass costs one call of each. */
static void make_passes(uintptr_t *const value, uint32_t *const sum)
{
    for (uint64_t pass = 0; pass < generated.words.passes_per_job; pass++) {
        if (generated.code.start != NULL) {
            *value = laxity_code_run(&generated.code, 0, *value);
        }
        if (generated.data != NULL) {
            *sum += read_data(generated.data, &generated.words.data);
        }
    }
}

/* Differs between words and between lines (2^32 divided by the golden ratio). */
static uint32_t initial_word(const uint64_t index)
{
    return (uint32_t)index * UINT32_C(2654435769);
}

static int prepare_data(const struct laxity_shape *const shape)
{
    const uint64_t words_per_line = laxity_shape_uses_max(shape->line_bytes);

    if (shape->bytes == 0) {
        return 0;
    }
    generated.data = workload_allocate("generated", (size_t)shape->bytes);
    if (generated.data == NULL) {
        return -1;
    }
    for (uint64_t i = 0; i < shape->bytes / sizeof *generated.data; i++) {
        generated.data[i] = initial_word(i);
    }
    for (uint64_t line = 0; line < laxity_shape_lines(shape); line++) {
        for (uint64_t i = 0; i < laxity_shape_line_uses(shape, line); i++) {
            generated.expected_sum += initial_word(line * words_per_line + i);
        }
    }
    return 0;
}

static int prepare_code(const struct laxity_shape *const shape)
{
    struct laxity_error error = {0};

    if (shape->bytes == 0 || laxity_code_make(shape, 1, &generated.code, &error) == 0) {
        return 0;
    }
    (void)fprintf(stderr, "generated: %s\n", error.text);
    return -1;
}

int benchmark_init(const int argc, void **const argv)
{
    generated.code = (struct laxity_code){0};
    generated.data = NULL;
    generated.expected_sum = 0;
    generated.digest = WORKLOAD_DIGEST_START;
    generated.job_number = 0;
    if (generated_read_words(argc, argv, &generated.words) != 0) {
        return -1;
    }
    if (prepare_code(&generated.words.code) != 0) {
        return -1;
    }
    if (prepare_data(&generated.words.data) != 0) {
        laxity_code_free(&generated.code);
        return -1;
    }
    return 0;
}

void benchmark_execution(const int argc, void **const argv)
{
    const uint32_t expected = generated.expected_sum * (uint32_t)generated.words.passes_per_job;
    const uintptr_t start = ++generated.job_number;
    uintptr_t value = start;
    uint32_t sum = 0;

    (void)argc;
    (void)argv;
    make_passes(&value, &sum);
    if (value != start) {
        workload_fail_job("generated", "adding 0 to %" PRIuPTR " gave %" PRIuPTR, start, value);
    }
    if (sum != expected) {
        workload_fail_job(
            "generated", "sum of the data is %" PRIu32 ", expected %" PRIu32, sum, expected
        );
    }
}

/* Says what a pass was, exactly; the digest is of these numbers and of the data. */
static void print_outcome(void)
{
    const struct laxity_shape *const shapes[] = {&generated.words.code, &generated.words.data};
    const uint32_t adds =
        generated.code.start == NULL ? 0 : (uint32_t)laxity_code_adds(&generated.words.code);
    uint32_t digest = workload_fold_word(generated.digest, adds);
    char sizes[2][LAXITY_BYTES_TEXT_BYTES];

    for (size_t i = 0; i < sizeof shapes / sizeof shapes[0]; i++) {
        digest = workload_fold_word(digest, (uint32_t)laxity_shape_uses(shapes[i]));
        (void)laxity_format_bytes(shapes[i]->bytes, sizes[i]);
    }
    (void)printf(
        "generated code=%s instructions=%" PRIu64 " data=%s reads=%" PRIu64 " passes=%" PRIu64
        " digest=%08" PRIx32 "\n",
        sizes[0],
        laxity_shape_uses(shapes[0]),
        sizes[1],
        laxity_shape_uses(shapes[1]),
        generated.words.passes_per_job,
        workload_fold_word(digest, generated.expected_sum)
    );
}

void benchmark_teardown(const int argc, void **const argv)
{
    (void)argc;
    (void)argv;
    if (generated.job_number > 0) {
        print_outcome();
    }
    free(generated.data);
    generated.data = NULL;
    laxity_code_free(&generated.code);
}
