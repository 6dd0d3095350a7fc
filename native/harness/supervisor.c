/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
#include "harness/supervisor.h"

#include "base/cpus.h"
#include "base/error.h"
#include "base/port/atomic64.h"
#include "base/port/deadline.h"
#include "base/port/idle.h"
#include "base/port/sched.h"
#include "base/port/ticks.h"
#include "base/port/time.h"
#include "harness/counting.h"
#include "harness/crew.h"
#include "harness/judge.h"
#include "harness/launch.h"
#include "harness/plan.h"
#include "harness/regulate.h"
#include "harness/segment.h"
#include "harness/stalls.h"
#include "harness/stop_on.h"
#include "regulator/plan.h"
#include "schema/run.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <poll.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/signalfd.h>
#include <sys/types.h>
#include <unistd.h>

enum {
    SETUP_POLL_MS = 2,
    KILLER_POLL_MS_MAX = 100,
    KILLER_POLLS_PER_TIMEOUT = 4,
    PROGRESS_NS = LAXITY_NS_PER_S / 2,
    T0_MARGIN_NS = 50 * LAXITY_NS_PER_MS, /* every task is asleep at its release by then */
    CORUNNER_FIRST_PASS_NS_PER_S = 10,
    STOP_GRACE_NS = LAXITY_NS_PER_S,
    REAP_POLL_MS = 5,
    PRIORITY_MAX = 99,
    SEED_TEXT_BYTES = 24,
    PROGRESS_BYTES = 96,
};

struct supervisor {
    const struct laxity_run_plan *plan;
    struct laxity_crew crew;
    struct laxity_segment *segment;
    struct laxity_error *error;
    struct laxity_heartbeat heartbeat;
    void (*on_note)(const char *text);
    int signal_fd;
    int idle_fd;
    bool is_interrupted;
    int64_t progress_ns;
    int64_t stop_ns; /* when a job was seen that the run stops on; 0 = not yet */
};

static void interrupt_run(struct supervisor *supervisor, const char *cause)
{
    supervisor->is_interrupted = true;
    supervisor->crew.must_stop = true;
    laxity_error_set(
        supervisor->error,
        LAXITY_EXIT_INTERRUPTED,
        "interrupted by %s; jobs up to then were kept",
        cause
    );
    laxity_crew_stop_tasks(&supervisor->crew);
}

static void note_fallbacks(
    struct supervisor *supervisor, const char *name, const struct laxity_process_state *state
)
{
    for (uint32_t i = 0; i < state->n_fallbacks && supervisor->on_note; i++) {
        const struct laxity_fallback *fallback = &state->fallbacks[i];
        char text[LAXITY_ERROR_TEXT_BYTES * 2];
        laxity_format(
            text,
            sizeof text,
            "\"%s\": %s: used %s instead: %s",
            name,
            fallback->what,
            fallback->used,
            fallback->reason
        );
        supervisor->on_note(text);
    }
}

/* What no task will count is told once, not by every task. */
static void try_counters(const struct supervisor *supervisor)
{
    struct laxity_counting *counting = &supervisor->segment->counting;
    laxity_try_counters(counting);
    for (uint32_t i = 0; i < counting->n_fallbacks && supervisor->on_note; i++) {
        const struct laxity_fallback *fallback = &counting->fallbacks[i];
        char text[LAXITY_ERROR_TEXT_BYTES * 2];
        laxity_format(text, sizeof text, "%s: %s", fallback->what, fallback->reason);
        supervisor->on_note(text);
    }
}

static void answer_signal(struct supervisor *supervisor, uint32_t number)
{
    if (number == SIGINT) {
        interrupt_run(supervisor, "SIGINT");
    } else if (number == SIGTERM) {
        interrupt_run(supervisor, "SIGTERM");
    } else if (number == SIGHUP) {
        interrupt_run(supervisor, "SIGHUP (the terminal or connection is gone)");
    } else if (number == SIGCONT) {
        supervisor->heartbeat.is_continued = true;
    }
}

