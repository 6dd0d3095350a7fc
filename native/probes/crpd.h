/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
/*
 * Probe "crpd": what a preemption costs the caches of the task that it preempts.
 *
 * A victim passes over its working set; a preemptor on the same CPU, one priority above it, either
 * evicts lines or spins equally long. Per observation the stream holds one warm pass before the
 * preemption and the passes after it. What follows from them is computed elsewhere
 * (python/laxity/analysis/crpd.py).
 *
 * Source: Sebek, "The real cost of task pre-emptions", section 3.5; the two kinds of preemptor and
 * their random order are ours.
 */
#ifndef LAXITY_PROBES_CRPD_H
#define LAXITY_PROBES_CRPD_H

#include "probes/probe.h"

#include <stddef.h>
#include <stdint.h>

enum {
    LAXITY_CRPD_PASSES = 6, /* after a preemption; caches here are warm again after one or two */
    LAXITY_CRPD_ROLES = 3,
    /* Most processors' line; where it is shorter a chain touches every second line. */
    LAXITY_CRPD_LINE_BYTES = 64,
};

enum laxity_crpd_case {
    LAXITY_CRPD_SYNCHRONOUS,  /* the victim blocks between two passes */
    LAXITY_CRPD_ASYNCHRONOUS, /* a timer preempts it anywhere in its endless passes */
    LAXITY_CRPD_CASES
};

enum laxity_crpd_evict {
    LAXITY_CRPD_WRITE, /* writes a buffer */
    LAXITY_CRPD_READ,  /* reads a buffer */
    LAXITY_CRPD_FLUSH, /* flushes the victim's lines out of every cache */
    LAXITY_CRPD_EVICTS
};

enum laxity_crpd_pattern {
    LAXITY_CRPD_SEQUENTIAL, /* prefetchers hide what they can */
    LAXITY_CRPD_CHASE,      /* each line names the next one, in random order: nothing is hidden */
    LAXITY_CRPD_PATTERNS
};

/* Two roles that do the same, so that their difference tells what the figures cannot resolve. */
enum laxity_crpd_role {
    LAXITY_CRPD_SPIN,
    LAXITY_CRPD_EVICT,
    LAXITY_CRPD_CONTROL /* spins too */
};

struct laxity_crpd_settings {
    uint64_t *sizes_bytes; /* freed by laxity_crpd_settings_free */
    size_t n_sizes;
    uint64_t *evict_bytes; /* what the preemptor writes or reads; freed likewise */
    size_t n_evict_bytes;
    uint64_t preemption_ns; /* it lasts at least so long; 0: as long as evicting takes */
    bool has_case[LAXITY_CRPD_CASES];
    bool has_evict[LAXITY_CRPD_EVICTS];
    bool has_pattern[LAXITY_CRPD_PATTERNS];
};

/* One row of crpd.npy, as it lies in the file. */
struct laxity_crpd_row {
    int64_t time_ns; /* the preemption was asked for */
    uint64_t working_set_bytes;
    int64_t preemptor_ns;
    int64_t warm_ns;
    int64_t pass_ns[LAXITY_CRPD_PASSES];
    uint64_t evict_bytes; /* what the preemptor used; flushing: the working set */
    int32_t cpu;
    uint8_t preemption_case;
    uint8_t evict;
    uint8_t role;
    uint8_t pattern;
};

extern const struct laxity_probe laxity_probe_crpd;

/* laxity_crpd_shuffle_roles - the three roles in an order that `random` decides */
void laxity_crpd_shuffle_roles(uint64_t *random, uint8_t roles[LAXITY_CRPD_ROLES]);

/*
 * laxity_crpd_link_chain - make a working set one closed chain of lines in random order
 *
 * `order` has room for bytes / LAXITY_CRPD_LINE_BYTES numbers. Returns the number of lines; the
 * first line starts the chain.
 */
size_t
laxity_crpd_link_chain(unsigned char *working_set, size_t bytes, uint32_t *order, uint64_t *random);

/* laxity_crpd_chase - follow the chain once around; every line is read and written */
void laxity_crpd_chase(unsigned char *working_set);

/* laxity_crpd_random - the next number of a seeded series (splitmix64) */
uint64_t laxity_crpd_random(uint64_t *random);

void laxity_crpd_settings_free(struct laxity_crpd_settings *settings);

#endif
