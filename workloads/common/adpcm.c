/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
#include "adpcm.h"

#include "arguments.h"
#include "outcome.h"
#include "random.h"
#include "sine.h"

#include <errno.h>
#include <inttypes.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

enum {
    SMALL_COUNT = 4000, /* half a second of telephone speech */
    LARGE_COUNT = 200000,
    STEP_COUNT = 89,
    MAGNITUDE_MASK = 7, /* the lower bits of a code; the fourth is the sign */
    SIGN_BIT = 8,
    CODE_BITS = 4,
    CODE_MASK = 15,
    TONE_COUNT = 3,
    /* Three of them and the noise stay below 2^15. */
    TONE_AMPLITUDE_BITS = 13,
    SINE_BITS = 30,
    NOISE_AMPLITUDE = 100,
    /* 15 dB; the signals of 300 seeds come back with 21 dB to 44 dB. */
    LEAST_POWER_RATIO = 32
};

/* The recommendation's tables. */
static const int16_t step_sizes[STEP_COUNT] = {
    7,     8,     9,     10,    11,    12,    13,    14,    16,    17,    19,    21,    23,
    25,    28,    31,    34,    37,    41,    45,    50,    55,    60,    66,    73,    80,
    88,    97,    107,   118,   130,   143,   157,   173,   190,   209,   230,   253,   279,
    307,   337,   371,   408,   449,   494,   544,   598,   658,   724,   796,   876,   963,
    1060,  1166,  1282,  1411,  1552,  1707,  1878,  2066,  2272,  2499,  2749,  3024,  3327,
    3660,  4026,  4428,  4871,  5358,  5894,  6484,  7132,  7845,  8630,  9493,  10442, 11487,
    12635, 13899, 15289, 16818, 18500, 20350, 22385, 24623, 27086, 29794, 32767,
};

static const int8_t index_changes[MAGNITUDE_MASK + 1] = {-1, -1, -1, -1, 2, 4, 6, 8};

struct predictor {
    int32_t sample;
    int step_index;
};

static int clamp(const int value, const int low, const int high)
{
    if (value < low) {
        return low;
    }
    return value > high ? high : value;
}

static int next_index(const int step_index, const unsigned code)
{
    return clamp(step_index + index_changes[code & MAGNITUDE_MASK], 0, STEP_COUNT - 1);
}

/* What both sides know after a code. The difference is (magnitude + 1/2) / 4 steps, each term cut
 * to a whole number as the recommendation has it. */
static void follow(struct predictor *const predictor, const unsigned code)
{
    const int32_t step = step_sizes[predictor->step_index];
    int32_t difference = step >> 3;

    difference += (code & 4) != 0 ? step : 0;
    difference += (code & 2) != 0 ? step >> 1 : 0;
    difference += (code & 1) != 0 ? step >> 2 : 0;
    predictor->sample = clamp(
        (code & SIGN_BIT) != 0 ? predictor->sample - difference : predictor->sample + difference,
        INT16_MIN,
        INT16_MAX
    );
    predictor->step_index = next_index(predictor->step_index, code);
}

static unsigned encode_sample(struct predictor *const predictor, const int32_t sample)
{
    int32_t rest = sample - predictor->sample;
    int32_t step = step_sizes[predictor->step_index];
    unsigned code = 0;

    if (rest < 0) {
        code = SIGN_BIT;
        rest = -rest;
    }
    for (unsigned bit = 4; bit > 0; bit >>= 1) {
        if (rest >= step) {
            code |= bit;
            rest -= step;
        }
        step >>= 1;
    }
    follow(predictor, code);
    return code;
}

void workload_adpcm_encode(
    const int16_t *const samples, const size_t count, uint8_t *const out_codes
)
{
    struct predictor predictor = {0, 0};

    for (size_t i = 0; i < count; i += 2) {
        const unsigned first = encode_sample(&predictor, samples[i]);
        const unsigned second = encode_sample(&predictor, samples[i + 1]);

        out_codes[i / 2] = (uint8_t)(first | second << CODE_BITS);
    }
}

