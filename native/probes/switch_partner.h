/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
/* The partner of probe "switch": a companion that is switched to, and stamps when. */
#ifndef LAXITY_PROBES_SWITCH_PARTNER_H
#define LAXITY_PROBES_SWITCH_PARTNER_H

#include "probes/companion.h"
#include "probes/probe.h"
#include "probes/switch_stamps.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    LAXITY_SWITCH_ROUNDS_MAX = 64
};

enum laxity_switch_task {
    LAXITY_SWITCH_RUN,   /* sleep until a timer, stamp, evict, stamp, sleep */
    LAXITY_SWITCH_ECHO,  /* wait for one's turn by a futex, stamp, rest, evict, stamp, hand over */
    LAXITY_SWITCH_MIRROR /* the same, but spinning */
};

/* Less than PIPE_BUF: written and read whole. */
struct laxity_switch_order {
    int64_t wake_ns;
    int64_t rest_ns;      /* of an echo, between its two stamps */
    uint64_t evict_bytes; /* 0: evicts nothing */
    uint32_t cpu;
    uint32_t rounds;
    int32_t priority;
    int32_t task; /* enum laxity_switch_task */
};

struct laxity_switch_marks {
    uint64_t first;
    uint64_t last;
};

/* What victim and partner share: one line per writer that spins or is waited for. */
struct laxity_switch_shared {
    _Alignas(64) atomic_uint armed; /* runs whose timer is about to be set */
    atomic_uint done;               /* runs */
    struct laxity_switch_marks run;
    _Alignas(64) atomic_uint turn; /* odd: the partner's */
    struct laxity_switch_marks rounds[LAXITY_SWITCH_ROUNDS_MAX];
    struct laxity_gaps gaps; /* the victim's: here, so that the partner can flush them */
};

struct laxity_switch_partner {
    struct laxity_switch_shared *shared;
    const struct laxity_stamp_clock *clock;
    unsigned char *buffer; /* evicts; each process has its own copy */
    size_t buffer_bytes;
    int priority; /* that it has; only the victim changes it */
    struct laxity_companion companion;
};

/* laxity_switch_start_partner - fork it and wait until it is ready. Returns 0, or -1 with error
 * set.
 */
int laxity_switch_start_partner(
    struct laxity_probe_run *run, struct laxity_switch_partner *partner
);

void laxity_switch_stop_partner(struct laxity_switch_partner *partner);

/* laxity_switch_give_order - hand over one order, the answer to the one before being read. Returns
 * 0, or -1 with error set. */
int laxity_switch_give_order(
    struct laxity_probe_run *run,
    struct laxity_switch_partner *partner,
    const struct laxity_switch_order *order
);

/* laxity_switch_await_answer - sleep until the order is done and the partner waits for the next
 * one. Returns 0, or -1 with error set. */
int laxity_switch_await_answer(
    struct laxity_probe_run *run, const struct laxity_switch_partner *partner
);

/*
 * laxity_switch_evict - empty the caches of this core, and flush what the other one runs on
 *
 * Where no instruction flushes a line, the last-level cache still holds it.
 */
void laxity_switch_evict(const struct laxity_switch_partner *partner, uint64_t evict_bytes);

/* laxity_switch_wait_turn - sleep, or spin, while the turn is `turn` */
void laxity_switch_wait_turn(struct laxity_switch_shared *shared, unsigned turn);
bool laxity_switch_spin_turn(
    const struct laxity_stamp_clock *clock, struct laxity_switch_shared *shared, unsigned turn
);

#endif
