/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
/*
 * adpcm_decode small|large: decodes a generated signal that init encoded as IMA ADPCM.
 *
 * After the last job what it decoded is compared with the signal.
 */
#include "../common/adpcm.h"
#include "../common/arguments.h"
#include "../common/outcome.h"

#include <laxity/hooks.h>

#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

enum {
    SMALL_COUNT = 4000, /* as adpcm_encode's */
    LARGE_COUNT = 200000
};

static const struct workload_sizes sizes = {"adpcm_decode", SMALL_COUNT, LARGE_COUNT};

static struct {
    struct workload_outcome outcome;
    int16_t *samples;
    int16_t *decoded;
    uint8_t *codes;
    size_t count;
} decode;

int benchmark_init(const int argc, void **const argv)
{
    uint64_t seed;

    if (workload_begin(&sizes, argc, argv, &decode.outcome, &decode.count, &seed) != 0) {
        return -1;
    }
    decode.samples = workload_allocate(
        "adpcm_decode", 2 * decode.count * sizeof *decode.samples + decode.count / 2
    );
    if (decode.samples == NULL) {
        return -1;
    }
    decode.decoded = decode.samples + decode.count;
    decode.codes = (uint8_t *)(decode.decoded + decode.count);
    workload_adpcm_make_signal(decode.samples, decode.count, seed);
    workload_adpcm_encode(decode.samples, decode.count, decode.codes);
    return 0;
}

void benchmark_execution(const int argc, void **const argv)
{
    uint32_t digest = WORKLOAD_DIGEST_START;

    (void)argc;
    (void)argv;
    workload_adpcm_decode(decode.codes, decode.count, decode.decoded);
    for (size_t i = 0; i < decode.count; i++) {
        digest = workload_fold_word(digest, (uint16_t)decode.decoded[i]);
    }
    workload_check_digest(&decode.outcome, digest);
}

void benchmark_teardown(const int argc, void **const argv)
{
    (void)argc;
    (void)argv;
    if (decode.outcome.is_known) {
        workload_adpcm_check(
            "adpcm_decode", decode.samples, decode.codes, decode.decoded, decode.count
        );
    }
    workload_print_outcome(&decode.outcome);
    free(decode.samples);
    decode.samples = NULL;
}
