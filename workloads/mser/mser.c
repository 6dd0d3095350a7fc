/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
/*
 * mser [SIZE_NAME]: regions of an image whose outline hardly changes while a threshold moves.
 *
 * Sources: Matas, Chum, Urban and Pajdla, "Robust wide baseline stereo from maximally stable
 * extremal regions", BMVC 2002 (what they are); Nister and Stewenius, "Linear time maximally stable
 * extremal regions", ECCV 2008, section 2 (the tree of regions by union-find); Tarjan, "Efficiency
 * of a good but not linear set union algorithm", JACM 22(2), 1975.
 *
 * The image shows dark and bright rectangles and discs, which are such regions, and noise.
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
    GREYS = 256,
    NOISE = 3,
    DELTA = 10,            /* greys by which the threshold moves; above the noise's 6 */
    LEAST_AREA = 30,       /* pixels; the smallest disc has more than 80 */
    IMAGE_PER_REGION = 4,  /* a region is at most this part of the image */
    MOST_VARIATION = 250,  /* of 1000 */
    PIXELS_PER_REGION = 8, /* room for what is found; noise makes far less */
    NO_PIXEL = -1,
    AREA_TOLERANCE_PERCENT = 20,
    CENTER_TOLERANCE_Q4 = 16, /* a pixel */
    LEAST_PERCENT = 80,
    PHASE_PIXELS = 1024 /* of a phase */
};

/* Marks of phases. */
enum {
    COPY = 1,
    SORT,
    FORGET,
    JOIN,
    SHORTEN,
    SUM,
    VARIATIONS,
    COLLECT
};

/* A region of pixels which are at most as bright as `grey`, of the image or of its negative. */
struct region {
    uint32_t area;
    int32_t x_q4, y_q4; /* its centre, 4 bits after the point */
    int32_t grey;
    int32_t is_bright;
};

/*
 * A node of the tree. Each pixel has one; the one that was joined last of a region and a grey
 * stands for the region. A parent comes later in the order of greys than its children. The sums
 * of all positions of fullhd fit: 1920 * 1919 / 2 * 1080 < 2^31.
 */
struct node {
    int32_t parent;
    int32_t joined_to; /* the way to the root of what is joined so far; NO_PIXEL if not joined */
    uint32_t area, x_sum, y_sum;
    uint32_t variation;
    uint32_t least_of_children;
};

static struct {
    struct workload_outcome outcome;
    struct workload_image image;
    struct workload_shapes shapes; /* the truth */
    uint8_t *greys;                /* of the image, then of its negative */
    uint32_t *order;               /* places of pixels, dark ones first */
    struct node *nodes;
    struct region *found; /* the job's result */
    size_t found_count;
    size_t found_limit;
} mser;

static size_t pixel_count(void)
{
    return workload_index(mser.image.width, 0, mser.image.height);
}

/* Counting sort: pixels of the same grey keep their order. */
static void sort_pixels(void)
{
    uint32_t begins[GREYS + 1] = {0};

    laxity_phase(SORT);
    for (size_t i = 0; i < pixel_count(); i++) {
        begins[mser.greys[i] + 1]++;
    }
    for (size_t grey = 1; grey <= GREYS; grey++) {
        begins[grey] += begins[grey - 1];
    }
    for (size_t i = 0; i < pixel_count(); i++) {
        mser.order[begins[mser.greys[i]]++] = (uint32_t)i;
    }
}

/* On the way, every second step is cut out: Tarjan and van Leeuwen, JACM 31(2), 1984. */
static int32_t find_root(int32_t pixel)
{
    while (mser.nodes[pixel].joined_to != pixel) {
        mser.nodes[pixel].joined_to = mser.nodes[mser.nodes[pixel].joined_to].joined_to;
        pixel = mser.nodes[pixel].joined_to;
    }
    return pixel;
}

static void join(const int32_t pixel, const int32_t neighbour)
{
    if (mser.nodes[neighbour].joined_to == NO_PIXEL) {
        return;
    }
    const int32_t root = find_root(neighbour);

    mser.nodes[root].joined_to = pixel;
    mser.nodes[root].parent = pixel;
}

