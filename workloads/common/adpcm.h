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

#include <stddef.h>
#include <stdint.h>

/* Two samples per byte, the first one in the lower half; `count` is even. Both begin with the
 * prediction 0 and the smallest step. */
void workload_adpcm_encode(const int16_t *samples, size_t count, uint8_t *out_codes);
void workload_adpcm_decode(const uint8_t *codes, size_t count, int16_t *out_samples);

/* Three tones, all below a sixteenth of the sampling rate, and noise: what the code is made for. */
void workload_adpcm_make_signal(int16_t *samples, size_t count, uint64_t seed);

/*
 * workload_adpcm_check - that `decoded` is what codes of `samples` stand for
 *
 * A difference that does not overload its step is met within an eighth of the step; and the power
 * of all errors is at most 1/32 of the signal's (15 dB). Fails the job otherwise.
 */
void workload_adpcm_check(
    const char *workload,
    const int16_t *samples,
    const uint8_t *codes,
    const int16_t *decoded,
    size_t count
);

#endif
