/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
/*
 * corners [SIZE_NAME]: the points of an image at which its grey changes in two directions.
 *
 * Source: Harris and Stephens, "A combined corner and edge detector", Alvey vision conference 1988:
 * R = det(M) - k trace(M)^2, M being the smoothed products of the gradient.
 *
 * The image shows rectangles, whose corners are known, discs and noise.
 */
#include "../common/arguments.h"
#include "../common/fixed.h"
#include "../common/image.h"
#include "../common/outcome.h"

#include <laxity/hooks.h>
#include <laxity/marks.h>

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum {
    NOISE = 3,
    K_INVERSE = 25, /* k = 0.04, the value in common use */
    /* A corner has at least 1/50 of the strongest one's response: R grows with the fourth power of
     * the contrast, and the faintest shape's is (50/90)^4 = 1/10.5 of the most contrasting one's.
     */
    STRONGEST_PER_WEAKEST = 50,
    WINDOW_RADIUS = 2,
    MAXIMUM_RADIUS = 2,
    /* The outermost pixels have no gradient; what is so near the border has the response 0. */
    BORDER = WINDOW_RADIUS + 1,
    TRUTH_RADIUS = 2,
    LEAST_PERCENT = 80,
    PHASE_ROWS = 12 /* of a phase */
};

/* Marks of phases. */
enum {
    GRADIENTS = 1,
    SMOOTH_ROWS,
    RESPONSES,
    MAXIMA
};

/* Of one pixel; then, smoothed, of the window around it. At most 1020^2 * 256 < 2^31. */
struct products {
    int32_t xx, xy, yy;
};

struct point {
    int16_t x, y;
};

static struct {
    struct workload_outcome outcome;
    struct workload_image image;
    struct workload_shapes shapes; /* the truth */
    struct products *products;
    struct products *half_smoothed; /* along the rows only */
    int64_t *responses;
    struct point *found; /* the job's result, in the order of rows */
    size_t found_count;
} corners;

/* The operator of Sobel and Feldman. */
static void multiply_gradients(void)
{
    const int width = corners.image.width;

    for (int y = 1; y < corners.image.height - 1; y++) {
        if ((y - 1) % PHASE_ROWS == 0) {
            laxity_phase(GRADIENTS);
        }
        const uint8_t *const above = workload_row(&corners.image, y - 1);
        const uint8_t *const here = workload_row(&corners.image, y);
        const uint8_t *const below = workload_row(&corners.image, y + 1);
        struct products *const out = corners.products + workload_index(width, 0, y);

        for (int x = 1; x < width - 1; x++) {
            const int right = above[x + 1] - above[x - 1] + 2 * (here[x + 1] - here[x - 1]) +
                              below[x + 1] - below[x - 1];
            const int down = below[x - 1] - above[x - 1] + 2 * (below[x] - above[x]) +
                             below[x + 1] - above[x + 1];

            out[x] = (struct products){right * right, right * down, down * down};
        }
    }
}

/* Weights 1 4 6 4 1 over five products which lie `step` apart. */
static struct products weigh_five(const struct products *const middle, const ptrdiff_t step)
{
    const struct products *const a = middle - 2 * step;
    const struct products *const b = middle - step;
    const struct products *const c = middle + step;
    const struct products *const d = middle + 2 * step;

    return (struct products){a->xx + d->xx + 4 * (b->xx + c->xx) + 6 * middle->xx,
                             a->xy + d->xy + 4 * (b->xy + c->xy) + 6 * middle->xy,
                             a->yy + d->yy + 4 * (b->yy + c->yy) + 6 * middle->yy};
}

static void smooth_rows(void)
{
    const int width = corners.image.width;

    for (int y = 1; y < corners.image.height - 1; y++) {
        if ((y - 1) % PHASE_ROWS == 0) {
            laxity_phase(SMOOTH_ROWS);
        }
        const struct products *const in = corners.products + workload_index(width, 0, y);
        struct products *const out = corners.half_smoothed + workload_index(width, 0, y);

        for (int x = BORDER; x < width - BORDER; x++) {
            out[x] = weigh_five(in + x, 1);
        }
    }
}

/* Returns the strongest response. Each of det's products is below 2^62. */
static int64_t find_responses(void)
{
    const int width = corners.image.width;
    int64_t strongest = 0;

    for (int y = BORDER; y < corners.image.height - BORDER; y++) {
        if ((y - BORDER) % PHASE_ROWS == 0) {
            laxity_phase(RESPONSES);
        }
        const struct products *const in = corners.half_smoothed + workload_index(width, 0, y);
        int64_t *const out = corners.responses + workload_index(width, 0, y);

        for (int x = BORDER; x < width - BORDER; x++) {
            const struct products sum = weigh_five(in + x, width);
            const int64_t trace = (int64_t)sum.xx + sum.yy;

            out[x] =
                (int64_t)sum.xx * sum.yy - (int64_t)sum.xy * sum.xy - trace * trace / K_INVERSE;
            strongest = out[x] > strongest ? out[x] : strongest;
        }
    }
    return strongest;
}

/* Of equal neighbours the last one is the maximum. */
static bool is_maximum(const int64_t *const response)
{
    const ptrdiff_t width = corners.image.width;

    for (ptrdiff_t down = -MAXIMUM_RADIUS; down <= MAXIMUM_RADIUS; down++) {
        for (ptrdiff_t right = -MAXIMUM_RADIUS; right <= MAXIMUM_RADIUS; right++) {
            const ptrdiff_t step = down * width + right;

            if (response[step] > *response || (response[step] == *response && step > 0)) {
                return false;
            }
        }
    }
    return true;
}

