/* SPDX-FileCopyrightText: 2026 The laxity authors */
/* SPDX-License-Identifier: MIT */
#include "garbage.h"

#include <stdint.h>

void laxity_poison_bytes(void *at, uint64_t size_bytes)
{
    static uint64_t noise = 0x9e3779b97f4a7c15U; /* any but 0 */
    unsigned char *bytes = at;

    for (uint64_t i = 0; i < size_bytes; i++) {
        noise ^= noise << 13;
        noise ^= noise >> 7;
        noise ^= noise << 17;
        bytes[i] = (unsigned char)(bytes[i] + (noise >> 56 | 1));
    }
}
