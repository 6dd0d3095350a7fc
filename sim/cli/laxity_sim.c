/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
/*
 * laxity-sim SETTINGS [--trace] OPTION...: in place of laxity-run, with its options; executes the
 * tasks on a simulated platform. With --trace it stands in place of laxity-trace, too.
 *
 * What is stored, and by which arithmetic, is the harness's: jobs become records of the same
 * segment, so that jobs.npy, histogram.npy and native.json are written by the same code, and a run
 * that was killed is completed by the same recovery.
 */
#include "base/error.h"
#include "base/port/atomic64.h"
#include "base/port/time.h"
#include "base/visible.h"
#include "cli/calls.h"
#include "cli/events.h"
#include "cli/gather.h"
#include "cli/marks.h"
#include "cli/programs.h"
#include "cli/regulator.h"
#include "cli/run_options.h"
#include "cli/samples.h"
#include "cli/schedule.h"
#include "cli/settings.h"
#include "cli/simulation.h"
#include "harness/drain.h"
#include "harness/job_stream.h"
#include "harness/launch.h"
#include "harness/mark_stream.h"
#include "harness/outcome.h"
#include "harness/plan.h"
#include "harness/sample_stream.h"
#include "harness/segment.h"
#include "interface/engine.h"
#include "schema/run.h"

#include <laxity/units.h>

#include <errno.h>
#include <inttypes.h>
#include <limits.h>
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
    /* Of the first release: 0 would mean that nothing was released. Until then co-runners fill the
     * caches, as those of a machine do. */
    T0_NS = LAXITY_NS_PER_MS,
    PROGRESS_EVERY_NS = 200 * LAXITY_NS_PER_MS,
    PROGRESS_BYTES = 128,
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
bool laxity_sim_must_stop(void *context)
{
    const struct laxity_run_plan *plan = ((const struct laxity_sim_run *)context)->plan;
    struct pollfd parent = {.fd = plan->parent_fd};
    return is_interrupted || (poll(&parent, 1, 0) > 0 && (parent.revents & (POLLHUP | POLLERR)));
}

static void report_progress(struct laxity_sim_run *simulation, int64_t time_ns)
{
    const int64_t now_ns = laxity_now_ns();
    if (simulation->plan->progress_fd < 0 || now_ns - simulation->shown_ns < PROGRESS_EVERY_NS) {
        return;
    }
    simulation->shown_ns = now_ns;
    uint64_t started = 0;
    uint64_t not_met = 0;
    for (uint32_t i = 0; i < simulation->segment->n_tasks; i++) {
        const struct laxity_drain_task *drain = &laxity_segment_task(simulation->segment, i)->drain;
        started += drain->next_ordinal;
        not_met += drain->not_met;
    }
    char line[PROGRESS_BYTES];
    laxity_format(
        line,
        sizeof line,
        "progress %" PRIu64 " %" PRIu64 " %" PRId64 "\n",
        started,
        not_met,
        time_ns - T0_NS
    );
    (void)!write(simulation->plan->progress_fd, line, strlen(line));
}

static struct laxity_job_record *
next_record(const struct laxity_sim_run *simulation, uint32_t task_index)
{
    struct laxity_task *task = laxity_segment_task(simulation->segment, task_index);
    const uint64_t head = laxity_atomic64_load(&task->state.head);
    return &laxity_segment_ring(
        simulation->segment, task_index
    )[head & (simulation->segment->ring_slots - 1)];
}

/* There is no kernel that numbers threads; the trace does. */
static int32_t tid_of(const struct laxity_sim_run *simulation, uint32_t task)
{
    return simulation->schedule.is_open ? laxity_sim_schedule_tid(task) : INT32_MIN;
}

