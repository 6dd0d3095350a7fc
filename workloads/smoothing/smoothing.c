/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
/*
 * smoothing [SIZE_NAME]: takes the noise out of an image and leaves its edges.
 *
 * Each pixel becomes the mean of those around it, weighted by exp(-(distance^2 / (2 s^2)) - (c /
 * t)^2) with c the difference of the greys; the pixel itself does not count, and where nothing is
 * like it, it becomes the median of its neighbours. Source: Smith and Brady, "SUSAN - a new
 * approach to low level image processing", IJCV 23(1), 1997, section 7.
 *
 * The image shows rectangles and discs, and noise which is known.
 */
#include "../common/fixed.h"
#include "../common/image.h"
#include "../common/outcome.h"

#include <laxity/hooks.h>

#include <inttypes.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

enum {
    NOISE = 12,
    RADIUS = 3,
    SIDE = 2 * RADIUS + 1,
    SPREAD = 2,            /* s, in pixels */
    BRIGHTNESS_SCALE = 20, /* t, in greys: above the noise, below the shapes' contrast */
    MEDIAN_NEIGHBOURS = 8,
    GREYS = 256,
    /* The mean of n equal pixels has 1/n of the noise's power; 48 pixels whose weights differ, and
     * fewer at edges, must reach a third. */
    LEAST_NOISE_RATIO = 3
};

static struct {
    struct workload_outcome outcome;
    struct workload_image noisy;
    struct workload_image clean;           /* the truth */
    struct workload_image found;           /* the job's result */
    uint32_t distance_weights[SIDE][SIDE]; /* 8 bits after the point */
    uint32_t grey_weights[2 * GREYS - 1];  /* 8 bits after the point; [GREYS - 1] is difference 0 */
} smoothing;

/* Of eight; by insertion, the lower of the two in the middle. */
static uint8_t median_of_neighbours(const int x, const int y)
{
    uint8_t sorted[MEDIAN_NEIGHBOURS];
    int count = 0;

    for (int v = y - 1; v <= y + 1; v++) {
        const uint8_t *const row =
            workload_row(&smoothing.noisy, workload_clamp(v, 0, smoothing.noisy.height - 1));

        for (int u = x - 1; u <= x + 1; u++) {
            const uint8_t grey = row[workload_clamp(u, 0, smoothing.noisy.width - 1)];
            int place = count;

            if (u == x && v == y) {
                continue;
            }
            for (; place > 0 && sorted[place - 1] > grey; place--) {
                sorted[place] = sorted[place - 1];
            }
            sorted[place] = grey;
            count++;
        }
    }
    return sorted[MEDIAN_NEIGHBOURS / 2 - 1];
}

/* The window ends at the image's border. */
static uint8_t smooth_pixel(const int x, const int y)
{
    const int left = x < RADIUS ? 0 : x - RADIUS;
    const int top = y < RADIUS ? 0 : y - RADIUS;
    const int right = x + RADIUS < smoothing.noisy.width ? x + RADIUS : smoothing.noisy.width - 1;
    const int bottom =
        y + RADIUS < smoothing.noisy.height ? y + RADIUS : smoothing.noisy.height - 1;
    const uint32_t *const weights_of_greys =
        smoothing.grey_weights + GREYS - 1 - workload_row(&smoothing.noisy, y)[x];
    uint32_t weight_sum = 0;
    uint32_t sum = 0;

    /* At most 48 * 2^16 * 255 < 2^30. */
    for (int v = top; v <= bottom; v++) {
        const uint8_t *const row = workload_row(&smoothing.noisy, v);
        const uint32_t *const weights = smoothing.distance_weights[v - y + RADIUS];

        for (int u = left; u <= right; u++) {
            const uint32_t weight = weights[u - x + RADIUS] * weights_of_greys[row[u]];

            weight_sum += weight;
            sum += weight * row[u];
        }
    }
    if (weight_sum == 0) {
        return median_of_neighbours(x, y);
    }
    return (uint8_t)((sum + weight_sum / 2) / weight_sum);
}

