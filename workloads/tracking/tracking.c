/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
/*
 * tracking [SIZE_NAME]: finds points that are good to track in one frame, and where they are in the
 * next.
 *
 * Sources: Shi and Tomasi, "Good features to track", CVPR 1994 (the lesser eigenvalue of the
 * gradients' products); Lucas and Kanade, "An iterative image registration technique", IJCAI 1981,
 * equation 11; Bouguet, "Pyramidal implementation of the Lucas Kanade feature tracker", Intel 2000
 * (from coarse to fine).
 *
 * The second frame is the first, moved by a known distance which is no whole number of pixels, with
 * noise.
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

enum {
    NOISE = 2,
    LEVEL_LIMIT = 3,
    /* Images from qcif on have three levels; the texture's cells of 4 pixels are too small for more
     * than two in smaller ones, where less than 12 pixels would be left. */
    THREE_LEVELS_WIDTH = 176,
    MOTION_PER_LEVEL = 2, /* pixels: what a level's iteration finds safely in this texture */
    RADIUS = 3,
    SIDE = 2 * RADIUS + 1,
    PATCH_SIDE = SIDE + 2, /* and a pixel on each side for the gradient */
    /* Points keep this distance from the border, so that they remain visible. */
    BORDER = 12,
    /* At most one point in each square of these sides. */
    SMALL_SQUARE = 8,
    LARGE_SQUARE = 16,
    LARGE_SQUARE_WIDTH = 352,
    /* A point's eigenvalue is at least this part of the best one's: in this texture nearly all
     * squares have a point. */
    BEST_PER_WORST = 20,
    ITERATION_LIMIT = 10,
    CONVERGED_Q8 = 4, /* 1/64 of a pixel */
    STEP_LIMIT_Q8 = 4 * 256,
    SUM_SHIFT = 6, /* keeps products of sums within 64 bits: see find_step */
    PIXEL_Q8 = 256,
    LEAST_POINTS = 4,
    LEAST_PERCENT = 80,
    PHASE_ROWS = 16,  /* of a phase */
    PHASE_POINTS = 16 /* likewise */
};

/* Marks of phases. */
enum {
    HALVE = 1,
    GRADIENTS,
    SUMS,
    EIGENVALUES,
    CHOOSE,
    TRACK
};

struct products {
    int32_t xx, xy, yy;
};

/* 8 bits after the point. */
struct vector {
    int32_t x, y;
};

struct point {
    int32_t x, y; /* whole pixels of the first frame */
    struct vector motion;
    int32_t is_lost;
};

/* What the iteration needs of the first frame, around one point: greys with 4 bits after the point,
 * and the differences between both neighbours, twice the gradient. */
struct patch {
    int32_t greys[SIDE][SIDE];
    int32_t right[SIDE][SIDE];
    int32_t down[SIDE][SIDE];
    int64_t xx, xy, yy;
};

static struct {
    struct workload_outcome outcome;
    struct workload_image first[LEVEL_LIMIT], second[LEVEL_LIMIT]; /* [0] is the frame */
    int level_count;
    struct vector motion; /* the truth */
    struct products *products;
    struct products *half_summed; /* along the rows only */
    uint32_t *eigenvalues;
    int square;
    struct point *points; /* the job's result */
    size_t point_count;
} tracking;

static int five_weighted(const uint8_t *const row, const int x, const int last)
{
    return row[workload_clamp(x - 2, 0, last)] + row[workload_clamp(x + 2, 0, last)] +
           4 * (row[workload_clamp(x - 1, 0, last)] + row[workload_clamp(x + 1, 0, last)]) +
           6 * row[x];
}

