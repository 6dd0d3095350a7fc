/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
/*
 * The engine of a simulated platform: executes the jobs of a task in virtual time.
 *
 * So far one task on one core. Times are counted in ticks of the core's clock and given in
 * nanoseconds, rounded up, so that what follows something never lies before it.
 */
#ifndef LAXITY_SIM_ENGINE_H
#define LAXITY_SIM_ENGINE_H

#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#include "base/error.h"

struct laxity_sim_cache {
    uint64_t size_bytes;
    uint32_t ways;
    uint32_t line_bytes;
    uint32_t miss_ticks; /* what finding a line in the next level takes more than in this one */
};

/* What of a platform file the model knows. Sizes, ways and lines have been checked. */
struct laxity_sim_platform {
    uint64_t clock_hz;
    uint32_t instruction_ticks;
    struct laxity_sim_cache l1i;
    struct laxity_sim_cache l1d;
    struct laxity_sim_cache l2;
};

/* A job that has been executed; busy and stalls sum to its execution. */
struct laxity_sim_job {
    int64_t start_ns;
    int64_t finish_ns;
    int64_t exec_ns;
    int64_t busy_ns;
    int64_t stall_own_ns;
};

/* What is simulated, and who is asked, now and then, whether to go on. */
struct laxity_sim_program {
    char *const *argv; /* an emulator, whose words load the front end with fd=3, and the program */
    bool (*must_stop)(const void *context);
    const void *context;
};

struct laxity_sim;

/* laxity_sim_open - start the program behind a stream of records (sim/interface/records.h). NULL,
 * with error set, if it cannot be started. */
struct laxity_sim *laxity_sim_open(
    const struct laxity_sim_platform *platform,
    const struct laxity_sim_program *program,
    struct laxity_error *error
);

/*
 * laxity_sim_run_job - execute the next job, no earlier than at release_ns and no earlier than the
 * last one finished
 *
 * Returns 0, or -1 with error set: the stream is foreign, the program ended before the job
 * did, or the job is not to go on.
 */
int laxity_sim_run_job(
    struct laxity_sim *sim,
    int64_t release_ns,
    struct laxity_sim_job *out_job,
    struct laxity_error *error
);

/* laxity_sim_close - end the program; NULL is allowed */
void laxity_sim_close(struct laxity_sim *sim);

#ifdef __cplusplus
}
#endif

#endif
