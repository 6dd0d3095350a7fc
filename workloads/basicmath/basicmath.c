/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
/*
 * basicmath small|large: square roots, roots of cubic polynomials, angle conversion and greatest
 * common divisors, in integers.
 *
 * Each answer is checked by what defines it: the square below and above, the roots that the
 * polynomial was made of, the angle converted back, a second algorithm for the divisor.
 */
#include "../common/arguments.h"
#include "../common/outcome.h"
#include "../common/phases.h"
#include "../common/random.h"

#include <laxity/hooks.h>

#include <inttypes.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

/* pi / 180 in 1/2^40 and 180 / pi in 1/2^28: with 25 bits of angle before them, products stay below
 * 2^61. */
#define RADIANS_PER_DEGREE INT64_C(19190098069)
#define DEGREES_PER_RADIAN INT64_C(15380218700)

enum {
    SMALL_COUNT = 200,
    LARGE_COUNT = 10000,
    DEGREE_BITS = 16, /* after the point */
    RADIAN_BITS = 24,
    RADIANS_PER_DEGREE_BITS = 40,
    DEGREES_PER_RADIAN_BITS = 28,
    FULL_TURN_DEGREES = 360,
    ROOT_COUNT = 3,
    /* Roots have 8 bits after the point and lie within 512: the terms of a polynomial stay below
     * 2^56. */
    ROOT_LIMIT = 1 << 17,
    /* The critical points, found within 2, must lie strictly between the roots; each is at least a
     * third of the gap away from either. */
    LEAST_GAP = 16,
    PHASE_ITEMS = 320 /* of a phase */
};

/* Mark of phases. */
enum {
    CALCULATE = 1
};

/* x^3 + a x^2 + b x + c */
struct cubic {
    int64_t roots[ROOT_COUNT]; /* rising: what it was made of */
    int64_t a, b, c;
};

struct item {
    struct cubic cubic;
    uint64_t number;
    uint32_t degrees;
    uint32_t pair[2]; /* neither is 0 */
};

static const struct workload_sizes sizes = {"basicmath", SMALL_COUNT, LARGE_COUNT};

static struct {
    struct workload_outcome outcome;
    struct item *items;
    size_t count;
} basicmath;

/* Digit by digit: Warren, "Hacker's Delight", 2nd edition, Figure 11-4, for 64 bits. */
static uint32_t square_root(uint64_t number)
{
    uint64_t root = 0;

    for (uint64_t digit = UINT64_C(1) << 62; digit != 0; digit >>= 2) {
        const uint64_t trial = root + digit;

        root >>= 1;
        if (number >= trial) {
            number -= trial;
            root += digit;
        }
    }
    return (uint32_t)root;
}

static int64_t cubic_value(const struct cubic *const cubic, const int64_t x)
{
    return ((x + cubic->a) * x + cubic->b) * x + cubic->c;
}

/* The lowest x in (low, high] where sign * the cubic is not negative, for a sign with which it
 * rises there. */
static int64_t bisect(const struct cubic *const cubic, int64_t low, int64_t high, const int sign)
{
    while (high - low > 1) {
        const int64_t middle = (low + high) / 2;

        if (sign * cubic_value(cubic, middle) >= 0) {
            high = middle;
        } else {
            low = middle;
        }
    }
    return high;
}

/* Between its critical points, the zeros of 3 x^2 + 2 a x + b, a cubic rises or falls only. */
static void find_roots(const struct cubic *const cubic, int64_t out_roots[ROOT_COUNT])
{
    const int64_t discriminant = cubic->a * cubic->a - 3 * cubic->b;
    const int64_t half_width = square_root((uint64_t)discriminant);
    const int64_t maximum = (-cubic->a - half_width) / 3;
    const int64_t minimum = (-cubic->a + half_width) / 3;

    out_roots[0] = bisect(cubic, -ROOT_LIMIT - 1, maximum, 1);
    out_roots[1] = bisect(cubic, maximum, minimum, -1);
    out_roots[2] = bisect(cubic, minimum, ROOT_LIMIT, 1);
}

/* Euclid, "Elements", book VII, proposition 2. */
static uint32_t divide_common(uint32_t a, uint32_t b)
{
    while (b != 0) {
        const uint32_t rest = a % b;

        a = b;
        b = rest;
    }
    return a;
}

/* Stein, "Computational problems associated with Racah algebra", J. Comp. Phys. 1 (1967): shifts
 * and differences only. Neither may be 0. */
static uint32_t halve_common(uint32_t a, uint32_t b)
{
    const int common_twos = __builtin_ctz(a | b);

    a >>= __builtin_ctz(a);
    while (b != 0) {
        b >>= __builtin_ctz(b);
        if (a > b) {
            const uint32_t lower = b;

            b = a;
            a = lower;
        }
        b -= a;
    }
    return a << common_twos;
}

/* value * factor, rounded, with `bits` fewer after the point; nothing is negative. */
static uint32_t convert(const uint32_t value, const int64_t factor, const unsigned bits)
{
    return (uint32_t)((value * factor + (INT64_C(1) << (bits - 1))) >> bits);
}