static void smooth_image(void)
{
    for (int y = 0; y < smoothing.noisy.height; y++) {
        uint8_t *const out = workload_row(&smoothing.found, y);

        for (int x = 0; x < smoothing.noisy.width; x++) {
            out[x] = smooth_pixel(x, y);
        }
    }
}

static void make_weights(void)
{
    for (int y = -RADIUS; y <= RADIUS; y++) {
        for (int x = -RADIUS; x <= RADIUS; x++) {
            const int exponent_q16 = (x * x + y * y) * Q16_ONE / (2 * SPREAD * SPREAD);

            smoothing.distance_weights[y + RADIUS][x + RADIUS] =
                workload_exp_minus_q16((uint32_t)exponent_q16) >> 8;
        }
    }
    smoothing.distance_weights[RADIUS][RADIUS] = 0;
    for (int difference = 1 - GREYS; difference < GREYS; difference++) {
        /* 255^2 * 2^16 is just below 2^32. */
        const uint32_t square = (uint32_t)(difference * difference);
        const uint32_t exponent_q16 = square * Q16_ONE / (BRIGHTNESS_SCALE * BRIGHTNESS_SCALE);

        smoothing.grey_weights[difference + GREYS - 1] = workload_exp_minus_q16(exponent_q16) >> 8;
    }
}

static int64_t
error_power(const struct workload_image *const image, const struct workload_image *const truth)
{
    int64_t sum = 0;

    for (int y = 0; y < image->height; y++) {
        for (int x = 0; x < image->width; x++) {
            const int error = workload_row(image, y)[x] - workload_row(truth, y)[x];

            sum += (int64_t)error * error;
        }
    }
    return sum;
}

static void check_against_truth(void)
{
    const int64_t before = error_power(&smoothing.noisy, &smoothing.clean);
    const int64_t after = error_power(&smoothing.found, &smoothing.clean);

    if (after * LEAST_NOISE_RATIO > before) {
        workload_fail_job(
            "smoothing",
            "the noise's power fell from %" PRId64 " to %" PRId64 ", expected at most 1/%d",
            before,
            after,
            LEAST_NOISE_RATIO
        );
    }
}

static void free_memory(void)
{
    free(smoothing.noisy.pixels);
    free(smoothing.clean.pixels);
    free(smoothing.found.pixels);
}

int benchmark_init(const int argc, void **const argv)
{
    const struct workload_scale *scale;
    struct workload_shapes shapes;
    uint64_t seed;

    if (workload_read_words("smoothing", argc, argv, &scale, &seed) != 0 ||
        !workload_allocate_image("smoothing", scale, &smoothing.noisy) ||
        !workload_allocate_image("smoothing", scale, &smoothing.clean) ||
        !workload_allocate_image("smoothing", scale, &smoothing.found)) {
        return -1;
    }
    workload_choose_shapes(&shapes, scale, workload_next_random(&seed));
    workload_draw_shapes(&smoothing.clean, &shapes);
    workload_draw_shapes(&smoothing.noisy, &shapes);
    workload_add_noise(&smoothing.noisy, NOISE, workload_next_random(&seed));
    make_weights();
    smooth_image();
    check_against_truth();
    smoothing.outcome = (struct workload_outcome
    ){"smoothing", scale->name, workload_digest_image(&smoothing.found), true};
    return 0;
}

void benchmark_execution(const int argc, void **const argv)
{
    (void)argc;
    (void)argv;
    smooth_image();
    workload_check_digest(&smoothing.outcome, workload_digest_image(&smoothing.found));
}

void benchmark_teardown(const int argc, void **const argv)
{
    (void)argc;
    (void)argv;
    check_against_truth();
    workload_print_outcome(&smoothing.outcome);
    free_memory();
}
