/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
/*
 * edges [SIZE_NAME]: the outlines of what an image shows.
 *
 * Smoothing, gradient, suppression of what is no maximum across the edge, and two thresholds with
 * hysteresis. Source: Canny, "A computational approach to edge detection", IEEE PAMI 8(6), 1986;
 * with the operator of Sobel and Feldman as gradient.
 *
 * The image shows rectangles and discs with known outlines, and noise.
 */
#include "../common/arguments.h"
#include "../common/fixed.h"
#include "../common/image.h"
#include "../common/outcome.h"
#include "../common/phases.h"

#include <laxity/hooks.h>
#include <laxity/marks.h>

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum {
    NOISE = 4,
    /* A step of contrast c has a gradient of 40 c: (6 + 4) / 16 of it remain between the smoothed
     * pixels on both sides; times 16, the smoothed image's unit; times 4, the operator's weights.
     * The faintest shape has 50, the noise reaches about 5. */
    HIGH_THRESHOLD = 40 * 25,
    LOW_THRESHOLD = 40 * 12,
    EDGE = 255,
    TRUTH_RADIUS = 2,
    LEAST_PERCENT = 90,
    PHASE_ROWS = 24 /* of a phase */
};

/* Marks of phases. */
enum {
    SMOOTH_ROWS = 1,
    SMOOTH_COLUMNS,
    GRADIENTS,
    MAXIMA,
    FOLLOW,
    DIGEST
};

struct gradient {
    int16_t x, y;
};

static struct {
    struct workload_outcome outcome;
    struct workload_image image;
    struct workload_image outlines; /* the truth */
    struct workload_image found;    /* the job's result */
    int16_t *half_smoothed;         /* along the rows only; grey * 16 */
    int16_t *smoothed;              /* grey * 16 */
    struct gradient *gradients;
    int32_t *maxima;   /* squared length of the gradient, 0 where it is no maximum */
    uint32_t *pending; /* places of edge pixels whose neighbours were not looked at */
} edges;

/* Weights 1 4 6 4 1 in both directions: a Gaussian of deviation 1. The image ends as its last
 * pixels go on. */
static void smooth_rows(void)
{
    const int width = edges.image.width;

    for (int y = 0; y < edges.image.height; y++) {
        if (y % PHASE_ROWS == 0) {
            laxity_phase(SMOOTH_ROWS);
        }
        const uint8_t *const row = workload_row(&edges.image, y);
        int16_t *const out = edges.half_smoothed + workload_index(width, 0, y);

        for (int x = 0; x < width; x++) {
            const int far_left = row[workload_clamp(x - 2, 0, width - 1)];
            const int left = row[workload_clamp(x - 1, 0, width - 1)];
            const int right = row[workload_clamp(x + 1, 0, width - 1)];
            const int far_right = row[workload_clamp(x + 2, 0, width - 1)];

            out[x] = (int16_t)(far_left + far_right + 4 * (left + right) + 6 * row[x]);
        }
    }
}

static void smooth_columns(void)
{
    const int width = edges.image.width;
    const int last = edges.image.height - 1;

    for (int y = 0; y <= last; y++) {
        if (y % PHASE_ROWS == 0) {
            laxity_phase(SMOOTH_COLUMNS);
        }
        const int16_t *rows[5];
        int16_t *const out = edges.smoothed + workload_index(width, 0, y);

        for (int i = 0; i < 5; i++) {
            rows[i] =
                edges.half_smoothed + workload_index(width, 0, workload_clamp(y + i - 2, 0, last));
        }
        for (int x = 0; x < width; x++) {
            const int sum =
                rows[0][x] + rows[4][x] + 4 * (rows[1][x] + rows[3][x]) + 6 * rows[2][x];

            out[x] = (int16_t)((sum + 8) >> 4);
        }
    }
}

static int squared_length(const struct gradient *const gradient)
{
    return gradient->x * gradient->x + gradient->y * gradient->y;
}

/* At most 4 * 16 * 255 either way: fits 16 bits, and the squares' sum 32. The outermost pixels keep
 * what init gave them, 0. */
