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

#include <laxity/hooks.h>

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum {
    /* Three scales per octave need a difference below and above, so five, of six images. */
    SCALES = 3,
    BLURRED_COUNT = SCALES + 3,
    DIFFERENCE_COUNT = SCALES + 2,
    OCTAVE_LIMIT = 4,
    LEAST_OCTAVE_SIDE = 24,
    HIGHEST_WIDTH = 1920,
    KERNEL_RADIUS = 9, /* three deviations of the widest */
    KERNEL_SIDE = 2 * KERNEL_RADIUS + 1,
    GREY_SHIFT = 6, /* greys have 6 bits after the point */
    BORDER = 5,
    /* 3.1 of 255 greys; Lowe's 0.03 of the range would be 7.7 for photographs. */
    LEAST_CONTRAST = 200,
    EDGE_RATIO = 10, /* Lowe, section 4.1 */
    DIRECTION_BINS = 36,
    DIRECTION_BIN_WIDTH = 65536 / DIRECTION_BINS,
    WIDEST_DIRECTION_RADIUS = 10,
    SAMPLES = 16, /* a side of the described window */
    SAMPLES_PER_SQUARE = 4,
    SQUARES = SAMPLES / SAMPLES_PER_SQUARE,
    BINS = 8,
    DESCRIPTION_BYTES = SQUARES * SQUARES * BINS,
    /* Descriptions have this length; before that no number may exceed a fifth of it. */
    DESCRIPTION_LENGTH = 512,
    DESCRIPTION_LIMIT = DESCRIPTION_LENGTH / 5,
    PIXELS_PER_FEATURE = 32, /* room for what is found; this texture has one in 100 at most */
    /* Of the check. */
    QUERY_LIMIT = 200,
    PLACE_TOLERANCE = 2, /* pixels of the octave */
    LEAST_MATCH_PERCENT = 25,
    LEAST_RIGHT_PERCENT = 80
};

/* What must be added to an image's variance, in pixels^2 with 8 bits after the point: from a
 * camera's 0.5^2 to 1.6^2; then, for i = 1 to 5, 1.6^2 * 2^(2 (i - 1) / 3) * (2^(2/3) - 1). */
static const uint32_t added_variances_q8[BLURRED_COUNT] = {591, 385, 611, 970, 1540, 2444};

/* For each scale s = 1 to 3, of deviation d = 1.6 * 2^(s/3) = 2.016, 2.540, 3.2: twice the variance
 * (1.5 d)^2 of the weights for the direction, 8 bits after the point, and twice its deviation as
 * radius; and 0.75 d, the distance between the samples of a description (four to a square of 3 d),
 * 8 bits after the point. */
static const uint32_t direction_variances_q8[SCALES] = {4682, 7432, 11796};
static const int direction_radii[SCALES] = {6, 8, WIDEST_DIRECTION_RADIUS};
static const int32_t sample_distances_q8[SCALES] = {387, 488, 614};

struct feature {
    int32_t x, y; /* pixels of the octave */
    int32_t octave, scale;
    uint32_t direction; /* 2^-16 turns, y downwards */
    uint8_t description[DESCRIPTION_BYTES];
};

struct features {
    struct feature *list;
    size_t count, limit;
};

struct gradient {
    uint32_t length;
    uint16_t direction;
};

static struct {
    struct workload_result result;
    struct workload_image image;
    struct features found;                        /* the job's result */
    struct features found_turned;                 /* the truth */
    uint32_t kernels[BLURRED_COUNT][KERNEL_SIDE]; /* 16 bits after the point; the sum is 1 */
    uint32_t direction_weights[SCALES][2 * WIDEST_DIRECTION_RADIUS * WIDEST_DIRECTION_RADIUS + 1];
    uint32_t sample_weights[SAMPLES][SAMPLES]; /* both: 8 bits after the point */
    int width, height;                         /* of the octave at work */
    int octave;
    int16_t *blurred[BLURRED_COUNT];
    int16_t *differences[DIFFERENCE_COUNT];
    int16_t *half_blurred;                           /* along the rows only */
    int16_t line[HIGHEST_WIDTH + 2 * KERNEL_RADIUS]; /* a row, with its ends repeated */
} sift;

