/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
#include "cli/programs.h"

#include "base/cpus.h"
#include "base/error.h"
#include "base/port/atomic64.h"
#include "harness/plan.h"
#include "schema/run.h"
#include "harness/segment.h"
#include "interface/engine.h"

#include <fcntl.h>
#include <inttypes.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

enum {
    JOBS_TEXT_BYTES = 24,
    CPUS_BYTES = 64,
    STACK_BYTES = 8 << 20, /* as the emulator is told */
};

struct laxity_sim_program laxity_sim_program_of(
    const struct laxity_run_plan *plan, struct laxity_segment *segment, uint32_t index
)
{
    if (index < plan->n_tasks) {
        const struct laxity_task_plan *task = &plan->tasks[index];
        return (struct laxity_sim_program){
            .kind = "task",
            .path = task->path,
            .words = &task->words,
            .config = &laxity_segment_task(segment, index)->config.process,
        };
    }
    const struct laxity_corunner_plan *asked = &plan->corunners[index - plan->n_tasks];
    struct laxity_corunner *corunner = laxity_segment_corunner(segment, index - plan->n_tasks);
    return (struct laxity_sim_program){
        .kind = "co-runner",
        .path = asked->path,
        .words = &asked->words,
        .config = &corunner->config,
        .corunner = corunner,
    };
}

static uint64_t cores_of(const struct laxity_process_config *config)
{
    uint64_t cores = 0;
    const unsigned end = laxity_cpus_end(&config->cpus);
    for (unsigned cpu = 0; cpu < end && cpu < LAXITY_SIM_CORES_MAX; cpu++) {
        cores |= (uint64_t)laxity_cpus_has(&config->cpus, cpu) << cpu;
    }
    return cores;
}

static struct laxity_sim_reservation reservation_of(const struct laxity_process_config *config)
{
    const bool is_asked = config->policy == LAXITY_POLICY_DEADLINE;
    return (struct laxity_sim_reservation){
        .runtime_ns = is_asked ? config->reservation.runtime_ns : 0,
        .deadline_ns = config->reservation.deadline_ns,
        .period_ns = config->reservation.period_ns,
    };
}

struct laxity_sim_task laxity_sim_describe(
    const struct laxity_run_plan *plan, struct laxity_segment *segment, uint32_t index
)
{
    if (index >= plan->n_tasks) {
        const struct laxity_corunner *corunner =
            laxity_segment_corunner(segment, index - plan->n_tasks);
        return (struct laxity_sim_task){.is_corunner = true, .cores = cores_of(&corunner->config)};
    }
    struct laxity_task *task = laxity_segment_task(segment, index);
    const struct laxity_process_config *config = &task->config.process;
    return (struct laxity_sim_task){
        .releases = laxity_task_releases(segment, task),
        .priority = config->priority,
        .reservation = reservation_of(config),
        .cores = cores_of(config),
        .jobs = task->config.jobs,
        .timeout_ns = task->config.job_timeout_ns,
    };
}

char **laxity_sim_command(
    const struct laxity_words *emulator, const struct laxity_sim_program *program, uint64_t jobs
)
{
    char **argv = (char **)calloc(emulator->n + program->words->n + 3, sizeof *argv);
    char *text = malloc(JOBS_TEXT_BYTES);
    if (!argv || !text) {
        free((void *)argv);
        free(text);
        return NULL;
    }
    /* Always as long: words lie on the stack of the program, and move it. */
    laxity_format(text, JOBS_TEXT_BYTES, "%020" PRIu64, jobs);
    memcpy((void *)argv, (const void *)emulator->items, emulator->n * sizeof *argv);
    unsigned n = emulator->n;
    argv[n++] = program->path;
    argv[n++] = text;
    memcpy((void *)&argv[n], (const void *)program->words->items, program->words->n * sizeof *argv);
    return argv;
}

void laxity_sim_command_free(const struct laxity_words *emulator, char **argv)
{
    if (argv) {
        free(argv[emulator->n + 1]);
        free((void *)argv);
    }
}

static void end_corunner(struct laxity_corunner *corunner, enum laxity_end why, int64_t end_ns)
{
    corunner->passes_at_end = laxity_atomic64_load(&corunner->passes);
    corunner->verdict.end_ns = end_ns;
    atomic_store_explicit(&corunner->verdict.end, why, memory_order_release);
}

void laxity_sim_corunner_died(
    struct laxity_corunner *corunner, int64_t end_ns, const char *why, struct laxity_error *error
)
{
    char cpus[CPUS_BYTES];
    laxity_cpus_format(&corunner->config.cpus, cpus, sizeof cpus);
    laxity_format(corunner->verdict.detail, sizeof corunner->verdict.detail, "%.150s", why);
    end_corunner(corunner, LAXITY_END_EXIT, end_ns);
    laxity_error_set(
        error,
        LAXITY_EXIT_NO_VERDICT,
        "co-runner \"%s\" on CPU %s died: %.90s; jobs up to then were kept",
        corunner->config.name,
        cpus,
        why
    );
}

void laxity_sim_corunners_stop(struct laxity_segment *segment)
{
    for (uint32_t i = 0; i < segment->n_corunners; i++) {
        struct laxity_corunner *corunner = laxity_segment_corunner(segment, i);
        const uint32_t end = atomic_load_explicit(&corunner->verdict.end, memory_order_relaxed);
        if (end == LAXITY_END_NONE) {
            end_corunner(corunner, LAXITY_END_STOPPED, segment->run.end_ns);
        }
    }
}

void laxity_sim_settle(void)
{
    struct rlimit stack;
    if (getrlimit(RLIMIT_STACK, &stack) == 0) {
        stack.rlim_cur = stack.rlim_max < STACK_BYTES ? stack.rlim_max : STACK_BYTES;
        (void)setrlimit(RLIMIT_STACK, &stack);
    }
    int fd = STDIN_FILENO;
    while (fd >= STDIN_FILENO && fd <= STDERR_FILENO) {
        fd = open("/dev/null", O_RDWR | O_CLOEXEC);
    }
    if (fd >= 0) {
        (void)close(fd);
    }
}
