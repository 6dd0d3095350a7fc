/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
#include "description.h"

#include "../common/fixed.h"
#include "../common/image.h"
#include "scale_space.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    DIRECTION_BINS = 36,
    DIRECTION_BIN_WIDTH = 65536 / DIRECTION_BINS,
    /* Descriptions have this length; before that no number may exceed a fifth of it. */
    DESCRIPTION_LENGTH = 512,
    DESCRIPTION_LIMIT = DESCRIPTION_LENGTH / 5
};

/* For each scale s = 1 to 3, of deviation d = 1.6 * 2^(s/3) = 2.016, 2.540, 3.2: twice the variance
 * (1.5 d)^2 of the weights for the direction, 8 bits after the point, and twice its deviation as
 * radius; and 0.75 d, the distance between the samples of a description (four to a square of 3 d),
 * 8 bits after the point. */
static const uint32_t direction_variances_q8[SCALES] = {4682, 7432, 11796};
static const int direction_radii[SCALES] = {6, 8, WIDEST_DIRECTION_RADIUS};
static const int32_t sample_distances_q8[SCALES] = {387, 488, 614};

struct gradient {
    uint32_t length;
    uint16_t direction;
};

void sift_make_weights(struct sift_weights *const weights)
{
    for (size_t scale = 0; scale < SCALES; scale++) {
        const uint32_t radius = (uint32_t)direction_radii[scale];

        for (uint32_t square = 0; square <= 2 * radius * radius; square++) {
            weights->direction[scale][square] =
                workload_exp_minus_q16((square << 24) / direction_variances_q8[scale]) >> 8;
        }
    }
    /* A deviation of half the window: exp(-(x^2 + y^2) / (2 * 8^2)), from the middle between the
     * samples, hence with doubled distances. */
    for (int y = 0; y < SAMPLES; y++) {
        for (int x = 0; x < SAMPLES; x++) {
            const int right = 2 * x - SAMPLES + 1;
            const int down = 2 * y - SAMPLES + 1;

            weights->sample[y][x] =
                workload_exp_minus_q16((uint32_t)(right * right + down * down) * 128) >> 8;
        }
    }
}

/* False at the image's border. */
static bool find_gradient(
    const struct sift_space *const space,
    const int scale,
    const int x,
    const int y,
    struct gradient *const out_gradient
)
{
    if (x < 1 || x >= space->width - 1 || y < 1 || y >= space->height - 1) {
        return false;
    }
    const int16_t *const middle = space->blurred[scale] + workload_index(space->width, x, y);
    const int right = middle[1] - middle[-1];
    const int down = middle[space->width] - middle[-space->width];
    const int square = right * right + down * down;

    out_gradient->length = workload_square_root((uint64_t)square);
    out_gradient->direction = workload_angle_of(right, down);
    return true;
}

/* The lengths of the gradients around the point by their directions, smoothed along the circle by
 * two means of three: as a sum of both, with weights 1 2 3 2 1. */
static void sum_directions(
    const struct sift_space *const space,
    const struct sift_weights *const weights,
    const struct sift_feature *const feature,
    uint32_t *const sums
)
{
    const int radius = direction_radii[feature->scale - 1];
    uint32_t raw[DIRECTION_BINS] = {0};

    for (int down = -radius; down <= radius; down++) {
        for (int right = -radius; right <= radius; right++) {
            const uint32_t weight =
                weights->direction[feature->scale - 1][right * right + down * down];
            struct gradient gradient;

            if (find_gradient(
                    space, feature->scale, feature->x + right, feature->y + down, &gradient
                )) {
                const uint32_t bin = gradient.direction * (uint32_t)DIRECTION_BINS >> 16;

                raw[bin] += gradient.length * weight >> 8;
            }
        }
    }
    for (uint32_t i = 0; i < DIRECTION_BINS; i++) {
        sums[i] = raw[(i + DIRECTION_BINS - 2) % DIRECTION_BINS] +
                  2 * raw[(i + DIRECTION_BINS - 1) % DIRECTION_BINS] + 3 * raw[i] +
                  2 * raw[(i + 1) % DIRECTION_BINS] + raw[(i + 2) % DIRECTION_BINS];
    }
}

