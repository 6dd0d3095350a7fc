/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
/*
 * lz4 small|large: compresses generated text with liblz4 and decompresses it.
 *
 * The library's tables live on the stack (Debian's build), so a job allocates nothing.
 */
#include "../common/arguments.h"
#include "../common/outcome.h"
#include "../common/text.h"

#include <laxity/hooks.h>

#include <lz4.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum {
    SMALL_BYTES = 16 * 1024,
    LARGE_BYTES = 1024 * 1024
};

static const struct workload_sizes sizes = {"lz4", SMALL_BYTES, LARGE_BYTES};

static struct {
    struct workload_outcome outcome;
    char *text;
    char *decompressed;
    char *compressed;
    size_t bytes;
} lz4;

int benchmark_init(const int argc, void **const argv)
{
    uint64_t seed;

    if (workload_begin(&sizes, argc, argv, &lz4.outcome, &lz4.bytes, &seed) != 0) {
        return -1;
    }
    lz4.text = workload_allocate("lz4", 2 * lz4.bytes + LZ4_COMPRESSBOUND(lz4.bytes));
    if (lz4.text == NULL) {
        return -1;
    }
    lz4.decompressed = lz4.text + lz4.bytes;
    lz4.compressed = lz4.decompressed + lz4.bytes;
    workload_make_text(lz4.text, lz4.bytes, seed);
    return 0;
}

void benchmark_execution(const int argc, void **const argv)
{
    const int bytes = (int)lz4.bytes;
    const int compressed_bytes =
        LZ4_compress_default(lz4.text, lz4.compressed, bytes, LZ4_compressBound(bytes));

    (void)argc;
    (void)argv;
    if (compressed_bytes <= 0) {
        workload_fail_job("lz4", "LZ4_compress_default returned %d", compressed_bytes);
    }
    /* What the last job left must not pass for this one's. */
    memset(lz4.decompressed, 0, lz4.bytes);
    const int decompressed_bytes =
        LZ4_decompress_safe(lz4.compressed, lz4.decompressed, compressed_bytes, bytes);

    if (decompressed_bytes != bytes || memcmp(lz4.text, lz4.decompressed, lz4.bytes) != 0) {
        workload_fail_job("lz4", "%d bytes of %d come back, or others", decompressed_bytes, bytes);
    }
    workload_check_digest(
        &lz4.outcome,
        workload_fold_bytes(
            WORKLOAD_DIGEST_START, (const uint8_t *)lz4.compressed, (size_t)compressed_bytes
        )
    );
}

void benchmark_teardown(const int argc, void **const argv)
{
    (void)argc;
    (void)argv;
    workload_print_outcome(&lz4.outcome);
    free(lz4.text);
    lz4.text = NULL;
}
