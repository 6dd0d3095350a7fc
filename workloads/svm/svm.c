/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
/*
 * svm [SIZE_NAME]: learns to tell two kinds of points apart, then tells which are which.
 *
 * A support vector machine with a Gaussian kernel, trained by sequential minimal optimization.
 * Sources: Cortes and Vapnik, "Support-vector networks", Machine Learning 20, 1995; Platt, "Fast
 * training of support vector machines using sequential minimal optimization", 1998; Keerthi et al.,
 * "Improvements to Platt's SMO algorithm for SVM classifier design", Neural Computation 13, 2001
 * (the pair that violates the conditions most).
 *
 * The points lie around four places like a chess board's fields, so that no plane separates them.
 */
#include "../common/arguments.h"
#include "../common/fixed.h"
#include "../common/image.h"
#include "../common/outcome.h"

#include <laxity/hooks.h>

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

enum {
    DIMENSIONS = 8, /* the first two tell the kinds apart, the others are noise */
    UNIT_Q8 = 256,
    /* The four places lie at (+-1, +-1); a deviation of 0.3 puts the nearest border between them
     * more than three deviations away. */
    SPREAD_PER_1000 = 300,
    /* C: a point that is no support vector costs nothing, the worst ones this much. */
    HIGHEST_WEIGHT_Q16 = 8 * Q16_ONE,
    /* Keerthi's tau: how far the conditions may be violated at the end. */
    TOLERANCE_PER_1000 = 1,
    /* Far more than it takes: bounds the time of a job. */
    STEPS_PER_POINT = 100,
    LEAST_PERCENT = 85
};

/* Points to learn from, and as many to tell apart, for each size. */
static const size_t point_counts[WORKLOAD_SCALE_COUNT] = {32, 48, 64, 128, 256, 512, 1536};

struct point {
    int32_t x[DIMENSIONS]; /* 8 bits after the point */
    int32_t kind;          /* +1 or -1 */
};

static struct {
    struct workload_outcome outcome;
    size_t count;
    struct point *known;  /* to learn from */
    struct point *other;  /* to tell apart; their kinds are the truth */
    uint32_t *kernel_q16; /* of all pairs of known points */
    int32_t *weights_q16; /* the multipliers alpha, in [0, HIGHEST_WEIGHT_Q16] */
    int64_t *errors_q32;  /* the output without bias, less the kind; exact: never rounded */
    int64_t bias_q32;
    int32_t *outputs_q16; /* the job's result: at the other points, below 0 for the kind -1 */
} svm;

/* exp(-|a - b|^2 / 2). */
static uint32_t kernel_q16(const struct point *const a, const struct point *const b)
{
    uint32_t square_q16 = 0;

    for (size_t i = 0; i < DIMENSIONS; i++) {
        const int32_t difference = a->x[i] - b->x[i];

        square_q16 += (uint32_t)(difference * difference);
    }
    return workload_exp_minus_q16(square_q16 / 2);
}

static void fill_kernel(void)
{
    for (size_t i = 0; i < svm.count; i++) {
        for (size_t j = 0; j <= i; j++) {
            const uint32_t value = kernel_q16(&svm.known[i], &svm.known[j]);

            svm.kernel_q16[i * svm.count + j] = value;
            svm.kernel_q16[j * svm.count + i] = value;
        }
    }
}

/* How far the weight may move so that the output at the point rises. */
static int32_t room_up(const size_t i)
{
    return svm.known[i].kind > 0 ? HIGHEST_WEIGHT_Q16 - svm.weights_q16[i] : svm.weights_q16[i];
}

static int32_t room_down(const size_t i)
{
    return svm.known[i].kind > 0 ? svm.weights_q16[i] : HIGHEST_WEIGHT_Q16 - svm.weights_q16[i];
}

/* out[0]: the point with the lowest error among those whose output can rise; out[1]: the one with
 * the highest among those whose output can fall. The first of equals. Both exist while both kinds
 * do. */
static void find_worst_pair(size_t out[2])
{
    int64_t lowest = INT64_MAX;
    int64_t highest = INT64_MIN;

    for (size_t i = 0; i < svm.count; i++) {
        if (svm.errors_q32[i] < lowest && room_up(i) > 0) {
            lowest = svm.errors_q32[i];
            out[0] = i;
        }
        if (svm.errors_q32[i] > highest && room_down(i) > 0) {
            highest = svm.errors_q32[i];
            out[1] = i;
        }
    }
}

/* Platt, section 2.1: moves both weights by the same step, which keeps the sum of weights times
 * kinds, to the least of the objective or the end of the room. */
static bool improve_pair(const size_t up, const size_t down)
{
    const uint32_t *const up_row = svm.kernel_q16 + up * svm.count;
    const uint32_t *const down_row = svm.kernel_q16 + down * svm.count;
    const int64_t gap_q32 = svm.errors_q32[down] - svm.errors_q32[up];
    const int64_t curvature_q16 =
        (int64_t)up_row[up] + (int64_t)down_row[down] - 2 * (int64_t)up_row[down];
    int64_t step_q16 = gap_q32 / (curvature_q16 > 0 ? curvature_q16 : 1);

    step_q16 = step_q16 < room_up(up) ? step_q16 : room_up(up);
    step_q16 = step_q16 < room_down(down) ? step_q16 : room_down(down);
    if (step_q16 <= 0) {
        return false;
    }
    svm.weights_q16[up] += svm.known[up].kind * (int32_t)step_q16;
    svm.weights_q16[down] -= svm.known[down].kind * (int32_t)step_q16;
    for (size_t i = 0; i < svm.count; i++) {
        svm.errors_q32[i] += step_q16 * ((int64_t)up_row[i] - (int64_t)down_row[i]);
    }
    return true;
}