static void find_gradients(void)
{
    const int width = edges.image.width;

    for (int y = 1; y < edges.image.height - 1; y++) {
        if ((y - 1) % PHASE_ROWS == 0) {
            laxity_phase(GRADIENTS);
        }
        const int16_t *const above = edges.smoothed + workload_index(width, 0, y - 1);
        const int16_t *const here = edges.smoothed + workload_index(width, 0, y);
        const int16_t *const below = edges.smoothed + workload_index(width, 0, y + 1);
        struct gradient *const out = edges.gradients + workload_index(width, 0, y);

        for (int x = 1; x < width - 1; x++) {
            out[x].x = (int16_t)(above[x + 1] - above[x - 1] + 2 * (here[x + 1] - here[x - 1]) +
                                 below[x + 1] - below[x - 1]);
            out[x].y = (int16_t)(below[x - 1] - above[x - 1] + 2 * (below[x] - above[x]) +
                                 below[x + 1] - above[x + 1]);
        }
    }
}

/* The neighbour across the edge, as a step in the array: the nearest of eight directions. tan(22.5
 * degrees) is 106 / 256. */
static ptrdiff_t step_across(const struct gradient *const gradient, const ptrdiff_t width)
{
    const int right = abs(gradient->x);
    const int down = abs(gradient->y);

    if (down * 256 < right * 106) {
        return 1;
    }
    if (right * 256 < down * 106) {
        return width;
    }
    return (gradient->x < 0) == (gradient->y < 0) ? width + 1 : width - 1;
}

/* Of two equal neighbours the latter is the maximum. */
static void keep_maxima(void)
{
    const int width = edges.image.width;

    for (int y = 1; y < edges.image.height - 1; y++) {
        if ((y - 1) % PHASE_ROWS == 0) {
            laxity_phase(MAXIMA);
        }
        const struct gradient *const row = edges.gradients + workload_index(width, 0, y);
        int32_t *const out = edges.maxima + workload_index(width, 0, y);

        for (int x = 1; x < width - 1; x++) {
            const struct gradient *const here = row + x;
            const ptrdiff_t step = step_across(here, width);
            const int length = squared_length(here);
            const bool is_maximum =
                length >= squared_length(here - step) && length > squared_length(here + step);

            out[x] = is_maximum ? length : 0;
        }
    }
}

/* Marks a pixel as edge if its gradient is at least that, and keeps it for the look at its
 * neighbours; returns how many are kept. */
static size_t mark_edge(const size_t place, const int threshold, const size_t pending_count)
{
    if (edges.maxima[place] < threshold * threshold || edges.found.pixels[place] == EDGE) {
        return pending_count;
    }
    edges.found.pixels[place] = EDGE;
    edges.pending[pending_count] = (uint32_t)place;
    return pending_count + 1;
}

/* From a pixel above the high threshold along all that are above the low one. The outermost pixels
 * are no maxima, so every neighbour exists. */
static void follow_edge(const size_t start)
{
    const size_t width = (size_t)edges.image.width;
    const size_t steps[4] = {width + 1, width, width - 1, 1};
    size_t pending_count = mark_edge(start, HIGH_THRESHOLD, 0);

    while (pending_count > 0) {
        const size_t here = edges.pending[--pending_count];

        for (size_t i = 0; i < 4; i++) {
            pending_count = mark_edge(here - steps[i], LOW_THRESHOLD, pending_count);
            pending_count = mark_edge(here + steps[i], LOW_THRESHOLD, pending_count);
        }
    }
}

static void follow_edges(void)
{
    const size_t width = (size_t)edges.image.width;
    const size_t pixel_count = width * (size_t)edges.image.height;

    memset(edges.found.pixels, 0, pixel_count);
    for (size_t start = 0; start < pixel_count;) {
        const size_t end = workload_begin_phase(FOLLOW, start, pixel_count, PHASE_ROWS * width);

        for (; start < end; start++) {
            follow_edge(start);
        }
    }
}

static void find_edges(void)
{
    smooth_rows();
    smooth_columns();
    find_gradients();
    keep_maxima();
    follow_edges();
}

/* A shape's pixels which have a neighbour outside of it. */
static void draw_outlines(const struct workload_shapes *const shapes)
{
    for (int y = 0; y < shapes->height; y++) {
        uint8_t *const row = workload_row(&edges.outlines, y);

        for (int x = 0; x < shapes->width; x++) {
            const bool is_inside = workload_shape_at(shapes, x, y) != NULL;
            const bool is_surrounded = is_inside && workload_shape_at(shapes, x - 1, y) != NULL &&
                                       workload_shape_at(shapes, x + 1, y) != NULL &&
                                       workload_shape_at(shapes, x, y - 1) != NULL &&
                                       workload_shape_at(shapes, x, y + 1) != NULL;

            row[x] = is_inside && !is_surrounded ? EDGE : 0;
        }
    }
}