/* Every second pixel of every second row, smoothed with 1 4 6 4 1 both ways. */
static void
halve_image(const struct workload_image *const in, const struct workload_image *const out)
{
    static const int weights[5] = {1, 4, 6, 4, 1};

    for (int y = 0; y < out->height; y++) {
        if (y % PHASE_ROWS == 0) {
            laxity_phase(HALVE);
        }
        uint8_t *const out_row = workload_row(out, y);

        for (int x = 0; x < out->width; x++) {
            int sum = 128;

            for (int i = 0; i < 5; i++) {
                const int v = workload_clamp(2 * y + i - 2, 0, in->height - 1);

                sum += weights[i] * five_weighted(workload_row(in, v), 2 * x, in->width - 1);
            }
            out_row[x] = (uint8_t)(sum >> 8);
        }
    }
}

static void multiply_gradients(void)
{
    const int width = tracking.first[0].width;

    for (int y = 1; y < tracking.first[0].height - 1; y++) {
        if ((y - 1) % PHASE_ROWS == 0) {
            laxity_phase(GRADIENTS);
        }
        const uint8_t *const above = workload_row(&tracking.first[0], y - 1);
        const uint8_t *const here = workload_row(&tracking.first[0], y);
        const uint8_t *const below = workload_row(&tracking.first[0], y + 1);
        struct products *const out = tracking.products + workload_index(width, 0, y);

        for (int x = 1; x < width - 1; x++) {
            const int right = here[x + 1] - here[x - 1];
            const int down = below[x] - above[x];

            out[x] = (struct products){right * right, right * down, down * down};
        }
    }
}

/* The sum of SIDE products which lie `step` apart. */
static struct products sum_around(const struct products *const middle, const ptrdiff_t step)
{
    struct products sum = {0, 0, 0};

    for (ptrdiff_t i = -RADIUS; i <= RADIUS; i++) {
        sum.xx += middle[i * step].xx;
        sum.xy += middle[i * step].xy;
        sum.yy += middle[i * step].yy;
    }
    return sum;
}

/* Twice the lesser eigenvalue of (xx xy; xy yy): trace - sqrt((xx - yy)^2 + 4 xy^2). */
static uint32_t lesser_eigenvalue(const struct products *const sum)
{
    const int64_t difference = (int64_t)sum->xx - sum->yy;
    const uint64_t square =
        (uint64_t)(difference * difference + 4 * (int64_t)sum->xy * (int64_t)sum->xy);
    const int64_t value = (int64_t)sum->xx + sum->yy - workload_square_root(square);

    return value < 0 ? 0 : (uint32_t)value;
}

/* Returns the greatest. */
static uint32_t find_eigenvalues(void)
{
    const int width = tracking.first[0].width;
    const int height = tracking.first[0].height;
    uint32_t greatest = 0;

    for (int y = BORDER - RADIUS; y < height - BORDER + RADIUS; y++) {
        if ((y - BORDER + RADIUS) % PHASE_ROWS == 0) {
            laxity_phase(SUMS);
        }
        const size_t row = workload_index(width, 0, y);

        for (int x = BORDER; x < width - BORDER; x++) {
            tracking.half_summed[row + (size_t)x] =
                sum_around(tracking.products + row + (size_t)x, 1);
        }
    }
    for (int y = BORDER; y < height - BORDER; y++) {
        if ((y - BORDER) % PHASE_ROWS == 0) {
            laxity_phase(EIGENVALUES);
        }
        const size_t row = workload_index(width, 0, y);

        for (int x = BORDER; x < width - BORDER; x++) {
            const struct products sum = sum_around(tracking.half_summed + row + (size_t)x, width);
            const uint32_t value = lesser_eigenvalue(&sum);

            tracking.eigenvalues[row + (size_t)x] = value;
            greatest = value > greatest ? value : greatest;
        }
    }
    return greatest;
}

