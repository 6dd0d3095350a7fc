/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
#include "harness/own_program.h"

#include "base/cpus.h"
#include "base/error.h"
#include "base/port/atomic64.h"
#include "base/port/file.h"
#include "base/port/sched.h"
#include "base/port/threads.h"
#include "base/port/time.h"
#include "harness/own_jobs.h"
#include "harness/placement.h"
#include "harness/release.h"
#include "harness/role.h"
#include "harness/segment.h"
#include "harness/stop_on.h"
#include "schema/run.h"

#include <laxity/job.h>

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <unistd.h>

enum {
    PASS_NS = 2 * LAXITY_NS_PER_MS, /* how late a job's end is seen; the ring holds many more */
    TERM_GRACE_NS = LAXITY_NS_PER_S,
    COLLECTOR_BYTES = 48,
    CANNOT_START = 127,
    NS_PER_US = 1000,
    /* Behind the killer. No soft limit of its own: its signal would end a program at once. */
    RTTIME_MARGIN_US = 5 * 1000000,
    CALIBRATION_PAIRS = 51,
    CALIBRATION_SLEEP_NS = 5 * LAXITY_NS_PER_MS,
};

struct relay {
    struct laxity_segment *segment;
    struct laxity_task *task;
    uint32_t index;
    int segment_fd;
    char **words; /* the program and what it is told, NULL at the end */
    pid_t pid;
    int wait_status;
    uint64_t judged; /* records, whether the run stops on them */
};

static volatile sig_atomic_t stop;

static void on_term(int signal_number)
{
    (void)signal_number;
    stop = 1;
}

static bool must_stop(const struct relay *relay)
{
    return stop || atomic_load_explicit(&relay->segment->run.stop, memory_order_relaxed) != 0;
}

static int compare_values(const void *left, const void *right)
{
    const int64_t a = *(const int64_t *)left;
    const int64_t b = *(const int64_t *)right;
    return (a > b) - (a < b);
}

/* What an empty job of job.h leaves in its execution time; the ring is emptied again. */
static void calibrate(const struct relay *relay, struct laxity_job_ring *ring)
{
    int64_t exec_ns[CALIBRATION_PAIRS];
    int64_t wall_ns[CALIBRATION_PAIRS];
    struct laxity_task_state *state = &relay->task->state;
    const int64_t period_ns = relay->task->config.period_ns;
    if (relay->segment->snapshots == LAXITY_SNAPSHOTS_NONE) {
        return;
    }
    laxity_job_state.ring = ring;
    laxity_job_state.mode = LAXITY_JOB_COLLECTED;
    for (unsigned i = 0; i < CALIBRATION_PAIRS; i++) {
        laxity_pause_ns(period_ns < CALIBRATION_SLEEP_NS ? period_ns : CALIBRATION_SLEEP_NS);
        const int64_t begin_ns = laxity_now_ns();
        laxity_job_start();
        laxity_job_finish();
        wall_ns[i] = laxity_now_ns() - begin_ns;
        exec_ns[i] = ring->current.exec_ns - (ring->current.finish_ns - ring->current.start_ns);
    }
    laxity_job_state = (struct laxity_job_state){LAXITY_JOB_NO_COLLECTOR, 0, NULL};
    qsort(exec_ns, CALIBRATION_PAIRS, sizeof exec_ns[0], compare_values);
    qsort(wall_ns, CALIBRATION_PAIRS, sizeof wall_ns[0], compare_values);
    state->snapshot_exec_ns = exec_ns[CALIBRATION_PAIRS / 2];
    state->snapshot_wall_ns = wall_ns[CALIBRATION_PAIRS / 2];
    state->snapshot_n = CALIBRATION_PAIRS;
}

static void refuse_program(const struct relay *relay, int error_number)
{
    laxity_error_set(
        &relay->task->state.process.error,
        LAXITY_EXIT_USAGE,
        "task \"%s\": cannot start \"%.80s\": %s; build it or correct program",
        relay->task->config.process.name,
        relay->words[0],
        strerrordesc_np(error_number)
    );
}

/* What the program will be given is tried here: a refusal is told before the run begins. Then the
 * relay goes back, so that it delays no job. */
static int prepare(const struct relay *relay)
{
    const struct laxity_process_config *config = &relay->task->config.process;
    struct laxity_process_state *state = &relay->task->state.process;
    struct laxity_job_ring *ring = laxity_own_ring(relay->segment, relay->index);
    struct laxity_cpus aside;
    if (access(relay->words[0], X_OK) != 0) {
        refuse_program(relay, errno);
        return -1;
    }
    const bool has_aside = laxity_get_affinity(&aside) == 0;
    if (laxity_apply_placement(config, state) || laxity_apply_policy(config, state)) {
        return -1;
    }
    laxity_note_placement(config, state);
    laxity_own_ring_open(ring, relay->segment->snapshots);
    calibrate(relay, ring);
    laxity_own_ring_open(ring, relay->segment->snapshots);
    (void)laxity_set_policy(LAXITY_POLICY_OTHER, 0);
    if (has_aside) {
        (void)laxity_set_affinity(&aside);
    }
    return 0;
}