static bool has_near(const struct workload_image *const image, const int x, const int y)
{
    for (int v = y - TRUTH_RADIUS; v <= y + TRUTH_RADIUS; v++) {
        for (int u = x - TRUTH_RADIUS; u <= x + TRUTH_RADIUS; u++) {
            if (u >= 0 && u < image->width && v >= 0 && v < image->height &&
                workload_row(image, v)[u] == EDGE) {
                return true;
            }
        }
    }
    return false;
}

/* How many percent of the pixels of one map lie near one of the other's; 0 if there are none. */
static int
percent_near(const struct workload_image *const map, const struct workload_image *const other)
{
    int64_t count = 0;
    int64_t near_count = 0;

    for (int y = 0; y < map->height; y++) {
        for (int x = 0; x < map->width; x++) {
            if (workload_row(map, y)[x] == EDGE) {
                count++;
                near_count += has_near(other, x, y);
            }
        }
    }
    return count == 0 ? 0 : (int)(near_count * 100 / count);
}

static void check_against_truth(void)
{
    const int found_percent = percent_near(&edges.outlines, &edges.found);
    const int true_percent = percent_near(&edges.found, &edges.outlines);

    if (found_percent < LEAST_PERCENT || true_percent < LEAST_PERCENT) {
        workload_fail_job(
            "edges",
            "%d %% of the outlines were found and %d %% of what was found is outline, "
            "expected at least %d %% of both",
            found_percent,
            true_percent,
            LEAST_PERCENT
        );
    }
}

static bool allocate_memory(const struct workload_scale *const scale)
{
    const size_t pixel_count = workload_index(scale->width, 0, scale->height);

    edges.half_smoothed = workload_allocate("edges", pixel_count * sizeof(int16_t));
    edges.smoothed = workload_allocate("edges", pixel_count * sizeof(int16_t));
    edges.gradients = workload_allocate("edges", pixel_count * sizeof(struct gradient));
    edges.maxima = workload_allocate("edges", pixel_count * sizeof(int32_t));
    edges.pending = workload_allocate("edges", pixel_count * sizeof(uint32_t));
    return edges.half_smoothed != NULL && edges.smoothed != NULL && edges.gradients != NULL &&
           edges.maxima != NULL && edges.pending != NULL &&
           workload_allocate_image("edges", scale, &edges.image) &&
           workload_allocate_image("edges", scale, &edges.outlines) &&
           workload_allocate_image("edges", scale, &edges.found);
}

static void free_memory(void)
{
    free(edges.half_smoothed);
    free(edges.smoothed);
    free(edges.gradients);
    free(edges.maxima);
    free(edges.pending);
    free(edges.image.pixels);
    free(edges.outlines.pixels);
    free(edges.found.pixels);
}

int benchmark_init(const int argc, void **const argv)
{
    const struct workload_scale *scale;
    struct workload_shapes shapes;
    uint64_t seed;

    if (workload_read_words("edges", argc, argv, &scale, &seed) != 0 || !allocate_memory(scale)) {
        return -1;
    }
    workload_choose_shapes(&shapes, scale, workload_next_random(&seed));
    workload_draw_shapes(&edges.image, &shapes);
    workload_add_noise(&edges.image, NOISE, workload_next_random(&seed));
    draw_outlines(&shapes);
    find_edges();
    check_against_truth();
    edges.outcome =
        (struct workload_outcome){"edges", scale->name, workload_digest_image(&edges.found), true};
    return 0;
}

void benchmark_execution(const int argc, void **const argv)
{
    (void)argc;
    (void)argv;
    find_edges();
    laxity_phase(DIGEST);
    workload_check_digest(&edges.outcome, workload_digest_image(&edges.found));
}

void benchmark_teardown(const int argc, void **const argv)
{
    (void)argc;
    (void)argv;
    check_against_truth();
    workload_print_outcome(&edges.outcome);
    free_memory();
}
