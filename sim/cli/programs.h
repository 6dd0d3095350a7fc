/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
/* The programs of a run on a simulated platform: those of its tasks, behind them its co-runners'.
 */
#ifndef LAXITY_SIM_PROGRAMS_H
#define LAXITY_SIM_PROGRAMS_H

#include "base/error.h"
#include "harness/plan.h"
#include "harness/segment.h"
#include "interface/engine.h"

#include <stdint.h>

struct laxity_sim_program {
    const char *kind; /* task or co-runner */
    char *path;
    const struct laxity_words *words;
    const struct laxity_process_config *config;
    struct laxity_corunner *corunner; /* NULL: a task's */
};

struct laxity_sim_program laxity_sim_program_of(
    const struct laxity_run_plan *plan, struct laxity_segment *segment, uint32_t index
);

/* laxity_sim_describe - the engine's task of it, but for its source, decoder and judge */
struct laxity_sim_task laxity_sim_describe(
    const struct laxity_run_plan *plan, struct laxity_segment *segment, uint32_t index
);

/*
 * laxity_sim_command - words behind the emulator's: the program, how many jobs, its own
 *
 * Returns NULL if there is no memory; for laxity_sim_command_free().
 */
char **laxity_sim_command(
    const struct laxity_words *emulator, const struct laxity_sim_program *program, uint64_t jobs
);

void laxity_sim_command_free(const struct laxity_words *emulator, char **argv);

/*
 * laxity_sim_settle - let programs be started as if from one and the same place
 *
 * The C library looks at the limit of the stack, and files get numbers in their order.
 */
void laxity_sim_settle(void);

/*
 * laxity_sim_corunner_died - its program has ended, which nobody asked for
 *
 * `error` gets what the run fails with, as natively.
 */
void laxity_sim_corunner_died(
    struct laxity_corunner *corunner, int64_t end_ns, const char *why, struct laxity_error *error
);

/* laxity_sim_corunners_stop - those that run end with the run */
void laxity_sim_corunners_stop(struct laxity_segment *segment);

#endif
