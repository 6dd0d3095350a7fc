/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
/*
 * main() of every workload executable: a process of a run, or, started by a user, RT-Bench's
 * command line, which makes it the supervisor of itself.
 */
#include "base/error.h"
#include "base/port/memory.h"
#include "base/port/sched.h"
#include "base/port/time.h"
#include "base/visible.h"
#include "cli/rtbench_counts.h"
#include "cli/rtbench_csv.h"
#include "cli/rtbench_options.h"
#include "cli/rtbench_profile.h"
#include "counters/event.h"
#include "harness/counting.h"
#include "harness/plan.h"
#include "harness/process.h"
#include "harness/role.h"
#include "harness/segment.h"
#include "harness/supervisor.h"
#include "harness/workload_ops.h"
#include "schema/run.h"

#include <laxity/units.h>

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>
#include <time.h>
#include <unistd.h>

enum {
    /* As laxity-run's defaults. */
    STACK_BYTES = 512 * 1024,
    HEAP_BYTES = 1024 * 1024,
    TIMEOUT_PERIODS = 20,
    DATE_BYTES = 32,
    /* RT-Bench kills no job. Under FIFO one that hangs would take the machine along; the rest may
     * take as long as a period may. */
    FIFO_TIMEOUT_S = 60,
    OTHER_TIMEOUT_S = 400 * 24 * 3600,
};

struct session {
    struct laxity_rtbench_options options;
    struct laxity_run_plan plan;
    struct laxity_task_plan task; /* its only one */
    struct laxity_error error;
    struct laxity_counting counting; /* of -M, or of a port that was built to count */
    FILE *csv;                       /* NULL = stdout, or nothing */
    FILE *profile_csv;               /* of -M */
    char executable[PATH_MAX];
    char run_dir[PATH_MAX];
};

static const char *own_name(void)
{
    return program_invocation_short_name;
}

static void print_note(const char *text)
{
    laxity_write_message(own_name(), text);
}

/* In files, not in memory: a run until SIGINT has no known length. */
static int make_run_dir(struct session *session)
{
    /* NOLINTNEXTLINE(concurrency-mt-unsafe): one thread */
    const char *const places[] = {getenv("TMPDIR"), "/tmp", "/dev/shm"};
    for (size_t i = 0; i < sizeof places / sizeof places[0]; i++) {
        if (!places[i] || places[i][0] == '\0') {
            continue;
        }
        laxity_format(
            session->run_dir, sizeof session->run_dir, "%s/laxity-rtbench-XXXXXX", places[i]
        );
        if (mkdtemp(session->run_dir)) {
            return 0;
        }
    }
    session->run_dir[0] = '\0';
    return laxity_refuse(
        &session->error,
        LAXITY_EXIT_LACKING,
        "cannot make a temporary directory: %s; set TMPDIR",
        strerrordesc_np(errno)
    );
}

/* A segment that could not be drained (output full) has its file elsewhere. */
static void remove_segment(int dir_fd)
{
    char path[PATH_MAX];
    const ssize_t length = readlinkat(dir_fd, "segment", path, sizeof path - 1);
    if (length > 0) {
        path[length] = '\0';
        (void)unlink(path);
    }
}

