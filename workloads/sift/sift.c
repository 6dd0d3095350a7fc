/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
/*
 * sift [SIZE_NAME]: points of an image at their own scales, with directions, and descriptions by
 * which they can be found again.
 *
 * Source: Lowe, "Distinctive image features from scale-invariant keypoints", IJCV 60(2), 2004,
 * sections 3 to 6. Left out: the doubled image, places between pixels, and sharing a sample out
 * among neighbouring squares of a description.
 *
 * The image is a texture. Its own points, found in a copy turned by a quarter, are the truth.
 */
#include "../common/arguments.h"
#include "../common/fixed.h"
#include "../common/image.h"
#include "../common/outcome.h"
#include "description.h"
#include "scale_space.h"

#include <laxity/hooks.h>

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

enum {
    OCTAVE_LIMIT = 4,
    LEAST_OCTAVE_SIDE = 24,
    BORDER = 5,
    PIXELS_PER_FEATURE = 32, /* room for what is found; this texture has one in 100 at most */
    /* Of the check. */
    QUERY_LIMIT = 200,
    PLACE_TOLERANCE = 2, /* pixels of the octave */
    LEAST_MATCH_PERCENT = 25,
    LEAST_RIGHT_PERCENT = 80
};

static struct {
    struct workload_outcome outcome;
    struct workload_image image;
    struct sift_features found;        /* the job's result */
    struct sift_features found_turned; /* the truth */
    struct sift_weights weights;
    struct sift_space space;
} sift;

static void search_scale(struct sift_features *const features, const int scale)
{
    const struct sift_space *const space = &sift.space;

    for (int y = BORDER; y < space->height - BORDER; y++) {
        const size_t row = workload_index(space->width, 0, y);

        for (int x = BORDER; x < space->width - BORDER; x++) {
            const size_t place = row + (size_t)x;

            if (sift_is_point(space, scale, place)) {
                const struct sift_feature point = {
                    .x = x, .y = y, .octave = space->octave, .scale = scale
                };

                sift_add_point(space, &sift.weights, &point, features);
            }
        }
    }
}

static void
find_features(const struct workload_image *const image, struct sift_features *const features)
{
    struct sift_space *const space = &sift.space;

    features->count = 0;
    sift_begin_image(space, image);
    while (space->octave < OCTAVE_LIMIT && space->width >= LEAST_OCTAVE_SIDE &&
           space->height >= LEAST_OCTAVE_SIDE) {
        sift_fill_octave(space);
        for (int scale = 1; scale <= SCALES; scale++) {
            search_scale(features, scale);
        }
        sift_halve_octave(space);
    }
}

static uint32_t digest_found(void)
{
    uint64_t digest = workload_digest_start();

    for (size_t i = 0; i < sift.found.count; i++) {
        const struct sift_feature *const feature = &sift.found.list[i];

        digest = workload_digest_add(digest, (uint32_t)feature->x);
        digest = workload_digest_add(digest, (uint32_t)feature->y);
        digest = workload_digest_add(digest, (uint32_t)(feature->octave * 4 + feature->scale));
        digest = workload_digest_add(digest, feature->direction);
        digest = workload_digest_add(
            digest, workload_digest_bytes(feature->description, DESCRIPTION_BYTES)
        );
    }
    return workload_digest_end(digest);
}

static uint32_t
squared_distance(const struct sift_feature *const a, const struct sift_feature *const b)
{
    uint32_t sum = 0;

    for (size_t i = 0; i < DESCRIPTION_BYTES; i++) {
        const int difference = a->description[i] - b->description[i];

        sum += (uint32_t)(difference * difference);
    }
    return sum;
}

/* Whether `turned` is where a quarter turn to the right puts the feature: (x, y) to (height - 1 -
 * y, x). */
static bool
is_same_place(const struct sift_feature *const feature, const struct sift_feature *const turned)
{
    const int height = sift.image.height >> feature->octave;

    return feature->octave == turned->octave &&
           abs(turned->x - (height - 1 - feature->y)) <= PLACE_TOLERANCE &&
           abs(turned->y - feature->x) <= PLACE_TOLERANCE;
}

/* The most alike of the turned image's features, if the next one at another place is clearly less
 * alike: Lowe, section 7.1, with 0.8^2 = 0.64. */