static void collect_maxima(const int64_t weakest)
{
    const int width = corners.image.width;

    corners.found_count = 0;
    for (int y = BORDER; y < corners.image.height - BORDER; y++) {
        if ((y - BORDER) % PHASE_ROWS == 0) {
            laxity_phase(MAXIMA);
        }
        const int64_t *const row = corners.responses + workload_index(width, 0, y);

        for (int x = BORDER; x < width - BORDER; x++) {
            if (row[x] > weakest && is_maximum(row + x)) {
                corners.found[corners.found_count++] = (struct point){(int16_t)x, (int16_t)y};
            }
        }
    }
}

static void find_corners(void)
{
    multiply_gradients();
    smooth_rows();
    collect_maxima(find_responses() / STRONGEST_PER_WEAKEST);
}

static uint32_t digest_found(void)
{
    uint64_t digest = workload_digest_start();

    for (size_t i = 0; i < corners.found_count; i++) {
        digest = workload_digest_add(
            digest, (uint32_t)corners.found[i].y << 16 | (uint32_t)corners.found[i].x
        );
    }
    return workload_digest_end(digest);
}

static bool is_found(const int x, const int y)
{
    for (size_t i = 0; i < corners.found_count; i++) {
        if (abs(corners.found[i].x - x) <= TRUTH_RADIUS &&
            abs(corners.found[i].y - y) <= TRUTH_RADIUS) {
            return true;
        }
    }
    return false;
}

/* Near a rectangle's corner; or at a disc, whose outline of pixels is made of corners. */
static bool is_true(const struct point *const point)
{
    for (int i = 0; i < corners.shapes.columns * corners.shapes.rows; i++) {
        const struct workload_shape *const shape = &corners.shapes.shapes[i];
        const int right = abs(point->x - shape->x) - shape->half_width;
        const int down = abs(point->y - shape->y) - shape->half_height;

        if (right <= TRUTH_RADIUS && down <= TRUTH_RADIUS &&
            (shape->is_disc || (right >= -TRUTH_RADIUS && down >= -TRUTH_RADIUS))) {
            return true;
        }
    }
    return false;
}

static void check_against_truth(void)
{
    size_t corner_count = 0;
    size_t seen_count = 0;
    size_t true_count = 0;

    for (int i = 0; i < corners.shapes.columns * corners.shapes.rows; i++) {
        const struct workload_shape *const shape = &corners.shapes.shapes[i];

        for (int j = 0; j < 4 && !shape->is_disc; j++) {
            const int x = shape->x + (j % 2 == 0 ? -shape->half_width : shape->half_width);
            const int y = shape->y + (j < 2 ? -shape->half_height : shape->half_height);

            corner_count++;
            seen_count += is_found(x, y);
        }
    }
    for (size_t i = 0; i < corners.found_count; i++) {
        true_count += is_true(&corners.found[i]);
    }
    if (seen_count * 100 < corner_count * LEAST_PERCENT ||
        true_count * 100 < corners.found_count * LEAST_PERCENT) {
        workload_fail_job(
            "corners",
            "%zu of %zu corners were found and %zu of %zu that were found are corners, "
            "expected at least %d %% of both",
            seen_count,
            corner_count,
            true_count,
            corners.found_count,
            LEAST_PERCENT
        );
    }
}

static bool allocate_memory(const struct workload_scale *const scale)
{
    const size_t pixel_count = workload_index(scale->width, 0, scale->height);

    corners.products = workload_allocate("corners", pixel_count * sizeof(struct products));
    corners.half_smoothed = workload_allocate("corners", pixel_count * sizeof(struct products));
    corners.responses = workload_allocate("corners", pixel_count * sizeof(int64_t));
    corners.found = workload_allocate("corners", pixel_count * sizeof(struct point));
    return corners.products != NULL && corners.half_smoothed != NULL && corners.responses != NULL &&
           corners.found != NULL && workload_allocate_image("corners", scale, &corners.image);
}

static void free_memory(void)
{
    free(corners.products);
    free(corners.half_smoothed);
    free(corners.responses);
    free(corners.found);
    free(corners.image.pixels);
}

int benchmark_init(const int argc, void **const argv)
{
    const struct workload_scale *scale;
    uint64_t seed;

    if (workload_read_words("corners", argc, argv, &scale, &seed) != 0 || !allocate_memory(scale)) {
        return -1;
    }
    workload_choose_shapes(&corners.shapes, scale, workload_next_random(&seed));
    workload_draw_shapes(&corners.image, &corners.shapes);
    workload_add_noise(&corners.image, NOISE, workload_next_random(&seed));
    find_corners();
    check_against_truth();
    corners.outcome = (struct workload_outcome){"corners", scale->name, digest_found(), true};
    return 0;
}

void benchmark_execution(const int argc, void **const argv)
{
    (void)argc;
    (void)argv;
    find_corners();
    workload_check_digest(&corners.outcome, digest_found());
}

void benchmark_teardown(const int argc, void **const argv)
{
    (void)argc;
    (void)argv;
    check_against_truth();
    workload_print_outcome(&corners.outcome);
    free_memory();
}
