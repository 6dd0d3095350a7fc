/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
#include "scale_space.h"

#include "../common/arguments.h"
#include "../common/fixed.h"
#include "../common/image.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

enum {
    GREY_SHIFT = 6, /* greys have 6 bits after the point */
    /* 3.1 of 255 greys; Lowe's 0.03 of the range would be 7.7 for photographs. */
    LEAST_CONTRAST = 200,
    EDGE_RATIO = 10 /* Lowe, section 4.1 */
};

/* What must be added to an image's variance, in pixels^2 with 8 bits after the point: from a
 * camera's 0.5^2 to 1.6^2; then, for i = 1 to 5, 1.6^2 * 2^(2 (i - 1) / 3) * (2^(2/3) - 1). */
static const uint32_t added_variances_q8[BLURRED_COUNT] = {591, 385, 611, 970, 1540, 2444};

bool sift_allocate_space(struct sift_space *const space, const size_t pixel_count)
{
    bool has_memory = true;

    for (size_t i = 0; i < BLURRED_COUNT; i++) {
        space->blurred[i] = workload_allocate("sift", pixel_count * sizeof(int16_t));
        has_memory = has_memory && space->blurred[i] != NULL;
    }
    for (size_t i = 0; i < DIFFERENCE_COUNT; i++) {
        space->differences[i] = workload_allocate("sift", pixel_count * sizeof(int16_t));
        has_memory = has_memory && space->differences[i] != NULL;
    }
    space->half_blurred = workload_allocate("sift", pixel_count * sizeof(int16_t));
    return has_memory && space->half_blurred != NULL;
}

void sift_free_space(struct sift_space *const space)
{
    for (size_t i = 0; i < BLURRED_COUNT; i++) {
        free(space->blurred[i]);
    }
    for (size_t i = 0; i < DIFFERENCE_COUNT; i++) {
        free(space->differences[i]);
    }
    free(space->half_blurred);
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

void sift_make_kernels(struct sift_space *const space)
{
    for (size_t i = 0; i < BLURRED_COUNT; i++) {
        make_kernel(space->kernels[i], added_variances_q8[i]);
    }
}

/* At most 255 * 2^6 * 2^16 < 2^31. */
static void
blur_rows(struct sift_space *const space, const int16_t *const in, const uint32_t *const kernel)
{
    for (int y = 0; y < space->height; y++) {
        const int16_t *const row = in + workload_index(space->width, 0, y);
        int16_t *const out = space->half_blurred + workload_index(space->width, 0, y);

        for (int x = -KERNEL_RADIUS; x < space->width + KERNEL_RADIUS; x++) {
            space->line[x + KERNEL_RADIUS] = row[workload_clamp(x, 0, space->width - 1)];
        }
        for (int x = 0; x < space->width; x++) {
            uint32_t sum = UINT32_C(1) << 15; /* rounds */

            for (int i = 0; i < KERNEL_SIDE; i++) {
                const int32_t grey = space->line[x + i];

                sum += kernel[i] * (uint32_t)grey;
            }
            out[x] = (int16_t)(sum >> 16);
        }
    }
}

static void
blur_columns(const struct sift_space *const space, int16_t *const out, const uint32_t *const kernel)
{
    const int16_t *rows[KERNEL_SIDE];

    for (int y = 0; y < space->height; y++) {
        int16_t *const out_row = out + workload_index(space->width, 0, y);

        for (int i = 0; i < KERNEL_SIDE; i++) {
            const int v = workload_clamp(y + i - KERNEL_RADIUS, 0, space->height - 1);

            rows[i] = space->half_blurred + workload_index(space->width, 0, v);
        }
        for (int x = 0; x < space->width; x++) {
            uint32_t sum = UINT32_C(1) << 15; /* rounds */

            for (int i = 0; i < KERNEL_SIDE; i++) {
                const int32_t grey = rows[i][x];

                sum += kernel[i] * (uint32_t)grey;
            }
            out_row[x] = (int16_t)(sum >> 16);
        }
    }
}

void sift_begin_image(struct sift_space *const space, const struct workload_image *const image)
{
    const size_t pixel_count = workload_index(image->width, 0, image->height);

    space->width = image->width;
    space->height = image->height;
    space->octave = 0;
    for (size_t i = 0; i < pixel_count; i++) {
        space->blurred[1][i] = (int16_t)(image->pixels[i] << GREY_SHIFT);
    }
    blur_rows(space, space->blurred[1], space->kernels[0]);
    blur_columns(space, space->blurred[0], space->kernels[0]);
}

void sift_fill_octave(struct sift_space *const space)
{
    const size_t pixel_count = workload_index(space->width, 0, space->height);

    for (int i = 1; i < BLURRED_COUNT; i++) {
        blur_rows(space, space->blurred[i - 1], space->kernels[i]);
        blur_columns(space, space->blurred[i], space->kernels[i]);
        for (size_t j = 0; j < pixel_count; j++) {
            space->differences[i - 1][j] =
                (int16_t)(space->blurred[i][j] - space->blurred[i - 1][j]);
        }
    }
}

void sift_halve_octave(struct sift_space *const space)
{
    const int width = space->width;

    space->width /= 2;
    space->height /= 2;
    space->octave++;
    for (int y = 0; y < space->height; y++) {
        const int16_t *in = space->blurred[SCALES] + workload_index(width, 0, 2 * y);
        int16_t *const out = space->blurred[0] + workload_index(space->width, 0, y);

        for (int x = 0; x < space->width; x++) {
            out[x] = *in;
            in += 2;
        }
    }
}

/* How many of the nine around a place, times the sign, are at least `value`. */
static int
count_at_least(const int16_t *const middle, const ptrdiff_t width, const int value, const int sign)
{
    int count = 0;

    for (ptrdiff_t down = -width; down <= width; down += width) {
        for (ptrdiff_t right = -1; right <= 1; right++) {
            count += middle[down + right] * sign >= value;
        }
    }
    return count;
}

/* Greater, or less, than all 26 neighbours in place and scale: only itself is as much. */
static bool is_extremum(const struct sift_space *const space, const int scale, const size_t place)
{
    const int width = space->width;
    const int sign = space->differences[scale][place] < 0 ? -1 : 1;
    const int value = space->differences[scale][place] * sign;

    return count_at_least(space->differences[scale] + place, width, value, sign) == 1 &&
           count_at_least(space->differences[scale - 1] + place, width, value, sign) == 0 &&
           count_at_least(space->differences[scale + 1] + place, width, value, sign) == 0;
}

/* Both curvatures have the same sign and a ratio below EDGE_RATIO: Lowe, section 4.1. */
static bool is_no_edge(const int16_t *const middle, const ptrdiff_t width)
{
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

bool sift_is_point(const struct sift_space *const space, const int scale, const size_t place)
{
    const int16_t *const middle = space->differences[scale] + place;

    return abs(*middle) >= LEAST_CONTRAST && is_extremum(space, scale, place) &&
           is_no_edge(middle, space->width);
}
