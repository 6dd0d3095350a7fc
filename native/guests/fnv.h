/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
/* FNV-1a, 64 bits: http://www.isthe.com/chongo/tech/comp/fnv/. Tells data apart, hides nothing. */
#ifndef LAXITY_GUESTS_FNV_H
#define LAXITY_GUESTS_FNV_H

#include <stdint.h>

#define LAXITY_FNV_BASIS UINT64_C(14695981039346656037)

/* laxity_fnv_add - one more value; of bytes it is FNV-1a, of words it is alike and quicker */
static inline uint64_t laxity_fnv_add(uint64_t hash, uint64_t value)
{
    return (hash ^ value) * UINT64_C(1099511628211);
}

#endif
