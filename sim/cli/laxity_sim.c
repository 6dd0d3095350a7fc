/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
/*
 * laxity-sim SETTINGS OPTION...: in place of laxity-run, with its options; executes the tasks on a
 * simulated platform.
 *
 * What is stored, and by which arithmetic, is the harness's: jobs become records of the same
 * segment, so that jobs.npy, histogram.npy and native.json are written by the same code, and a run
 * that was killed is completed by the same recovery.
 */
#include "base/cpus.h"
#include "base/error.h"
#include "base/port/atomic64.h"
#include "base/port/time.h"
#include "base/visible.h"
#include "cli/run_options.h"
#include "cli/settings.h"
#include "harness/drain.h"
#include "harness/job_stream.h"
#include "harness/launch.h"
#include "harness/outcome.h"
#include "harness/plan.h"
#include "harness/release.h"
#include "harness/segment.h"
#include "interface/engine.h"
#include "schema/run.h"

#include <inttypes.h>
#include <poll.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
    /* Of the first release: 0 would mean that nothing was released. */
    T0_NS = LAXITY_NS_PER_S,
    JOBS_TEXT_BYTES = 24,
    PROGRESS_EVERY_NS = 200 * LAXITY_NS_PER_MS,
    PROGRESS_BYTES = 128,
};

struct simulation {
    const struct laxity_run_plan *plan;
    struct laxity_launch launch;
    struct laxity_segment *segment;
    struct laxity_job_stream stream;
    struct laxity_sim *sim;
    int64_t limit_ns; /* no job starts then */
    int64_t shown_ns; /* of the real clock */
};

static volatile sig_atomic_t is_interrupted;

static void on_signal(int signal)
{
    (void)signal;
    is_interrupted = 1;
}

static void print_note(const char *text)
{
    laxity_write_message("laxity-sim", text);
}

/* Asked to end, or nobody is left who waits for the run. */
static bool must_stop(const void *simulation)
{
    const struct laxity_run_plan *plan = ((const struct simulation *)simulation)->plan;
    struct pollfd parent = {.fd = plan->parent_fd};
    return is_interrupted || (poll(&parent, 1, 0) > 0 && (parent.revents & (POLLHUP | POLLERR)));
}

/* Words behind the emulator's: the program, how many jobs, its own. */
static char **command_of(const struct simulation *simulation)
{
    const struct laxity_task_plan *task = &simulation->plan->tasks[0];
    const struct laxity_words *emulator = &simulation->plan->launcher;
    char **argv = (char **)calloc(emulator->n + task->words.n + 3, sizeof *argv);
    static char jobs[JOBS_TEXT_BYTES];
    if (!argv) {
        return NULL;
    }
    uint64_t n_jobs = task->config.jobs;
    if (simulation->limit_ns != INT64_MAX) {
        const struct laxity_releases releases =
            laxity_task_releases(simulation->segment, laxity_segment_task(simulation->segment, 0));
        const uint64_t released = laxity_released_before(&releases, simulation->limit_ns);
        n_jobs = n_jobs > 0 && n_jobs < released ? n_jobs : released;
    }
    laxity_format(jobs, sizeof jobs, "%" PRIu64, n_jobs);
    memcpy((void *)argv, (const void *)emulator->items, emulator->n * sizeof *argv);
    unsigned n = emulator->n;
    argv[n++] = task->path;
    argv[n++] = jobs;
    memcpy((void *)&argv[n], (const void *)task->words.items, task->words.n * sizeof *argv);
    return argv;
}

static void report_progress(struct simulation *simulation, int64_t time_ns)
{
    const int64_t now_ns = laxity_now_ns();
    if (simulation->plan->progress_fd < 0 || now_ns - simulation->shown_ns < PROGRESS_EVERY_NS) {
        return;
    }
    simulation->shown_ns = now_ns;
    const struct laxity_drain_task *drain = &laxity_segment_task(simulation->segment, 0)->drain;
    char line[PROGRESS_BYTES];
    laxity_format(
        line,
        sizeof line,
        "progress %" PRIu64 " %" PRIu64 " %" PRId64 "\n",
        drain->next_ordinal,
        drain->not_met,
        time_ns - T0_NS
    );
    (void)!write(simulation->plan->progress_fd, line, strlen(line));
}

static struct laxity_job_record *next_record(const struct simulation *simulation)
{
    struct laxity_task *task = laxity_segment_task(simulation->segment, 0);
    const uint64_t head = laxity_atomic64_load(&task->state.head);
    return &laxity_segment_ring(
        simulation->segment, 0
    )[head & (simulation->segment->ring_slots - 1)];
}

