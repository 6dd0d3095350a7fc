/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
/* The programs of a run on a simulated platform: those of its tasks, behind them its co-runners'.
 */
#ifndef LAXITY_SIM_PROGRAMS_H
#define LAXITY_SIM_PROGRAMS_H

#include "base/error.h"
#include "cli/simulation.h"
#include "harness/plan.h"
#include "harness/segment.h"

#include <stdint.h>

struct laxity_sim_program {
    char *path;
    const struct laxity_words *words;
    const struct laxity_process_config *config;
    struct laxity_corunner *corunner; /* NULL: a task's */
};

struct laxity_sim_program
laxity_sim_program_of(const struct laxity_sim_run *simulation, uint32_t index);

/* laxity_sim_programs_make - open the sources and decoders of all. 0, or -1 with error set. */
int laxity_sim_programs_make(struct laxity_sim_run *simulation, struct laxity_error *error);

/* laxity_sim_programs_end - end them; what they print is all there then */
void laxity_sim_programs_end(struct laxity_sim_run *simulation);

/* laxity_sim_programs_tell - say of which of them something is worth a look */
void laxity_sim_programs_tell(const struct laxity_sim_run *simulation);

void laxity_sim_programs_free(struct laxity_sim_run *simulation);

/*
 * laxity_sim_settle - let programs be started as if from one and the same place
 *
 * The C library looks at the limit of the stack, and files get numbers in their order.
 */
void laxity_sim_settle(void);

/*
 * laxity_sim_corunner_died - the program of that index has ended, which nobody asked for
 *
 * The run fails with the same as natively.
 */
void laxity_sim_corunner_died(
    struct laxity_sim_run *simulation, uint32_t index, int64_t end_ns, const char *why
);

/* laxity_sim_corunners_stop - those that run end with the run */
void laxity_sim_corunners_stop(struct laxity_segment *segment);

#endif