/* Returns 0 or -errno. */
static int give_policy(const struct relay *relay)
{
    const struct laxity_task_config *config = &relay->task->config;
    const enum laxity_policy policy = relay->task->state.process.policy;
    char reason[LAXITY_ERROR_TEXT_BYTES];
    if (policy == LAXITY_POLICY_OTHER) {
        return 0;
    }
    if (policy != LAXITY_POLICY_DEADLINE) {
        const uint64_t limit_us = (uint64_t)config->job_timeout_ns / NS_PER_US + RTTIME_MARGIN_US;
        (void)laxity_limit_rt_time(limit_us, limit_us);
    }
    return laxity_enter_policy(&config->process, reason, sizeof reason);
}

/* In the child: becomes the program, or says in the pipe why not. */
static void become_program(const struct relay *relay, pid_t parent, int failure_fd)
{
    char collector[COLLECTOR_BYTES];
    const uint64_t offset = laxity_own_ring_offset(relay->segment, relay->index);
    laxity_format(collector, sizeof collector, "%d,%" PRIu64, relay->segment_fd, offset);
    (void)setpgid(0, 0); /* what it starts itself ends with it */
    (void)prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent) {
        _exit(CANNOT_START);
    }
    int rc = laxity_set_affinity(&relay->task->config.process.cpus);
    rc = rc ? rc : give_policy(relay);
    if (rc == 0) {
        (void
        )setenv(LAXITY_JOB_COLLECTOR, collector, 1); /* NOLINT(concurrency-mt-unsafe): one thread */
        (void)execv(relay->words[0], relay->words);
        rc = -errno;
    }
    (void)!write(failure_fd, &rc, sizeof rc);
    _exit(CANNOT_START);
}

/* Returns 0 when the program runs, or -1 with the error set. */
static int start_program(struct relay *relay)
{
    int failure_fds[2];
    int rc = 0;
    if (pipe2(failure_fds, O_CLOEXEC) != 0) {
        refuse_program(relay, errno);
        return -1;
    }
    const pid_t parent = getpid();
    relay->pid = fork();
    if (relay->pid == 0) {
        become_program(relay, parent, failure_fds[1]);
    }
    if (relay->pid < 0) {
        rc = -errno;
    }
    (void)close(failure_fds[1]);
    /* The pipe is closed by a successful exec. */
    if (rc == 0 && read(failure_fds[0], &rc, sizeof rc) == (ssize_t)sizeof rc) {
        (void)waitpid(relay->pid, &relay->wait_status, 0);
    } else if (rc == 0) {
        atomic_store(&relay->task->state.program_pid, relay->pid);
    }
    (void)close(failure_fds[0]);
    if (rc) {
        refuse_program(relay, -rc);
        return -1;
    }
    return 0;
}

/* Of the program: its main thread, also once it has ended and is not reaped, and the one that makes
 * its jobs. */
static void find_displaced(const struct relay *relay)
{
    const struct laxity_process_config *config = &relay->task->config.process;
    struct laxity_process_state *state = &relay->task->state.process;
    const uint64_t head = laxity_atomic64_load(&relay->task->state.head);
    laxity_find_displaced(config, state, relay->pid, 0, state->displaced);
    if (head > 0) {
        const struct laxity_job_record *ring = laxity_segment_ring(relay->segment, relay->index);
        const int32_t tid = ring[(head - 1) & (relay->segment->ring_slots - 1)].tid;
        if (tid != relay->pid && laxity_is_thread_of(relay->pid, tid)) {
            laxity_find_displaced(config, state, tid, 0, state->displaced);
        }
    }
}

/* Whether the program has ended; then it is gone, with what it started. */
static bool has_ended(struct relay *relay)
{
    find_displaced(relay);
    siginfo_t info = {.si_pid = 0};
    /* Its number stays taken until nobody can kill by it any more. */
    if (waitid(P_PID, (id_t)relay->pid, &info, WEXITED | WNOHANG | WNOWAIT) != 0 ||
        info.si_pid == 0) {
        return false;
    }
    atomic_store(&relay->task->state.program_pid, 0);
    (void)kill(-relay->pid, SIGKILL);
    (void)waitpid(relay->pid, &relay->wait_status, 0);
    return true;
}

