/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
/*
 * The scale space of sift: an image blurred more and more, octave by octave, and the differences of
 * neighbouring blurs, in whose extremes the points are searched. Lowe, sections 3 and 4.
 */
#ifndef LAXITY_WORKLOADS_SIFT_SCALE_SPACE_H
#define LAXITY_WORKLOADS_SIFT_SCALE_SPACE_H

#include "../common/image.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    /* Three scales per octave need a difference below and above, so five, of six images. */
    SCALES = 3,
    BLURRED_COUNT = SCALES + 3,
    DIFFERENCE_COUNT = SCALES + 2,
    HIGHEST_WIDTH = 1920,
    KERNEL_RADIUS = 9, /* three deviations of the widest */
    KERNEL_SIDE = 2 * KERNEL_RADIUS + 1
};

struct sift_space {
    uint32_t kernels[BLURRED_COUNT][KERNEL_SIDE]; /* 16 bits after the point; the sum is 1 */
    int width, height;                            /* of the octave at work */
    int octave;
    int16_t *blurred[BLURRED_COUNT]; /* greys with 6 bits after the point */
    int16_t *differences[DIFFERENCE_COUNT];
    int16_t *half_blurred;                           /* along the rows only */
    int16_t line[HIGHEST_WIDTH + 2 * KERNEL_RADIUS]; /* a row, with its ends repeated */
};

/* Memory for images of so many pixels; false if there is none. In both cases for sift_free_space().
 */
bool sift_allocate_space(struct sift_space *space, size_t pixel_count);

void sift_free_space(struct sift_space *space);

void sift_make_kernels(struct sift_space *space);

/* Makes the image the first one of octave 0. */
void sift_begin_image(struct sift_space *space, const struct workload_image *image);

/* All other images of the octave, and the differences, from its first one. */
void sift_fill_octave(struct sift_space *space);

/* The next octave begins with every second pixel of the image that has twice the deviation. */
void sift_halve_octave(struct sift_space *space);

/* Whether a difference is an extreme with contrast and not on an edge; `scale` from 1 to SCALES,
 * `place` at least one pixel within the border. */
bool sift_is_point(const struct sift_space *space, int scale, size_t place);

#endif