static void join_pixels(void)
{
    const int32_t width = mser.image.width;

    laxity_phase(FORGET);
    for (size_t i = 0; i < pixel_count(); i++) {
        mser.nodes[i].joined_to = NO_PIXEL;
    }
    for (size_t i = 0; i < pixel_count();) {
        const size_t end = workload_begin_phase(JOIN, i, pixel_count(), PHASE_PIXELS);

        for (; i < end; i++) {
            const int32_t pixel = (int32_t)mser.order[i];
            const int32_t x = pixel % width;
            const int32_t y = pixel / width;

            mser.nodes[pixel] = (struct node){.parent = pixel,
                                              .joined_to = pixel,
                                              .area = 1,
                                              .x_sum = (uint32_t)x,
                                              .y_sum = (uint32_t)y,
                                              .least_of_children = UINT32_MAX};
            if (x > 0) {
                join(pixel, pixel - 1);
            }
            if (x < width - 1) {
                join(pixel, pixel + 1);
            }
            if (y > 0) {
                join(pixel, pixel - width);
            }
            if (y < mser.image.height - 1) {
                join(pixel, pixel + width);
            }
        }
    }
}

/* Whether the pixel's node stands for a region: its parent is brighter, or it has none. */
static bool stands_for_region(const int32_t pixel)
{
    const int32_t parent = mser.nodes[pixel].parent;

    return parent == pixel || mser.greys[parent] != mser.greys[pixel];
}

/* First from the root down, so that all parents stand for regions; then sums from the leaves up. */
static void measure_regions(void)
{
    const size_t last = pixel_count() - 1;

    for (size_t i = 0; i <= last;) {
        const size_t end = workload_begin_phase(SHORTEN, i, last + 1, PHASE_PIXELS);

        for (; i < end; i++) {
            struct node *const node = &mser.nodes[mser.order[last - i]];

            if (!stands_for_region(node->parent)) {
                node->parent = mser.nodes[node->parent].parent;
            }
        }
    }
    for (size_t i = 0; i < last;) {
        const size_t end = workload_begin_phase(SUM, i, last, PHASE_PIXELS);

        for (; i < end; i++) {
            const struct node *const node = &mser.nodes[mser.order[i]];
            struct node *const parent = &mser.nodes[node->parent];

            parent->area += node->area;
            parent->x_sum += node->x_sum;
            parent->y_sum += node->y_sum;
        }
    }
}

/* By how many thousandths the region grows while the threshold rises by DELTA; the whole image has
 * nowhere to grow and is no region. */
static uint32_t variation_of(const int32_t pixel)
{
    const int grey = mser.greys[pixel];
    int32_t grown = pixel;

    if (mser.nodes[pixel].parent == pixel) {
        return UINT32_MAX;
    }
    while (mser.nodes[grown].parent != grown && mser.greys[mser.nodes[grown].parent] <= grey + DELTA
    ) {
        grown = mser.nodes[grown].parent;
    }
    return (uint32_t)((uint64_t)(mser.nodes[grown].area - mser.nodes[pixel].area) * 1000 /
                      mser.nodes[pixel].area);
}

/* Of a pixel's region, for itself and as one of the parent's children. */
static void note_variation(const int32_t pixel)
{
    struct node *const node = &mser.nodes[pixel];

    if (!stands_for_region(pixel)) {
        return;
    }
    node->variation = variation_of(pixel);
    if (node->parent != pixel && node->variation < mser.nodes[node->parent].least_of_children) {
        mser.nodes[node->parent].least_of_children = node->variation;
    }
}

static void find_variations(void)
{
    for (size_t i = 0; i < pixel_count();) {
        const size_t end = workload_begin_phase(VARIATIONS, i, pixel_count(), PHASE_PIXELS);

        for (; i < end; i++) {
            note_variation((int32_t)mser.order[i]);
        }
    }
}

/* A local minimum of the variation on the way from the leaves to the root, neither too small nor
 * too large. Where two successive regions vary alike both count: an image without noise has such,
 * of variation 0. */
static bool is_stable(const int32_t pixel)
{
    const struct node *const node = &mser.nodes[pixel];

    return stands_for_region(pixel) && node->parent != pixel && node->area >= LEAST_AREA &&
           (size_t)node->area * IMAGE_PER_REGION <= pixel_count() &&
           node->variation <= MOST_VARIATION && node->variation <= node->least_of_children &&
           node->variation <= mser.nodes[node->parent].variation;
}

static void collect_stable(const bool is_bright)
{
    for (size_t i = 0; i < pixel_count() && mser.found_count < mser.found_limit;) {
        const size_t end = workload_begin_phase(COLLECT, i, pixel_count(), PHASE_PIXELS);

        for (; i < end && mser.found_count < mser.found_limit; i++) {
            const int32_t pixel = (int32_t)mser.order[i];
            const struct node *const node = &mser.nodes[pixel];

            if (is_stable(pixel)) {
                mser.found[mser.found_count++] = (struct region){
                    .area = node->area,
                    .x_q4 = (int32_t)((uint64_t)node->x_sum * 16 / node->area),
                    .y_q4 = (int32_t)((uint64_t)node->y_sum * 16 / node->area),
                    .grey = mser.greys[pixel],
                    .is_bright = is_bright,
                };
            }
        }
    }
}