/* The best point of the square at (left, top) if it is good enough; the first of equals. */
static void choose_point(const int left, const int top, const uint32_t least)
{
    const int right = workload_clamp(left + tracking.square, 0, tracking.first[0].width - BORDER);
    const int bottom = workload_clamp(top + tracking.square, 0, tracking.first[0].height - BORDER);
    uint32_t best = least;

    for (int y = top; y < bottom; y++) {
        const uint32_t *const row =
            tracking.eigenvalues + workload_index(tracking.first[0].width, 0, y);

        for (int x = left; x < right; x++) {
            if (row[x] > best) {
                best = row[x];
                tracking.points[tracking.point_count] = (struct point){x, y, {0, 0}, 0};
            }
        }
    }
    tracking.point_count += best > least;
}

static void choose_points(void)
{
    multiply_gradients();
    const uint32_t least = find_eigenvalues() / BEST_PER_WORST;

    tracking.point_count = 0;
    laxity_phase(CHOOSE);
    for (int y = BORDER; y < tracking.first[0].height - BORDER; y += tracking.square) {
        for (int x = BORDER; x < tracking.first[0].width - BORDER; x += tracking.square) {
            choose_point(x, y, least);
        }
    }
}

/* The grey between four pixels, bilinear, with 4 bits after the point. */
static int32_t
grey_at(const struct workload_image *const image, const int32_t x_q8, const int32_t y_q8)
{
    const uint8_t *const row = workload_row(image, y_q8 >> 8) + (x_q8 >> 8);
    const uint8_t *const below = row + image->width;
    const int32_t right = x_q8 & 255;
    const int32_t down = y_q8 & 255;
    const int32_t top = row[0] * (256 - right) + row[1] * right;
    const int32_t bottom = below[0] * (256 - right) + below[1] * right;

    return (top * (256 - down) + bottom * down) >> 12;
}

/* Whether a window around that point, and a pixel more for what lies between pixels, is visible. */
static bool
is_inside(const struct workload_image *const image, const struct vector center, const int radius)
{
    const int32_t margin = radius * PIXEL_Q8;

    return center.x >= margin && center.x < (image->width - 1) * PIXEL_Q8 - margin &&
           center.y >= margin && center.y < (image->height - 1) * PIXEL_Q8 - margin;
}

static void read_patch(
    const struct workload_image *const image, const struct vector center, struct patch *patch
)
{
    int32_t greys[PATCH_SIDE][PATCH_SIDE];

    for (int y = 0; y < PATCH_SIDE; y++) {
        for (int x = 0; x < PATCH_SIDE; x++) {
            greys[y][x] = grey_at(
                image,
                center.x + (x - RADIUS - 1) * PIXEL_Q8,
                center.y + (y - RADIUS - 1) * PIXEL_Q8
            );
        }
    }
    patch->xx = 0;
    patch->xy = 0;
    patch->yy = 0;
    for (int y = 0; y < SIDE; y++) {
        for (int x = 0; x < SIDE; x++) {
            const int32_t right = greys[y + 1][x + 2] - greys[y + 1][x];
            const int32_t down = greys[y + 2][x + 1] - greys[y][x + 1];

            patch->greys[y][x] = greys[y + 1][x + 1];
            patch->right[y][x] = right;
            patch->down[y][x] = down;
            patch->xx += (int64_t)right * right;
            patch->xy += (int64_t)right * down;
            patch->yy += (int64_t)down * down;
        }
    }
}

/*
 * The motion d with the least squared error of grey - (right, down) / 2 * d: by Cramer's rule, d =
 * 2 G^-1 b. Each sum is at most 49 * 4080^2 < 2^30, after the shift below 2^24; times another one
 * and 2 * 256 for the unit, below 2^58. Returns false where the patch has structure in one
 * direction only.
 */