static uint32_t do_square_root(const struct item *const item)
{
    const uint64_t root = square_root(item->number);

    /* (root + 1)^2 > number, without the overflow at root = 2^32 - 1. */
    if (root * root > item->number || item->number - root * root > 2 * root) {
        workload_fail_job(
            "basicmath", "%" PRIu64 " is no square root of %" PRIu64, root, item->number
        );
    }
    return (uint32_t)root;
}

static uint32_t do_cubic(const struct item *const item, uint32_t digest)
{
    int64_t roots[ROOT_COUNT];

    find_roots(&item->cubic, roots);
    for (int i = 0; i < ROOT_COUNT; i++) {
        if (roots[i] != item->cubic.roots[i]) {
            workload_fail_job(
                "basicmath",
                "root %d of a cubic is %" PRId64 "/256, expected %" PRId64 "/256",
                i,
                roots[i],
                item->cubic.roots[i]
            );
        }
        digest = workload_fold_word(digest, (uint32_t)roots[i]);
    }
    return digest;
}

/* A radian has so many bits that the way back, rounded, is exact: 1/2^25 of a radian is 1/9 of
 * 1/2^16 of a degree. */
static uint32_t do_angle(const struct item *const item)
{
    const uint32_t radians = convert(
        item->degrees, RADIANS_PER_DEGREE, DEGREE_BITS + RADIANS_PER_DEGREE_BITS - RADIAN_BITS
    );
    const uint32_t degrees =
        convert(radians, DEGREES_PER_RADIAN, RADIAN_BITS + DEGREES_PER_RADIAN_BITS - DEGREE_BITS);

    if (degrees != item->degrees) {
        workload_fail_job(
            "basicmath",
            "%" PRIu32 "/65536 degrees come back from radians as %" PRIu32,
            item->degrees,
            degrees
        );
    }
    return radians;
}

static uint32_t do_divisor(const struct item *const item)
{
    const uint32_t divided = divide_common(item->pair[0], item->pair[1]);
    const uint32_t halved = halve_common(item->pair[0], item->pair[1]);

    if (divided != halved) {
        workload_fail_job(
            "basicmath",
            "common divisor is %" PRIu32 " by one way, %" PRIu32 " by the other",
            divided,
            halved
        );
    }
    return divided;
}

static void make_cubic(struct cubic *const cubic, uint64_t *const state)
{
    /* Each root in its own third. */
    const int64_t third = (2 * ROOT_LIMIT - 2) / ROOT_COUNT;

    for (int i = 0; i < ROOT_COUNT; i++) {
        cubic->roots[i] = 1 - ROOT_LIMIT + i * third +
                          (int64_t)workload_random_below(state, (uint64_t)(third - LEAST_GAP));
    }
    const int64_t *const roots = cubic->roots;

    /* Vieta */
    cubic->a = -(roots[0] + roots[1] + roots[2]);
    cubic->b = roots[0] * roots[1] + roots[0] * roots[2] + roots[1] * roots[2];
    cubic->c = -(roots[0] * roots[1] * roots[2]);
}

static void make_item(struct item *const item, uint64_t *const state)
{
    const uint64_t common = 1 + workload_random_below(state, 1000);

    make_cubic(&item->cubic, state);
    /* Of every length from 1 to 64 bits. */
    item->number = workload_next_random(state) >> workload_random_below(state, 64);
    item->degrees = (uint32_t)workload_random_below(state, FULL_TURN_DEGREES << DEGREE_BITS);
    for (int i = 0; i < 2; i++) {
        item->pair[i] =
            (uint32_t)(common * (1 + workload_random_below(state, UINT32_MAX / common)));
    }
}

int benchmark_init(const int argc, void **const argv)
{
    uint64_t state;

    if (workload_begin(&sizes, argc, argv, &basicmath.outcome, &basicmath.count, &state) != 0) {
        return -1;
    }
    basicmath.items = workload_allocate("basicmath", basicmath.count * sizeof *basicmath.items);
    if (basicmath.items == NULL) {
        return -1;
    }
    for (size_t i = 0; i < basicmath.count; i++) {
        make_item(&basicmath.items[i], &state);
    }
    return 0;
}

void benchmark_execution(const int argc, void **const argv)
{
    uint32_t digest = WORKLOAD_DIGEST_START;

    (void)argc;
    (void)argv;
    for (size_t i = 0; i < basicmath.count;) {
        const size_t end = workload_begin_phase(CALCULATE, i, basicmath.count, PHASE_ITEMS);

        for (; i < end; i++) {
            const struct item *const item = &basicmath.items[i];

            digest = workload_fold_word(digest, do_square_root(item));
            digest = do_cubic(item, digest);
            digest = workload_fold_word(digest, do_angle(item));
            digest = workload_fold_word(digest, do_divisor(item));
        }
    }
    workload_check_digest(&basicmath.outcome, digest);
}

void benchmark_teardown(const int argc, void **const argv)
{
    (void)argc;
    (void)argv;
    workload_print_outcome(&basicmath.outcome);
    free(basicmath.items);
    basicmath.items = NULL;
}
