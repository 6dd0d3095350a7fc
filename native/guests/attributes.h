/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
/*
 * How a process runs, beside what it holds: scheduling, limits, timers, the environment.
 *
 * A job may change all of it for the jobs behind it, whatever its task was given.
 */
#ifndef LAXITY_GUESTS_ATTRIBUTES_H
#define LAXITY_GUESTS_ATTRIBUTES_H

#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/resource.h>
#include <sys/types.h>

enum laxity_attribute {
    LAXITY_ATTRIBUTE_POLICY, /* and priority */
    LAXITY_ATTRIBUTE_NICE,
    LAXITY_ATTRIBUTE_CPUS,
    LAXITY_ATTRIBUTE_LIMITS,
    LAXITY_ATTRIBUTE_TIMERS,
    LAXITY_ATTRIBUTE_MASK,            /* of files that it makes */
    LAXITY_ATTRIBUTE_SIGNALS,         /* blocked and pending */
    LAXITY_ATTRIBUTE_ALTERNATE_STACK, /* of signal handlers */
    LAXITY_ATTRIBUTE_ROUNDING,        /* all control of floating point: also traps, denormals */
    LAXITY_ATTRIBUTE_ENVIRONMENT,
    LAXITY_ATTRIBUTE_EXIT_HANDLERS,
    LAXITY_ATTRIBUTE_LOCKS, /* of memory; not restored, as all below (leftovers.h) */
    LAXITY_ATTRIBUTE_HELD,
    LAXITY_ATTRIBUTE_MAPPINGS,
    LAXITY_ATTRIBUTE_RANDOM,
    LAXITY_ATTRIBUTES,
};

enum {
    LAXITY_TIMERS = 3 /* ITIMER_REAL, ITIMER_VIRTUAL, ITIMER_PROF */
};

struct laxity_attributes {
    int policy;
    int priority;
    int nice;
    cpu_set_t cpus;
    struct rlimit limits[RLIMIT_NLIMITS];
    bool is_armed[LAXITY_TIMERS];
    mode_t mask;
    sigset_t signals; /* blocked by this thread */
    sigset_t pending;
    stack_t alternate;
    int rounding;
    int traps;
    uint32_t control; /* of floating point, beyond rounding and traps */
    uint32_t x87;     /* control word, and which registers of its stack are in use */
    unsigned n_exit_handlers;
    char **environment;
    uint64_t environment_hash;
    uint64_t locked_kib; /* 0 unless asked for */
};

/* laxity_attributes_look - of this thread; locks of memory take a file to read */
void laxity_attributes_look(struct laxity_attributes *out_attributes, bool with_locks);

/* laxity_attributes_differ - bit of each that two looks with locks do not agree in */
uint32_t laxity_attributes_differ(
    const struct laxity_attributes *before, const struct laxity_attributes *now
);

/* laxity_attributes_restore - put back those that differ, but for locks */
void laxity_attributes_restore(const struct laxity_attributes *before);

/* laxity_attribute_name - as a sentence goes on: "CPUs" */
const char *laxity_attribute_name(enum laxity_attribute attribute);

#endif
