/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
/*
 * adpcm_decode small|large: decodes a generated signal that init encoded as IMA ADPCM.
 *
 * After the last job what it decoded is compared with the signal.
 */
#include "../common/adpcm.h"
#include "../common/phases.h"

#include <laxity/hooks.h>
#include <laxity/marks.h>

#include <stddef.h>
#include <stdint.h>

enum {
    PHASE_SAMPLES = 16000 /* of a phase */
};

/* Marks of phases. Decoding is one: marks in ../common would move the code of all programs. */
enum {
    DECODE = 1,
    DIGEST
};

static struct workload_adpcm decode;

int benchmark_init(const int argc, void **const argv)
{
    const int status = workload_adpcm_begin("adpcm_decode", argc, argv, &decode);

    if (status == 0) {
        workload_adpcm_encode(decode.samples, decode.count, decode.codes);
    }
    return status;
}

void benchmark_execution(const int argc, void **const argv)
{
    uint32_t digest = WORKLOAD_DIGEST_START;

    (void)argc;
    (void)argv;
    laxity_phase(DECODE);
    workload_adpcm_decode(decode.codes, decode.count, decode.decoded);
    for (size_t i = 0; i < decode.count;) {
        const size_t end = workload_begin_phase(DIGEST, i, decode.count, PHASE_SAMPLES);

        for (; i < end; i++) {
            digest = workload_fold_word(digest, (uint16_t)decode.decoded[i]);
        }
    }
    workload_check_digest(&decode.outcome, digest);
}

void benchmark_teardown(const int argc, void **const argv)
{
    (void)argc;
    (void)argv;
    workload_adpcm_end(&decode);
}
