/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
/*
 * disparity [SIZE_NAME]: how far each pixel of a left image lies from its counterpart in the right
 * one.
 *
 * Block matching: for each shift the sum of absolute differences over a window around each pixel,
 * from an integral image, and the shift with the least sum wins. Sources: Scharstein and Szeliski,
 * "A taxonomy and evaluation of dense two-frame stereo correspondence algorithms", IJCV 2002,
 * sections 3.1 to 3.3 (SAD, window, winner takes all); Crow, "Summed-area tables for texture
 * mapping", SIGGRAPH 1984.
 *
 * The pair shows textured shapes before a textured wall, each with a known disparity.
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
#include <string.h>

enum {
    WINDOW_RADIUS = 3,
    WINDOW_SIDE = 2 * WINDOW_RADIUS + 1,
    /* Shifts grow with the image's width up to this, as a camera's would. */
    HIGHEST_SHIFT_COUNT = 64,
    WIDTH_PER_SHIFT = 8,
    HIGHEST_WIDTH = 1920,
    NO_COUNTERPART_COST = 255,
    NOISE = 2, /* of the right camera */
    TRUTH_UNKNOWN = 255,
    LEAST_PERCENT_RIGHT = 80
};

static struct {
    struct workload_outcome outcome;
    struct workload_image left, right;
    struct workload_image truth; /* TRUTH_UNKNOWN where the right camera does not see the point */
    struct workload_image found; /* the job's result */
    uint32_t *integral;          /* one column and row more than the images: the first are 0 */
    uint16_t *least_sums;        /* at most 255 * WINDOW_SIDE^2 */
    int shift_count;
} disparity;

_Static_assert(WORKLOAD_SHAPE_LIMIT < UINT8_MAX, "a layer fits 8 bits");
_Static_assert(255 * WINDOW_SIDE * WINDOW_SIDE < UINT16_MAX, "a window's sum fits 16 bits");

/* integral[y][x]: the differences of all pixels above and left of (x, y). At fullhd at most 255 *
 * 1920 * 1080 < 2^32. */
static void integrate_differences(const int shift)
{
    const int width = disparity.left.width;

    for (int y = 0; y < disparity.left.height; y++) {
        const uint8_t *const left = workload_row(&disparity.left, y);
        const uint8_t *const right = workload_row(&disparity.right, y);
        const uint32_t *const above = disparity.integral + workload_index(width + 1, 1, y);
        uint32_t *const sums = disparity.integral + workload_index(width + 1, 1, y + 1);
        uint32_t row_sum = 0;

        for (int x = 0; x < shift; x++) {
            row_sum += NO_COUNTERPART_COST;
            sums[x] = above[x] + row_sum;
        }
        for (int x = shift; x < width; x++) {
            row_sum += (uint32_t)abs(left[x] - right[x - shift]);
            sums[x] = above[x] + row_sum;
        }
    }
}

static void keep_better_shift(const int shift)
{
    const int width = disparity.left.width;

    for (int y = WINDOW_RADIUS; y < disparity.left.height - WINDOW_RADIUS; y++) {
        const uint32_t *const top =
            disparity.integral + workload_index(width + 1, 0, y - WINDOW_RADIUS);
        const uint32_t *const bottom = top + workload_index(width + 1, 0, WINDOW_SIDE);
        uint16_t *const least = disparity.least_sums + workload_index(width, WINDOW_RADIUS, y);
        uint8_t *const found = workload_row(&disparity.found, y) + WINDOW_RADIUS;

        for (int x = 0; x < width - 2 * WINDOW_RADIUS; x++) {
            const uint32_t sum =
                bottom[x + WINDOW_SIDE] - bottom[x] - top[x + WINDOW_SIDE] + top[x];

            if (sum < least[x]) {
                least[x] = (uint16_t)sum;
                found[x] = (uint8_t)shift;
            }
        }
    }
}

/* Pixels whose window does not fit into the image keep the disparity 0. */
static void match_images(void)
{
    const size_t pixel_count = workload_index(disparity.left.width, 0, disparity.left.height);

    memset(disparity.found.pixels, 0, pixel_count);
    memset(disparity.least_sums, 0xff, pixel_count * sizeof *disparity.least_sums);
    memset(disparity.integral, 0, ((size_t)disparity.left.width + 1) * sizeof *disparity.integral);
    for (int y = 1; y <= disparity.left.height; y++) {
        disparity.integral[workload_index(disparity.left.width + 1, 0, y)] = 0;
    }
    for (int shift = 0; shift < disparity.shift_count; shift++) {
        integrate_differences(shift);
        keep_better_shift(shift);
    }
}

/* Which layer each camera sees along a row: 0 the wall, otherwise 1 + the number of a shape. A
 * point that lies at x from the left is at x - its disparity from the right; the nearest hides the
 * others.
 */
static void look_along_row(
    const struct workload_shapes *const shapes,
    const uint8_t *const disparities,
    const int y,
    uint8_t *const left_layers,
    uint8_t *const right_layers
)
{
    memset(right_layers, 0, (size_t)shapes->width);
    for (int x = 0; x < shapes->width; x++) {
        const struct workload_shape *const shape = workload_shape_at(shapes, x, y);
        const uint8_t layer = (uint8_t)(shape == NULL ? 0 : shape - shapes->shapes + 1);
        const int from_right = x - disparities[layer];

        left_layers[x] = layer;
        if (from_right >= 0 && disparities[layer] > disparities[right_layers[from_right]]) {
            right_layers[from_right] = layer;
        }
    }
}