/* Waits at most timeout_ms for something to happen and answers it. */
static void answer_events(struct supervisor *supervisor, int timeout_ms)
{
    struct pollfd fds[] = {
        {.fd = supervisor->signal_fd, .events = POLLIN},
        /* A pipe hangs up; of a socket, as sshd gives its programs, the other end stops sending. */
        {.fd = supervisor->is_interrupted ? -1 : supervisor->plan->parent_fd, .events = POLLRDHUP},
        {.fd = supervisor->stop_ns ? -1 : supervisor->crew.launch.stop_fd, .events = POLLIN},
    };
    if (poll(fds, sizeof fds / sizeof fds[0], timeout_ms) > 0) {
        struct signalfd_siginfo info;
        while (read(supervisor->signal_fd, &info, sizeof info) == (ssize_t)sizeof info) {
            answer_signal(supervisor, info.ssi_signo);
        }
        if ((fds[1].revents & (POLLHUP | POLLERR | POLLRDHUP)) != 0) {
            interrupt_run(supervisor, "the death of its caller");
        }
    }
    laxity_crew_reap(&supervisor->crew);
}

static bool has_failed(const struct supervisor *supervisor)
{
    return supervisor->error->exit_code != 0;
}

static void refuse_process(struct supervisor *supervisor, int rc)
{
    const bool is_forbidden = rc == -EAGAIN && laxity_is_fork_forbidden();
    laxity_error_set(
        supervisor->error,
        LAXITY_EXIT_LACKING,
        "cannot start a process: %s; %s",
        strerrordesc_np(-rc),
        is_forbidden ? "under SCHED_DEADLINE fork is forbidden: start under another policy"
                     : "end other processes"
    );
}

static int start_tasks(struct supervisor *supervisor)
{
    for (uint32_t i = 0; i < supervisor->plan->n_tasks; i++) {
        const int rc = laxity_launch_task(&supervisor->crew.launch, i);
        if (rc) {
            refuse_process(supervisor, rc);
            return -1;
        }
        supervisor->crew.is_task_alive[i] = true;
    }
    for (uint32_t i = 0; i < supervisor->plan->n_tasks; i++) {
        const struct laxity_process_state *state =
            &laxity_segment_task(supervisor->segment, i)->state.process;
        while (atomic_load_explicit(&state->phase, memory_order_acquire) == LAXITY_PHASE_SETUP) {
            answer_events(supervisor, SETUP_POLL_MS);
            if (has_failed(supervisor)) {
                return -1;
            }
        }
        note_fallbacks(
            supervisor, laxity_segment_task(supervisor->segment, i)->config.process.name, state
        );
    }
    return 0;
}

/* A co-runner counts as running once it has completed a pass, or a process of its program runs:
 * only then does the run begin. */
static int await_corunner(struct supervisor *supervisor, uint32_t index)
{
    struct laxity_corunner *corunner = laxity_segment_corunner(supervisor->segment, index);
    const int64_t limit_ns = (int64_t)CORUNNER_FIRST_PASS_NS_PER_S * LAXITY_NS_PER_S;
    int64_t ready_ns = 0;
    while (laxity_atomic64_load(&corunner->passes) == 0 && atomic_load(&corunner->program_pid) == 0
    ) {
        answer_events(supervisor, SETUP_POLL_MS);
        if (has_failed(supervisor)) {
            return -1;
        }
        if (atomic_load_explicit(&corunner->state.phase, memory_order_acquire) ==
            LAXITY_PHASE_SETUP) {
            continue;
        }
        ready_ns = ready_ns == 0 ? laxity_now_ns() : ready_ns;
        if (laxity_now_ns() - ready_ns > limit_ns) {
            return laxity_refuse(
                supervisor->error,
                LAXITY_EXIT_NO_VERDICT,
                "co-runner \"%s\": no pass within %d s; choose a smaller size",
                corunner->config.name,
                CORUNNER_FIRST_PASS_NS_PER_S
            );
        }
    }
    note_fallbacks(supervisor, corunner->config.name, &corunner->state);
    return 0;
}