/* Asks the program to end, and makes it. Jobs that start from now on are none of the run. */
static void end_program(struct relay *relay, int64_t until_ns)
{
    const int64_t asked_ns = laxity_now_ns();
    bool is_killed = false;
    (void)kill(relay->pid, SIGTERM);
    while (!has_ended(relay)) {
        (void)laxity_own_jobs_take(relay->segment, relay->index, until_ns);
        laxity_pause_ns(PASS_NS);
        if (!is_killed && laxity_now_ns() - asked_ns > TERM_GRACE_NS) {
            is_killed = true;
            (void)kill(-relay->pid, SIGKILL);
            (void)kill(relay->pid, SIGKILL); /* it may have left its group */
        }
    }
    if (is_killed) {
        laxity_add_fallback(
            &relay->task->state.process,
            "end by SIGTERM",
            "SIGKILL",
            "the program went on for 1 s; let it end at SIGTERM"
        );
    }
}

static void end_loop(const struct relay *relay, enum laxity_end end, int64_t end_ns)
{
    relay->task->state.end_ns = end_ns;
    atomic_store_explicit(&relay->task->state.end, end, memory_order_release);
}

static int64_t last_finish_ns(const struct relay *relay)
{
    const uint64_t head = laxity_atomic64_load(&relay->task->state.head);
    const struct laxity_job_record *ring = laxity_segment_ring(relay->segment, relay->index);
    return head == 0 ? laxity_now_ns()
                     : ring[(head - 1) & (relay->segment->ring_slots - 1)].finish_ns;
}

static bool is_in_job(const struct relay *relay)
{
    return laxity_atomic64_load_ns(&relay->task->state.job_start_ns) != 0;
}

/* Why a program that ended with code 0 has measured nothing. */
static void tell_no_job(const struct relay *relay)
{
    const struct laxity_job_ring *ring = laxity_own_ring(relay->segment, relay->index);
    struct laxity_error *error = &relay->task->state.process.error;
    if (ring->program_version != 0 && ring->program_version != LAXITY_JOB_VERSION) {
        laxity_error_set(
            error,
            LAXITY_EXIT_VIOLATED,
            "built with version %u of laxity/job.h, this laxity reads %u; rebuild it",
            (unsigned)ring->program_version,
            (unsigned)LAXITY_JOB_VERSION
        );
        return;
    }
    laxity_error_set(
        error,
        LAXITY_EXIT_VIOLATED,
        "made no job; call laxity_job_start and laxity_job_finish of laxity/job.h around each, or "
        "write exec in place of program: each job is then a process"
    );
}

/* The program ended by itself: the relay ends alike, so that the supervisor judges what it saw. */
static int end_as_program(const struct relay *relay)
{
    const int status = relay->wait_status;
    const struct laxity_job_ring *ring = laxity_own_ring(relay->segment, relay->index);
    if (WIFSIGNALED(status)) {
        const struct rlimit no_core = {0, 0};
        (void)setrlimit(RLIMIT_CORE, &no_core);
        (void)signal(WTERMSIG(status), SIG_DFL);
        (void)raise(WTERMSIG(status));
    }
    if (WEXITSTATUS(status) != 0 || is_in_job(relay)) {
        return WEXITSTATUS(status);
    }
    if (ring->next_job == 0) {
        tell_no_job(relay);
        return LAXITY_EXIT_VIOLATED;
    }
    end_loop(relay, LAXITY_END_EXIT, laxity_now_ns());
    return LAXITY_EXIT_DONE;
}

static int64_t duration_end_ns(const struct relay *relay)
{
    const int64_t duration_ns = relay->segment->duration_ns;
    return duration_ns == LAXITY_ABSENT_NS
               ? INT64_MAX
               : laxity_atomic64_load_ns(&relay->segment->run.t0_ns) + duration_ns;
}

/* Whether the run stops on one of the jobs that were taken since the last call. */
static bool stops_run(struct relay *relay)
{
    const struct laxity_releases releases = laxity_task_releases(relay->segment, relay->task);
    const struct laxity_job_record *ring = laxity_segment_ring(relay->segment, relay->index);
    const uint64_t head = laxity_atomic64_load(&relay->task->state.head);
    bool is_met = false;
    for (; relay->judged < head; relay->judged++) {
        const struct laxity_job_record *record =
            &ring[relay->judged & (relay->segment->ring_slots - 1)];
        is_met |= laxity_stop_on_is_met(
            &relay->segment->stop_on,
            record->release_ns,
            laxity_own_abs_deadline_ns(&releases, record->release_ns),
            record->finish_ns
        );
    }
    return is_met;
}

