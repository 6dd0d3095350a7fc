/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
/*
 * fft small|large: Fourier transform of complex integers, and back.
 *
 * Radix 2, decimation in time: Cooley and Tukey, "An algorithm for the machine calculation of
 * complex Fourier series", Math. Comp. 19 (1965). Checked per job: the power of the spectrum is
 * that of the signal times its length (Parseval), and the way back gives the signal.
 */
#include "../common/arguments.h"
#include "../common/outcome.h"
#include "../common/random.h"
#include "../common/sine.h"

#include <laxity/hooks.h>
#include <laxity/marks.h>

#include <inttypes.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum {
    SMALL_COUNT = 1024,
    LARGE_COUNT = 16384,
    FACTOR_BITS = 30, /* workload_sine's */
    /* Parts of a sample stay below 2^13, so those of a spectrum below 2^13.5 * 2^14 = 2^27.5. On
     * the way back a sum of m of them, divided by m, is at most the root of the power over m. */
    SIGNAL_LIMIT = 1 << 13,
    /* Backward, each stage halves what the stages before have added by rounding, and the errors of
     * the forward stages come back divided by the count: the deviation of a part stays below 1. */
    ERROR_LIMIT = 6,
    /* Beside a signal of 2^12 at average the same errors are below 2^-17 of the power. */
    POWER_ERROR_BITS = 10
};

/* Marks of phases. */
enum {
    ORDER = 1,
    STAGE,
    POWER,
    DIGEST,
    COMPARE
};

struct complex_value {
    int32_t real, imaginary;
};

static const struct workload_sizes sizes = {"fft", SMALL_COUNT, LARGE_COUNT};

static struct {
    struct workload_outcome outcome;
    struct complex_value *signal;
    struct complex_value *work;
    struct complex_value *factors; /* exp(-2 pi i k / count), count / 2 of them, in 1/2^30 */
    size_t count;
} fft;

/* To the nearest, halves up. Shifting a negative number right rounds down with every compiler that
 * we know, and C23 leaves it open still. */
static int32_t round_bits(const int64_t value, const unsigned bits)
{
    return (int32_t)((value + (INT64_C(1) << (bits - 1))) >> bits);
}

static struct complex_value
multiply(const struct complex_value factor, const struct complex_value value)
{
    const int64_t real =
        (int64_t)factor.real * value.real - (int64_t)factor.imaginary * value.imaginary;
    const int64_t imaginary =
        (int64_t)factor.real * value.imaginary + (int64_t)factor.imaginary * value.real;

    return (struct complex_value){round_bits(real, FACTOR_BITS), round_bits(imaginary, FACTOR_BITS)
    };
}

static void order_by_reversed_bits(struct complex_value *const values, const size_t count)
{
    size_t reversed = 0;

    for (size_t i = 1; i < count; i++) {
        size_t bit = count / 2;

        /* Counts up from the highest bit. */
        while ((reversed & bit) != 0) {
            reversed ^= bit;
            bit /= 2;
        }
        reversed |= bit;
        if (i < reversed) {
            const struct complex_value kept = values[i];

            values[i] = values[reversed];
            values[reversed] = kept;
        }
    }
}

static void do_butterfly(
    struct complex_value *const upper,
    struct complex_value *const lower,
    struct complex_value factor,
    const bool is_inverse
)
{
    factor.imaginary = is_inverse ? -factor.imaginary : factor.imaginary;
    const struct complex_value sum = *upper;
    const struct complex_value product = multiply(factor, *lower);

    *upper = (struct complex_value){sum.real + product.real, sum.imaginary + product.imaginary};
    *lower = (struct complex_value){sum.real - product.real, sum.imaginary - product.imaginary};
    if (is_inverse) {
        /* Divides by the count, a half per stage. */
        *upper =
            (struct complex_value){round_bits(upper->real, 1), round_bits(upper->imaginary, 1)};
        *lower =
            (struct complex_value){round_bits(lower->real, 1), round_bits(lower->imaginary, 1)};
    }
}