/* At most 255 * 2^6 * 2^16 < 2^31. */
static void blur_rows(const int16_t *const in, const uint32_t *const kernel)
{
    for (int y = 0; y < sift.height; y++) {
        const int16_t *const row = in + workload_index(sift.width, 0, y);
        int16_t *const out = sift.half_blurred + workload_index(sift.width, 0, y);

        for (int x = -KERNEL_RADIUS; x < sift.width + KERNEL_RADIUS; x++) {
            sift.line[x + KERNEL_RADIUS] = row[workload_clamp(x, 0, sift.width - 1)];
        }
        for (int x = 0; x < sift.width; x++) {
            uint32_t sum = UINT32_C(1) << 15; /* rounds */

            for (int i = 0; i < KERNEL_SIDE; i++) {
                const int32_t grey = sift.line[x + i];

                sum += kernel[i] * (uint32_t)grey;
            }
            out[x] = (int16_t)(sum >> 16);
        }
    }
}

static void blur_columns(int16_t *const out, const uint32_t *const kernel)
{
    const int16_t *rows[KERNEL_SIDE];

    for (int y = 0; y < sift.height; y++) {
        int16_t *const out_row = out + workload_index(sift.width, 0, y);

        for (int i = 0; i < KERNEL_SIDE; i++) {
            const int v = workload_clamp(y + i - KERNEL_RADIUS, 0, sift.height - 1);

            rows[i] = sift.half_blurred + workload_index(sift.width, 0, v);
        }
        for (int x = 0; x < sift.width; x++) {
            uint32_t sum = UINT32_C(1) << 15; /* rounds */

            for (int i = 0; i < KERNEL_SIDE; i++) {
                const int32_t grey = rows[i][x];

                sum += kernel[i] * (uint32_t)grey;
            }
            out_row[x] = (int16_t)(sum >> 16);
        }
    }
}

static void fill_octave(void)
{
    const size_t pixel_count = workload_index(sift.width, 0, sift.height);

    for (int i = 1; i < BLURRED_COUNT; i++) {
        blur_rows(sift.blurred[i - 1], sift.kernels[i]);
        blur_columns(sift.blurred[i], sift.kernels[i]);
        for (size_t j = 0; j < pixel_count; j++) {
            sift.differences[i - 1][j] = (int16_t)(sift.blurred[i][j] - sift.blurred[i - 1][j]);
        }
    }
}

/* How many of the nine around a place, times the sign, are at least `value`. */
static int count_at_least(const int16_t *const middle, const int value, const int sign)
{
    const ptrdiff_t width = sift.width;
    int count = 0;

    for (ptrdiff_t down = -width; down <= width; down += width) {
        for (ptrdiff_t right = -1; right <= 1; right++) {
            count += middle[down + right] * sign >= value;
        }
    }
    return count;
}

/* Greater, or less, than all 26 neighbours in place and scale: only itself is as much. */
static bool is_extremum(const int scale, const size_t place)
{
    const int sign = sift.differences[scale][place] < 0 ? -1 : 1;
    const int value = sift.differences[scale][place] * sign;

    return count_at_least(sift.differences[scale] + place, value, sign) == 1 &&
           count_at_least(sift.differences[scale - 1] + place, value, sign) == 0 &&
           count_at_least(sift.differences[scale + 1] + place, value, sign) == 0;
}

/* Both curvatures have the same sign and a ratio below EDGE_RATIO: Lowe, section 4.1. */
static bool is_no_edge(const int16_t *const middle)
{
    const ptrdiff_t width = sift.width;
    const int64_t xx = middle[1] + middle[-1] - 2 * middle[0];
    const int64_t yy = middle[width] + middle[-width] - 2 * middle[0];
    const int64_t xy_times_4 =
        middle[width + 1] - middle[width - 1] - middle[1 - width] + middle[-width - 1];
    const int64_t determinant_times_16 = 16 * xx * yy - xy_times_4 * xy_times_4;
    const int64_t trace = xx + yy;

    return determinant_times_16 > 0 && 16 * trace * trace * EDGE_RATIO < (int64_t)(EDGE_RATIO + 1) *
                                                                             (EDGE_RATIO + 1) *
                                                                             determinant_times_16;
}

/* False at the image's border. */
static bool
find_gradient(const int scale, const int x, const int y, struct gradient *const out_gradient)
{
    if (x < 1 || x >= sift.width - 1 || y < 1 || y >= sift.height - 1) {
        return false;
    }
    const int16_t *const middle = sift.blurred[scale] + workload_index(sift.width, x, y);
    const int right = middle[1] - middle[-1];
    const int down = middle[sift.width] - middle[-sift.width];
    const int square = right * right + down * down;

    out_gradient->length = workload_square_root((uint64_t)square);
    out_gradient->direction = workload_angle_of(right, down);
    return true;
}

/* The lengths of the gradients around the point by their directions, smoothed along the circle by
 * two means of three: as a sum of both, with weights 1 2 3 2 1. */
