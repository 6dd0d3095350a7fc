/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
/*
 * jpeg small|large: encodes a generated frame with libjpeg, decodes it and compares.
 *
 * The library allocates and frees within each job, beyond what it keeps from job to job.
 */
#include "../common/arguments.h"
#include "../common/outcome.h"
#include "../common/random.h"
#include "../common/sine.h"

#include <laxity/hooks.h>

#include <inttypes.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

/* clang-format off: after stdio.h, which it needs and does not include. */
#include <jpeglib.h>
/* clang-format on */

enum {
    /* Widths of frames of 4 to 3: 160 x 120 and 640 x 480. */
    SMALL_WIDTH = 160,
    LARGE_WIDTH = 640,
    CHANNEL_COUNT = 3,
    QUALITY = 90,
    WAVE_COUNT = 4,
    WAVE_BITS = 5, /* of amplitude */
    SINE_BITS = 30,
    NOISE_VALUES = 4,
    MIDDLE_GREY = 128,
    /* PSNR = 10 log10(255^2 / mean squared error); at 30 dB a viewer begins to see the loss. */
    HIGHEST_VALUE = 255,
    LEAST_POWER_RATIO = 1000
};

static const struct workload_sizes sizes = {"jpeg", SMALL_WIDTH, LARGE_WIDTH};

static struct {
    struct workload_outcome outcome;
    struct jpeg_compress_struct compress;
    struct jpeg_decompress_struct decompress;
    struct jpeg_error_mgr errors;
    uint8_t *frame;
    uint8_t *decoded;
    uint8_t *encoded; /* room for as much as the frame has */
    size_t width, height, row_bytes, bytes;
} jpeg;

/* In place of the library's, which ends the process. */
__attribute__((noreturn)) static void fail_with_message(const j_common_ptr common)
{
    char message[JMSG_LENGTH_MAX];

    common->err->format_message(common, message);
    workload_fail_job("jpeg", "%.160s", message);
}

static void draw_frame(uint64_t state)
{
    uint32_t speeds[WAVE_COUNT][CHANNEL_COUNT][2];

    for (int i = 0; i < WAVE_COUNT * CHANNEL_COUNT * 2; i++) {
        /* At most a wave in 16 pixels: what a camera sees is mostly smooth. */
        speeds[i / 2 / CHANNEL_COUNT][i / 2 % CHANNEL_COUNT][i % 2] =
            (uint32_t)workload_random_below(&state, 1U << 28);
    }
    for (size_t i = 0; i < jpeg.bytes; i++) {
        const uint32_t x = (uint32_t)(i % jpeg.row_bytes / CHANNEL_COUNT);
        const uint32_t y = (uint32_t)(i / jpeg.row_bytes);
        int32_t value = MIDDLE_GREY + (int32_t)workload_random_below(&state, NOISE_VALUES);

        for (int wave = 0; wave < WAVE_COUNT; wave++) {
            const uint32_t *const speed = speeds[wave][i % CHANNEL_COUNT];

            value += workload_sine(x * speed[0] + y * speed[1]) / (1 << (SINE_BITS - WAVE_BITS));
        }
        /* Four waves may meet: 128 + 3 + 4 * 32 is 259. */
        jpeg.frame[i] = (uint8_t)(value > HIGHEST_VALUE ? HIGHEST_VALUE : value);
    }
}

