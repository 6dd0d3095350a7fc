/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
/*
 * Probe "migration_jobs": jobs of a task that changes its CPU every few jobs, while an ordinary
 * task on every CPU uses a working set of the same size.
 *
 * Between two jobs the task sleeps and the other one runs, so each job follows a preemption; the
 * first one after a change of CPU follows a migration, too. The change comes before the sleep, so
 * that nothing but the place of the lines is different then. What follows from the rows is computed
 * elsewhere (python/laxity/costs/migration_jobs/rows.py).
 *
 * Source: Raffeck et al., "Revisiting Migration Overheads in Real-Time Systems", section III.B and
 * figures 8 to 13; they time jobs by the kernel's switches, we by the task's own clock.
 */
#include "base/cpus.h"
#include "base/error.h"
#include "base/npy.h"
#include "base/port/time.h"
#include "probes/crpd_patterns.h"
#include "probes/interfering.h"
#include "probes/machine.h"
#include "probes/probe.h"
#include "probes/working_set.h"
#include "schema/probes.h"
#include "schema/run.h"
#include "schema/streams.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>

enum {
    LIMITS = 2, /* of the search for primes, alternating */
    /* For the other tasks to begin with another working set; simulated ones are never late. */
    SETTLE_NS = 20 * LAXITY_NS_PER_MS,
    SIMULATED_SETTLE_PAUSES = 20,
    /* Pauses in which other work of the machine may keep the interfering task from its CPU. */
    PAUSES_MAX = 10,
};
/* Times of some 10 us, apart by a third, on processors of today. */
static const uint32_t limits[LIMITS] = {1200, 1500};

static const struct laxity_field fields[] = {LAXITY_MIGRATION_JOBS_FIELDS};

/* The task that moves: the measuring process itself. */
struct mover {
    struct laxity_interfering interfering;
    unsigned char *working_set;
    size_t mapped_bytes;
    uint32_t *cpus;
    size_t n_cpus;
    size_t at; /* of cpus: where it is */
    uint64_t random;
};

/* One workload of one size. */
struct load {
    enum laxity_migration_workload workload;
    size_t bytes;
};

static uint64_t n_loads(const struct laxity_migration_jobs_settings *settings)
{
    return settings->sizes_bytes.n + settings->has_primes;
}

static uint64_t count_rows(const struct laxity_probe_plan *plan)
{
    uint64_t rows = n_loads(plan->settings);
    if (__builtin_mul_overflow(rows, plan->repetitions, &rows)) {
        return UINT64_MAX / sizeof(struct laxity_migration_jobs_row);
    }
    return rows;
}

static int setup(struct laxity_probe_run *run)
{
    const struct laxity_migration_jobs_settings *settings = run->plan->settings;
    struct mover *mover = calloc(1, sizeof *mover);
    run->state = mover;
    const size_t largest = laxity_largest_size(&settings->sizes_bytes, laxity_crpd_line_bytes());
    if (!mover) {
        return laxity_refuse_working_set(run, largest);
    }
    mover->cpus = calloc(laxity_cpus_count(&run->plan->cpus) + 1, sizeof *mover->cpus);
    /* As that of the other tasks, and of the probes it is compared with. */
    unsigned char *base = laxity_map_inherited(largest);
    if (!base || !mover->cpus) {
        return laxity_refuse_working_set(run, largest);
    }
    mover->random = run->plan->seed;
    mover->working_set = base;
    mover->mapped_bytes = largest;
    for (unsigned cpu = 0; cpu < LAXITY_CPUS_MAX; cpu++) {
        if (laxity_cpus_has(&run->plan->cpus, cpu)) {
            mover->cpus[mover->n_cpus++] = cpu;
        }
    }
    return laxity_interfering_start(run, mover->cpus, mover->n_cpus, largest, &mover->interfering);
}

static void teardown(struct laxity_probe_run *run)
{
    struct mover *mover = run->state;
    if (!mover) {
        return;
    }
    laxity_interfering_stop(&mover->interfering);
    if (mover->working_set) {
        (void)munmap(mover->working_set, mover->mapped_bytes);
    }
    free(mover->cpus);
    free(mover);
    run->state = NULL;
}

static int go_to(struct laxity_probe_run *run, size_t at)
{
    struct mover *mover = run->state;
    mover->at = at;
    return laxity_probe_go_to(run, mover->cpus[at]);
}

static int64_t run_job(const struct mover *mover, const struct load *load, uint32_t limit)
{
    volatile uint32_t primes = 0;
    const int64_t start_ns = laxity_machine_now_ns();
    if (load->workload == LAXITY_MIGRATION_WORKLOAD_CPU) {
        primes = laxity_count_primes(limit);
    } else {
        laxity_crpd_walk(mover->working_set, load->bytes);
    }
    (void)primes;
    return laxity_machine_now_ns() - start_ns;
}