/* From its start to its end. Returns the relay's exit code. */
static int follow_program(struct relay *relay)
{
    const int64_t limit_ns = duration_end_ns(relay);
    for (;;) {
        const bool is_over = has_ended(relay);
        (void)laxity_own_jobs_take(relay->segment, relay->index, INT64_MAX);
        if (laxity_own_jobs_are_complete(relay->segment, relay->index)) {
            end_loop(relay, LAXITY_END_JOBS, last_finish_ns(relay));
        } else if (stops_run(relay)) {
            end_loop(relay, LAXITY_END_STOPPED, laxity_now_ns());
        } else if (is_over) {
            return end_as_program(relay);
        } else if (must_stop(relay)) {
            const int64_t stop_ns = laxity_now_ns();
            end_program(relay, stop_ns);
            (void)laxity_own_jobs_take(relay->segment, relay->index, stop_ns);
            if (!is_in_job(relay)) {
                end_loop(relay, LAXITY_END_INTERRUPT, stop_ns);
            }
            return LAXITY_EXIT_DONE;
        } else if (laxity_now_ns() >= limit_ns && !is_in_job(relay)) {
            end_loop(relay, LAXITY_END_DURATION, limit_ns);
        }
        if (atomic_load(&relay->task->state.end) != LAXITY_END_NONE) {
            if (!is_over) {
                end_program(relay, INT64_MIN);
            }
            return LAXITY_EXIT_DONE;
        }
        laxity_pause_ns(PASS_NS);
    }
}

static void tell_unfinished(const struct relay *relay)
{
    const struct laxity_job_ring *ring = laxity_own_ring(relay->segment, relay->index);
    char what[LAXITY_NAME_BYTES];
    if (ring->unfinished > 0) {
        laxity_format(what, sizeof what, "%u unfinished jobs", (unsigned)ring->unfinished);
        laxity_add_fallback(
            &relay->task->state.process,
            what,
            "no rows",
            "laxity_job_start came again before laxity_job_finish; call both for each job"
        );
    }
}

/* Nothing is released before t0 + offset; false if the run ends before. */
static bool await_release(const struct relay *relay)
{
    const int64_t first_ns =
        laxity_atomic64_load_ns(&relay->segment->run.t0_ns) + relay->task->config.offset_ns;
    const int64_t limit_ns = duration_end_ns(relay);
    const int64_t until_ns = first_ns < limit_ns ? first_ns : limit_ns;
    while (laxity_now_ns() < until_ns && !must_stop(relay)) {
        (void)laxity_sleep_until(until_ns);
    }
    if (must_stop(relay)) {
        end_loop(relay, LAXITY_END_INTERRUPT, laxity_now_ns());
        return false;
    }
    if (first_ns >= limit_ns) {
        end_loop(relay, LAXITY_END_DURATION, limit_ns);
        return false;
    }
    return true;
}

static int run_relay(struct relay *relay, int go_fd)
{
    struct laxity_process_state *state = &relay->task->state.process;
    int rc = LAXITY_EXIT_DONE;
    if (prepare(relay)) {
        return state->error.exit_code;
    }
    laxity_set_phase(state, LAXITY_PHASE_READY);
    if (laxity_wait_for_go(go_fd, &stop) && await_release(relay)) {
        if (start_program(relay)) {
            return state->error.exit_code;
        }
        rc = follow_program(relay);
        tell_unfinished(relay);
    }
    laxity_set_phase(state, LAXITY_PHASE_DONE);
    return rc;
}

int laxity_own_program_main(int argc, char **argv)
{
    struct laxity_role role;
    void *base = NULL;
    size_t bytes = 0;
    if (argc < 3 || laxity_parse_role(argv[1], &role) || role.kind != LAXITY_ROLE_OWN_PROGRAM) {
        (void)fprintf(stderr, "laxity-run: %s is for its own processes\n", LAXITY_HARNESS_OPTION);
        return LAXITY_EXIT_USAGE;
    }
    if (laxity_map_shared(role.segment_fd, &base, &bytes) || laxity_segment_check(base, bytes) ||
        !laxity_own_ring(base, role.index)) {
        (void)fprintf(stderr, "laxity-run: the segment is not of this version; rebuild\n");
        return LAXITY_EXIT_INTERNAL;
    }
    (void)fcntl(role.go_fd, F_SETFD, FD_CLOEXEC);
    const struct sigaction term = {.sa_handler = on_term};
    (void)sigaction(SIGTERM, &term, NULL);
    struct relay relay = {
        .segment = base,
        .task = laxity_segment_task(base, role.index),
        .index = role.index,
        .segment_fd = role.segment_fd,
        .words = argv + 2,
    };
    return run_relay(&relay, role.go_fd);
}