static bool find_step(
    const struct patch *const patch,
    const struct workload_image *const image,
    const struct vector center,
    struct vector *const out_step
)
{
    int64_t error_x = 0;
    int64_t error_y = 0;

    for (int y = 0; y < SIDE; y++) {
        for (int x = 0; x < SIDE; x++) {
            const int32_t error =
                patch->greys[y][x] -
                grey_at(
                    image, center.x + (x - RADIUS) * PIXEL_Q8, center.y + (y - RADIUS) * PIXEL_Q8
                );

            error_x += (int64_t)error * patch->right[y][x];
            error_y += (int64_t)error * patch->down[y][x];
        }
    }
    const int64_t xx = patch->xx >> SUM_SHIFT;
    const int64_t xy = patch->xy >> SUM_SHIFT;
    const int64_t yy = patch->yy >> SUM_SHIFT;
    const int64_t determinant = xx * yy - xy * xy;

    error_x >>= SUM_SHIFT;
    error_y >>= SUM_SHIFT;
    if (determinant <= 0) {
        return false;
    }
    const int64_t step_x = (yy * error_x - xy * error_y) * 2 * PIXEL_Q8 / determinant;
    const int64_t step_y = (xx * error_y - xy * error_x) * 2 * PIXEL_Q8 / determinant;

    if (llabs(step_x) > STEP_LIMIT_Q8 || llabs(step_y) > STEP_LIMIT_Q8) {
        return false;
    }
    *out_step = (struct vector){(int32_t)step_x, (int32_t)step_y};
    return true;
}

/* Betters the motion of one point on one level; false if the point gets lost. */
static bool track_on_level(const int level, const struct vector center, struct vector *const motion)
{
    struct patch patch;

    if (!is_inside(&tracking.first[level], center, RADIUS + 1)) {
        return false;
    }
    read_patch(&tracking.first[level], center, &patch);
    for (int i = 0; i < ITERATION_LIMIT; i++) {
        const struct vector guess = {center.x + motion->x, center.y + motion->y};
        struct vector step;

        if (!is_inside(&tracking.second[level], guess, RADIUS) ||
            !find_step(&patch, &tracking.second[level], guess, &step)) {
            return false;
        }
        motion->x += step.x;
        motion->y += step.y;
        if (abs(step.x) < CONVERGED_Q8 && abs(step.y) < CONVERGED_Q8) {
            return true;
        }
    }
    return true;
}

/* A point that is lost on a coarse level starts anew, unmoved, on the next finer one. */
static void track_point(struct point *const point)
{
    struct vector motion = {0, 0};

    for (int level = tracking.level_count - 1; level >= 0; level--) {
        const struct vector center = {point->x * PIXEL_Q8 >> level, point->y * PIXEL_Q8 >> level};

        motion = (struct vector){motion.x * 2, motion.y * 2};
        point->is_lost = !track_on_level(level, center, &motion);
        if (point->is_lost) {
            motion = (struct vector){0, 0};
        }
    }
    point->motion = motion;
}

static void track_motion(void)
{
    for (int level = 1; level < tracking.level_count; level++) {
        halve_image(&tracking.first[level - 1], &tracking.first[level]);
        halve_image(&tracking.second[level - 1], &tracking.second[level]);
    }
    choose_points();
    for (size_t i = 0; i < tracking.point_count;) {
        const size_t end = workload_begin_phase(TRACK, i, tracking.point_count, PHASE_POINTS);

        for (; i < end; i++) {
            track_point(&tracking.points[i]);
        }
    }
}

static uint32_t digest_points(void)
{
    uint64_t digest = workload_digest_start();

    for (size_t i = 0; i < tracking.point_count; i++) {
        const struct point *const point = &tracking.points[i];

        digest = workload_digest_add(digest, (uint32_t)point->x);
        digest = workload_digest_add(digest, (uint32_t)point->y);
        digest = workload_digest_add(digest, (uint32_t)point->motion.x);
        digest = workload_digest_add(digest, (uint32_t)point->motion.y);
        digest = workload_digest_add(digest, (uint32_t)point->is_lost);
    }
    return workload_digest_end(digest);
}