/* Until the interfering task has finished a pass; gives how many. */
static uint32_t let_interfere(struct laxity_probe_run *run, int64_t pause_ns)
{
    const struct mover *mover = run->state;
    const uint32_t before = laxity_interfering_passes(&mover->interfering, mover->at);
    uint32_t passes = 0;
    for (int i = 0; i < PAUSES_MAX && passes == 0 && !laxity_probe_is_stopped(run); i++) {
        laxity_machine_pause_ns(pause_ns);
        passes = laxity_interfering_passes(&mover->interfering, mover->at) - before;
    }
    return passes;
}

/* How many jobs on one CPU: of no fixed parity, or one limit of the primes, or one of two CPUs,
 * would always follow a change. */
static uint64_t draw_stretch(struct mover *mover, uint64_t change)
{
    return change / 2 + 1 + laxity_crpd_random(&mover->random) % change;
}

/* All jobs of one workload. Returns 0, 1 if the user wants an end, or -1. */
static int measure_load(struct laxity_probe_run *run, const struct load *load)
{
    const struct laxity_migration_jobs_settings *settings = run->plan->settings;
    struct mover *mover = run->state;
    uint64_t left = draw_stretch(mover, settings->change);
    int32_t since_change = INT32_MIN;
    int64_t exec_ns = 0;
    laxity_interfering_use(&mover->interfering, load->bytes);
    laxity_machine_pause_ns(
        laxity_machine.is_simulated ? SIMULATED_SETTLE_PAUSES * settings->pause_ns : SETTLE_NS
    );
    for (uint64_t job = 0; job < run->plan->repetitions; job++) {
        if (left == 0) {
            if (go_to(run, (mover->at + 1) % mover->n_cpus)) {
                return -1;
            }
            left = draw_stretch(mover, settings->change);
            since_change = 0;
        }
        const int64_t pause_ns = exec_ns > settings->pause_ns ? exec_ns : settings->pause_ns;
        struct laxity_migration_jobs_row row = {
            .working_set_bytes = load->bytes,
            .interfering_passes = let_interfere(run, pause_ns),
            .job = (uint32_t)job,
            .cpu = (int32_t)mover->cpus[mover->at],
            .since_change = since_change,
            .workload = (uint16_t)load->workload,
        };
        if (load->workload == LAXITY_MIGRATION_WORKLOAD_CPU) {
            row.limit = (uint16_t)(job % LIMITS);
        }
        row.time_ns = laxity_machine_now_ns();
        exec_ns = run_job(mover, load, limits[row.limit]);
        row.exec_ns = exec_ns;
        if (!laxity_probe_add_row(run, &row)) {
            return 1;
        }
        since_change += since_change >= 0;
        left--;
    }
    return 0;
}

static int measure(struct laxity_probe_run *run)
{
    const struct laxity_migration_jobs_settings *settings = run->plan->settings;
    struct mover *mover = run->state;
    if (laxity_probe_enter_policy(run, (int)run->plan->priority) || go_to(run, 0)) {
        return -1;
    }
    /* Memory that nobody has touched before, as on a simulated platform, is at home here. */
    laxity_crpd_walk(mover->working_set, mover->mapped_bytes);
    for (size_t i = 0; i < n_loads(settings); i++) {
        const bool is_cpu = settings->has_primes && i == 0;
        const struct load load = {
            .workload = is_cpu ? LAXITY_MIGRATION_WORKLOAD_CPU : LAXITY_MIGRATION_WORKLOAD_MEM,
            .bytes = is_cpu ? 0 : (size_t)settings->sizes_bytes.items[i - settings->has_primes],
        };
        const int rc = measure_load(run, &load);
        if (rc) {
            return rc < 0 ? -1 : 0;
        }
    }
    return 0;
}

static int check(void *from, struct laxity_error *error)
{
    const struct laxity_migration_jobs_settings *settings = from;
    if (n_loads(settings) == 0) {
        return laxity_refuse(error, LAXITY_EXIT_USAGE, "no workload; add --size 64KiB or --primes");
    }
    return 0;
}

const struct laxity_probe laxity_probe_migration_jobs = {
    .name = "migration_jobs",
    .stream = "migration_jobs.npy",
    .fields = fields,
    .n_fields = sizeof fields / sizeof fields[0],
    .row_bytes = sizeof(struct laxity_migration_jobs_row),
    .setup = setup,
    .measure = measure,
    .teardown = teardown,
    .count_rows = count_rows,
    .check = check,
};