/* Before the first co-runner. */
static int start_regulation(struct supervisor *supervisor)
{
    const struct laxity_regulation_plan *plan = supervisor->plan->regulation;
    const struct laxity_launch *launch = &supervisor->crew.launch;
    if (!plan) {
        return 0;
    }
    return laxity_regulate_begin(
        &supervisor->crew.regulate,
        plan,
        supervisor->segment,
        launch->dir_fd,
        launch->lifeline_write_fd,
        supervisor->error
    );
}

static int start_corunners(struct supervisor *supervisor)
{
    for (uint32_t i = 0; i < supervisor->plan->n_corunners; i++) {
        const int rc = laxity_launch_corunner(&supervisor->crew.launch, i);
        if (rc) {
            refuse_process(supervisor, rc);
            return -1;
        }
        supervisor->crew.is_corunner_alive[i] = true;
    }
    for (uint32_t i = 0; i < supervisor->plan->n_corunners; i++) {
        if (await_corunner(supervisor, i)) {
            return -1;
        }
    }
    return 0;
}

/* Off the tasks' CPUs if there are others, so that neither supervisor nor drain process delays a
 * job. */
static void move_aside(const struct supervisor *supervisor)
{
    struct laxity_cpus allowed;
    if (laxity_get_online_cpus(&allowed)) {
        return;
    }
    struct laxity_cpus rest = allowed;
    for (uint32_t i = 0; i < supervisor->plan->n_tasks; i++) {
        rest = laxity_cpus_without(
            &rest, &laxity_segment_task(supervisor->segment, i)->config.process.cpus
        );
    }
    if (!laxity_cpus_is_empty(&rest)) {
        (void)laxity_set_affinity(&rest);
    }
}

/* What the killer has to outrank. A reservation outranks every FIFO priority, but not for longer
 * than its runtime (CBS). */
static int rank_of(enum laxity_policy policy, int priority)
{
    if (policy == LAXITY_POLICY_OTHER) {
        return 0;
    }
    return policy == LAXITY_POLICY_DEADLINE ? PRIORITY_MAX : priority;
}

/* The killer must run while a task loops for ever, and beside a co-runner that always does. At
 * priority 99 a tie remains: then another CPU or RLIMIT_RTTIME helps. */
static void rise_above_workloads(const struct supervisor *supervisor)
{
    int highest = 0;
    for (uint32_t i = 0; i < supervisor->plan->n_tasks; i++) {
        const struct laxity_task *task = laxity_segment_task(supervisor->segment, i);
        const int rank = rank_of(task->state.process.policy, task->config.process.priority);
        highest = rank > highest ? rank : highest;
    }
    for (uint32_t i = 0; i < supervisor->plan->n_corunners; i++) {
        const struct laxity_corunner *one = laxity_segment_corunner(supervisor->segment, i);
        const int rank = rank_of(one->state.policy, one->config.priority);
        highest = rank > highest ? rank : highest;
    }
    if (highest > 0) {
        const int above = highest < PRIORITY_MAX ? highest + 1 : PRIORITY_MAX;
        (void)laxity_set_policy(LAXITY_POLICY_FIFO, above);
    }
}

static void publish_t0(struct supervisor *supervisor)
{
    struct laxity_segment *segment = supervisor->segment;
    for (uint32_t i = 0; i < supervisor->plan->n_corunners; i++) {
        struct laxity_corunner *corunner = laxity_segment_corunner(segment, i);
        corunner->passes_before_t0 = laxity_atomic64_load(&corunner->passes);
    }
    if (segment->ticks_name[0] != '\0') {
        segment->run.ticks_t0 = laxity_ticks();
        segment->run.ticks_t0_ns = laxity_now_ns();
    }
    const int64_t t0_ns = laxity_now_ns() + T0_MARGIN_NS;
    laxity_atomic64_store_ns(&segment->run.t0_ns, t0_ns);
    supervisor->crew.is_published = true;
    for (uint32_t i = 0; i < supervisor->plan->n_tasks; i++) {
        (void)!write(supervisor->crew.launch.go_write_fds[i], "g", 1);
    }
}