static void learn(void)
{
    const int64_t tolerance_q32 = (INT64_C(1) << 32) * TOLERANCE_PER_1000 / 1000;
    size_t pair[2] = {0, 0};

    fill_kernel();
    for (size_t i = 0; i < svm.count; i++) {
        svm.weights_q16[i] = 0;
        svm.errors_q32[i] = -(INT64_C(1) << 32) * svm.known[i].kind;
    }
    find_worst_pair(pair);
    for (size_t step = 0; step < STEPS_PER_POINT * svm.count; step++) {
        if (svm.errors_q32[pair[1]] - svm.errors_q32[pair[0]] < tolerance_q32 ||
            !improve_pair(pair[0], pair[1])) {
            break;
        }
        find_worst_pair(pair);
    }
    svm.bias_q32 = -(svm.errors_q32[pair[0]] + svm.errors_q32[pair[1]]) / 2;
}

/* An output is at most the sum of all weights: 1536 * 2^19 < 2^30. */
static void tell_apart(void)
{
    for (size_t i = 0; i < svm.count; i++) {
        int64_t output_q32 = svm.bias_q32;

        for (size_t j = 0; j < svm.count; j++) {
            if (svm.weights_q16[j] != 0) {
                output_q32 += (int64_t)svm.known[j].kind * svm.weights_q16[j] *
                              (int64_t)kernel_q16(&svm.known[j], &svm.other[i]);
            }
        }
        svm.outputs_q16[i] = (int32_t)(output_q32 / Q16_ONE);
    }
}

static uint32_t digest_found(void)
{
    uint64_t digest = workload_digest_start();

    for (size_t i = 0; i < svm.count; i++) {
        digest = workload_digest_add(digest, (uint32_t)svm.weights_q16[i]);
        digest = workload_digest_add(digest, (uint32_t)svm.outputs_q16[i]);
    }
    digest = workload_digest_add(digest, (uint32_t)(uint64_t)svm.bias_q32);
    digest = workload_digest_add(digest, (uint32_t)((uint64_t)svm.bias_q32 >> 32));
    return workload_digest_end(digest);
}

/* The fields take turns, so that each has a quarter of the points. */
static void draw_points(struct point *const points, uint64_t *const random)
{
    for (size_t i = 0; i < svm.count; i++) {
        const bool is_right = i % 2 != 0;
        const bool is_upper = i / 2 % 2 != 0;

        for (size_t j = 0; j < DIMENSIONS; j++) {
            points[i].x[j] =
                workload_random_normal_q12(random) * SPREAD_PER_1000 / 1000 * UNIT_Q8 / 4096;
        }
        points[i].x[0] += is_right ? UNIT_Q8 : -UNIT_Q8;
        points[i].x[1] += is_upper ? UNIT_Q8 : -UNIT_Q8;
        points[i].kind = is_right == is_upper ? 1 : -1;
    }
}

static void check_against_truth(void)
{
    size_t right_count = 0;

    for (size_t i = 0; i < svm.count; i++) {
        right_count += (svm.outputs_q16[i] < 0 ? -1 : 1) == svm.other[i].kind;
    }
    if (right_count * 100 < svm.count * LEAST_PERCENT) {
        workload_fail_job(
            "svm",
            "the kind of %zu of %zu points was found, expected at least %d %%",
            right_count,
            svm.count,
            LEAST_PERCENT
        );
    }
}

static bool allocate_memory(void)
{
    svm.known = workload_allocate("svm", svm.count * sizeof(struct point));
    svm.other = workload_allocate("svm", svm.count * sizeof(struct point));
    svm.kernel_q16 = workload_allocate("svm", svm.count * svm.count * sizeof(uint32_t));
    svm.weights_q16 = workload_allocate("svm", svm.count * sizeof(int32_t));
    svm.errors_q32 = workload_allocate("svm", svm.count * sizeof(int64_t));
    svm.outputs_q16 = workload_allocate("svm", svm.count * sizeof(int32_t));
    return svm.known != NULL && svm.other != NULL && svm.kernel_q16 != NULL &&
           svm.weights_q16 != NULL && svm.errors_q32 != NULL && svm.outputs_q16 != NULL;
}

static void free_memory(void)
{
    free(svm.known);
    free(svm.other);
    free(svm.kernel_q16);
    free(svm.weights_q16);
    free(svm.errors_q32);
    free(svm.outputs_q16);
}

int benchmark_init(const int argc, void **const argv)
{
    const struct workload_scale *scale;
    uint64_t seed;

    if (workload_read_words("svm", argc, argv, &scale, &seed) != 0) {
        return -1;
    }
    svm.count = point_counts[scale->level];
    if (!allocate_memory()) {
        return -1;
    }
    draw_points(svm.known, &seed);
    draw_points(svm.other, &seed);
    learn();
    tell_apart();
    check_against_truth();
    svm.outcome = (struct workload_outcome){"svm", scale->name, digest_found(), true};
    return 0;
}

void benchmark_execution(const int argc, void **const argv)
{
    (void)argc;
    (void)argv;
    learn();
    tell_apart();
    workload_check_digest(&svm.outcome, digest_found());
}

void benchmark_teardown(const int argc, void **const argv)
{
    (void)argc;
    (void)argv;
    check_against_truth();
    workload_print_outcome(&svm.outcome);
    free_memory();
}