/* As a task does: a claimed record and a start are the proof of a job that is cut off. */
static void
begin_record(const struct simulation *simulation, uint64_t ordinal, uint64_t job, int64_t start_ns)
{
    struct laxity_task *task = laxity_segment_task(simulation->segment, 0);
    struct laxity_job_record *record = next_record(simulation);
    const int32_t cpu = (int32_t)laxity_cpus_end(&task->config.process.cpus) - 1;
    *record = (struct laxity_job_record){
        .tid = 1,
        .ordinal = ordinal,
        .job = job,
        .start_ns = start_ns,
        .cpu_start = cpu,
        .cpu_finish = cpu,
        .roi_ns = LAXITY_ABSENT_NS,
        .roi_count = UINT32_MAX,
    };
    atomic_store_explicit(&record->state, LAXITY_RECORD_CLAIMED, memory_order_release);
    laxity_atomic64_store_ns(&task->state.job_start_ns, start_ns);
}

static int finish_record(struct simulation *simulation, const struct laxity_sim_job *done)
{
    struct laxity_task *task = laxity_segment_task(simulation->segment, 0);
    struct laxity_job_record *record = next_record(simulation);
    record->start_ns = done->start_ns;
    record->finish_ns = done->finish_ns;
    record->exec_ns = done->exec_ns;
    record->busy_ns = done->busy_ns;
    record->stall_own_ns = done->stall_own_ns;
    atomic_store_explicit(&record->state, LAXITY_RECORD_DONE, memory_order_release);
    laxity_atomic64_store_ns(&task->state.job_start_ns, 0);
    laxity_atomic64_store(&task->state.head, laxity_atomic64_load(&task->state.head) + 1);
    return laxity_job_stream_drain(&simulation->stream, 0);
}

/* Runs the jobs; gives why the task ended, and when. */
static enum laxity_end run_jobs(struct simulation *simulation, int64_t *out_end_ns)
{
    struct laxity_segment *segment = simulation->segment;
    struct laxity_task *task = laxity_segment_task(segment, 0);
    struct laxity_error *error = &segment->run.error;
    const struct laxity_releases releases = laxity_task_releases(segment, task);
    int64_t finish_ns = T0_NS;
    uint64_t job = 0;
    for (uint64_t ordinal = 0;; ordinal++) {
        *out_end_ns = finish_ns;
        const int64_t release_ns = laxity_release_ns(&releases, job);
        if (task->config.jobs > 0 && ordinal == task->config.jobs) {
            return LAXITY_END_JOBS;
        }
        if (segment->stop_job.is_found) {
            return LAXITY_END_STOPPED;
        }
        if (release_ns >= simulation->limit_ns || finish_ns >= simulation->limit_ns) {
            *out_end_ns = simulation->limit_ns;
            return LAXITY_END_DURATION;
        }
        if (must_stop(simulation)) {
            laxity_error_set(error, LAXITY_EXIT_INTERRUPTED, "interrupted");
            return LAXITY_END_INTERRUPT;
        }
        const int64_t start_ns = release_ns > finish_ns ? release_ns : finish_ns;
        begin_record(simulation, ordinal, job, start_ns);
        struct laxity_sim_job done;
        if (laxity_sim_run_job(simulation->sim, release_ns, &done, error)) {
            *out_end_ns = start_ns + 1; /* after its start, and nobody knows more */
            return error->exit_code == LAXITY_EXIT_INTERRUPTED ? LAXITY_END_INTERRUPT
                                                               : LAXITY_END_EXIT;
        }
        finish_ns = done.finish_ns;
        const int rc = finish_record(simulation, &done);
        if (rc) {
            laxity_error_set(
                error,
                LAXITY_EXIT_LACKING,
                "cannot write %.80s: %s; free space",
                simulation->plan->run_dir,
                strerrordesc_np(-rc)
            );
            return LAXITY_END_EXIT;
        }
        report_progress(simulation, finish_ns);
        job = laxity_next_job(&releases, job, finish_ns);
    }
}