static void remove_run_dir(const struct session *session)
{
    if (session->run_dir[0] == '\0') {
        return;
    }
    const int dir_fd = open(session->run_dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    DIR *dir = dir_fd < 0 ? NULL : fdopendir(dir_fd);
    if (!dir) {
        return;
    }
    remove_segment(dir_fd);
    const struct dirent *entry = NULL;
    /* NOLINTNEXTLINE(concurrency-mt-unsafe): one thread */
    while ((entry = readdir(dir))) {
        (void)unlinkat(dir_fd, entry->d_name, 0); /* fails on "." and "..", as it should */
    }
    (void)closedir(dir);
    (void)rmdir(session->run_dir);
}

static int open_output(struct session *session, const char *path, const char *mode, FILE **out_file)
{
    *out_file = fopen(path, mode);
    if (!*out_file) {
        return laxity_refuse(
            &session->error,
            LAXITY_EXIT_USAGE,
            "cannot write %.120s: %s; choose another -o",
            path,
            strerrordesc_np(errno)
        );
    }
    return 0;
}

/* NAME.csv -> NAME_perf_profile.csv */
static int open_profile(struct session *session)
{
    static const char suffix[] = ".csv";
    char path[PATH_MAX];
    const char *csv_path = session->options.csv_path;
    const int length = (int)(strlen(csv_path) - strlen(suffix));
    laxity_format(path, sizeof path, "%.*s_perf_profile%s", length, csv_path, suffix);
    return open_output(session, path, "we", &session->profile_csv);
}

/* A port's log file, which its process opens for itself and goes on with: NAME.csv -> NAME.log. */
static int begin_log(struct session *session)
{
    static const char suffix[] = ".csv";
    const char *csv_path = session->options.csv_path;
    const int length = (int)(strlen(csv_path) - strlen(suffix));
    char path[PATH_MAX];
    char date[DATE_BYTES];
    const time_t now = time(NULL);
    struct tm local;
    FILE *log = NULL;
    if (strcmp(csv_path, LAXITY_RTBENCH_CSV_PATH) == 0) {
        laxity_format(path, sizeof path, "./benchmark.log");
    } else {
        laxity_format(path, sizeof path, "%.*s.log", length, csv_path);
    }
    if (open_output(session, path, "ae", &log)) {
        return -1;
    }
    (void)strftime(date, sizeof date, "%Y-%m-%dT%H:%M:%S", localtime_r(&now, &local));
    (void)fprintf(log, "\n\tNEW RUN AT: %s\n", date);
    (void)fclose(log);
    /* NOLINTNEXTLINE(concurrency-mt-unsafe): one thread */
    (void)setenv(LAXITY_LOG_FILE_VARIABLE, path, 1);
    return 0;
}

/* Before any job runs, so that an unwritable path costs no measurement. */
static int open_outputs(struct session *session)
{
    if (session->options.level == LAXITY_RTBENCH_FILE &&
        open_output(session, session->options.csv_path, "we", &session->csv)) {
        return -1;
    }
    if (laxity_workload_ops()->has_log_file && begin_log(session)) {
        return -1;
    }
    return session->options.is_profiling ? open_profile(session) : 0;
}

static int find_executable(struct session *session)
{
    const ssize_t length =
        readlink("/proc/self/exe", session->executable, sizeof session->executable - 1);
    if (length < 0) {
        return laxity_refuse(
            &session->error,
            LAXITY_EXIT_LACKING,
            "cannot read /proc/self/exe: %s; mount /proc",
            strerrordesc_np(errno)
        );
    }
    session->executable[length] = '\0';
    return 0;
}

static enum laxity_policy policy_of(const struct laxity_rtbench_options *options)
{
    if (options->reservation.runtime_ns > 0) {
        return LAXITY_POLICY_DEADLINE;
    }
    return options->priority > 0 ? LAXITY_POLICY_FIFO : LAXITY_POLICY_OTHER;
}

static int64_t job_timeout_ns(const struct laxity_rtbench_options *options)
{
    if (policy_of(options) == LAXITY_POLICY_OTHER) {
        return (int64_t)OTHER_TIMEOUT_S * LAXITY_NS_PER_S;
    }
    const int64_t least_ns = (int64_t)FIFO_TIMEOUT_S * LAXITY_NS_PER_S;
    const int64_t wanted_ns = TIMEOUT_PERIODS * options->period_ns;
    return wanted_ns > least_ns ? wanted_ns : least_ns;
}

/* A run that was to count and cannot is no result: RT-Bench's harness refuses it, too. What only
 * some events lack the run tells itself. */
static int refuse_uncounted(struct session *session)
{
    char reason[LAXITY_ERROR_TEXT_BYTES];
    const uint32_t first = LAXITY_RTBENCH_L1_REFERENCES;
    laxity_explain_counter_refusal(session->counting.refusals[first], reason, sizeof reason);
    return laxity_refuse(
        &session->error,
        LAXITY_EXIT_LACKING,
        "none of RT-Bench's events can be counted: %s; %s",
        reason,
        session->options.is_profiling ? "leave -M out" : "build the port without CORE and FEAT_PERF"
    );
}

static int prepare_counting(struct session *session)
{
    struct laxity_counting *counting = &session->counting;
    if (!session->options.is_profiling && !laxity_workload_ops()->counts_events) {
        return 0;
    }
    counting->n_events = LAXITY_RTBENCH_COUNTS;
    if (laxity_rtbench_resolve_counts(counting->events, &session->error)) {
        return -1;
    }
    struct laxity_counting tried = *counting;
    laxity_try_counters(&tried);
    memcpy(counting->refusals, tried.refusals, sizeof tried.refusals);
    for (uint32_t i = 0; i < tried.n_events; i++) {
        if (tried.events[i].platform_event[0] != '\0') {
            return 0;
        }
    }
    return refuse_uncounted(session);
}

static void plan_counting(struct session *session)
{
    const struct laxity_rtbench_options *options = &session->options;
    struct laxity_run_plan *plan = &session->plan;
    memcpy(plan->events, session->counting.events, sizeof plan->events);
    plan->n_events = session->counting.n_events;
    plan->sample_bucket_ns =
        options->is_profiling ? options->profiling_bucket_ns : LAXITY_ABSENT_NS;
    plan->sample_cpu = options->profiling_cpu;
}

/* Whether the address space has room for it, too (RLIMIT_AS, RLIMIT_DATA). */
static bool can_prefault(uint64_t bytes, uint64_t available_bytes)
{
    if (bytes > available_bytes || bytes > SIZE_MAX / 2) {
        return false;
    }
    void *volatile room = malloc((size_t)bytes); /* or the compiler takes it for given */
    free(room);
    return room != NULL;
}

/* What -m allows is present before the first job, as RT-Bench's paper (3.1) has it: then no job has
 * its first faults. The usual heap on top holds what the allocator itself needs. */
static uint64_t heap_bytes(const struct laxity_rtbench_options *options)
{
    const uint64_t limit_bytes = options->memory_limit_bytes;
    const uint64_t available_bytes = laxity_available_bytes("/proc", "/sys/fs/cgroup");
    char text[LAXITY_ERROR_TEXT_BYTES];
    char limit[LAXITY_BYTES_TEXT_BYTES];
    char available[LAXITY_BYTES_TEXT_BYTES];
    char usual[LAXITY_BYTES_TEXT_BYTES];
    if (limit_bytes == 0) {
        return HEAP_BYTES;
    }
    if (limit_bytes < UINT64_MAX - HEAP_BYTES &&
        can_prefault(limit_bytes + HEAP_BYTES, available_bytes)) {
        return limit_bytes + HEAP_BYTES;
    }
    laxity_format(
        text,
        sizeof text,
        "-m: %s are not prefaulted (available: %s), only %s of heap; jobs that use more have page "
        "faults",
        laxity_format_bytes(limit_bytes, limit),
        available_bytes == UINT64_MAX ? "not known"
                                      : laxity_format_bytes(available_bytes, available),
        laxity_format_bytes(HEAP_BYTES, usual)
    );
    print_note(text);
    return HEAP_BYTES;
}

static void fill_plan(struct session *session)
{
    const struct laxity_rtbench_options *options = &session->options;
    struct laxity_task_config *config = &session->task.config;
    session->plan.run_dir = session->run_dir;
    session->plan.duration_ns = LAXITY_ABSENT_NS;
    session->plan.seed = 1;
    session->plan.snapshots = LAXITY_SNAPSHOTS_NONE; /* no column of RT-Bench's needs one */
    const bool needs_all = options->level != LAXITY_RTBENCH_ERRORS || options->is_profiling;
    session->plan.keep = needs_all ? LAXITY_KEEP_ALL : LAXITY_KEEP_MISSES;
    plan_counting(session);
    session->plan.progress_fd = -1;
    session->plan.parent_fd = -1;
    session->plan.launcher = options->launcher;
    session->plan.n_tasks = 1;
    session->plan.tasks = &session->task;
    session->task.path = session->executable;
    session->task.words = options->words;
    *config = (struct laxity_task_config){
        .process =
            {
                .cpus = options->cpus,
                .policy = policy_of(options),
                .priority = (int32_t)options->priority,
                /* What the workload printed follows on stderr. */
                .advice = {"", ", or leave -f out"},
                .reservation = options->reservation,
            },
        .period_ns = options->period_ns,
        .deadline_ns = options->deadline_ns,
        .job_timeout_ns = job_timeout_ns(options),
        .jobs = options->jobs,
        .stack_bytes = STACK_BYTES,
        .heap_bytes = heap_bytes(options),
        .memory_limit_bytes = options->memory_limit_bytes,
        .overrun = LAXITY_OVERRUN_SKIP,
        .threads = 1,
        .log_level = (uint32_t)options->level,
    };
    laxity_format(config->process.name, sizeof config->process.name, "%s", own_name());
}

/* What the workload printed, after the jobs: stdout is the CSV's alone. It reaches a file as it is,
 * a terminal as text. */
static void repeat_output(const struct session *session)
{
    char path[PATH_MAX + sizeof "/output.log"];
    laxity_format(path, sizeof path, "%s/output.log", session->run_dir);
    FILE *log = fopen(path, "re");
    if (!log) {
        return;
    }
    const bool is_terminal = isatty(STDERR_FILENO) != 0;
    char *line = NULL;
    size_t room = 0;
    /* The first line is a heading, "== NAME ==". */
    ssize_t bytes = getline(&line, &room, log);
    while (bytes > 0 && (bytes = getline(&line, &room, log)) > 0) {
        if (is_terminal) {
            laxity_write_visible(stderr, line, (size_t)bytes);
        } else {
            (void)fwrite(line, 1, (size_t)bytes, stderr);
        }
    }
    free(line);
    (void)fclose(log);
}

/* Whoever was interrupted before t0 has no samples, and a profile of its header alone. */
static struct laxity_rtbench_profile *open_samples(const struct session *session)
{
    struct laxity_rtbench_profile *profile = NULL;
    if (session->profile_csv) {
        (void)laxity_rtbench_profile_open(session->run_dir, &profile);
    }
    return profile;
}

static void note_lost_samples(const struct session *session)
{
    const int64_t lost = session->profile_csv ? laxity_rtbench_lost_samples(session->run_dir) : 0;
    char text[LAXITY_ERROR_TEXT_BYTES];
    if (lost > 0) {
        laxity_format(
            text,
            sizeof text,
            "%lld samples came late and are not in the profile; a longer -B loses fewer",
            (long long)lost
        );
        print_note(text);
    }
}

/* Returns 0 or -errno. */
static int close_output(FILE **file, int rc)
{
    if (*file && fclose(*file) != 0 && rc == 0) {
        rc = -errno;
    }
    *file = NULL;
    return rc;
}

static void write_jobs(struct session *session)
{
    const struct laxity_rtbench_format format = {
        .level = session->options.level,
        .period_ns = session->options.period_ns,
        .rate_hz = laxity_rtbench_rate_hz(session->run_dir),
        .hides_skipped = laxity_workload_ops()->hides_skipped,
        .events = session->counting.n_events > 0 ? session->counting.events : NULL,
        .profile = open_samples(session),
    };
    FILE *out = session->csv ? session->csv : stdout;
    int rc = laxity_rtbench_write_jobs(session->run_dir, &format, out);
    if (rc == 0 && session->profile_csv) {
        rc = laxity_rtbench_profile_write(format.profile, session->profile_csv);
    }
    laxity_rtbench_profile_close(format.profile);
    note_lost_samples(session);
    rc = close_output(&session->csv, rc);
    rc = close_output(&session->profile_csv, rc);
    if (rc) {
        laxity_error_set(
            &session->error,
            LAXITY_EXIT_LACKING,
            "cannot write all jobs: %s; the CSV is incomplete",
            strerrordesc_np(-rc)
        );
    }
}

static void run(struct session *session)
{
    (void)laxity_supervise(&session->plan, print_note, &session->error);
    /* The supervisor was above its task, and what follows is not urgent. */
    (void)laxity_set_policy(LAXITY_POLICY_OTHER, 0);
    repeat_output(session);
    if (session->error.exit_code == LAXITY_EXIT_INTERRUPTED) {
        /* RT-Bench's way to end a run without -t. */
        if (session->options.level >= LAXITY_RTBENCH_HUMAN) {
            print_note(session->error.text);
        }
        session->error.exit_code = LAXITY_EXIT_DONE;
    }
    write_jobs(session);
}

/* From here on a signal waits for the supervisor, which keeps what was measured. */
static void hold_signals(void)
{
    sigset_t signals;
    sigemptyset(&signals);
    sigaddset(&signals, SIGINT);
    sigaddset(&signals, SIGTERM);
    sigaddset(&signals, SIGHUP);
    (void)pthread_sigmask(SIG_BLOCK, &signals, NULL);
}

static void start(struct session *session, int argc, char **argv)
{
    if (laxity_rtbench_options_parse(argc, argv, &session->options, &session->error)) {
        return;
    }
    if (session->options.question == LAXITY_RTBENCH_HELP) {
        laxity_rtbench_print_help(own_name());
        return;
    }
    if (session->options.question == LAXITY_RTBENCH_USAGE) {
        laxity_rtbench_print_usage(own_name());
        return;
    }
    hold_signals();
    if (find_executable(session) || prepare_counting(session) || open_outputs(session) ||
        make_run_dir(session)) {
        return;
    }
    fill_plan(session);
    run(session);
}

/* Options → run of one task in a temporary directory → CSV. Returns the exit code: 0 also when
 * stopped by a signal, as RT-Bench by SIGINT. */
static int run_by_user(int argc, char **argv)
{
    struct session *session = calloc(1, sizeof *session);
    if (!session) {
        return LAXITY_EXIT_LACKING;
    }
    start(session, argc, argv);
    if (session->error.exit_code != 0) {
        print_note(session->error.text);
    }
    (void)close_output(&session->csv, 0);
    (void)close_output(&session->profile_csv, 0);
    remove_run_dir(session);
    laxity_rtbench_options_free(&session->options);
    const int exit_code = session->error.exit_code;
    free(session);
    return exit_code;
}

int main(int argc, char **argv)
{
    const bool is_of_a_run = laxity_has_role(argc, argv);
    if (is_of_a_run && laxity_workload_ops()->hand_over) {
        laxity_workload_ops()->hand_over(argv);
    }
    return is_of_a_run ? laxity_workload_main(argc, argv) : run_by_user(argc, argv);
}
