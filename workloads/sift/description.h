/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
/*
 * From a point of sift's scale space to features: a direction for each strong one of its gradients,
 * and a description relative to it. Lowe, sections 5 and 6.
 */
#ifndef LAXITY_WORKLOADS_SIFT_DESCRIPTION_H
#define LAXITY_WORKLOADS_SIFT_DESCRIPTION_H

#include "scale_space.h"

#include <stddef.h>
#include <stdint.h>

enum {
    WIDEST_DIRECTION_RADIUS = 10,
    SAMPLES = 16, /* a side of the described window */
    SAMPLES_PER_SQUARE = 4,
    SQUARES = SAMPLES / SAMPLES_PER_SQUARE,
    BINS = 8,
    DESCRIPTION_BYTES = SQUARES * SQUARES * BINS
};

struct sift_feature {
    int32_t x, y; /* pixels of the octave */
    int32_t octave, scale;
    uint32_t direction; /* 2^-16 turns, y downwards */
    uint8_t description[DESCRIPTION_BYTES];
};

struct sift_features {
    struct sift_feature *list;
    size_t count, limit;
};

/* Of gradients by their distance from the point; 8 bits after the point. */
struct sift_weights {
    uint32_t direction[SCALES][2 * WIDEST_DIRECTION_RADIUS * WIDEST_DIRECTION_RADIUS + 1];
    uint32_t sample[SAMPLES][SAMPLES];
};

void sift_make_weights(struct sift_weights *weights);

/* Adds a feature for each direction of the point, as long as there is room. */
void sift_add_point(
    const struct sift_space *space,
    const struct sift_weights *weights,
    const struct sift_feature *point,
    struct sift_features *features
);

#endif