void workload_adpcm_decode(
    const uint8_t *const codes, const size_t count, int16_t *const out_samples
)
{
    struct predictor predictor = {0, 0};

    for (size_t i = 0; i < count; i += 2) {
        follow(&predictor, codes[i / 2] & CODE_MASK);
        out_samples[i] = (int16_t)predictor.sample;
        follow(&predictor, codes[i / 2] >> CODE_BITS);
        out_samples[i + 1] = (int16_t)predictor.sample;
    }
}

void workload_adpcm_make_signal(int16_t *const samples, const size_t count, const uint64_t seed)
{
    uint64_t state = seed;
    uint32_t speeds[TONE_COUNT];

    for (int tone = 0; tone < TONE_COUNT; tone++) {
        /* From 1/512 to 1/16 of a turn per sample. */
        speeds[tone] =
            (1U << 23) + (uint32_t)workload_random_below(&state, (1U << 28) - (1U << 23));
    }
    for (size_t i = 0; i < count; i++) {
        int32_t sample = (int32_t)workload_random_below(&state, 2 * NOISE_AMPLITUDE + 1);

        for (int tone = 0; tone < TONE_COUNT; tone++) {
            sample += workload_sine(speeds[tone] * (uint32_t)i) /
                      (1 << (SINE_BITS - TONE_AMPLITUDE_BITS));
        }
        samples[i] = (int16_t)(sample - NOISE_AMPLITUDE);
    }
}

int workload_adpcm_begin(
    const char *const workload,
    const int argc,
    void **const argv,
    struct workload_adpcm *const out_adpcm
)
{
    const struct workload_sizes sizes = {workload, SMALL_COUNT, LARGE_COUNT};
    struct workload_adpcm adpcm = {.samples = NULL};
    uint64_t seed;

    if (workload_begin(&sizes, argc, argv, &adpcm.outcome, &adpcm.count, &seed) != 0) {
        return -EINVAL;
    }
    adpcm.samples =
        workload_allocate(workload, 2 * adpcm.count * sizeof *adpcm.samples + adpcm.count / 2);
    if (adpcm.samples == NULL) {
        return -ENOMEM;
    }
    adpcm.decoded = adpcm.samples + adpcm.count;
    adpcm.codes = (uint8_t *)(adpcm.decoded + adpcm.count);
    workload_adpcm_make_signal(adpcm.samples, adpcm.count, seed);
    *out_adpcm = adpcm;
    return 0;
}

/* That `decoded` is what codes of `samples` stand for: a difference that does not overload its step
 * is met within an eighth of the step; and the power of all errors is at most 1/32 of the signal's
 * (15 dB). */
static void check(const struct workload_adpcm *const adpcm)
{
    uint64_t signal_power = 0;
    uint64_t error_power = 0;
    int step_index = 0;

    for (size_t i = 0; i < adpcm->count; i++) {
        const unsigned code = adpcm->codes[i / 2] >> (i % 2 * CODE_BITS) & CODE_MASK;
        const int32_t error = abs(adpcm->decoded[i] - adpcm->samples[i]);

        /* Half of the smallest quarter, and what cutting four terms can add. */
        if ((code & MAGNITUDE_MASK) < MAGNITUDE_MASK && error > step_sizes[step_index] / 8 + 2) {
            workload_fail_job(
                adpcm->outcome.workload,
                "sample %zu is off by %" PRId32 ", more than an eighth of the step %d",
                i,
                error,
                step_sizes[step_index]
            );
        }
        signal_power += (uint64_t)((int64_t)adpcm->samples[i] * adpcm->samples[i]);
        error_power += (uint64_t)((int64_t)error * error);
        step_index = next_index(step_index, code);
    }
    if (error_power * LEAST_POWER_RATIO > signal_power) {
        workload_fail_job(
            adpcm->outcome.workload,
            "the errors have more than 1/%d of the signal's power",
            (int)LEAST_POWER_RATIO
        );
    }
}

void workload_adpcm_end(struct workload_adpcm *const adpcm)
{
    if (adpcm->outcome.is_known) {
        check(adpcm);
    }
    workload_print_outcome(&adpcm->outcome);
    free(adpcm->samples);
    adpcm->samples = NULL;
}