static void transform(struct complex_value *const values, const size_t count, const bool is_inverse)
{
    laxity_phase(ORDER);
    order_by_reversed_bits(values, count);
    for (size_t half = 1; half < count; half *= 2) {
        const size_t stride = fft.count / 2 / half;

        laxity_phase(STAGE);
        for (size_t group = 0; group < count; group += 2 * half) {
            for (size_t k = group; k < group + half; k++) {
                do_butterfly(
                    &values[k], &values[k + half], fft.factors[(k - group) * stride], is_inverse
                );
            }
        }
    }
}

static uint64_t power_of(const struct complex_value *const values, const size_t count)
{
    uint64_t power = 0;

    for (size_t i = 0; i < count; i++) {
        power += (uint64_t)((int64_t)values[i].real * values[i].real) +
                 (uint64_t)((int64_t)values[i].imaginary * values[i].imaginary);
    }
    return power;
}

/* Both sides are below 2^55: count^2 samples of at most 2^27. */
static void check_power(void)
{
    const uint64_t expected = power_of(fft.signal, fft.count) * fft.count;
    const uint64_t power = power_of(fft.work, fft.count);
    const uint64_t difference = power > expected ? power - expected : expected - power;

    if (difference > expected >> POWER_ERROR_BITS) {
        workload_fail_job(
            "fft",
            "the power of the spectrum is %" PRIu64 ", of the signal %" PRIu64,
            power,
            expected
        );
    }
}

static void check_signal(void)
{
    for (size_t i = 0; i < fft.count; i++) {
        if (abs(fft.work[i].real - fft.signal[i].real) > ERROR_LIMIT ||
            abs(fft.work[i].imaginary - fft.signal[i].imaginary) > ERROR_LIMIT) {
            workload_fail_job(
                "fft",
                "sample %zu comes back as %" PRId32 " + %" PRId32 " i, was %" PRId32 " + %" PRId32
                " i",
                i,
                fft.work[i].real,
                fft.work[i].imaginary,
                fft.signal[i].real,
                fft.signal[i].imaginary
            );
        }
    }
}

static int32_t random_part(uint64_t *const state)
{
    return (int32_t)workload_random_below(state, 2 * SIGNAL_LIMIT - 1) - (SIGNAL_LIMIT - 1);
}

int benchmark_init(const int argc, void **const argv)
{
    uint64_t state;

    if (workload_begin(&sizes, argc, argv, &fft.outcome, &fft.count, &state) != 0) {
        return -1;
    }
    fft.signal = workload_allocate("fft", (2 * fft.count + fft.count / 2) * sizeof *fft.signal);
    if (fft.signal == NULL) {
        return -1;
    }
    fft.work = fft.signal + fft.count;
    fft.factors = fft.work + fft.count;
    for (size_t i = 0; i < fft.count; i++) {
        fft.signal[i].real = random_part(&state);
        fft.signal[i].imaginary = random_part(&state);
    }
    for (size_t k = 0; k < fft.count / 2; k++) {
        const uint32_t phase = (uint32_t)((UINT64_C(1) << 32) / fft.count * k);

        fft.factors[k].real = workload_sine(phase + WORKLOAD_QUARTER_TURN);
        fft.factors[k].imaginary = -workload_sine(phase);
    }
    return 0;
}

void benchmark_execution(const int argc, void **const argv)
{
    uint32_t digest = WORKLOAD_DIGEST_START;

    (void)argc;
    (void)argv;
    memcpy(fft.work, fft.signal, fft.count * sizeof *fft.work);
    transform(fft.work, fft.count, false);
    laxity_phase(POWER);
    check_power();
    laxity_phase(DIGEST);
    for (size_t i = 0; i < fft.count; i++) {
        digest = workload_fold_word(digest, (uint32_t)fft.work[i].real);
        digest = workload_fold_word(digest, (uint32_t)fft.work[i].imaginary);
    }
    transform(fft.work, fft.count, true);
    laxity_phase(COMPARE);
    check_signal();
    workload_check_digest(&fft.outcome, digest);
}

void benchmark_teardown(const int argc, void **const argv)
{
    (void)argc;
    (void)argv;
    workload_print_outcome(&fft.outcome);
    free(fft.signal);
    fft.signal = NULL;
}
