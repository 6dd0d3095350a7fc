/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
/* Records that the kernel writes about one CPU (perf_event_open), in a ring that we read. */
#ifndef LAXITY_BASE_PORT_PERF_RING_H
#define LAXITY_BASE_PORT_PERF_RING_H

#include <stddef.h>
#include <stdint.h>

struct laxity_perf_ring {
    int fd;
    int echo_fd; /* -1: none */
    void *page;  /* the kernel's control page; the data follow */
    size_t mapped_bytes;
    const unsigned char *data;
    uint64_t data_bytes; /* a power of two */
    uint64_t tail;       /* where reading goes on; only grows */
};

/*
 * laxity_perf_ring_open - a ring for switches, names, forks and exits of every thread on one CPU
 *
 * Stopped at first. `data_bytes` is a power of two and a multiple of the page size; times are
 * CLOCK_MONOTONIC. Returns 0, -EACCES or -EPERM without permission (perf_event_paranoid), -ENODEV
 * for a CPU that is offline, -ENOMEM or -EPERM if so much may not be locked, or -errno.
 */
int laxity_perf_ring_open(int cpu, uint64_t data_bytes, struct laxity_perf_ring *out_ring);

/*
 * laxity_perf_ring_map - a ring for what the event of `fd` is to tell
 *
 * Returns 0, and the ring owns the descriptor, or -errno as laxity_perf_ring_open.
 */
int laxity_perf_ring_map(int fd, uint64_t data_bytes, struct laxity_perf_ring *out_ring);

/*
 * laxity_perf_ring_echo - have every record written twice, one after the other
 *
 * The time from one to the other is what writing a record takes. Before starting. Returns 0 or
 * -errno.
 */
int laxity_perf_ring_echo(struct laxity_perf_ring *ring, int cpu);

/* laxity_perf_ring_start, laxity_perf_ring_stop - returns 0 or -errno */
int laxity_perf_ring_start(const struct laxity_perf_ring *ring);
int laxity_perf_ring_stop(const struct laxity_perf_ring *ring);

/* laxity_perf_ring_head - up to where the kernel has written whole records */
uint64_t laxity_perf_ring_head(const struct laxity_perf_ring *ring);

/* laxity_perf_ring_release - tell the kernel that all before ring->tail has been read */
void laxity_perf_ring_release(struct laxity_perf_ring *ring);

/*
 * laxity_perf_ring_lost - records that found no room, also those that no record tells of yet
 *
 * Returns 0, or -ENOTSUP before Linux 6.0, whose kernel tells only in the ring itself.
 */
int laxity_perf_ring_lost(const struct laxity_perf_ring *ring, uint64_t *out_lost);

void laxity_perf_ring_close(struct laxity_perf_ring *ring);

#endif