static int killer_poll_ms(const struct supervisor *supervisor)
{
    int64_t poll_ms = KILLER_POLL_MS_MAX;
    for (uint32_t i = 0; i < supervisor->plan->n_tasks; i++) {
        const int64_t timeout_ms =
            supervisor->plan->tasks[i].config.job_timeout_ns / LAXITY_NS_PER_MS;
        const int64_t wanted_ms = timeout_ms / KILLER_POLLS_PER_TIMEOUT;
        poll_ms = wanted_ms < poll_ms ? wanted_ms : poll_ms;
    }
    return poll_ms > 0 ? (int)poll_ms : 1;
}

static void report_progress(struct supervisor *supervisor)
{
    const int64_t now_ns = laxity_now_ns();
    if (supervisor->plan->progress_fd < 0 || now_ns - supervisor->progress_ns < PROGRESS_NS) {
        return;
    }
    supervisor->progress_ns = now_ns;
    uint64_t started = 0;
    uint64_t not_met = 0;
    uint64_t aborted = 0;
    for (uint32_t i = 0; i < supervisor->plan->n_tasks; i++) {
        const struct laxity_task *task = laxity_segment_task(supervisor->segment, i);
        started += laxity_atomic64_load(&task->state.head);
        not_met += task->drain.not_met;
        aborted += laxity_atomic64_load(&task->state.aborted.n);
    }
    const int64_t t0_ns = laxity_atomic64_load_ns(&supervisor->segment->run.t0_ns);
    char line[PROGRESS_BYTES];
    laxity_format(
        line,
        sizeof line,
        "progress %" PRIu64 " %" PRIu64 " %" PRId64 " %" PRIu64 "\n",
        started,
        not_met,
        now_ns - t0_ns,
        aborted
    );
    /* Never blocks (O_NONBLOCK): a reader that is slow misses a line. */
    (void)!write(supervisor->plan->progress_fd, line, strlen(line));
}

static void check_output(struct supervisor *supervisor)
{
    const int rc = atomic_load_explicit(&supervisor->segment->output_error, memory_order_acquire);
    if (rc) {
        supervisor->crew.must_stop = true;
        laxity_error_set(
            supervisor->error,
            LAXITY_EXIT_LACKING,
            "cannot write %.80s: %s; free space, then `laxity show` completes the run",
            supervisor->plan->run_dir,
            strerrordesc_np(-rc)
        );
    }
}

/* A task that has met it has ended by itself, and its end wakes the supervisor. */
static bool has_stopped_itself(const struct supervisor *supervisor)
{
    for (uint32_t i = 0; i < supervisor->plan->n_tasks; i++) {
        const struct laxity_task *task = laxity_segment_task(supervisor->segment, i);
        if (atomic_load_explicit(&task->state.end, memory_order_acquire) == LAXITY_END_STOPPED) {
            return true;
        }
    }
    return false;
}

/* The job that the run stops on was seen: no other one starts. */
static void answer_stop_on(struct supervisor *supervisor)
{
    const bool is_met =
        laxity_stop_on_is_told(supervisor->segment) || has_stopped_itself(supervisor);
    if (!is_met || supervisor->crew.must_stop) {
        return;
    }
    supervisor->stop_ns = supervisor->stop_ns ? supervisor->stop_ns : laxity_now_ns();
    laxity_crew_end_after_jobs(&supervisor->crew, supervisor->stop_ns);
}

