/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
/* What an option that may be repeated is kept in; items are of whoever has filled it. */
#ifndef LAXITY_BASE_LISTS_H
#define LAXITY_BASE_LISTS_H

#include <stddef.h>
#include <stdint.h>

struct laxity_numbers {
    uint64_t *items;
    size_t n;
};

/* From one CPU to another one; their nodes are INT32_MIN where the kernel knows none. */
struct laxity_cpu_pair {
    uint32_t cpu;
    uint32_t cpu_to;
    int32_t node;
    int32_t node_to;
};

struct laxity_cpu_pairs {
    struct laxity_cpu_pair *items;
    size_t n;
};

#endif
