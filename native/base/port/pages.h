/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
/* Memory that lies on a stated NUMA node, in pages of a stated kind. Without libnuma. */
#ifndef LAXITY_BASE_PORT_PAGES_H
#define LAXITY_BASE_PORT_PAGES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    /* Wherever the kernel lets it lie. */
    LAXITY_ANY_NODE = INT32_MIN,
};

struct laxity_pages {
    unsigned char *start; /* aligned to a huge page */
    size_t bytes;
    void *mapping; /* what is unmapped in the end */
    size_t mapped_bytes;
};

/*
 * laxity_pages_map - map anonymous memory and touch all of it
 *
 * `node`: where it must lie, or LAXITY_ANY_NODE. `is_huge`: ask for transparent huge pages; else
 * they are forbidden, whatever the system's default is. Returns 0; -ENOSYS where the kernel knows
 * no nodes, -EINVAL if there is no such node or this process may not use it, -EXDEV if a page lies
 * elsewhere all the same, -ENOMEM.
 */
int laxity_pages_map(size_t bytes, int32_t node, bool is_huge, struct laxity_pages *out_pages);

/* laxity_pages_unmap - nothing is done for pages that were never mapped */
void laxity_pages_unmap(struct laxity_pages *pages);

/*
 * laxity_pages_count_huge - how many bytes of `pages` lie in transparent huge pages
 *
 * Returns 0, or -errno where the kernel does not say.
 */
int laxity_pages_count_huge(const struct laxity_pages *pages, size_t *out_bytes);

#endif