/* From t0 until no task is alive. Whatever ends the run early stops all tasks. */
static void watch_run(struct supervisor *supervisor)
{
    const int poll_ms = killer_poll_ms(supervisor);
    int64_t stop_ns = INT64_MAX;
    laxity_heartbeat_begin(&supervisor->heartbeat, supervisor->segment);
    while (laxity_crew_has_tasks(&supervisor->crew)) {
        const int wait_ms = supervisor->stop_ns ? REAP_POLL_MS : poll_ms;
        answer_events(supervisor, wait_ms);
        laxity_heartbeat_look(&supervisor->heartbeat, supervisor->segment, wait_ms);
        laxity_atomic64_store_ns(&supervisor->segment->run.alive_ns, laxity_now_ns());
        laxity_crew_kill_hung(&supervisor->crew);
        laxity_crew_find_displaced(&supervisor->crew);
        answer_stop_on(supervisor);
        check_output(supervisor);
        report_progress(supervisor);
        laxity_regulate_store(&supervisor->crew.regulate);
        if (supervisor->crew.must_stop && stop_ns == INT64_MAX) {
            stop_ns = laxity_now_ns();
            laxity_crew_stop_tasks(&supervisor->crew);
        }
        if (laxity_now_ns() > stop_ns && laxity_now_ns() - stop_ns > STOP_GRACE_NS) {
            laxity_crew_kill(&supervisor->crew);
        }
    }
    laxity_heartbeat_end(&supervisor->heartbeat);
}

/* Whatever happened before: no process of the run may be left. */
static void stop_everything(struct supervisor *supervisor)
{
    const int64_t stop_ns = laxity_now_ns();
    laxity_crew_stop_tasks(&supervisor->crew);
    /* Co-runners cannot end while a guard holds their CPU. */
    laxity_regulate_end(&supervisor->crew.regulate, supervisor->error);
    laxity_crew_stop_corunners(&supervisor->crew);
    bool is_killing = false;
    while (laxity_crew_has_workloads(&supervisor->crew)) {
        answer_events(supervisor, REAP_POLL_MS);
        if (!is_killing && laxity_now_ns() - stop_ns > STOP_GRACE_NS) {
            is_killing = true;
            laxity_crew_kill(&supervisor->crew);
        }
    }
}

static void count_lost_records(struct supervisor *supervisor)
{
    uint64_t lost = 0;
    for (uint32_t i = 0; i < supervisor->plan->n_tasks; i++) {
        lost +=
            laxity_atomic64_load(&laxity_segment_task(supervisor->segment, i)->state.lost_records);
    }
    if (lost > 0) {
        laxity_error_set(
            supervisor->error,
            LAXITY_EXIT_NO_VERDICT,
            "%" PRIu64 " job records were lost because the ring was full; use a longer period",
            lost
        );
    }
}

/* Writes down the outcome and lets the drain process finish. */
static void close_run(struct supervisor *supervisor)
{
    struct laxity_run_state *run = &supervisor->segment->run;
    run->end_ns = laxity_now_ns();
    if (supervisor->segment->ticks_name[0] != '\0' && supervisor->crew.is_published) {
        run->ticks_end = laxity_ticks();
        run->ticks_end_ns = laxity_now_ns();
    }
    const bool is_failed = has_failed(supervisor);
    count_lost_records(supervisor);
    laxity_judge_aborted(supervisor->segment, supervisor->error);
    run->error = *supervisor->error;
    uint32_t status = is_failed ? LAXITY_RUN_FAILED : LAXITY_RUN_COMPLETE;
    if (supervisor->error->exit_code == LAXITY_EXIT_INTERRUPTED) {
        status = LAXITY_RUN_INTERRUPTED;
    }
    atomic_store_explicit(&run->status, status, memory_order_release);
    (void)close(supervisor->crew.launch.lifeline_write_fd);
    supervisor->crew.launch.lifeline_write_fd = -1;
    while (supervisor->crew.is_drain_alive) {
        answer_events(supervisor, KILLER_POLL_MS_MAX);
    }
    if (supervisor->crew.drain_exit == LAXITY_EXIT_LACKING) {
        check_output(supervisor);
    }
    if (supervisor->crew.drain_exit == LAXITY_EXIT_DONE) {
        *supervisor->error = run->error; /* it has judged the jobs' places meanwhile */
    }
}