static void find_regions(void)
{
    mser.found_count = 0;
    for (int turn = 0; turn < 2; turn++) {
        laxity_phase(COPY);
        for (size_t i = 0; i < pixel_count(); i++) {
            mser.greys[i] =
                (uint8_t)(turn == 0 ? mser.image.pixels[i] : GREYS - 1 - mser.image.pixels[i]);
        }
        sort_pixels();
        join_pixels();
        measure_regions();
        find_variations();
        collect_stable(turn != 0);
    }
}

static uint32_t digest_found(void)
{
    uint64_t digest = workload_digest_start();

    for (size_t i = 0; i < mser.found_count; i++) {
        const struct region *const region = &mser.found[i];

        digest = workload_digest_add(digest, region->area);
        digest = workload_digest_add(digest, (uint32_t)region->x_q4);
        digest = workload_digest_add(digest, (uint32_t)region->y_q4);
        digest = workload_digest_add(digest, (uint32_t)region->grey);
        digest = workload_digest_add(digest, (uint32_t)region->is_bright);
    }
    return workload_digest_end(digest);
}

/* A disc's area as the image has it. */
static int area_of(const struct workload_shape *const shape)
{
    int area = 0;

    for (int y = shape->y - shape->half_height; y <= shape->y + shape->half_height; y++) {
        for (int x = shape->x - shape->half_width; x <= shape->x + shape->half_width; x++) {
            area += workload_shape_at(&mser.shapes, x, y) == shape;
        }
    }
    return area;
}

static bool is_shape(const struct region *const region, const struct workload_shape *const shape)
{
    const int area = area_of(shape);
    const bool is_bright = shape->level > mser.shapes.background;

    return (region->is_bright != 0) == is_bright &&
           abs((int)region->area - area) * 100 <= area * AREA_TOLERANCE_PERCENT &&
           abs(region->x_q4 - shape->x * 16) <= CENTER_TOLERANCE_Q4 &&
           abs(region->y_q4 - shape->y * 16) <= CENTER_TOLERANCE_Q4;
}

static void check_against_truth(void)
{
    const size_t shape_count = (size_t)mser.shapes.columns * (size_t)mser.shapes.rows;
    size_t seen_count = 0;

    for (size_t i = 0; i < shape_count; i++) {
        bool is_seen = false;

        for (size_t j = 0; j < mser.found_count && !is_seen; j++) {
            is_seen = is_shape(&mser.found[j], &mser.shapes.shapes[i]);
        }
        seen_count += is_seen;
    }
    if (seen_count * 100 < shape_count * LEAST_PERCENT) {
        workload_fail_job(
            "mser",
            "%zu of %zu shapes are among %zu regions, expected at least %d %%",
            seen_count,
            shape_count,
            mser.found_count,
            LEAST_PERCENT
        );
    }
}

static bool allocate_memory(const struct workload_scale *const scale)
{
    const size_t count = workload_index(scale->width, 0, scale->height);

    mser.found_limit = count / PIXELS_PER_REGION;
    mser.greys = workload_allocate("mser", count);
    mser.order = workload_allocate("mser", count * sizeof(uint32_t));
    mser.nodes = workload_allocate("mser", count * sizeof(struct node));
    mser.found = workload_allocate("mser", mser.found_limit * sizeof(struct region));
    return mser.greys != NULL && mser.order != NULL && mser.nodes != NULL && mser.found != NULL &&
           workload_allocate_image("mser", scale, &mser.image);
}

static void free_memory(void)
{
    free(mser.greys);
    free(mser.order);
    free(mser.nodes);
    free(mser.found);
    free(mser.image.pixels);
}

int benchmark_init(const int argc, void **const argv)
{
    const struct workload_scale *scale;
    uint64_t seed;

    if (workload_read_words("mser", argc, argv, &scale, &seed) != 0 || !allocate_memory(scale)) {
        return -1;
    }
    workload_choose_shapes(&mser.shapes, scale, workload_next_random(&seed));
    workload_draw_shapes(&mser.image, &mser.shapes);
    workload_add_noise(&mser.image, NOISE, workload_next_random(&seed));
    find_regions();
    check_against_truth();
    mser.outcome = (struct workload_outcome){"mser", scale->name, digest_found(), true};
    return 0;
}

void benchmark_execution(const int argc, void **const argv)
{
    (void)argc;
    (void)argv;
    find_regions();
    workload_check_digest(&mser.outcome, digest_found());
}

void benchmark_teardown(const int argc, void **const argv)
{
    (void)argc;
    (void)argv;
    check_against_truth();
    workload_print_outcome(&mser.outcome);
    free_memory();
}
