/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
/*
 * A lease: the permission of a regulator for the best-effort work of one CPU, and its end.
 *
 * The kernel ends a lease, whatever has become of the regulator: a timer that both processes share
 * wakes the guard of that CPU (guard.h), and each renewal moves the timer. The guard says in memory
 * that both share since when it holds the CPU. The regulator never assumes that a renewal came in
 * time: it reads what the guard says.
 */
#ifndef LAXITY_GUARD_LEASE_H
#define LAXITY_GUARD_LEASE_H

#include "base/port/atomic64.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

enum {
    LAXITY_LEASE_LINE_BYTES = 64,
};

/* In memory that regulator and guard share; all 0 at first: best-effort work runs. */
struct laxity_lease {
    /* Writer: the regulator. */
    _Alignas(LAXITY_LEASE_LINE_BYTES) struct laxity_atomic64 until_ns;
    _Atomic uint32_t resumes; /* raised by each */
    _Atomic uint32_t is_over; /* the guard shall end */
    /* Writer: the guard. */
    _Alignas(LAXITY_LEASE_LINE_BYTES) struct laxity_atomic64 held_since_ns; /* the newest hold */
    _Atomic uint32_t holds;                                                 /* begun */
    _Atomic uint32_t letgos;  /* ended: as many as holds while best-effort work may run */
    _Atomic uint32_t failure; /* errno of the guard; it holds the CPU until the end then */
};

/* What a regulator reads of a guard. */
struct laxity_hold {
    uint32_t holds;   /* begun so far */
    bool is_held;     /* the newest one has not ended */
    int64_t since_ns; /* when the newest one began */
};

/* laxity_lease_timer - the timer of a lease, to be shared by fork. Returns it, or -errno. */
int laxity_lease_timer(void);

/* laxity_lease_renew - best-effort work may run until an instant, if it runs now */
void laxity_lease_renew(struct laxity_lease *lease, int timer_fd, int64_t until_ns);

/* laxity_lease_resume - best-effort work that stands still may run until an instant */
void laxity_lease_resume(struct laxity_lease *lease, int timer_fd, int64_t until_ns);

/* laxity_lease_stop - the guard shall hold the CPU now */
void laxity_lease_stop(struct laxity_lease *lease, int timer_fd);

/* laxity_lease_end - the guard shall let go, and end */
void laxity_lease_end(struct laxity_lease *lease, int timer_fd);

struct laxity_hold laxity_lease_look(const struct laxity_lease *lease);

#endif