/* As a task does: a claimed record and a start are the proof of a job that is cut off. */
static int on_start(void *context, const struct laxity_sim_job *job)
{
    struct laxity_sim_run *simulation = context;
    struct laxity_task *task = laxity_segment_task(simulation->segment, job->task);
    struct laxity_job_record *record = next_record(simulation, job->task);
    *record = (struct laxity_job_record){
        .tid = tid_of(simulation, job->task),
        .ordinal = job->ordinal,
        .job = job->job,
        .start_ns = job->start_ns,
        .cpu_start = (int32_t)job->core_start,
        .cpu_finish = (int32_t)job->core_start,
        .roi_ns = LAXITY_ABSENT_NS,
        .roi_count = UINT32_MAX,
    };
    atomic_store_explicit(&record->state, LAXITY_RECORD_CLAIMED, memory_order_release);
    laxity_atomic64_store_ns(&task->state.job_start_ns, job->start_ns);
    return 0;
}

static void tell_full(struct laxity_sim_run *simulation, int rc)
{
    laxity_error_set(
        &simulation->segment->run.error,
        LAXITY_EXIT_LACKING,
        "cannot write %.80s: %s; free space",
        simulation->plan->run_dir,
        strerrordesc_np(-rc)
    );
}

static int on_finish(void *context, const struct laxity_sim_job *job)
{
    struct laxity_sim_run *simulation = context;
    struct laxity_segment *segment = simulation->segment;
    struct laxity_task *task = laxity_segment_task(segment, job->task);
    struct laxity_job_record *record = next_record(simulation, job->task);
    record->finish_ns = job->finish_ns;
    record->cpu_finish = (int32_t)job->core_finish;
    record->exec_ns = job->exec_ns;
    record->busy_ns = job->busy_ns;
    record->stall_own_ns = job->stall_own_ns;
    record->stall_reload_ns = job->stall_reload_ns;
    record->preemptions = (int32_t)job->preemptions;
    record->migrations = (int32_t)job->migrations;
    record->migrated_at = job->migrated_at;
    laxity_sim_events_count(
        &segment->counting,
        &simulation->settings->platform,
        simulation->settings->instructions.cycle_ticks,
        &(struct laxity_sim_taken){.exec_ticks = job->exec_ticks, .counts = job->counts},
        &record->counts
    );
    record->stall_moved_ns = job->stall_moved_ns;
    record->stall_shared_ns = job->stall_shared_ns;
    atomic_store_explicit(&record->state, LAXITY_RECORD_DONE, memory_order_release);
    laxity_atomic64_store_ns(&task->state.job_start_ns, 0);
    laxity_atomic64_store(&task->state.head, laxity_atomic64_load(&task->state.head) + 1);
    const int rc = laxity_job_stream_drain(&simulation->stream, job->task);
    if (rc) {
        tell_full(simulation, rc);
    }
    if (segment->stop_job.is_found && segment->stop_job.seen_ns == 0) {
        segment->stop_job.seen_ns = job->finish_ns;
    }
    if (simulation->settings->regulator->is_asked) {
        laxity_sim_regulator_note(simulation->settings->regulator, job);
    }
    report_progress(simulation, job->finish_ns);
    return rc || segment->stop_job.is_found || simulation->has_failed;
}

static void on_pass(void *context, uint32_t index, int64_t finish_ns)
{
    struct laxity_corunner *corunner = laxity_sim_program_of(context, index).corunner;
    laxity_atomic64_increment(&corunner->passes);
    corunner->passes_before_t0 += finish_ns <= T0_NS;
}

static void
on_turn(void *context, uint32_t core, uint32_t program, enum laxity_sim_turn turn, int64_t time_ns)
{
    struct laxity_sim_run *simulation = context;
    laxity_sim_schedule_put(&simulation->schedule, core, program, turn, time_ns);
}

static void on_mark(
    void *context,
    uint32_t task,
    uint32_t which,
    int64_t time_ns,
    const struct laxity_sim_taken *taken
)
{
    struct laxity_sim_run *simulation = context;
    struct laxity_sim_mark *mark = &simulation->marks[task];
    int rc = 0;
    if (laxity_sim_mark_is_phase(which)) {
        rc = laxity_sim_samples_mark(simulation, task, time_ns, taken);
    }
    if (laxity_sim_mark_take(mark, which, time_ns) && rc == 0) {
        rc = laxity_sim_mark_store(&simulation->mark_stream, task, tid_of(simulation, task), mark);
    }
    if (rc) {
        tell_full(simulation, rc);
        simulation->has_failed = true;
    }
}