static void check_against_truth(void)
{
    size_t right_count = 0;

    for (size_t i = 0; i < tracking.point_count; i++) {
        const struct point *const point = &tracking.points[i];

        right_count += !point->is_lost && abs(point->motion.x - tracking.motion.x) <= PIXEL_Q8 &&
                       abs(point->motion.y - tracking.motion.y) <= PIXEL_Q8;
    }
    if (tracking.point_count < LEAST_POINTS ||
        right_count * 100 < tracking.point_count * LEAST_PERCENT) {
        workload_fail_job(
            "tracking",
            "%zu of %zu points moved as the image did, expected at least %d %% of at "
            "least %d",
            right_count,
            tracking.point_count,
            LEAST_PERCENT,
            LEAST_POINTS
        );
    }
}

static bool allocate_memory(const struct workload_scale *const scale)
{
    const size_t pixel_count = workload_index(scale->width, 0, scale->height);
    const size_t square_count =
        workload_index(scale->width / tracking.square + 1, 0, scale->height / tracking.square + 1);
    bool has_memory = true;

    for (int level = 0; level < tracking.level_count; level++) {
        const struct workload_scale reduced = {
            NULL, scale->width >> level, scale->height >> level, 0
        };

        has_memory = has_memory &&
                     workload_allocate_image("tracking", &reduced, &tracking.first[level]) &&
                     workload_allocate_image("tracking", &reduced, &tracking.second[level]);
    }
    tracking.products = workload_allocate("tracking", pixel_count * sizeof(struct products));
    tracking.half_summed = workload_allocate("tracking", pixel_count * sizeof(struct products));
    tracking.eigenvalues = workload_allocate("tracking", pixel_count * sizeof(uint32_t));
    tracking.points = workload_allocate("tracking", square_count * sizeof(struct point));
    return has_memory && tracking.products != NULL && tracking.half_summed != NULL &&
           tracking.eigenvalues != NULL && tracking.points != NULL;
}

static void free_memory(void)
{
    for (int level = 0; level < tracking.level_count; level++) {
        free(tracking.first[level].pixels);
        free(tracking.second[level].pixels);
    }
    free(tracking.products);
    free(tracking.half_summed);
    free(tracking.eigenvalues);
    free(tracking.points);
}

/* What was at x in the first frame is at x + motion in the second. */
static void draw_frames(uint64_t seed)
{
    const int32_t farthest = MOTION_PER_LEVEL * (1 << (tracking.level_count - 1)) * PIXEL_Q8;
    const uint64_t texture_seed = workload_next_random(&seed);

    tracking.motion.x = workload_random_between(&seed, -farthest, farthest);
    tracking.motion.y = workload_random_between(&seed, -farthest, farthest);
    workload_draw_texture(&tracking.first[0], texture_seed, 0, 0);
    workload_draw_texture(
        &tracking.second[0], texture_seed, -tracking.motion.x, -tracking.motion.y
    );
    workload_add_noise(&tracking.second[0], NOISE, workload_next_random(&seed));
}

int benchmark_init(const int argc, void **const argv)
{
    const struct workload_scale *scale;
    uint64_t seed;

    if (workload_read_words("tracking", argc, argv, &scale, &seed) != 0) {
        return -1;
    }
    tracking.level_count = scale->width >= THREE_LEVELS_WIDTH ? LEVEL_LIMIT : LEVEL_LIMIT - 1;
    tracking.square = scale->width >= LARGE_SQUARE_WIDTH ? LARGE_SQUARE : SMALL_SQUARE;
    if (!allocate_memory(scale)) {
        return -1;
    }
    draw_frames(seed);
    track_motion();
    check_against_truth();
    tracking.outcome = (struct workload_outcome){"tracking", scale->name, digest_points(), true};
    return 0;
}

void benchmark_execution(const int argc, void **const argv)
{
    (void)argc;
    (void)argv;
    track_motion();
    workload_check_digest(&tracking.outcome, digest_points());
}

void benchmark_teardown(const int argc, void **const argv)
{
    (void)argc;
    (void)argv;
    check_against_truth();
    workload_print_outcome(&tracking.outcome);
    free_memory();
}
