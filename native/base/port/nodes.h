/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
/*
 * NUMA nodes: where a CPU belongs, and where memory lies.
 *
 * Two system calls; libnuma would have to be on every board for them.
 */
#ifndef LAXITY_BASE_PORT_NODES_H
#define LAXITY_BASE_PORT_NODES_H

#include <stddef.h>

enum {
    /* As many as the kernel can be built for (CONFIG_NODES_SHIFT of at most 10). */
    LAXITY_NODES_MAX = 1024
};

/* laxity_node_of_cpu - the node of a CPU, from sysfs. Returns it, or -ENOENT where the kernel knows
 * no nodes. */
int laxity_node_of_cpu(unsigned cpu);

/*
 * laxity_move_memory - bring whole pages to a node, and keep later ones there (mbind)
 *
 * `at` is the start of a page; nothing need be there yet. Returns 0 or -errno: -EIO if a page
 * stayed elsewhere, -ENOSYS where the kernel knows no nodes.
 */
int laxity_move_memory(void *at, size_t bytes, int node);

/* laxity_node_of_page - the node on which a page that has been touched lies. Returns it or -errno.
 */
int laxity_node_of_page(void *at);

#endif