static void close_run(struct simulation *simulation, enum laxity_end end, int64_t end_ns)
{
    struct laxity_segment *segment = simulation->segment;
    struct laxity_error *error = &segment->run.error;
    segment->run.end_ns = end_ns;
    int rc = laxity_job_stream_end_task(&simulation->stream, 0, end_ns, end);
    rc = rc ? rc : laxity_job_stream_close(&simulation->stream, simulation->launch.dir_fd);
    const uint32_t status = end == LAXITY_END_INTERRUPT ? LAXITY_RUN_INTERRUPTED
                            : error->exit_code != 0     ? LAXITY_RUN_FAILED
                                                        : LAXITY_RUN_COMPLETE;
    atomic_store_explicit(&segment->run.status, status, memory_order_release);
    rc = rc ? rc : laxity_outcome_write(segment, simulation->launch.dir_fd);
    if (rc) {
        /* What was written stays; the segment too, so that the run can be completed. */
        laxity_error_set(
            error,
            LAXITY_EXIT_LACKING,
            "cannot write %.80s: %s; free space",
            simulation->plan->run_dir,
            strerrordesc_np(-rc)
        );
        return;
    }
    laxity_launch_discard(&simulation->launch);
}

static void simulate(
    const struct laxity_run_plan *plan,
    const struct laxity_sim_platform *platform,
    struct laxity_error *error
)
{
    static struct simulation simulation;
    simulation = (struct simulation){.plan = plan};
    if (plan->launcher.n == 0) {
        laxity_error_set(error, LAXITY_EXIT_USAGE, "--launcher: no emulator; name one");
        return;
    }
    if (plan->n_tasks != 1 || plan->n_corunners > 0) {
        laxity_error_set(error, LAXITY_EXIT_USAGE, "more than one task cannot be simulated yet");
        return;
    }
    if (laxity_launch_open(&simulation.launch, plan, error)) {
        return;
    }
    struct laxity_segment *segment = simulation.launch.segment;
    simulation.segment = segment;
    segment->is_simulated = 1;
    segment->snapshots = LAXITY_SNAPSHOTS_CPU;
    segment->ticks_name[0] = '\0';
    laxity_atomic64_store_ns(&segment->run.t0_ns, T0_NS);
    simulation.limit_ns =
        plan->duration_ns == LAXITY_ABSENT_NS ? INT64_MAX : T0_NS + plan->duration_ns;
    const int rc = laxity_job_stream_open(segment, simulation.launch.dir_fd, &simulation.stream);
    char **argv = command_of(&simulation);
    if (rc || !argv) {
        laxity_error_set(error, LAXITY_EXIT_LACKING, "cannot begin jobs.npy");
    } else {
        simulation.sim = laxity_sim_open(
            platform, &(const struct laxity_sim_program){argv, must_stop, &simulation}, error
        );
    }
    if (simulation.sim) {
        int64_t end_ns = T0_NS;
        const enum laxity_end end = run_jobs(&simulation, &end_ns);
        laxity_sim_close(simulation.sim);
        close_run(&simulation, end, end_ns);
        *error = segment->run.error;
        laxity_finish_orphan(segment, plan->parent_fd, plan->run_dir);
    } else {
        laxity_launch_discard(&simulation.launch);
    }
    free((void *)argv);
    laxity_launch_close(&simulation.launch);
}

static void watch_signals(void)
{
    const struct sigaction action = {.sa_handler = on_signal};
    (void)sigaction(SIGINT, &action, NULL);
    (void)sigaction(SIGTERM, &action, NULL);
    (void)sigaction(SIGHUP, &action, NULL);
    (void)signal(SIGPIPE, SIG_IGN);
    (void)signal(SIGXFSZ, SIG_IGN);
}

int main(int argc, char **argv)
{
    if (argc == 2 && strcmp(argv[1], "--version") == 0) {
        (void)puts("laxity-sim " LAXITY_VERSION);
        return LAXITY_EXIT_DONE;
    }
    struct laxity_error error = {0};
    struct laxity_sim_platform platform;
    struct laxity_run_request *request = calloc(1, sizeof *request);
    if (!request) {
        return LAXITY_EXIT_LACKING;
    }
    watch_signals();
    if (argc < 2) {
        laxity_error_set(
            &error, LAXITY_EXIT_USAGE, "started by laxity run --platform sim:NAME, not by hand"
        );
    } else if (laxity_run_options_parse(argc - 2, argv + 2, request, &error) == 0 &&
               laxity_sim_settings_read(argv[1], &platform, &error) == 0) {
        simulate(&request->plan, &platform, &error);
    }
    if (error.exit_code != 0) {
        print_note(error.text);
    }
    laxity_run_options_free(request);
    free(request);
    return error.exit_code;
}
