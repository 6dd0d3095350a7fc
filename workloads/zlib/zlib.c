/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
/*
 * zlib small|large: compresses generated text with zlib, at its usual level, and decompresses it.
 *
 * The library allocates and frees its state within each job.
 */
#include "../common/arguments.h"
#include "../common/outcome.h"
#include "../common/text.h"

#include <laxity/hooks.h>

#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

enum {
    SMALL_BYTES = 16 * 1024,
    LARGE_BYTES = 256 * 1024,
    LEVEL = 6 /* what Z_DEFAULT_COMPRESSION stands for */
};

static const struct workload_sizes sizes = {"zlib", SMALL_BYTES, LARGE_BYTES};

static struct {
    struct workload_outcome outcome;
    uint8_t *text;
    uint8_t *decompressed;
    uint8_t *compressed;
    size_t bytes;
} zlib;

int benchmark_init(const int argc, void **const argv)
{
    uint64_t seed;

    if (workload_begin(&sizes, argc, argv, &zlib.outcome, &zlib.bytes, &seed) != 0) {
        return -1;
    }
    zlib.text = workload_allocate("zlib", 2 * zlib.bytes + compressBound(zlib.bytes));
    if (zlib.text == NULL) {
        return -1;
    }
    zlib.decompressed = zlib.text + zlib.bytes;
    zlib.compressed = zlib.decompressed + zlib.bytes;
    workload_make_text((char *)zlib.text, zlib.bytes, seed);
    return 0;
}

void benchmark_execution(const int argc, void **const argv)
{
    unsigned long compressed_bytes = compressBound(zlib.bytes);
    unsigned long decompressed_bytes = zlib.bytes;
    int status = compress2(zlib.compressed, &compressed_bytes, zlib.text, zlib.bytes, LEVEL);

    (void)argc;
    (void)argv;
    if (status != Z_OK) {
        workload_fail_job("zlib", "compress2: %s", zError(status));
    }
    /* What the last job left must not pass for this one's. */
    memset(zlib.decompressed, 0, zlib.bytes);
    status = uncompress(zlib.decompressed, &decompressed_bytes, zlib.compressed, compressed_bytes);
    if (status != Z_OK) {
        workload_fail_job("zlib", "uncompress: %s", zError(status));
    }
    if (decompressed_bytes != zlib.bytes || memcmp(zlib.text, zlib.decompressed, zlib.bytes) != 0) {
        workload_fail_job("zlib", "the text that comes back is another");
    }
    workload_check_digest(
        &zlib.outcome, workload_fold_bytes(WORKLOAD_DIGEST_START, zlib.compressed, compressed_bytes)
    );
}

void benchmark_teardown(const int argc, void **const argv)
{
    (void)argc;
    (void)argv;
    workload_print_outcome(&zlib.outcome);
    free(zlib.text);
    zlib.text = NULL;
}