/* A sample's share of the bins around its direction. */
static void add_sample(
    const struct gradient *const gradient,
    const uint32_t direction,
    const uint32_t weight,
    uint32_t *const bins
)
{
    const uint16_t relative = (uint16_t)(gradient->direction - direction);
    const uint32_t bin = (uint32_t)relative * BINS >> 16;
    const uint32_t beyond_q13 = relative % (65536 / BINS);
    const uint32_t value = gradient->length * weight >> 8;

    bins[(bin + 1) % BINS] += value * beyond_q13 >> 13;
    bins[bin] += value - (value * beyond_q13 >> 13);
}

/* To the length DESCRIPTION_LENGTH. */
static void normalize(uint32_t *const sums, const uint32_t limit)
{
    uint64_t square_sum = 0;

    for (size_t i = 0; i < DESCRIPTION_BYTES; i++) {
        square_sum += (uint64_t)sums[i] * sums[i];
    }
    const uint64_t length = workload_square_root(square_sum);

    for (size_t i = 0; i < DESCRIPTION_BYTES; i++) {
        const uint64_t scaled = length == 0 ? 0 : (uint64_t)sums[i] * DESCRIPTION_LENGTH / length;

        sums[i] = scaled < limit ? (uint32_t)scaled : limit;
    }
}

/* Gradients in a window turned as the point is, summed by square and direction: Lowe, section 6. */
static void describe(
    const struct sift_space *const space,
    const struct sift_weights *const weights,
    struct sift_feature *const feature
)
{
    const int32_t distance_q8 = sample_distances_q8[feature->scale - 1];
    uint32_t sums[DESCRIPTION_BYTES] = {0};
    int32_t turn[2];

    workload_cos_sin_q14((uint16_t)feature->direction, turn);
    for (int row = 0; row < SAMPLES; row++) {
        for (int column = 0; column < SAMPLES; column++) {
            const int32_t right = (2 * column - SAMPLES + 1) * distance_q8 / 2;
            const int32_t down = (2 * row - SAMPLES + 1) * distance_q8 / 2;
            const int32_t x_q22 = right * turn[0] - down * turn[1];
            const int32_t y_q22 = right * turn[1] + down * turn[0];
            const int x = feature->x + ((x_q22 + (1 << 21)) >> 22);
            const int y = feature->y + ((y_q22 + (1 << 21)) >> 22);
            const int square = row / SAMPLES_PER_SQUARE * SQUARES + column / SAMPLES_PER_SQUARE;
            struct gradient gradient;

            if (find_gradient(space, feature->scale, x, y, &gradient)) {
                uint32_t *const bins = &sums[(size_t)square * BINS];

                add_sample(&gradient, feature->direction, weights->sample[row][column], bins);
            }
        }
    }
    normalize(sums, DESCRIPTION_LIMIT);
    normalize(sums, UINT8_MAX);
    for (size_t i = 0; i < DESCRIPTION_BYTES; i++) {
        feature->description[i] = (uint8_t)sums[i];
    }
}

/* One feature for each direction that is a maximum and at least 80 % of the greatest: Lowe, section
 * 5. The direction is where a parabola through a bin and its neighbours has its top. */
void sift_add_point(
    const struct sift_space *const space,
    const struct sift_weights *const weights,
    const struct sift_feature *const point,
    struct sift_features *const features
)
{
    uint32_t sums[DIRECTION_BINS];
    uint32_t greatest = 0;

    sum_directions(space, weights, point, sums);
    for (size_t i = 0; i < DIRECTION_BINS; i++) {
        greatest = sums[i] > greatest ? sums[i] : greatest;
    }
    for (size_t i = 0; i < DIRECTION_BINS && features->count < features->limit; i++) {
        const int64_t before = sums[(i + DIRECTION_BINS - 1) % DIRECTION_BINS];
        const int64_t after = sums[(i + 1) % DIRECTION_BINS];
        const int64_t here = sums[i];

        if (here > before && here >= after && here * 5 >= (int64_t)greatest * 4) {
            struct sift_feature *const feature = &features->list[features->count++];
            const int64_t beyond =
                (after - before) * DIRECTION_BIN_WIDTH / (2 * (2 * here - before - after));

            *feature = *point;
            feature->direction = (uint16_t)((int64_t)(2 * i + 1) * 32768 / DIRECTION_BINS + beyond);
            describe(space, weights, feature);
        }
    }
}