static void draw_row(
    const struct workload_shapes *const shapes,
    const uint8_t *const disparities,
    const uint64_t seed,
    const int y
)
{
    uint8_t left_layers[HIGHEST_WIDTH];
    uint8_t right_layers[HIGHEST_WIDTH];
    uint8_t *const left = workload_row(&disparity.left, y);
    uint8_t *const right = workload_row(&disparity.right, y);
    uint8_t *const truth = workload_row(&disparity.truth, y);

    look_along_row(shapes, disparities, y, left_layers, right_layers);
    for (int x = 0; x < shapes->width; x++) {
        const uint8_t layer = left_layers[x];
        const int shift = disparities[layer];
        const bool is_seen_twice = x >= shift && right_layers[x - shift] == layer;
        const int x_of_right = x + disparities[right_layers[x]];

        /* Each layer has a texture of its own. */
        left[x] = (uint8_t)workload_texture(seed + 8 * (uint64_t)layer, x * 256, y * 256);
        right[x] = (uint8_t
        )workload_texture(seed + 8 * (uint64_t)right_layers[x], x_of_right * 256, y * 256);
        truth[x] = (uint8_t)(is_seen_twice ? shift : TRUTH_UNKNOWN);
    }
}

/* The wall lies within the lowest quarter of the shifts, the shapes within the upper half. */
static void draw_scene(const struct workload_scale *const scale, uint64_t seed)
{
    struct workload_shapes shapes;
    uint8_t disparities[WORKLOAD_SHAPE_LIMIT + 1];

    workload_choose_shapes(&shapes, scale, workload_next_random(&seed));
    disparities[0] = (uint8_t)workload_random_between(&seed, 1, disparity.shift_count / 4);
    for (size_t layer = 1; layer <= WORKLOAD_SHAPE_LIMIT; layer++) {
        disparities[layer] = (uint8_t
        )workload_random_between(&seed, disparity.shift_count / 2, disparity.shift_count - 1);
    }
    const uint64_t texture_seed = workload_next_random(&seed);

    for (int y = 0; y < scale->height; y++) {
        draw_row(&shapes, disparities, texture_seed, y);
    }
    workload_add_noise(&disparity.right, NOISE, workload_next_random(&seed));
}

/* Percentage of the points seen by both cameras whose disparity is right within one pixel, the
 * usual measure: Scharstein and Szeliski, section 5.1. */
static void check_against_truth(void)
{
    uint64_t known = 0;
    uint64_t right = 0;

    for (int y = WINDOW_RADIUS; y < disparity.truth.height - WINDOW_RADIUS; y++) {
        const uint8_t *const truth = workload_row(&disparity.truth, y);
        const uint8_t *const found = workload_row(&disparity.found, y);

        for (int x = WINDOW_RADIUS; x < disparity.truth.width - WINDOW_RADIUS; x++) {
            known += truth[x] != TRUTH_UNKNOWN;
            right += truth[x] != TRUTH_UNKNOWN && abs(truth[x] - found[x]) <= 1;
        }
    }
    if (right * 100 < known * LEAST_PERCENT_RIGHT) {
        workload_fail_job(
            "disparity",
            "%llu of %llu disparities are right, expected at least %d %%",
            (unsigned long long)right,
            (unsigned long long)known,
            LEAST_PERCENT_RIGHT
        );
    }
}

static bool allocate_memory(const struct workload_scale *const scale)
{
    const size_t pixel_count = workload_index(scale->width, 0, scale->height);
    const size_t integral_count = workload_index(scale->width + 1, 0, scale->height + 1);

    disparity.integral = workload_allocate("disparity", integral_count * sizeof(uint32_t));
    disparity.least_sums = workload_allocate("disparity", pixel_count * sizeof(uint16_t));
    return disparity.integral != NULL && disparity.least_sums != NULL &&
           workload_allocate_image("disparity", scale, &disparity.left) &&
           workload_allocate_image("disparity", scale, &disparity.right) &&
           workload_allocate_image("disparity", scale, &disparity.truth) &&
           workload_allocate_image("disparity", scale, &disparity.found);
}

static void free_memory(void)
{
    free(disparity.integral);
    free(disparity.least_sums);
    free(disparity.left.pixels);
    free(disparity.right.pixels);
    free(disparity.truth.pixels);
    free(disparity.found.pixels);
}

int benchmark_init(const int argc, void **const argv)
{
    const struct workload_scale *scale;
    uint64_t seed;

    if (workload_read_words("disparity", argc, argv, &scale, &seed) != 0 ||
        !allocate_memory(scale)) {
        return -1;
    }
    disparity.shift_count = workload_clamp(scale->width / WIDTH_PER_SHIFT, 1, HIGHEST_SHIFT_COUNT);
    draw_scene(scale, seed);
    match_images();
    check_against_truth();
    disparity.outcome = (struct workload_outcome
    ){"disparity", scale->name, workload_digest_image(&disparity.found), true};
    return 0;
}

void benchmark_execution(const int argc, void **const argv)
{
    (void)argc;
    (void)argv;
    match_images();
    workload_check_digest(&disparity.outcome, workload_digest_image(&disparity.found));
}

void benchmark_teardown(const int argc, void **const argv)
{
    (void)argc;
    (void)argv;
    check_against_truth();
    workload_print_outcome(&disparity.outcome);
    free_memory();
}