static void on_sample(void *context, const struct laxity_sim_sample *sample)
{
    struct laxity_sim_run *simulation = context;
    const int rc = laxity_sim_samples_put(simulation, sample, sample->time_ns == T0_NS);
    if (rc) {
        tell_full(simulation, rc);
        simulation->has_failed = true;
    }
}

static int on_end(
    void *context,
    uint32_t task_index,
    enum laxity_sim_end why,
    int64_t end_ns,
    const struct laxity_error *error
)
{
    static const enum laxity_end ends[] = {
        [LAXITY_SIM_END_JOBS] = LAXITY_END_JOBS,
        [LAXITY_SIM_END_LIMIT] = LAXITY_END_DURATION,
        [LAXITY_SIM_END_STOPPED] = LAXITY_END_STOPPED,
        [LAXITY_SIM_END_INTERRUPT] = LAXITY_END_INTERRUPT,
        [LAXITY_SIM_END_FAILED] = LAXITY_END_EXIT,
        [LAXITY_SIM_END_TIMEOUT] = LAXITY_END_TIMEOUT,
    };
    struct laxity_sim_run *simulation = context;
    struct laxity_segment *segment = simulation->segment;
    if (laxity_sim_program_of(simulation, task_index).corunner) {
        laxity_sim_corunner_died(simulation, task_index, end_ns, error->text);
        simulation->has_failed = true;
        return 1;
    }
    if (error->exit_code != 0) {
        simulation->has_failed |= simulation->plan->is_fail_fast;
        const char *name = laxity_segment_task(segment, task_index)->config.process.name;
        const bool is_refused = simulation->calls[task_index].refused[0] != '\0';
        const int exit_code = is_refused ? LAXITY_EXIT_LACKING : error->exit_code;
        laxity_error_set(&segment->run.error, exit_code, "task \"%s\": %s", name, error->text);
    } else if (why == LAXITY_SIM_END_INTERRUPT) {
        laxity_error_set(&segment->run.error, LAXITY_EXIT_INTERRUPTED, "interrupted");
    }
    if (end_ns > segment->run.end_ns) {
        segment->run.end_ns = end_ns;
    }
    const int rc = laxity_job_stream_end_task(&simulation->stream, task_index, end_ns, ends[why]);
    if (rc) {
        tell_full(simulation, rc);
    }
    return simulation->has_failed;
}

static void close_run(struct laxity_sim_run *simulation)
{
    struct laxity_segment *segment = simulation->segment;
    const int exit_code = segment->run.error.exit_code;
    laxity_sim_corunners_stop(segment);
    const int dir_fd = simulation->launch.dir_fd;
    const uint32_t cores = simulation->settings->platform.cores;
    int rc = laxity_job_stream_close(&simulation->stream, dir_fd);
    rc = rc ? rc : laxity_sim_schedule_close(&simulation->schedule, segment, dir_fd, cores);
    if (simulation->settings->regulator->is_asked) {
        struct laxity_error *error = &segment->run.error;
        const int close_rc = laxity_sim_regulator_end(simulation->settings->regulator, error);
        rc = rc ? rc : close_rc;
    }
    rc = rc ? rc : laxity_sample_stream_close(&simulation->samples.stream);
    rc = rc ? rc : laxity_mark_stream_drain(&simulation->mark_stream, true);
    rc = rc ? rc : laxity_mark_stream_close(&simulation->mark_stream);
    const uint32_t status = exit_code == LAXITY_EXIT_INTERRUPTED ? LAXITY_RUN_INTERRUPTED
                            : exit_code != 0                     ? LAXITY_RUN_FAILED
                                                                 : LAXITY_RUN_COMPLETE;
    atomic_store_explicit(&segment->run.status, status, memory_order_release);
    rc = rc ? rc : laxity_outcome_write(segment, dir_fd);
    if (rc) {
        /* What was written stays; the segment too, so that the run can be completed. */
        tell_full(simulation, rc);
        return;
    }
    laxity_launch_discard(&simulation->launch);
}

