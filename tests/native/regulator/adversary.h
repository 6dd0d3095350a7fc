/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
/*
 * A machine of microseconds that plays against the policy: a real-time job, best-effort work that
 * knows where the regulator looks and what the job loses, preemptions, stops and marks as late as
 * the terms allow, a lease that expires by itself.
 *
 * All that happens lies within the assumptions of docs/regulation.md. What a job may take, and what
 * it took, is counted here without the policy.
 */
#ifndef LAXITY_TEST_ADVERSARY_H
#define LAXITY_TEST_ADVERSARY_H

#include "regulator/policy.h"
#include "regulator/table.h"

#include <stdbool.h>
#include <stdint.h>

enum {
    LOADS = 33, /* levels of best-effort traffic: 0 is none */
    STEPS = 48, /* of the table, one for each level, and room for the job's own traffic */
    INPUTS_MAX = 3,
    JOB_PHASES_MAX = 27,
    JOBS = 2,
    STEP_NS = 1000, /* of the machine */
};

/* How best-effort work chooses its traffic. */
enum adversary {
    ALWAYS_MOST,
    MOST_UNLESS_PREEMPTED,
    DEAREST,          /* most loss for the traffic that is seen */
    LATE_IN_INTERVAL, /* none first, then most */
    EARLY_IN_PHASE,
    LATE_IN_PHASE,
    RANDOM,
    ON_AND_OFF,
    DEAREST_IN_PHASE,
    ALTERNATING, /* little traffic in even phases, most in odd ones: for curves that cross */
    AT_READINGS, /* most while the regulator is between two of its readings */
    HIDDEN,      /* most where one clock reading alone would not see it */
    N_ADVERSARIES,
};

/* A setting: the job, the machine, the adversary. */
struct setting {
    uint64_t seed;
    /* The job; times in ns of solo progress. */
    uint32_t n_phases;
    uint32_t n_inputs;
    int64_t solo_ns[INPUTS_MAX][JOB_PHASES_MAX];
    uint32_t loss[JOB_PHASES_MAX][LOADS]; /* truth, LAXITY_RATE_ONE: all */
    int64_t own_traffic[JOB_PHASES_MAX];  /* in loads, while it progresses */
    int64_t scale_percent;                /* of the solo times that are played */
    struct laxity_contention_table table;
    struct laxity_regulation_terms terms;
    /* The machine. */
    int64_t period_ns, jitter_ns;
    int64_t gap_ns;             /* at most, between clock, counter, clock and marks of a reading */
    int64_t preempted_every_ns; /* about; 0: never */
    int64_t releases_ns[JOBS];  /* a job starts then, or at the end of the job before */
    bool are_releases_known;
    bool are_marks_latest, are_stops_latest, is_read_early;
    uint32_t stall_chance; /* of 200: a reading comes only after the lease has expired */
    enum adversary adversary;
    int64_t price[JOB_PHASES_MAX]; /* of traffic, for the adversaries that weigh it */
    bool is_lazy;                  /* reloads are paid when the adversary likes */
};

struct outcome {
    int64_t excess_ns; /* largest of a job's own time over what is promised; negative: below */
    int64_t allowed_ns, job_ns; /* wall time within jobs */
    uint64_t n_stops, n_resumes, n_marks;
    uint64_t n_void;
    uint64_t n_over; /* jobs beyond the promise */
};

/* Steele, Lea and Flood: Fast splittable pseudorandom number generators, OOPSLA 2014. */
static inline uint64_t next_random(uint64_t *state)
{
    *state += 0x9E3779B97F4A7C15U;
    uint64_t mixed = *state;
    mixed = (mixed ^ (mixed >> 30)) * 0xBF58476D1CE4E5B9U;
    mixed = (mixed ^ (mixed >> 27)) * 0x94D049BB133111EBU;
    return mixed ^ (mixed >> 31);
}

static inline int64_t draw(uint64_t *state, int64_t low, int64_t high)
{
    return high <= low ? low : low + (int64_t)(next_random(state) % (uint64_t)(high - low + 1));
}

static inline bool happens(uint64_t *state, int percent)
{
    return draw(state, 0, 99) < percent;
}

/* Microseconds in ns; 0 with some percent. */
static inline int64_t draw_us(uint64_t *random, int64_t most_us, int zero_percent)
{
    return happens(random, zero_percent) ? 0 : draw(random, 1, most_us) * STEP_NS;
}

/* setting_of - draw a setting; the same for the same seed */
void setting_of(struct setting *setting, uint64_t seed);

/* play - play a setting */
struct outcome play(const struct setting *setting);

#endif