static size_t encode(void)
{
    unsigned char *destination = jpeg.encoded;
    unsigned long encoded_bytes = jpeg.bytes;

    jpeg_mem_dest(&jpeg.compress, &destination, &encoded_bytes);
    jpeg.compress.image_width = (JDIMENSION)jpeg.width;
    jpeg.compress.image_height = (JDIMENSION)jpeg.height;
    jpeg.compress.input_components = CHANNEL_COUNT;
    jpeg.compress.in_color_space = JCS_RGB;
    jpeg_set_defaults(&jpeg.compress);
    jpeg_set_quality(&jpeg.compress, QUALITY, TRUE);
    jpeg_start_compress(&jpeg.compress, TRUE);
    while (jpeg.compress.next_scanline < jpeg.compress.image_height) {
        JSAMPROW row = jpeg.frame + jpeg.compress.next_scanline * jpeg.row_bytes;

        (void)jpeg_write_scanlines(&jpeg.compress, &row, 1);
    }
    jpeg_finish_compress(&jpeg.compress);
    if (destination != jpeg.encoded) {
        free(destination); /* the library's own, for what does not fit ours */
        workload_fail_job("jpeg", "the encoded frame is larger than the frame");
    }
    return encoded_bytes;
}

static void decode(const size_t encoded_bytes)
{
    jpeg_mem_src(&jpeg.decompress, jpeg.encoded, encoded_bytes);
    (void)jpeg_read_header(&jpeg.decompress, TRUE);
    (void)jpeg_start_decompress(&jpeg.decompress);
    if (jpeg.decompress.output_width != jpeg.width ||
        jpeg.decompress.output_height != jpeg.height ||
        jpeg.decompress.output_components != CHANNEL_COUNT) {
        workload_fail_job("jpeg", "the decoded frame has another size");
    }
    while (jpeg.decompress.output_scanline < jpeg.decompress.output_height) {
        JSAMPROW row = jpeg.decoded + jpeg.decompress.output_scanline * jpeg.row_bytes;

        (void)jpeg_read_scanlines(&jpeg.decompress, &row, 1);
    }
    (void)jpeg_finish_decompress(&jpeg.decompress);
}

static void compare(void)
{
    uint64_t error_power = 0;

    for (size_t i = 0; i < jpeg.bytes; i++) {
        const int error = jpeg.decoded[i] - jpeg.frame[i];

        error_power += (uint64_t)(error * error);
    }
    if (error_power * LEAST_POWER_RATIO > (uint64_t)HIGHEST_VALUE * HIGHEST_VALUE * jpeg.bytes) {
        workload_fail_job(
            "jpeg",
            "the squared errors of the decoded frame sum up to %" PRIu64 ": a PSNR below 30 dB",
            error_power
        );
    }
}

int benchmark_init(const int argc, void **const argv)
{
    uint64_t seed;

    if (workload_begin(&sizes, argc, argv, &jpeg.outcome, &jpeg.width, &seed) != 0) {
        return -1;
    }
    jpeg.height = jpeg.width / 4 * 3;
    jpeg.row_bytes = jpeg.width * CHANNEL_COUNT;
    jpeg.bytes = jpeg.row_bytes * jpeg.height;
    jpeg.frame = workload_allocate("jpeg", 3 * jpeg.bytes);
    if (jpeg.frame == NULL) {
        return -1;
    }
    jpeg.decoded = jpeg.frame + jpeg.bytes;
    jpeg.encoded = jpeg.decoded + jpeg.bytes;
    draw_frame(seed);
    jpeg.compress.err = jpeg_std_error(&jpeg.errors);
    jpeg.decompress.err = &jpeg.errors;
    jpeg.errors.error_exit = fail_with_message;
    jpeg_create_compress(&jpeg.compress);
    jpeg_create_decompress(&jpeg.decompress);
    return 0;
}

void benchmark_execution(const int argc, void **const argv)
{
    (void)argc;
    (void)argv;
    const size_t encoded_bytes = encode();

    decode(encoded_bytes);
    compare();
    workload_check_digest(
        &jpeg.outcome, workload_fold_bytes(WORKLOAD_DIGEST_START, jpeg.encoded, encoded_bytes)
    );
}

void benchmark_teardown(const int argc, void **const argv)
{
    (void)argc;
    (void)argv;
    workload_print_outcome(&jpeg.outcome);
    jpeg_destroy_compress(&jpeg.compress);
    jpeg_destroy_decompress(&jpeg.decompress);
    free(jpeg.frame);
    jpeg.frame = NULL;
}
