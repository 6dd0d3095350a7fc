/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
/*
 * adpcm_encode small|large: encodes a generated signal as IMA ADPCM, 4 bits per sample.
 *
 * After the last job its codes are decoded and compared with the signal.
 */
#include "../common/adpcm.h"

#include <laxity/hooks.h>
#include <laxity/marks.h>

/* Marks of phases. Encoding is one: marks in ../common would move the code of all programs. */
enum {
    ENCODE = 1,
    DIGEST
};

static struct workload_adpcm encode;

int benchmark_init(const int argc, void **const argv)
{
    return workload_adpcm_begin("adpcm_encode", argc, argv, &encode);
}

void benchmark_execution(const int argc, void **const argv)
{
    (void)argc;
    (void)argv;
    laxity_phase(ENCODE);
    workload_adpcm_encode(encode.samples, encode.count, encode.codes);
    laxity_phase(DIGEST);
    workload_check_digest(
        &encode.outcome, workload_fold_bytes(WORKLOAD_DIGEST_START, encode.codes, encode.count / 2)
    );
}

void benchmark_teardown(const int argc, void **const argv)
{
    (void)argc;
    (void)argv;
    workload_adpcm_decode(encode.codes, encode.count, encode.decoded);
    workload_adpcm_end(&encode);
}