static void sum_directions(const struct feature *const feature, uint32_t *const sums)
{
    const int radius = direction_radii[feature->scale - 1];
    uint32_t raw[DIRECTION_BINS] = {0};

    for (int down = -radius; down <= radius; down++) {
        for (int right = -radius; right <= radius; right++) {
            const uint32_t weight =
                sift.direction_weights[feature->scale - 1][right * right + down * down];
            struct gradient gradient;

            if (find_gradient(feature->scale, feature->x + right, feature->y + down, &gradient)) {
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
static void describe(struct feature *const feature)
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

            if (find_gradient(feature->scale, x, y, &gradient)) {
                uint32_t *const bins = &sums[(size_t)square * BINS];

                add_sample(&gradient, feature->direction, sift.sample_weights[row][column], bins);
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
static void add_point(struct features *const features, const struct feature *const point)
{
    uint32_t sums[DIRECTION_BINS];
    uint32_t greatest = 0;

    sum_directions(point, sums);
    for (size_t i = 0; i < DIRECTION_BINS; i++) {
        greatest = sums[i] > greatest ? sums[i] : greatest;
    }
    for (size_t i = 0; i < DIRECTION_BINS && features->count < features->limit; i++) {
        const int64_t before = sums[(i + DIRECTION_BINS - 1) % DIRECTION_BINS];
        const int64_t after = sums[(i + 1) % DIRECTION_BINS];
        const int64_t here = sums[i];

        if (here > before && here >= after && here * 5 >= (int64_t)greatest * 4) {
            struct feature *const feature = &features->list[features->count++];
            const int64_t beyond =
                (after - before) * DIRECTION_BIN_WIDTH / (2 * (2 * here - before - after));

            *feature = *point;
            feature->direction = (uint16_t)((int64_t)(2 * i + 1) * 32768 / DIRECTION_BINS + beyond);
            describe(feature);
        }
    }
}

static void search_scale(struct features *const features, const int scale)
{
    for (int y = BORDER; y < sift.height - BORDER; y++) {
        const size_t row = workload_index(sift.width, 0, y);

        for (int x = BORDER; x < sift.width - BORDER; x++) {
            const size_t place = row + (size_t)x;

            if (abs(sift.differences[scale][place]) >= LEAST_CONTRAST &&
                is_extremum(scale, place) && is_no_edge(sift.differences[scale] + place)) {
                const struct feature point = {
                    .x = x, .y = y, .octave = sift.octave, .scale = scale
                };

                add_point(features, &point);
            }
        }
    }
}

/* The next octave begins with every second pixel of the image that has twice the deviation. */
static void halve_octave(void)
{
    const int width = sift.width;

    sift.width /= 2;
    sift.height /= 2;
    sift.octave++;
    for (int y = 0; y < sift.height; y++) {
        const int16_t *in = sift.blurred[SCALES] + workload_index(width, 0, 2 * y);
        int16_t *const out = sift.blurred[0] + workload_index(sift.width, 0, y);

        for (int x = 0; x < sift.width; x++) {
            out[x] = *in;
            in += 2;
        }
    }
}

static void find_features(const struct workload_image *const image, struct features *const features)
{
    const size_t pixel_count = workload_index(image->width, 0, image->height);

    features->count = 0;
    sift.width = image->width;
    sift.height = image->height;
    sift.octave = 0;
    for (size_t i = 0; i < pixel_count; i++) {
        sift.blurred[1][i] = (int16_t)(image->pixels[i] << GREY_SHIFT);
    }
    blur_rows(sift.blurred[1], sift.kernels[0]);
    blur_columns(sift.blurred[0], sift.kernels[0]);
    while (sift.octave < OCTAVE_LIMIT && sift.width >= LEAST_OCTAVE_SIDE &&
           sift.height >= LEAST_OCTAVE_SIDE) {
        fill_octave();
        for (int scale = 1; scale <= SCALES; scale++) {
            search_scale(features, scale);
        }
        halve_octave();
    }
}

static uint32_t digest_found(void)
{
    uint64_t digest = workload_digest_start();

    for (size_t i = 0; i < sift.found.count; i++) {
        const struct feature *const feature = &sift.found.list[i];

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

static void make_kernel(uint32_t *const kernel, const uint32_t variance_q8)
{
    uint32_t raw_sum = 0;
    uint32_t sum = 0;

    for (int x = -KERNEL_RADIUS; x <= KERNEL_RADIUS; x++) {
        kernel[x + KERNEL_RADIUS] =
            workload_exp_minus_q16((uint32_t)(x * x) * (1U << 23) / variance_q8);
        raw_sum += kernel[x + KERNEL_RADIUS];
    }
    for (int i = 0; i < KERNEL_SIDE; i++) {
        kernel[i] = (uint32_t)(((uint64_t)kernel[i] << 16) / raw_sum);
        sum += kernel[i];
    }
    kernel[KERNEL_RADIUS] += Q16_ONE - sum;
}

static void make_weights(void)
{
    for (size_t i = 0; i < BLURRED_COUNT; i++) {
        make_kernel(sift.kernels[i], added_variances_q8[i]);
    }
    for (size_t scale = 0; scale < SCALES; scale++) {
        const uint32_t radius = (uint32_t)direction_radii[scale];

        for (uint32_t square = 0; square <= 2 * radius * radius; square++) {
            sift.direction_weights[scale][square] =
                workload_exp_minus_q16((square << 24) / direction_variances_q8[scale]) >> 8;
        }
    }
    /* A deviation of half the window: exp(-(x^2 + y^2) / (2 * 8^2)), from the middle between the
     * samples, hence with doubled distances. */
    for (int y = 0; y < SAMPLES; y++) {
        for (int x = 0; x < SAMPLES; x++) {
            const int right = 2 * x - SAMPLES + 1;
            const int down = 2 * y - SAMPLES + 1;

            sift.sample_weights[y][x] =
                workload_exp_minus_q16((uint32_t)(right * right + down * down) * 128) >> 8;
        }
    }
}

static uint32_t squared_distance(const struct feature *const a, const struct feature *const b)
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
static bool is_same_place(const struct feature *const feature, const struct feature *const turned)
{
    const int height = sift.image.height >> feature->octave;

    return feature->octave == turned->octave &&
           abs(turned->x - (height - 1 - feature->y)) <= PLACE_TOLERANCE &&
           abs(turned->y - feature->x) <= PLACE_TOLERANCE;
}

/* The most alike of the turned image's features, if the next one at another place is clearly less
 * alike: Lowe, section 7.1, with 0.8^2 = 0.64. */
static const struct feature *find_match(const struct feature *const feature)
{
    const struct feature *best = NULL;
    uint32_t least = UINT32_MAX;
    uint32_t next = UINT32_MAX;

    for (size_t i = 0; i < sift.found_turned.count; i++) {
        const struct feature *const other = &sift.found_turned.list[i];
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
        const struct feature *const match = find_match(&sift.found.list[i]);

        query_count++;
        match_count += match != NULL;
        right_count += match != NULL && is_same_place(&sift.found.list[i], match);
    }
    if (match_count == 0 || match_count * 100 < query_count * LEAST_MATCH_PERCENT ||
        right_count * 100 < match_count * LEAST_RIGHT_PERCENT) {
        workload_fail(
            "sift: %zu of %zu features found again, %zu of them at the right place; expected at "
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
    bool has_memory = workload_allocate_image("sift", scale, &sift.image);

    for (size_t i = 0; i < BLURRED_COUNT; i++) {
        sift.blurred[i] = workload_allocate("sift", pixel_count * sizeof(int16_t));
        has_memory = has_memory && sift.blurred[i] != NULL;
    }
    for (size_t i = 0; i < DIFFERENCE_COUNT; i++) {
        sift.differences[i] = workload_allocate("sift", pixel_count * sizeof(int16_t));
        has_memory = has_memory && sift.differences[i] != NULL;
    }
    sift.half_blurred = workload_allocate("sift", pixel_count * sizeof(int16_t));
    sift.found.limit = pixel_count / PIXELS_PER_FEATURE;
    sift.found.list = workload_allocate("sift", sift.found.limit * sizeof(struct feature));
    sift.found_turned.limit = sift.found.limit;
    sift.found_turned.list = workload_allocate("sift", sift.found.limit * sizeof(struct feature));
    return has_memory && sift.half_blurred != NULL && sift.found.list != NULL &&
           sift.found_turned.list != NULL;
}

static void free_memory(void)
{
    for (size_t i = 0; i < BLURRED_COUNT; i++) {
        free(sift.blurred[i]);
    }
    for (size_t i = 0; i < DIFFERENCE_COUNT; i++) {
        free(sift.differences[i]);
    }
    free(sift.half_blurred);
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
    make_weights();
    if (!find_truth()) {
        return -1;
    }
    find_features(&sift.image, &sift.found);
    check_against_truth();
    sift.result = (struct workload_result){"sift", scale->name, digest_found()};
    return 0;
}

void benchmark_execution(const int argc, void **const argv)
{
    (void)argc;
    (void)argv;
    find_features(&sift.image, &sift.found);
    workload_expect_digest(&sift.result, digest_found());
}

void benchmark_teardown(const int argc, void **const argv)
{
    (void)argc;
    (void)argv;
    check_against_truth();
    workload_print_digest(&sift.result);
    free_memory();
}
