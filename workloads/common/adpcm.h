/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
/*
 * IMA ADPCM: a sample of 16 bits in 4, as its difference from the one before in steps that grow and
 * shrink with the signal.
 *
 * Source: IMA Digital Audio Focus and Technical Working Groups, "Recommended Practices for
 * Enhancing Digital Audio Compatibility in Multimedia Systems", revision 3.00, 1992.
 */
#ifndef LAXITY_WORKLOADS_ADPCM_H
#define LAXITY_WORKLOADS_ADPCM_H

#include "outcome.h" // IWYU pragma: export

#include <stddef.h>
#include <stdint.h>

/* What adpcm_encode and adpcm_decode work on: all in one piece of memory, which begins with the
 * samples. */
struct workload_adpcm {
    struct workload_outcome outcome;
    int16_t *samples;
    int16_t *decoded;
    uint8_t *codes; /* two to a byte */
    size_t count;
};

/*
 * workload_adpcm_begin - read the words, small or large, and make the signal; no codes yet
 *
 * Returns 0, or negative with what is wrong said on stderr.
 */
int workload_adpcm_begin(
    const char *workload, int argc, void **argv, struct workload_adpcm *out_adpcm
);

/* Checks what was decoded, if there was a job; prints the outcome, and frees the memory. */
void workload_adpcm_end(struct workload_adpcm *adpcm);

/* Two samples per byte, the first one in the lower half; `count` is even. Both begin with the
 * prediction 0 and the smallest step. */
void workload_adpcm_encode(const int16_t *samples, size_t count, uint8_t *out_codes);
void workload_adpcm_decode(const uint8_t *codes, size_t count, int16_t *out_samples);

/* Three tones, all below a sixteenth of the sampling rate, and noise: what the code is made for. */
void workload_adpcm_make_signal(int16_t *samples, size_t count, uint64_t seed);

#endif
