/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
/*
 * Integer arithmetic of the vision workloads: what would be libm, random numbers, and the digest of
 * a result.
 *
 * No floating point anywhere: a result must be the same, bit by bit, on every instruction set.
 */
#ifndef LAXITY_WORKLOADS_FIXED_H
#define LAXITY_WORKLOADS_FIXED_H

#include "random.h" // IWYU pragma: export

#include <stdint.h>

enum {
    Q14_ONE = 1 << 14,
    Q16_ONE = 1 << 16,
    /* Angles are fractions of a turn, so that they wrap round as integers do. */
    QUARTER_TURN = 1 << 14
};

/* Uniform in [low, high] but for a bias below (high - low) / 2^32; low <= high. */
int32_t workload_random_between(uint64_t *state, int32_t low, int32_t high);

/* Approximately normal with mean 0 and a standard deviation of 2^12: see fixed.c. */
int32_t workload_random_normal_q12(uint64_t *state);

/* The same 32 bits for the same three numbers, unrelated otherwise. */
uint32_t workload_hash(uint64_t seed, uint32_t x, uint32_t y);

/* The largest root with root * root <= value. */
uint32_t workload_square_root(uint64_t value);

/* exp(-x) with 16 bits after the point, both ways; error below 1 of 2^16. */
uint32_t workload_exp_minus_q16(uint32_t x_q16);

/* out[0] = cos, out[1] = sin, with 14 bits after the point; error at most 1 of 2^14. */
void workload_cos_sin_q14(uint16_t angle, int32_t out[2]);

/* The angle of (x, y) in 2^-16 turns, error at most 1; 0 for (0, 0). |x| and |y| < 2^28. */
uint16_t workload_angle_of(int32_t x, int32_t y);

/*
 * Digest of a sequence of 32-bit numbers: FNV-1a, but of 32-bit words and with 64 bits of state, so
 * that it costs one multiplication per number. Counts values, not bytes in memory: the same on
 * either endianness.
 */
static inline uint64_t workload_digest_start(void)
{
    return UINT64_C(0xcbf29ce484222325); /* FNV's offset basis for 64 bits */
}

static inline uint64_t workload_digest_add(const uint64_t digest, const uint32_t value)
{
    return (digest ^ value) * UINT64_C(0x100000001b3); /* FNV's prime for 64 bits */
}

static inline uint32_t workload_digest_end(const uint64_t digest)
{
    return (uint32_t)(digest ^ (digest >> 32));
}

uint32_t workload_digest_bytes(const uint8_t *bytes, uint64_t count);

/* What a run of a vision workload is known by: NAME SIZE digest=... */
struct workload_result {
    const char *workload;
    const char *size_name;
    uint32_t digest; /* of the run that init made and checked against the truth */
};

/* Every job computes the same: fails the job if its digest is another than init's. */
void workload_expect_digest(const struct workload_result *result, uint32_t digest);

/* For teardown: one line on stdout, the same on every instruction set for the same seed. */
void workload_print_digest(const struct workload_result *result);

/* laxity_job_failed() with a format; at most 200 bytes. */
__attribute__((noreturn, format(printf, 1, 2))) void workload_fail(const char *format, ...);

#endif
