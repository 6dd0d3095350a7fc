/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
#include "image.h"

#include "arguments.h"
#include "fixed.h"

#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    DEFAULT_LEVEL = 4,
    /* Moves the plane's usable half to positive coordinates, 8 bits after the point. */
    PLANE_ORIGIN_Q8 = 1 << 28,
    /* Cells for shapes are at least this large, so that shapes of 11 to 15 pixels fit with a margin
     * which leaves room for the windows of edge and corner detectors. */
    CELL_WIDTH = 32,
    CELL_HEIGHT = 24,
    CELL_MARGIN = 5,
    LEAST_CONTRAST = 50,
    MOST_CONTRAST = 90
};

/* The names are those of SD-VBS (Venkata et al., "SD-VBS: The San Diego vision benchmark suite",
 * IISWC 2009); the two smallest, made for simulators, are the smallest images on which every
 * workload still finds something. */
static const struct workload_scale scales[WORKLOAD_SCALE_COUNT] = {
    {"sim_fast", 64, 48, 0},
    {"sim", 96, 72, 1},
    {"sqcif", 128, 96, 2},
    {"qcif", 176, 144, 3},
    {"cif", 352, 288, DEFAULT_LEVEL},
    {"vga", 640, 480, 5},
    {"fullhd", 1920, 1080, 6},
};

static const struct workload_scale *find_scale(const char *const name)
{
    for (size_t i = 0; i < WORKLOAD_SCALE_COUNT; i++) {
        if (strcmp(scales[i].name, name) == 0) {
            return &scales[i];
        }
    }
    return NULL;
}

int workload_read_words(
    const char *const workload,
    const int argc,
    void **const argv,
    const struct workload_scale **const out_scale,
    uint64_t *const out_seed
)
{
    const struct workload_scale *scale = &scales[DEFAULT_LEVEL];
    int status =
        workload_check_word_count(workload, "[SIZE_NAME]", argc, argv, (const int[2]){0, 1});

    if (status == 0 && argc > 0) {
        scale = find_scale(argv[0]);
        if (scale == NULL) {
            (void)fprintf(
                stderr,
                "%s: SIZE_NAME \"%s\": is no size; write one of sim_fast, sim, sqcif, qcif, cif, "
                "vga, fullhd\n",
                workload,
                (const char *)argv[0]
            );
            status = -EINVAL;
        }
    }
    if (status == 0) {
        status = workload_read_seed(workload, out_seed);
    }
    if (status == 0) {
        *out_scale = scale;
    }
    return status;
}

bool workload_allocate_image(
    const char *const workload,
    const struct workload_scale *const scale,
    struct workload_image *const image
)
{
    image->width = scale->width;
    image->height = scale->height;
    image->pixels = workload_allocate(workload, workload_index(scale->width, 0, scale->height));
    return image->pixels != NULL;
}

/* Random greys on a lattice of 2^cell_bits pixels, bilinear between them: value noise (Ebert et
 * al., "Texturing and modeling", chapter 2). */
static uint32_t
lattice_noise(const uint64_t seed, const uint32_t x_q8, const uint32_t y_q8, const unsigned bits)
{
    const uint32_t column = x_q8 >> (bits + 8);
    const uint32_t row = y_q8 >> (bits + 8);
    const uint32_t right_q8 = (x_q8 >> bits) & 255;
    const uint32_t down_q8 = (y_q8 >> bits) & 255;
    const uint32_t top = (workload_hash(seed, column, row) >> 24) * (256 - right_q8) +
                         (workload_hash(seed, column + 1, row) >> 24) * right_q8;
    const uint32_t bottom = (workload_hash(seed, column, row + 1) >> 24) * (256 - right_q8) +
                            (workload_hash(seed, column + 1, row + 1) >> 24) * right_q8;

    return (top * (256 - down_q8) + bottom * down_q8) >> 16;
}

int workload_texture(const uint64_t seed, const int32_t x_q8, const int32_t y_q8)
{
    const uint32_t x = (uint32_t)(x_q8 + PLANE_ORIGIN_Q8);
    const uint32_t y = (uint32_t)(y_q8 + PLANE_ORIGIN_Q8);
    /* Cells of 16, 8 and 4 pixels: something to see at several scales, nothing that a step of half
     * a pixel would alias. */
    const uint32_t sum = 2 * lattice_noise(seed, x, y, 4) + 3 * lattice_noise(seed + 1, x, y, 3) +
                         3 * lattice_noise(seed + 2, x, y, 2);

    return (int)(sum / 8);
}

