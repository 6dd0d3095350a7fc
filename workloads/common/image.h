/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
/*
 * What the vision workloads look at: sizes by name, and images made from a seed, of which it is
 * known what is in them.
 */
#ifndef LAXITY_WORKLOADS_IMAGE_H
#define LAXITY_WORKLOADS_IMAGE_H

#include "digest.h" // IWYU pragma: export
#include "fixed.h"  // IWYU pragma: export

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    WORKLOAD_SCALE_COUNT = 7,
    WORKLOAD_SHAPE_COLUMNS = 16,
    WORKLOAD_SHAPE_ROWS = 12,
    WORKLOAD_SHAPE_LIMIT = WORKLOAD_SHAPE_COLUMNS * WORKLOAD_SHAPE_ROWS
};

/* One of the sizes. `level` counts from 0, for what is no image. */
struct workload_scale {
    const char *name;
    int width, height;
    int level;
};

struct workload_image {
    uint8_t *pixels; /* row after row */
    int width, height;
};

/* A bright or dark rectangle or disc; the extents count pixels on each side of the middle one. */
struct workload_shape {
    bool is_disc;
    int x, y;
    int half_width, half_height;
    int level;
};

/* One shape in every cell of a grid, none touching its cell's border. */
struct workload_shapes {
    int columns, rows;
    int width, height;
    int background;
    struct workload_shape shapes[WORKLOAD_SHAPE_LIMIT];
};

/*
 * workload_read_words - the words of every vision workload: [SIZE_NAME], cif if there is none
 *
 * The seed is the environment's LAXITY_SEED, 1 if there is none. Says on stderr what is wrong.
 * Returns 0 or -EINVAL or -ERANGE.
 */
int workload_read_words(
    const char *workload,
    int argc,
    void **argv,
    const struct workload_scale **out_scale,
    uint64_t *out_seed
);

/* Memory for an image of that size; false if there is none. For free(image->pixels). */
bool workload_allocate_image(
    const char *workload, const struct workload_scale *scale, struct workload_image *image
);

static inline size_t workload_index(const int width, const int x, const int y)
{
    return (size_t)y * (size_t)width + (size_t)x;
}

static inline uint8_t *workload_row(const struct workload_image *const image, const int y)
{
    return image->pixels + workload_index(image->width, 0, y);
}

static inline uint32_t workload_digest_image(const struct workload_image *const image)
{
    return workload_digest_bytes(
        image->pixels, (uint64_t)workload_index(image->width, 0, image->height)
    );
}

static inline int workload_clamp(const int value, const int low, const int high)
{
    if (value < low) {
        return low;
    }
    return value > high ? high : value;
}

/* A number in [0, 255] at a point of an endless textured plane; the point may lie between pixels
 * (8 bits after the point) and left of or above the origin, up to 2^20 pixels. */
int workload_texture(uint64_t seed, int32_t x_q8, int32_t y_q8);

/* A window of that plane, its upper left corner at a point. */
void workload_draw_texture(
    const struct workload_image *image, uint64_t seed, int32_t x_q8, int32_t y_q8
);

/* Chooses shapes: rectangles and discs like a chess board's fields, their grey at least 50 from the
 * background's. */
void workload_choose_shapes(
    struct workload_shapes *shapes, const struct workload_scale *scale, uint64_t seed
);

/* The shape which covers a pixel, or NULL. */
const struct workload_shape *workload_shape_at(const struct workload_shapes *shapes, int x, int y);

void workload_draw_shapes(const struct workload_image *image, const struct workload_shapes *shapes);

/* Adds to every pixel a number in [-amplitude, amplitude]; stays within [0, 255]. */
void workload_add_noise(const struct workload_image *image, int amplitude, uint64_t seed);

#endif
