/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
/*
 * The guard of one CPU: it sleeps while best-effort work may run there, and holds the CPU when the
 * lease has expired.
 *
 * It spins, at a priority above that of best-effort work. A freezer or SIGSTOP would let a long
 * system call go on; who holds the CPU stops the kernel's work for that call, too.
 */
#ifndef LAXITY_GUARD_GUARD_H
#define LAXITY_GUARD_GUARD_H

#include "guard/lease.h"

enum {
    LAXITY_GUARD_PRIORITY = 50,      /* FIFO */
    LAXITY_BEST_EFFORT_PRIORITY = 1, /* RR: no share of a second is its own, unlike SCHED_OTHER's */
};

/*
 * laxity_guard_enter - put the calling process on a CPU, under FIFO, with its memory locked
 *
 * Returns 0 or -errno: -EPERM without the right to use FIFO.
 */
int laxity_guard_enter(unsigned cpu, int priority);

/* laxity_guard_run - guard a CPU until the lease is over */
void laxity_guard_run(struct laxity_lease *lease, int timer_fd);

#endif
