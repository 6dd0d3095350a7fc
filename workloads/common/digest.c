/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
#include "digest.h"

#include <stddef.h>
#include <stdint.h>

#define FNV_PRIME UINT32_C(16777619)

uint32_t workload_fold_bytes(uint32_t digest, const uint8_t *const bytes, const size_t count)
{
    for (size_t i = 0; i < count; i++) {
        digest = (digest ^ bytes[i]) * FNV_PRIME;
    }
    return digest;
}

uint32_t workload_fold_word(const uint32_t digest, const uint32_t word)
{
    const uint8_t bytes[] = {
        (uint8_t)word, (uint8_t)(word >> 8), (uint8_t)(word >> 16), (uint8_t)(word >> 24)
    };

    return workload_fold_bytes(digest, bytes, sizeof bytes);
}

uint32_t workload_digest_bytes(const uint8_t *const bytes, const uint64_t count)
{
    uint64_t digest = workload_digest_start();
    uint64_t i = 0;

    for (; i + 4 <= count; i += 4) {
        digest = workload_digest_add(
            digest,
            bytes[i] | (uint32_t)bytes[i + 1] << 8 | (uint32_t)bytes[i + 2] << 16 |
                (uint32_t)bytes[i + 3] << 24
        );
    }
    for (; i < count; i++) {
        digest = workload_digest_add(digest, bytes[i]);
    }
    return workload_digest_end(digest);
}
