/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
/*
 * What programs of simulated platforms ask the kernel for, and what that does to their streams.
 *
 * A stream must be the same in every run. A job that is told the time, say, may do something else
 * each time: its task is not deterministic, and what it has asked is named; so is a clock of the
 * processor that it reads without asking the kernel. Before its jobs a
 * program may read files and do what the C library does when it begins. It may never make threads
 * or processes: their streams would mix as the host runs them.
 */
#ifndef LAXITY_SIM_CALLS_H
#define LAXITY_SIM_CALLS_H

#include "base/error.h"
#include "harness/segment.h"
#include "interface/engine.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    LAXITY_SIM_WHY_BYTES = 160,
};

struct laxity_sim_calls {
    const struct laxity_sim_call_table *table;
    unsigned n_random;
    struct laxity_asked *asked;       /* for which the task is not deterministic */
    bool has_left_early;              /* it ended itself, and not within a job */
    char refused[LAXITY_ASKED_BYTES]; /* the call that ended the program, or empty */
    char why[LAXITY_SIM_WHY_BYTES];
};

/*
 * laxity_sim_calls_open - begin with a program, an ELF file, that has called nothing yet
 *
 * What it asks is noted in `asked`, where it outlives a simulator that is killed.
 * Returns 0, or -1 with error set: it cannot be read, or is for a processor that is not known.
 */
int laxity_sim_calls_open(
    struct laxity_sim_calls *calls,
    struct laxity_asked *asked,
    const char *program,
    struct laxity_error *error
);

/* laxity_sim_calls_judge - what the engine asks about each call */
struct laxity_sim_judge laxity_sim_calls_judge(struct laxity_sim_calls *calls);

/* laxity_sim_calls_note - it calls number; false: it must not go on, and `refused` is what it
 * wanted
 */
bool laxity_sim_calls_note(struct laxity_sim_calls *calls, uint64_t number, bool is_in_job);

/* laxity_sim_calls_tell - the names of what it has asked, with commas between them */
void laxity_sim_calls_tell(const struct laxity_asked *asked, char *text, size_t bytes);

#endif