/* Makes the streams. Returns 0 or -errno. */
static int open_streams(struct laxity_sim_run *simulation)
{
    struct laxity_segment *segment = simulation->segment;
    const int dir_fd = simulation->launch.dir_fd;
    segment->is_simulated = 1;
    segment->snapshots = LAXITY_SNAPSHOTS_CPU;
    segment->ticks_name[0] = '\0';
    segment->counting.sample_cpu = -1; /* nobody samples on a core */
    laxity_sim_events_begin(segment);
    laxity_atomic64_store_ns(&segment->run.t0_ns, T0_NS);
    simulation->mark_stream = (struct laxity_mark_stream){.segment = segment, .dir_fd = dir_fd};
    int rc = laxity_job_stream_open(segment, dir_fd, &simulation->stream);
    rc = rc ? rc : laxity_sample_stream_drain(&simulation->samples.stream, segment, dir_fd);
    return rc || !simulation->settings->is_traced
               ? rc
               : laxity_sim_schedule_open(dir_fd, &simulation->schedule);
}

static int begin_regulator(struct laxity_sim_run *simulation, struct laxity_error *error)
{
    const struct laxity_sim_settings *settings = simulation->settings;
    if (!settings->regulator->is_asked) {
        return 0;
    }
    return laxity_sim_regulator_begin(
        settings->regulator,
        &settings->platform,
        simulation->tasks,
        simulation->n_programs,
        simulation->launch.dir_fd,
        error
    );
}

