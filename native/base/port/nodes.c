/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
#include "base/port/nodes.h"

#include <errno.h>
#include <limits.h>
#include <linux/mempolicy.h>
#include <stddef.h>
#include <stdio.h>
#include <sys/syscall.h>
#include <unistd.h>

enum {
    PATH_BYTES = 80,
    BITS_PER_WORD = sizeof(unsigned long) * CHAR_BIT,
};

int laxity_node_of_cpu(unsigned cpu)
{
    char path[PATH_BYTES];
    for (int node = 0; node < LAXITY_NODES_MAX; node++) {
        (void)snprintf(path, sizeof path, "/sys/devices/system/cpu/cpu%u/node%d", cpu, node);
        if (access(path, F_OK) == 0) {
            return node;
        }
    }
    return -ENOENT;
}

int laxity_move_memory(void *at, size_t bytes, int node)
{
    unsigned long nodes[(size_t)LAXITY_NODES_MAX / BITS_PER_WORD] = {0};
    if (node < 0 || node >= LAXITY_NODES_MAX) {
        return -EINVAL;
    }
    nodes[(size_t)node / BITS_PER_WORD] = 1UL << (size_t)node % BITS_PER_WORD;
    /* The kernel takes one bit less than it is told. */
    const unsigned long n_bits = LAXITY_NODES_MAX + 1UL;
    const unsigned flags = MPOL_MF_MOVE | MPOL_MF_STRICT;
    return syscall(SYS_mbind, at, bytes, MPOL_BIND, nodes, n_bits, flags) == 0 ? 0 : -errno;
}

int laxity_node_of_page(void *at)
{
    int node = -1;
    const unsigned long flags = MPOL_F_NODE | MPOL_F_ADDR;
    if (syscall(SYS_get_mempolicy, &node, NULL, 0UL, at, flags) != 0) {
        return -errno;
    }
    return node;
}