static const struct sift_feature *find_match(const struct sift_feature *const feature)
{
    const struct sift_feature *best = NULL;
    uint32_t least = UINT32_MAX;
    uint32_t next = UINT32_MAX;

    for (size_t i = 0; i < sift.found_turned.count; i++) {
        const struct sift_feature *const other = &sift.found_turned.list[i];
        const uint32_t distance = squared_distance(feature, other);

        if (distance < least) {
            next = least;
            least = distance;
            best = other;
        } else if (distance < next) {
            next = distance;
        }
    }
    return (uint64_t)least * 100 < (uint64_t)next * 64 ? best : NULL;
}

static void check_against_truth(void)
{
    const size_t step = sift.found.count / QUERY_LIMIT + 1;
    size_t query_count = 0;
    size_t match_count = 0;
    size_t right_count = 0;

    for (size_t i = 0; i < sift.found.count; i += step) {
        const struct sift_feature *const match = find_match(&sift.found.list[i]);

        query_count++;
        match_count += match != NULL;
        right_count += match != NULL && is_same_place(&sift.found.list[i], match);
    }
    if (match_count == 0 || match_count * 100 < query_count * LEAST_MATCH_PERCENT ||
        right_count * 100 < match_count * LEAST_RIGHT_PERCENT) {
        workload_fail_job(
            "sift",
            "%zu of %zu features found again, %zu of them at the right place; expected at "
            "least %d %% and %d %%",
            match_count,
            query_count,
            right_count,
            LEAST_MATCH_PERCENT,
            LEAST_RIGHT_PERCENT
        );
    }
}

static bool allocate_memory(const struct workload_scale *const scale)
{
    const size_t pixel_count = workload_index(scale->width, 0, scale->height);
    const bool has_image = workload_allocate_image("sift", scale, &sift.image);
    const bool has_space = sift_allocate_space(&sift.space, pixel_count);

    sift.found.limit = pixel_count / PIXELS_PER_FEATURE;
    sift.found.list = workload_allocate("sift", sift.found.limit * sizeof *sift.found.list);
    sift.found_turned.limit = sift.found.limit;
    sift.found_turned.list =
        workload_allocate("sift", sift.found.limit * sizeof *sift.found_turned.list);
    return has_image && has_space && sift.found.list != NULL && sift.found_turned.list != NULL;
}

static void free_memory(void)
{
    sift_free_space(&sift.space);
    free(sift.found.list);
    free(sift.found_turned.list);
    free(sift.image.pixels);
}

/* Finds the features of the image turned by a quarter to the right; false without memory for it. */
static bool find_truth(void)
{
    const struct workload_scale turned_scale = {NULL, sift.image.height, sift.image.width, 0};
    struct workload_image turned;

    if (!workload_allocate_image("sift", &turned_scale, &turned)) {
        return false;
    }
    for (int y = 0; y < sift.image.height; y++) {
        for (int x = 0; x < sift.image.width; x++) {
            workload_row(&turned, x)[sift.image.height - 1 - y] = workload_row(&sift.image, y)[x];
        }
    }
    find_features(&turned, &sift.found_turned);
    free(turned.pixels);
    return true;
}

int benchmark_init(const int argc, void **const argv)
{
    const struct workload_scale *scale;
    uint64_t seed;

    if (workload_read_words("sift", argc, argv, &scale, &seed) != 0 || !allocate_memory(scale)) {
        return -1;
    }
    workload_draw_texture(&sift.image, workload_next_random(&seed), 0, 0);
    sift_make_kernels(&sift.space);
    sift_make_weights(&sift.weights);
    if (!find_truth()) {
        return -1;
    }
    find_features(&sift.image, &sift.found);
    check_against_truth();
    sift.outcome = (struct workload_outcome){"sift", scale->name, digest_found(), true};
    return 0;
}

void benchmark_execution(const int argc, void **const argv)
{
    (void)argc;
    (void)argv;
    find_features(&sift.image, &sift.found);
    workload_check_digest(&sift.outcome, digest_found());
}

void benchmark_teardown(const int argc, void **const argv)
{
    (void)argc;
    (void)argv;
    check_against_truth();
    workload_print_outcome(&sift.outcome);
    free_memory();
}
