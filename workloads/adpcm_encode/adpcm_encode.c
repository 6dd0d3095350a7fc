/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
/*
 * adpcm_encode small|large: encodes a generated signal as IMA ADPCM, 4 bits per sample.
 *
 * After the last job its codes are decoded and compared with the signal.
 */
#include "../common/adpcm.h"
#include "../common/arguments.h"
#include "../common/outcome.h"

#include <laxity/hooks.h>

#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

enum {
    SMALL_COUNT = 4000, /* half a second of telephone speech */
    LARGE_COUNT = 200000
};

static const struct workload_sizes sizes = {"adpcm_encode", SMALL_COUNT, LARGE_COUNT};

static struct {
    struct workload_outcome outcome;
    int16_t *samples;
    int16_t *decoded;
    uint8_t *codes;
    size_t count;
} encode;

int benchmark_init(const int argc, void **const argv)
{
    uint64_t seed;

    if (workload_begin(&sizes, argc, argv, &encode.outcome, &encode.count, &seed) != 0) {
        return -1;
    }
    encode.samples = workload_allocate(
        "adpcm_encode", 2 * encode.count * sizeof *encode.samples + encode.count / 2
    );
    if (encode.samples == NULL) {
        return -1;
    }
    encode.decoded = encode.samples + encode.count;
    encode.codes = (uint8_t *)(encode.decoded + encode.count);
    workload_adpcm_make_signal(encode.samples, encode.count, seed);
    return 0;
}

void benchmark_execution(const int argc, void **const argv)
{
    (void)argc;
    (void)argv;
    workload_adpcm_encode(encode.samples, encode.count, encode.codes);
    workload_check_digest(
        &encode.outcome, workload_fold_bytes(WORKLOAD_DIGEST_START, encode.codes, encode.count / 2)
    );
}

void benchmark_teardown(const int argc, void **const argv)
{
    (void)argc;
    (void)argv;
    if (encode.outcome.is_known) {
        workload_adpcm_decode(encode.codes, encode.count, encode.decoded);
        workload_adpcm_check(
            "adpcm_encode", encode.samples, encode.codes, encode.decoded, encode.count
        );
    }
    workload_print_outcome(&encode.outcome);
    free(encode.samples);
    encode.samples = NULL;
}
