/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
/* Whether this process numbers threads and counts time as the kernel's own interfaces do. */
#ifndef LAXITY_BASE_PORT_NAMESPACES_H
#define LAXITY_BASE_PORT_NAMESPACES_H

#include <stdbool.h>
#include <stdint.h>

struct laxity_namespaces {
    bool is_proc_ours;     /* /proc numbers processes as our own system calls do */
    bool has_machine_tids; /* both are the numbers of the machine: the first PID namespace */
    bool is_clock_known;   /* the two offsets are ours */
    /* Clocks here minus the machine's, nanoseconds: a time namespace moves them. */
    int64_t monotonic_offset_ns;
    int64_t boottime_offset_ns;
};

/*
 * laxity_namespaces_parse - from the texts of /proc/self/status and /proc/self/timens_offsets
 *
 * `offsets` NULL: this kernel has no time namespaces. Fills all but has_machine_tids.
 */
void laxity_namespaces_parse(
    const char *status, const char *offsets, struct laxity_namespaces *out_namespaces
);

/* laxity_namespaces_read - ours. Returns 0, or -errno: /proc is not mounted, or does not show us.
 */
int laxity_namespaces_read(struct laxity_namespaces *out_namespaces);

#endif
