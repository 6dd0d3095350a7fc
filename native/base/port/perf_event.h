/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
/* The kernel's counters (perf_event_open). A test links a fake in place of perf_event.c. */
#ifndef LAXITY_BASE_PORT_PERF_EVENT_H
#define LAXITY_BASE_PORT_PERF_EVENT_H

#include <linux/perf_event.h>
#include <stddef.h>

enum {
    LAXITY_PERF_NO_CPU = -1,
    LAXITY_PERF_NO_GROUP = -1,
};

/*
 * laxity_perf_open - count on `cpu` whatever runs there, or (-1) for the calling thread anywhere
 *
 * `group_fd` -1 = leader of a new group. Returns a close-on-exec descriptor, or -errno: -ENOENT or
 * -EOPNOTSUPP without such a counter, -EACCES without permission, -ENOSYS without perf events.
 */
int laxity_perf_open(struct perf_event_attr *attr, int cpu, int group_fd);

/* laxity_perf_start, laxity_perf_stop - a group, by its leader. Returns 0 or -errno. */
int laxity_perf_start(int fd);
int laxity_perf_stop(int fd);

/* laxity_perf_read - one system call. Returns the bytes read, or -errno. */
int laxity_perf_read(int fd, void *out, size_t bytes);

void laxity_perf_close(int fd);

#endif
