/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
/*
 * The ordinary tasks of probe "migration_jobs": pass after pass from the first use on, below all
 * others. The engine's own co-runners would not do: they never wait, and would be at work for all
 * the time before a probe begins.
 */
#include "probes/interfering.h"

#include "interface/builtin.h"
#include "interface/engine.h"
#include "measure/simulated.h"
#include "measure/stage.h"
#include "probes/machine.h"
#include "probes/probe.h"
#include "probes/working_set.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Instructions of laxity_count_primes in native/probes/interfering.c; all in registers. */
enum {
    /* Multiply, compare, branch; remainder, compare, branch; the next divisor. */
    TRIAL = 7,
    LAST_TRIAL_OF_PRIME = 3, /* the first half of it */
    LAST_TRIAL = 6,          /* all but the next divisor */
    /* The first divisor; multiply, compare, add; the next number, branch. */
    NUMBER = 6,
};

struct task {
    uint32_t core;
    uint32_t passes;
};

static struct {
    struct task tasks[LAXITY_SIM_CORES_MAX];
    size_t n;
    uint64_t address; /* of the working set, which each has in a space of its own */
    struct laxity_sim_loop pass;
    bool is_at_work;
} ordinary;

static struct laxity_sim_loop counting_of(uint32_t limit, uint32_t *out_primes)
{
    uint64_t instructions = 0;
    uint32_t primes = 0;
    for (uint32_t number = 2; number < limit; number++) {
        uint32_t divisor = 2;
        while (divisor * divisor <= number && number % divisor != 0) {
            divisor++;
            instructions += TRIAL;
        }
        const bool is_prime = divisor * divisor > number;
        primes += is_prime;
        instructions += NUMBER;
        instructions += is_prime ? LAST_TRIAL_OF_PRIME : LAST_TRIAL;
    }
    *out_primes = primes;
    return laxity_simulated_compute(instructions);
}

uint32_t laxity_count_primes(uint32_t limit)
{
    uint32_t primes = 0;
    const struct laxity_sim_loop loop = counting_of(limit, &primes);
    laxity_simulated_act(&loop, 1);
    return primes;
}

static void on_pass(void *context, const struct laxity_sim_job *job);

static void begin_pass(struct task *task, int64_t release_ns)
{
    const struct laxity_sim_act act = {
        .actor = LAXITY_SIM_ORDINARY + (uint32_t)(task - ordinary.tasks),
        .core = task->core,
        .release_ns = release_ns,
        .loops = &ordinary.pass,
        .n_loops = 1,
        .on_done = on_pass,
        .context = task,
    };
    laxity_simulated_begin(&act);
}

static void on_pass(void *context, const struct laxity_sim_job *job)
{
    struct task *task = context;
    (void)job;
    task->passes++;
    begin_pass(task, 0);
}

int laxity_interfering_start(
    struct laxity_probe_run *run,
    const uint32_t *cpus,
    size_t n_cpus,
    size_t largest,
    struct laxity_interfering *interfering
)
{
    (void)interfering;
    for (size_t at = 0; at < n_cpus; at++) {
        if (laxity_simulated_check_cpu(run, cpus[at])) {
            return -1;
        }
        ordinary.tasks[at] = (struct task){.core = cpus[at]};
    }
    const unsigned char *working_set = laxity_map_inherited(largest);
    if (!working_set) {
        return laxity_refuse_working_set(run, largest);
    }
    ordinary.address = laxity_simulated_address(working_set);
    ordinary.n = n_cpus;
    laxity_simulated_add_ordinary((uint32_t)n_cpus);
    return 0;
}

void laxity_interfering_use(struct laxity_interfering *interfering, size_t bytes)
{
    uint32_t primes = 0;
    (void)interfering;
    ordinary.pass = bytes > 0 ? laxity_simulated_walk(ordinary.address, bytes)
                              : counting_of(LAXITY_INTERFERING_PRIMES_BELOW, &primes);
    for (size_t at = 0; at < ordinary.n && !ordinary.is_at_work; at++) {
        begin_pass(&ordinary.tasks[at], laxity_machine_now_ns());
    }
    ordinary.is_at_work = true;
}

/* Whoever reads it is awake: what has been paused until then has been. */
uint32_t laxity_interfering_passes(const struct laxity_interfering *interfering, size_t at)
{
    (void)interfering;
    laxity_simulated_act(NULL, 0);
    return ordinary.tasks[at].passes;
}

/* They end with the process. */
void laxity_interfering_stop(struct laxity_interfering *interfering)
{
    (void)interfering;
}