static int block_signals(struct supervisor *supervisor)
{
    sigset_t signals;
    sigemptyset(&signals);
    sigaddset(&signals, SIGINT);
    sigaddset(&signals, SIGTERM);
    sigaddset(&signals, SIGHUP);
    sigaddset(&signals, SIGCHLD);
    /* Ctrl-Z stops who waits for the run, not the run: its tasks have no terminal, and need their
     * killer. */
    sigaddset(&signals, SIGTSTP);
    sigaddset(&signals, SIGCONT);
    (void)pthread_sigmask(SIG_BLOCK, &signals, NULL);
    (void)signal(SIGPIPE, SIG_IGN);
    supervisor->signal_fd = signalfd(-1, &signals, SFD_CLOEXEC | SFD_NONBLOCK);
    return supervisor->signal_fd < 0 ? -errno : 0;
}

static int hold_idle(struct supervisor *supervisor)
{
    if (!supervisor->plan->is_idle_poll) {
        return 0;
    }
    const int rc = laxity_hold_idle(&supervisor->idle_fd);
    if (rc) {
        laxity_error_set(
            supervisor->error,
            LAXITY_EXIT_LACKING,
            "cannot hold /dev/cpu_dma_latency: %s; run as root or use --idle deep",
            strerrordesc_np(-rc)
        );
    }
    return rc;
}

static void keep_for_us(int fd)
{
    if (fd >= 0) {
        (void)fcntl(fd, F_SETFD, FD_CLOEXEC);
    }
}

static void run_all(struct supervisor *supervisor)
{
    try_counters(supervisor);
    if (hold_idle(supervisor) == 0 && start_tasks(supervisor) == 0 &&
        start_regulation(supervisor) == 0 && start_corunners(supervisor) == 0) {
        rise_above_workloads(supervisor);
        publish_t0(supervisor);
        watch_run(supervisor);
    }
    stop_everything(supervisor);
    close_run(supervisor);
}

static int open_run(struct supervisor *supervisor)
{
    keep_for_us(supervisor->plan->parent_fd);
    keep_for_us(supervisor->plan->progress_fd);
    if (supervisor->plan->progress_fd >= 0) {
        (void)fcntl(supervisor->plan->progress_fd, F_SETFL, O_NONBLOCK);
    }
    char seed[SEED_TEXT_BYTES];
    laxity_format(seed, sizeof seed, "%" PRIu64, supervisor->plan->seed);
    (void)setenv("LAXITY_SEED", seed, 1); /* NOLINT(concurrency-mt-unsafe): one thread */
    if (laxity_launch_open(&supervisor->crew.launch, supervisor->plan, supervisor->error)) {
        return -1;
    }
    supervisor->segment = supervisor->crew.launch.segment;
    int rc = block_signals(supervisor);
    if (rc == 0) {
        move_aside(supervisor);
        rc = laxity_launch_drain(&supervisor->crew.launch);
    }
    if (rc) {
        refuse_process(supervisor, rc);
        laxity_launch_discard(&supervisor->crew.launch);
        return -1;
    }
    supervisor->crew.is_drain_alive = true;
    return 0;
}

int laxity_supervise(
    const struct laxity_run_plan *plan,
    void (*on_note)(const char *text),
    struct laxity_error *out_error
)
{
    struct supervisor *supervisor = calloc(1, sizeof *supervisor);
    if (!supervisor) {
        laxity_error_set(out_error, LAXITY_EXIT_LACKING, "no memory");
        return out_error->exit_code;
    }
    supervisor->plan = plan;
    supervisor->error = out_error;
    supervisor->crew.error = out_error;
    supervisor->on_note = on_note;
    supervisor->idle_fd = -1;
    supervisor->signal_fd = -1;
    if (open_run(supervisor) == 0) {
        run_all(supervisor);
    }
    if (supervisor->signal_fd >= 0) {
        (void)close(supervisor->signal_fd);
    }
    if (supervisor->idle_fd >= 0) {
        (void)close(supervisor->idle_fd);
    }
    laxity_launch_close(&supervisor->crew.launch);
    free(supervisor);
    return out_error->exit_code;
}
