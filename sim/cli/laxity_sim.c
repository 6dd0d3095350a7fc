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
#include "base/error.h"
#include "base/port/atomic64.h"
#include "base/port/time.h"
#include "base/visible.h"
#include "cli/calls.h"
#include "cli/gather.h"
#include "cli/programs.h"
#include "cli/run_options.h"
#include "cli/settings.h"
#include "harness/drain.h"
#include "harness/job_stream.h"
#include "harness/launch.h"
#include "harness/outcome.h"
#include "harness/plan.h"
#include "harness/release.h"
#include "harness/segment.h"
#include "interface/decoder.h"
#include "interface/emulator.h"
#include "interface/engine.h"
#include "interface/stored.h"
#include "schema/run.h"

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
    WORDS = 4096,
    NAMES_BYTES = LAXITY_ASKED_CALLS * (LAXITY_ASKED_BYTES + 2),
    UNDECODED_TOLD = 100, /* one of so many */
    NOTE_BYTES = NAMES_BYTES + LAXITY_NAME_BYTES + 128,
};

/* Of the platform. */
struct settings {
    struct laxity_sim_platform platform;
    struct laxity_sim_instructions instructions;
};

struct simulation {
    const struct laxity_run_plan *plan;
    const struct settings *settings;
    struct laxity_launch launch;
    struct laxity_segment *segment;
    struct laxity_job_stream stream;
    uint32_t n_programs;
    struct laxity_sim_task *tasks; /* behind them the co-runners; so of all that follows */
    struct laxity_sim_emulator **emulators;
    struct laxity_sim_calls *calls;
    struct laxity_asked *corunners_asked; /* of the co-runners alone: tasks have theirs */
    struct laxity_sim_gather gather;
    int64_t limit_ns; /* no job starts then */
    int64_t shown_ns; /* of the real clock */
    bool has_failed;  /* a program that all the others end with */
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
static bool must_stop(void *context)
{
    const struct laxity_run_plan *plan = ((const struct simulation *)context)->plan;
    struct pollfd parent = {.fd = plan->parent_fd};
    return is_interrupted || (poll(&parent, 1, 0) > 0 && (parent.revents & (POLLHUP | POLLERR)));
}

static struct laxity_sim_program program_of(const struct simulation *simulation, uint32_t index)
{
    return laxity_sim_program_of(simulation->plan, simulation->segment, index);
}

/* How many jobs a program is asked for: as many as can start. */
static uint64_t jobs_of(const struct simulation *simulation, uint32_t index)
{
    if (index >= simulation->segment->n_tasks) {
        return UINT64_MAX; /* a co-runner */
    }
    const struct laxity_task *task = laxity_segment_task(simulation->segment, index);
    if (simulation->limit_ns == INT64_MAX) {
        return task->config.jobs > 0 ? task->config.jobs : UINT64_MAX;
    }
    const struct laxity_releases releases = laxity_task_releases(simulation->segment, task);
    const uint64_t released = laxity_released_before(&releases, simulation->limit_ns);
    return task->config.jobs > 0 && task->config.jobs < released ? task->config.jobs : released;
}

static int start_program(struct simulation *simulation, uint32_t index, struct laxity_error *error)
{
    const struct laxity_words *emulator = &simulation->plan->launcher;
    const struct laxity_sim_program program = program_of(simulation, index);
    char **argv = laxity_sim_command(emulator, &program, jobs_of(simulation, index));
    int *output_fd = &simulation->launch.output_write_fds[index];
    const int rc =
        argv ? laxity_sim_emulator_start(argv, *output_fd, &simulation->emulators[index]) : ENOMEM;
    laxity_sim_command_free(emulator, argv);
    (void)close(*output_fd);
    *output_fd = -1;
    if (rc) {
        return laxity_refuse(
            error,
            LAXITY_EXIT_LACKING,
            "%.100s: cannot be started: %s",
            emulator->items[0],
            strerrordesc_np(rc)
        );
    }
    return 0;
}

/* A stream that lies beside the program, in place of executing it. 0, or -1 with error set. */
static int open_source(struct simulation *simulation, uint32_t index, struct laxity_error *error)
{
    struct laxity_sim_source *source = &simulation->tasks[index].source;
    char stream[PATH_MAX];
    laxity_format(stream, sizeof stream, "%s.lxs", program_of(simulation, index).path);
    if (access(stream, F_OK) == 0) {
        return laxity_sim_stored_open(stream, source, error);
    }
    if (start_program(simulation, index, error)) {
        return -1;
    }
    *source = laxity_sim_emulator_source(simulation->emulators[index]);
    return 0;
}

static void close_source(struct simulation *simulation, uint32_t index)
{
    laxity_sim_emulator_stop(simulation->emulators[index]);
    laxity_sim_stored_close(&simulation->tasks[index].source);
}

/* 0, or -1 with error set. Where nothing asks for registers or latencies there is no decoder. */
static int open_decoder(struct simulation *simulation, uint32_t index, struct laxity_error *error)
{
    const struct laxity_sim_instructions *instructions = &simulation->settings->instructions;
    if (strcmp(instructions->scheduling, "none") == 0 &&
        simulation->settings->platform.fill_buffers == 0) {
        return 0;
    }
    const struct laxity_sim_decoder_options options = {
        .architecture = instructions->architecture,
        .scheduling = instructions->scheduling,
        .program = program_of(simulation, index).path,
        .cycle_ticks = instructions->cycle_ticks,
    };
    return laxity_sim_decoder_open(&options, &simulation->tasks[index].decoder, error);
}

/* 0, or -1 with error set. */
static int make_task(struct simulation *simulation, uint32_t index, struct laxity_error *error)
{
    struct laxity_segment *segment = simulation->segment;
    struct laxity_sim_calls *calls = &simulation->calls[index];
    simulation->tasks[index] = laxity_sim_describe(simulation->plan, segment, index);
    struct laxity_asked *asked = index < segment->n_tasks
                                     ? &laxity_segment_task(segment, index)->asked
                                     : &simulation->corunners_asked[index - segment->n_tasks];
    if (laxity_sim_calls_open(calls, asked, program_of(simulation, index).path, error) ||
        open_source(simulation, index, error)) {
        return -1;
    }
    struct laxity_sim_task *task = &simulation->tasks[index];
    task->judge = laxity_sim_calls_judge(calls);
    return open_decoder(simulation, index, error);
}

/* 0, or -1 with error set. */
static int make_tasks(struct simulation *simulation, struct laxity_error *error)
{
    const uint32_t n = simulation->n_programs;
    simulation->tasks = calloc(n, sizeof *simulation->tasks);
    simulation->emulators = (struct laxity_sim_emulator **)calloc(n, sizeof *simulation->emulators);
    simulation->calls = calloc(n, sizeof *simulation->calls);
    simulation->corunners_asked = calloc(n, sizeof *simulation->corunners_asked);
    if (!simulation->tasks || !simulation->emulators || !simulation->calls ||
        !simulation->corunners_asked) {
        return laxity_refuse(error, LAXITY_EXIT_LACKING, "cannot begin the run: no memory");
    }
    int rc = 0;
    for (uint32_t i = 0; i < n && rc == 0; i++) {
        rc = make_task(simulation, i, error);
    }
    return rc;
}

/* A program with instructions that the processor's tables do not have is worth a look. */
static void note_undecodable(const struct simulation *simulation)
{
    for (uint32_t i = 0; i < simulation->n_programs; i++) {
        const struct laxity_sim_decoder *decoder = &simulation->tasks[i].decoder;
        struct laxity_sim_decoder_stats stats = {.undecodable = 0};
        if (decoder->context) {
            laxity_sim_decoder_read_stats(decoder, &stats);
        }
        /* Of every program a few are barriers and the like, of its beginning. */
        if (stats.undecodable * UNDECODED_TOLD > stats.instructions) {
            char text[NOTE_BYTES];
            laxity_format(
                text,
                sizeof text,
                "%s \"%.60s\": %" PRIu64 " of %" PRIu64
                " instructions cannot be decoded and take instruction_cycles",
                program_of(simulation, i).kind,
                program_of(simulation, i).config->name,
                stats.undecodable,
                stats.instructions
            );
            print_note(text);
        }
    }
}

static void free_tasks(struct simulation *simulation)
{
    const bool is_made = simulation->tasks && simulation->emulators;
    for (uint32_t i = 0; is_made && i < simulation->n_programs; i++) {
        laxity_sim_decoder_close(&simulation->tasks[i].decoder);
        close_source(simulation, i);
    }
    free((void *)simulation->emulators);
    free(simulation->calls);
    free(simulation->corunners_asked);
    free(simulation->tasks);
}

static void report_progress(struct simulation *simulation, int64_t time_ns)
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
next_record(const struct simulation *simulation, uint32_t task_index)
{
    struct laxity_task *task = laxity_segment_task(simulation->segment, task_index);
    const uint64_t head = laxity_atomic64_load(&task->state.head);
    return &laxity_segment_ring(
        simulation->segment, task_index
    )[head & (simulation->segment->ring_slots - 1)];
}

/* As a task does: a claimed record and a start are the proof of a job that is cut off. */
static int on_start(void *context, const struct laxity_sim_job *job)
{
    struct simulation *simulation = context;
    struct laxity_task *task = laxity_segment_task(simulation->segment, job->task);
    struct laxity_job_record *record = next_record(simulation, job->task);
    *record = (struct laxity_job_record){
        .tid = INT32_MIN, /* there is no kernel that numbers threads */
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

static void tell_full(struct simulation *simulation, int rc)
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
    struct simulation *simulation = context;
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
    record->stall_moved_ns = job->stall_moved_ns;
    record->stall_shared_ns = job->stall_shared_ns;
    atomic_store_explicit(&record->state, LAXITY_RECORD_DONE, memory_order_release);
    laxity_atomic64_store_ns(&task->state.job_start_ns, 0);
    laxity_atomic64_store(&task->state.head, laxity_atomic64_load(&task->state.head) + 1);
    const int rc = laxity_job_stream_drain(&simulation->stream, job->task);
    if (rc) {
        tell_full(simulation, rc);
    }
    report_progress(simulation, job->finish_ns);
    return rc || segment->stop_job.is_found;
}

static void on_pass(void *context, uint32_t index, int64_t finish_ns)
{
    struct laxity_corunner *corunner = program_of(context, index).corunner;
    laxity_atomic64_increment(&corunner->passes);
    corunner->passes_before_t0 += finish_ns <= T0_NS;
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
    struct simulation *simulation = context;
    struct laxity_segment *segment = simulation->segment;
    struct laxity_corunner *corunner = program_of(simulation, task_index).corunner;
    if (corunner) {
        laxity_sim_corunner_died(corunner, end_ns, error->text, &segment->run.error);
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

static bool is_done(const struct simulation *simulation, uint32_t index)
{
    const struct laxity_drain_task *drain = &laxity_segment_task(simulation->segment, index)->drain;
    return drain->end != LAXITY_END_EXIT && drain->end != LAXITY_END_TIMEOUT &&
           drain->next_ordinal == jobs_of(simulation, index);
}

/* A program that has done all that it was asked for tears down, and prints what it has found. */
static void let_end(struct simulation *simulation, uint32_t index)
{
    static uint64_t unused[WORDS];
    const struct laxity_sim_source source = simulation->tasks[index].source;
    while (is_done(simulation, index) && !must_stop(simulation) &&
           source.read(source.context, unused, WORDS) > 0) {
    }
}

/* What the program printed when it was recorded, as if it had done so now; a thread reads it. */
static void print_stored(struct simulation *simulation, uint32_t index)
{
    int *fd = &simulation->launch.output_write_fds[index];
    size_t bytes = 0;
    const char *output = laxity_sim_stored_output(&simulation->tasks[index].source, &bytes);
    while (output && *fd >= 0 && bytes > 0 && is_done(simulation, index)) {
        const ssize_t n = write(*fd, output, bytes);
        if (n < 0 && errno != EINTR) {
            break;
        }
        output += n > 0 ? n : 0;
        bytes -= n > 0 ? (size_t)n : 0;
    }
}

/* All is printed then. */
static void end_programs(struct simulation *simulation)
{
    const bool is_made = simulation->tasks && simulation->emulators;
    for (uint32_t i = 0; is_made && i < simulation->n_programs; i++) {
        if (i < simulation->segment->n_tasks && simulation->emulators[i] &&
            simulation->tasks[i].source.read) {
            let_end(simulation, i);
        }
        print_stored(simulation, i);
        laxity_sim_emulator_stop(simulation->emulators[i]);
        simulation->emulators[i] = NULL;
    }
    laxity_sim_gather_end(&simulation->gather);
}

/* A task may do something else in another run, then: what it is told is not of the model. */
static void tell_asked(const struct simulation *simulation)
{
    for (uint32_t i = 0; i < simulation->n_programs; i++) {
        const struct laxity_asked *asked = simulation->calls[i].asked;
        char names[NAMES_BYTES];
        char text[NOTE_BYTES];
        if (asked->n == 0) {
            continue;
        }
        laxity_sim_calls_tell(asked, names, sizeof names);
        laxity_format(
            text,
            sizeof text,
            "%s \"%s\": not deterministic: it asks the kernel (%s), whose answers may be others "
            "in another run",
            program_of(simulation, i).kind,
            program_of(simulation, i).config->name,
            names
        );
        print_note(text);
    }
}

static void close_run(struct simulation *simulation)
{
    struct laxity_segment *segment = simulation->segment;
    const int exit_code = segment->run.error.exit_code;
    laxity_sim_corunners_stop(segment);
    int rc = laxity_job_stream_close(&simulation->stream, simulation->launch.dir_fd);
    const uint32_t status = exit_code == LAXITY_EXIT_INTERRUPTED ? LAXITY_RUN_INTERRUPTED
                            : exit_code != 0                     ? LAXITY_RUN_FAILED
                                                                 : LAXITY_RUN_COMPLETE;
    atomic_store_explicit(&segment->run.status, status, memory_order_release);
    rc = rc ? rc : laxity_outcome_write(segment, simulation->launch.dir_fd);
    if (rc) {
        /* What was written stays; the segment too, so that the run can be completed. */
        tell_full(simulation, rc);
        return;
    }
    laxity_launch_discard(&simulation->launch);
}

static void simulate(
    const struct laxity_run_plan *plan, const struct settings *settings, struct laxity_error *error
)
{
    static struct simulation simulation;
    simulation = (struct simulation){.plan = plan, .settings = settings};
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
    segment->is_simulated = 1;
    segment->snapshots = LAXITY_SNAPSHOTS_CPU;
    segment->ticks_name[0] = '\0';
    laxity_atomic64_store_ns(&segment->run.t0_ns, T0_NS);
    simulation.limit_ns =
        plan->duration_ns == LAXITY_ABSENT_NS ? INT64_MAX : T0_NS + plan->duration_ns;
    const int rc = laxity_job_stream_open(segment, simulation.launch.dir_fd, &simulation.stream);
    const struct laxity_sim_listener listener = {
        .context = &simulation,
        .on_start = on_start,
        .on_finish = on_finish,
        .on_end = on_end,
        .on_pass = on_pass,
        .must_stop = must_stop,
    };
    if (rc || laxity_sim_gather_begin(&simulation.gather, &simulation.launch)) {
        laxity_error_set(error, LAXITY_EXIT_LACKING, "cannot begin the run");
    }
    if (error->exit_code == 0 && make_tasks(&simulation, error) == 0) {
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
        end_programs(&simulation);
        tell_asked(&simulation);
        note_undecodable(&simulation);
        close_run(&simulation);
        *error = segment->run.error;
        laxity_finish_orphan(segment, plan->parent_fd, plan->run_dir);
    } else {
        end_programs(&simulation);
        laxity_launch_discard(&simulation.launch);
    }
    free_tasks(&simulation);
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
    struct settings settings;
    struct laxity_run_request *request = calloc(1, sizeof *request);
    if (!request) {
        return LAXITY_EXIT_LACKING;
    }
    watch_signals();
    laxity_sim_settle();
    if (argc < 2) {
        laxity_error_set(
            &error, LAXITY_EXIT_USAGE, "started by laxity run --platform sim:NAME, not by hand"
        );
    } else if (laxity_run_options_parse(argc - 2, argv + 2, request, &error) == 0 &&
               laxity_sim_settings_read(argv[1], &settings.platform, &error) == 0 &&
               laxity_sim_settings_read_instructions(argv[1], &settings.instructions, &error) ==
                   0) {
        simulate(&request->plan, &settings, &error);
    }
    if (error.exit_code != 0) {
        print_note(error.text);
    }
    laxity_run_options_free(request);
    free(request);
    return error.exit_code;
}