static void simulate(
    const struct laxity_run_plan *plan,
    const struct laxity_sim_settings *settings,
    struct laxity_error *error
)
{
    static struct laxity_sim_run simulation;
    simulation = (struct laxity_sim_run){.plan = plan, .settings = settings};
    if (plan->launcher.n == 0) {
        laxity_error_set(error, LAXITY_EXIT_USAGE, "--launcher: no emulator; name one");
        return;
    }
    if (laxity_launch_open(&simulation.launch, plan, error)) {
        return;
    }
    struct laxity_segment *segment = simulation.launch.segment;
    simulation.segment = segment;
    simulation.n_programs = plan->n_tasks + plan->n_corunners;
    simulation.limit_ns =
        plan->duration_ns == LAXITY_ABSENT_NS ? INT64_MAX : T0_NS + plan->duration_ns;
    const struct laxity_sim_listener listener = {
        .context = &simulation,
        .on_start = on_start,
        .on_finish = on_finish,
        .on_end = on_end,
        .on_pass = on_pass,
        .on_turn = on_turn,
        .on_mark = on_mark,
        .must_stop = laxity_sim_must_stop,
        .on_sample = on_sample,
        .interrupts = settings->interrupts,
        .sample_ns = segment->counting.sample_slots == 0 ? 0 : plan->sample_bucket_ns,
        .first_sample_ns = T0_NS,
        .observer = settings->regulator->is_asked ? &settings->regulator->observer : NULL,
    };
    if (open_streams(&simulation) ||
        laxity_sim_gather_begin(&simulation.gather, &simulation.launch)) {
        laxity_error_set(error, LAXITY_EXIT_LACKING, "cannot begin the run");
    }
    if (error->exit_code == 0 && laxity_sim_programs_make(&simulation, error) == 0 &&
        begin_regulator(&simulation, error) == 0) {
        struct laxity_sim_totals totals;
        laxity_simulate(
            &settings->platform,
            simulation.tasks,
            simulation.n_programs,
            simulation.limit_ns,
            &listener,
            &totals
        );
        for (uint32_t core = 0; core < settings->platform.cores; core++) {
            segment->run.lines_read += totals.cores[core].reads;
            segment->run.lines_written += totals.cores[core].writes;
        }
        laxity_sim_programs_end(&simulation);
        laxity_sim_programs_tell(&simulation);
        close_run(&simulation);
        *error = segment->run.error;
        laxity_finish_orphan(segment, plan->parent_fd, plan->run_dir);
    } else {
        laxity_sim_programs_end(&simulation);
        laxity_launch_discard(&simulation.launch);
    }
    laxity_sim_programs_free(&simulation);
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

/* The flags stand before the options of a run, in their order. */
static bool take_flag(int argc, char *const *argv, int *n_before, const char *flag)
{
    const bool is_there = argc > *n_before && strcmp(argv[*n_before], flag) == 0;
    *n_before += is_there ? 1 : 0;
    return is_there;
}

/* `--above EVENT COUNT`: the index of the event, and by how much it grows; false: they cannot be.
 */
static bool
take_above(int argc, char *const *argv, int *n_before, struct laxity_sim_settings *settings)
{
    uint64_t event = 0;
    uint64_t count = 0;
    settings->above.is_asked = take_flag(argc, argv, n_before, "--above");
    if (!settings->above.is_asked) {
        return true;
    }
    if (argc < *n_before + 2 ||
        laxity_parse_count(argv[*n_before], 0, LAXITY_EVENTS_MAX - 1, &event) ||
        laxity_parse_count(argv[*n_before + 1], 1, INT64_MAX, &count)) {
        return false;
    }
    settings->above.event = (uint32_t)event;
    settings->above.count = (int64_t)count;
    *n_before += 2;
    return true;
}

/* `--regulate FILE`: the plan of a regulation; false: it cannot be, and error may say why. */
static bool take_regulation(
    int argc,
    char *const *argv,
    int *n_before,
    struct laxity_sim_regulator *regulator,
    struct laxity_error *error
)
{
    if (!take_flag(argc, argv, n_before, "--regulate")) {
        return true;
    }
    if (argc <= *n_before) {
        return false;
    }
    const char *const path = argv[*n_before];
    ++*n_before;
    return laxity_sim_regulator_read(path, regulator, error) == 0;
}

int main(int argc, char **argv)
{
    if (argc == 2 && strcmp(argv[1], "--version") == 0) {
        (void)puts("laxity-sim " LAXITY_VERSION);
        return LAXITY_EXIT_DONE;
    }
    struct laxity_error error = {0};
    static struct laxity_sim_regulator regulator;
    struct laxity_sim_settings settings = {.placed = NULL, .regulator = &regulator};
    struct laxity_run_request *request = calloc(1, sizeof *request);
    if (!request) {
        return LAXITY_EXIT_LACKING;
    }
    watch_signals();
    laxity_sim_settle();
    int n_before = 2;
    settings.is_traced = take_flag(argc, argv, &n_before, "--trace");
    settings.interrupts = take_flag(argc, argv, &n_before, "--interrupts");
    const bool are_read = take_above(argc, argv, &n_before, &settings) &&
                          take_regulation(argc, argv, &n_before, &regulator, &error);
    if (error.exit_code == 0 && (argc < 2 || !are_read)) {
        laxity_error_set(
            &error, LAXITY_EXIT_USAGE, "started by laxity run --platform sim:NAME, not by hand"
        );
    } else if (error.exit_code == 0 &&
               laxity_run_options_parse(argc - n_before, argv + n_before, request, &error) == 0 &&
               laxity_sim_settings_read(argv[1], &settings.platform, &error) == 0 &&
               laxity_sim_settings_read_instructions(argv[1], &settings.instructions, &error) ==
                   0 &&
               laxity_sim_settings_read_placed(
                   argv[1], &settings.placed, &settings.n_placed, &error
               ) == 0 &&
               laxity_sim_events_resolve(request->plan.events, request->plan.n_events, &error) ==
                   0) {
        simulate(&request->plan, &settings, &error);
    }
    if (error.exit_code != 0) {
        print_note(error.text);
    }
    laxity_run_options_free(request);
    free(request);
    free(settings.placed);
    return error.exit_code;
}
