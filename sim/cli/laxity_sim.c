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
#include "cli/calls.h"
#include "cli/gather.h"
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
#include <fcntl.h>
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
#include <sys/resource.h>
#include <unistd.h>

enum {
    /* Of the first release: 0 would mean that nothing was released. */
    T0_NS = LAXITY_NS_PER_S,
    JOBS_TEXT_BYTES = 24,
    PROGRESS_EVERY_NS = 200 * LAXITY_NS_PER_MS,
    PROGRESS_BYTES = 128,
    STACK_BYTES = 8 << 20, /* as the emulator is told */
    WORDS = 4096,
    NAMES_BYTES = LAXITY_ASKED_CALLS * (LAXITY_ASKED_BYTES + 2),
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
    struct laxity_sim_task *tasks;
    struct laxity_sim_emulator **emulators; /* of the tasks */
    struct laxity_sim_calls *calls;         /* likewise */
    struct laxity_sim_gather gather;
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
static bool must_stop(void *context)
{
    const struct laxity_run_plan *plan = ((const struct simulation *)context)->plan;
    struct pollfd parent = {.fd = plan->parent_fd};
    return is_interrupted || (poll(&parent, 1, 0) > 0 && (parent.revents & (POLLHUP | POLLERR)));
}

/* How many jobs a program is asked for: as many as can start. */
static uint64_t jobs_of(const struct simulation *simulation, uint32_t index)
{
    const struct laxity_task *task = laxity_segment_task(simulation->segment, index);
    if (simulation->limit_ns == INT64_MAX) {
        return task->config.jobs > 0 ? task->config.jobs : UINT64_MAX;
    }
    const struct laxity_releases releases = laxity_task_releases(simulation->segment, task);
    const uint64_t released = laxity_released_before(&releases, simulation->limit_ns);
    return task->config.jobs > 0 && task->config.jobs < released ? task->config.jobs : released;
}

/* Words behind the emulator's: the program, how many jobs, its own. NULL: no memory. */
static char **command_of(const struct simulation *simulation, uint32_t index)
{
    const struct laxity_task_plan *task = &simulation->plan->tasks[index];
    const struct laxity_words *emulator = &simulation->plan->launcher;
    char **argv = (char **)calloc(emulator->n + task->words.n + 3, sizeof *argv);
    char *jobs = malloc(JOBS_TEXT_BYTES);
    if (!argv || !jobs) {
        free((void *)argv);
        free(jobs);
        return NULL;
    }
    /* Always as long: words lie on the stack of the program, and move it. */
    laxity_format(jobs, JOBS_TEXT_BYTES, "%020" PRIu64, jobs_of(simulation, index));
    memcpy((void *)argv, (const void *)emulator->items, emulator->n * sizeof *argv);
    unsigned n = emulator->n;
    argv[n++] = task->path;
    argv[n++] = jobs;
    memcpy((void *)&argv[n], (const void *)task->words.items, task->words.n * sizeof *argv);
    return argv;
}

static void free_command(const struct simulation *simulation, char **argv)
{
    if (argv) {
        free(argv[simulation->plan->launcher.n + 1]);
        free((void *)argv);
    }
}

/* 0, or -1 with error set. */
static int start_program(struct simulation *simulation, uint32_t index, struct laxity_error *error)
{
    char **argv = command_of(simulation, index);
    int *output_fd = &simulation->launch.output_write_fds[index];
    const int rc =
        argv ? laxity_sim_emulator_start(argv, *output_fd, &simulation->emulators[index]) : ENOMEM;
    free_command(simulation, argv);
    (void)close(*output_fd);
    *output_fd = -1;
    if (rc) {
        return laxity_refuse(
            error,
            LAXITY_EXIT_LACKING,
            "%.100s: cannot be started: %s",
            simulation->plan->launcher.items[0],
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
    laxity_format(stream, sizeof stream, "%s.lxs", simulation->plan->tasks[index].path);
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
        .program = simulation->plan->tasks[index].path,
        .cycle_ticks = instructions->cycle_ticks,
    };
    return laxity_sim_decoder_open(&options, &simulation->tasks[index].decoder, error);
}

static uint64_t cores_of(const struct laxity_task_config *config)
{
    uint64_t cores = 0;
    const unsigned end = laxity_cpus_end(&config->process.cpus);
    for (unsigned cpu = 0; cpu < end && cpu < LAXITY_SIM_CORES_MAX; cpu++) {
        cores |= (uint64_t)laxity_cpus_has(&config->process.cpus, cpu) << cpu;
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

/* 0, or -1 with error set. */
static int make_tasks(struct simulation *simulation, struct laxity_error *error)
{
    const uint32_t n_tasks = simulation->segment->n_tasks;
    simulation->tasks = calloc(n_tasks, sizeof *simulation->tasks);
    simulation->emulators =
        (struct laxity_sim_emulator **)calloc(n_tasks, sizeof *simulation->emulators);
    simulation->calls = calloc(n_tasks, sizeof *simulation->calls);
    if (!simulation->tasks || !simulation->emulators || !simulation->calls) {
        return laxity_refuse(error, LAXITY_EXIT_LACKING, "cannot begin the run: no memory");
    }
    for (uint32_t i = 0; i < n_tasks; i++) {
        struct laxity_task *task = laxity_segment_task(simulation->segment, i);
        struct laxity_sim_calls *calls = &simulation->calls[i];
        if (laxity_sim_calls_open(calls, &task->asked, simulation->plan->tasks[i].path, error) ||
            open_source(simulation, i, error)) {
            return -1;
        }
        simulation->tasks[i] = (struct laxity_sim_task){
            .source = simulation->tasks[i].source,
            .judge = laxity_sim_calls_judge(calls),
            .releases = laxity_task_releases(simulation->segment, task),
            .priority = task->config.process.priority,
            .reservation = reservation_of(&task->config.process),
            .cores = cores_of(&task->config),
            .jobs = task->config.jobs,
            .timeout_ns = task->config.job_timeout_ns,
        };
        if (open_decoder(simulation, i, error)) {
            return -1;
        }
    }
    return 0;
}

/* A program with instructions that the processor's tables do not have is worth a look. */
static void note_undecodable(const struct simulation *simulation)
{
    for (uint32_t i = 0; i < simulation->segment->n_tasks; i++) {
        const struct laxity_sim_decoder *decoder = &simulation->tasks[i].decoder;
        struct laxity_sim_decoder_stats stats = {.undecodable = 0};
        if (decoder->context) {
            laxity_sim_decoder_read_stats(decoder, &stats);
        }
        if (stats.undecodable > 0) {
            char text[NOTE_BYTES];
            laxity_format(
                text,
                sizeof text,
                "task \"%.60s\": %" PRIu64 " of %" PRIu64
                " instructions cannot be decoded and take instruction_cycles",
                laxity_segment_task(simulation->segment, i)->config.process.name,
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
    for (uint32_t i = 0; is_made && i < simulation->segment->n_tasks; i++) {
        laxity_sim_decoder_close(&simulation->tasks[i].decoder);
        close_source(simulation, i);
    }
    free((void *)simulation->emulators);
    free(simulation->calls);
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

static void on_end(
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
    if (error->exit_code != 0) {
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
    for (uint32_t i = 0;
         simulation->tasks && simulation->emulators && i < simulation->segment->n_tasks;
         i++) {
        if (simulation->emulators[i] && simulation->tasks[i].source.read) {
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
    for (uint32_t i = 0; i < simulation->segment->n_tasks; i++) {
        const struct laxity_task *task = laxity_segment_task(simulation->segment, i);
        char names[NAMES_BYTES];
        char text[NOTE_BYTES];
        if (task->asked.n == 0) {
            continue;
        }
        laxity_sim_calls_tell(&task->asked, names, sizeof names);
        laxity_format(
            text,
            sizeof text,
            "task \"%s\": not deterministic: it asks the kernel (%s), whose answers may be others "
            "in another run",
            task->config.process.name,
            names
        );
        print_note(text);
    }
}

static void close_run(struct simulation *simulation)
{
    struct laxity_segment *segment = simulation->segment;
    const int exit_code = segment->run.error.exit_code;
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
    if (plan->n_corunners > 0) {
        laxity_error_set(error, LAXITY_EXIT_USAGE, "co-runners cannot be simulated yet");
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
    const struct laxity_sim_listener listener = {
        .context = &simulation,
        .on_start = on_start,
        .on_finish = on_finish,
        .on_end = on_end,
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
            plan->n_tasks,
            simulation.limit_ns,
            &listener,
            &totals
        );
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

/* Programs are started as if from one and the same place: the C library looks at the limit of the
 * stack, and files get numbers in their order. */
static void settle(void)
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
    settle();
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