void workload_draw_texture(
    const struct workload_image *const image,
    const uint64_t seed,
    const int32_t x_q8,
    const int32_t y_q8
)
{
    for (int y = 0; y < image->height; y++) {
        uint8_t *const row = workload_row(image, y);

        for (int x = 0; x < image->width; x++) {
            row[x] = (uint8_t)workload_texture(seed, x_q8 + x * 256, y_q8 + y * 256);
        }
    }
}

static void choose_shape(
    struct workload_shape *const shape,
    const int center[2],
    const int cell[2],
    const int background,
    uint64_t *const random
)
{
    const int shorter = cell[0] < cell[1] ? cell[0] : cell[1];
    const int contrast = workload_random_between(random, LEAST_CONTRAST, MOST_CONTRAST);

    shape->half_width = workload_random_between(random, shorter / 5 + 1, shorter / 4 + 1);
    shape->half_height = shape->is_disc
                             ? shape->half_width
                             : workload_random_between(random, shorter / 5 + 1, shorter / 4 + 1);
    const int room_x = cell[0] / 2 - CELL_MARGIN - shape->half_width;
    const int room_y = cell[1] / 2 - CELL_MARGIN - shape->half_height;

    shape->x = center[0] + workload_random_between(random, -room_x, room_x);
    shape->y = center[1] + workload_random_between(random, -room_y, room_y);
    shape->level =
        (workload_next_random(random) & 1) != 0 ? background + contrast : background - contrast;
}

void workload_choose_shapes(
    struct workload_shapes *const shapes, const struct workload_scale *const scale, uint64_t seed
)
{
    shapes->columns = workload_clamp(scale->width / CELL_WIDTH, 1, WORKLOAD_SHAPE_COLUMNS);
    shapes->rows = workload_clamp(scale->height / CELL_HEIGHT, 1, WORKLOAD_SHAPE_ROWS);
    shapes->width = scale->width;
    shapes->height = scale->height;
    shapes->background = workload_random_between(&seed, 110, 145);
    const int cell[2] = {scale->width / shapes->columns, scale->height / shapes->rows};

    for (int i = 0; i < shapes->columns * shapes->rows; i++) {
        const int column = i % shapes->columns;
        const int row = i / shapes->columns;
        const int center[2] = {column * cell[0] + cell[0] / 2, row * cell[1] + cell[1] / 2};

        shapes->shapes[i].is_disc = (column + row) % 2 != 0;
        choose_shape(&shapes->shapes[i], center, cell, shapes->background, &seed);
    }
}

const struct workload_shape *
workload_shape_at(const struct workload_shapes *const shapes, const int x, const int y)
{
    /* The cells may leave a strip at the right and the bottom: the last cell's neighbour, and as
     * empty as its margin. */
    const int column =
        workload_clamp(x / (shapes->width / shapes->columns), 0, shapes->columns - 1);
    const int row = workload_clamp(y / (shapes->height / shapes->rows), 0, shapes->rows - 1);
    const struct workload_shape *const shape = &shapes->shapes[row * shapes->columns + column];
    const int right = abs(x - shape->x);
    const int down = abs(y - shape->y);
    const bool covers =
        shape->is_disc ? right * right + down * down <= shape->half_width * (shape->half_width + 1)
                       : right <= shape->half_width && down <= shape->half_height;

    return covers ? shape : NULL;
}

void workload_draw_shapes(
    const struct workload_image *const image, const struct workload_shapes *const shapes
)
{
    for (int y = 0; y < image->height; y++) {
        uint8_t *const row = workload_row(image, y);

        for (int x = 0; x < image->width; x++) {
            const struct workload_shape *const shape = workload_shape_at(shapes, x, y);

            row[x] = (uint8_t)(shape == NULL ? shapes->background : shape->level);
        }
    }
}

void workload_add_noise(
    const struct workload_image *const image, const int amplitude, const uint64_t seed
)
{
    uint64_t random = seed;

    for (int y = 0; y < image->height; y++) {
        uint8_t *const row = workload_row(image, y);

        for (int x = 0; x < image->width; x++) {
            const int noise = workload_random_between(&random, -amplitude, amplitude);

            row[x] = (uint8_t)workload_clamp(row[x] + noise, 0, 255);
        }
    }
}
