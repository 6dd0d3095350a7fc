/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
/* The preemptor of probe "crpd": a companion that evicts lines, or spins equally long. */
#ifndef LAXITY_PROBES_CRPD_PREEMPTOR_H
#define LAXITY_PROBES_CRPD_PREEMPTOR_H

#include "probes/companion.h"
#include "probes/crpd_patterns.h"
#include "probes/probe.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What victim and preemptor share. */
struct laxity_crpd_shared {
    atomic_uint done;     /* orders */
    int64_t preemptor_ns; /* of the last one */
    int64_t ended_ns;
};

/* Less than PIPE_BUF: written and read whole. */
struct laxity_crpd_order {
    int64_t wake_ns; /* 0: at once, and answer */
    int64_t spin_ns; /* spinning: how long; evicting: at least so long */
    uint64_t working_set_bytes;
    uint64_t evict_bytes;
    volatile unsigned char *working_set; /* of the victim, to be flushed; mapped alike in both */
    uint32_t cpu;
    uint8_t evict;
    uint8_t is_evicting;
};

struct laxity_crpd_preemptor {
    struct laxity_crpd_shared *shared;
    size_t evict_bytes; /* the most that an order will ask for */
    bool executes;      /* some order will ask to evict by executing */
    struct laxity_companion companion;
};

/* laxity_crpd_start_preemptor - fork it and wait until it is ready; all but `companion` is set.
 * Returns 0, or -1 with error set. */
int laxity_crpd_start_preemptor(
    struct laxity_probe_run *run, struct laxity_crpd_preemptor *preemptor
);

void laxity_crpd_stop_preemptor(struct laxity_crpd_preemptor *preemptor);

/* laxity_crpd_order - hand over one order; with wake_ns 0 returns when it is done. Returns 0, or -1
 * with error set. */
int laxity_crpd_give_order(
    struct laxity_probe_run *run,
    const struct laxity_crpd_preemptor *preemptor,
    const struct laxity_crpd_order *order
);

#endif
