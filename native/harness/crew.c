/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
#include "harness/crew.h"

#include "base/error.h"
#include "base/port/atomic64.h"
#include "base/port/threads.h"
#include "base/port/time.h"
#include "harness/judge.h"
#include "harness/launch.h"
#include "harness/placement.h"
#include "harness/regulate.h"
#include "harness/segment.h"
#include "harness/stalls.h"

#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>
#include <sys/wait.h>

static bool any(const bool *flags, unsigned n)
{
    for (unsigned i = 0; i < n; i++) {
        if (flags[i]) {
            return true;
        }
    }
    return false;
}

static void kill_process(int32_t pid)
{
    if (pid > 0) {
        (void)kill(pid, SIGKILL);
    }
}

/* An own program leads a group of its own: who waits for it might not get to run before. */
static bool kill_program(int32_t program_pid)
{
    if (program_pid > 0) {
        (void)kill(-program_pid, SIGKILL);
        kill_process(program_pid); /* it may have left its group */
    }
    return program_pid > 0;
}

static void kill_task(const struct laxity_task *task)
{
    (void)kill_program(atomic_load(&task->state.program_pid));
    kill_process(task->verdict.pid);
}

static void kill_corunner(const struct laxity_corunner *corunner)
{
    (void)kill_program(atomic_load(&corunner->program_pid));
    kill_process(corunner->verdict.pid);
}

static bool is_program(const struct laxity_task *task)
{
    return atomic_load(&task->state.job_process) == LAXITY_JOB_IN_PROGRAM;
}

/* Asks a process to end. Its main thread alone, which sleeps between jobs: no system call of the
 * workload's other threads is to fail for it. */
static void stop_process(int32_t pid)
{
    if (pid > 0) {
        (void)laxity_signal_main_thread(pid, SIGTERM);
    }
}

/* A job that runs is aborted at once; a task between jobs may still tear down. */
static void stop_task(struct laxity_crew *crew, uint32_t index, enum laxity_end end, int64_t end_ns)
{
    struct laxity_task *task = laxity_segment_task(crew->launch.segment, index);
    if (!crew->is_task_alive[index]) {
        return;
    }
    laxity_end_task(task, end, end_ns);
    const bool is_in_job = laxity_atomic64_load_ns(&task->state.job_start_ns) != 0;
    if (is_in_job) {
        kill_task(task);
        return;
    }
    stop_process(task->verdict.pid);
    if (is_program(task)) {
        /* It loops at the priority of its task, which waits for it. */
        (void)kill_program(atomic_load(&task->state.program_pid));
    }
}

void laxity_crew_stop_tasks(struct laxity_crew *crew)
{
    const int64_t now_ns = laxity_now_ns();
    for (uint32_t i = 0; i < crew->launch.plan->n_tasks; i++) {
        stop_task(crew, i, LAXITY_END_INTERRUPT, now_ns);
    }
    atomic_store_explicit(&crew->launch.segment->run.stop, LAXITY_RUN_STOPS, memory_order_release);
}

void laxity_crew_end_after_jobs(struct laxity_crew *crew, int64_t end_ns)
{
    struct laxity_segment *segment = crew->launch.segment;
    for (uint32_t i = 0; i < crew->launch.plan->n_tasks; i++) {
        if (crew->is_task_alive[i]) {
            laxity_end_task(laxity_segment_task(segment, i), LAXITY_END_STOPPED, end_ns);
        }
    }
    atomic_store_explicit(&segment->run.stop, LAXITY_RUN_STOPS_AFTER_JOBS, memory_order_release);
    for (uint32_t i = 0; i < crew->launch.plan->n_tasks; i++) {
        const struct laxity_task *task = laxity_segment_task(segment, i);
        const bool is_waiting =
            laxity_atomic64_load_ns(&task->state.job_start_ns) == 0 &&
            atomic_load_explicit(&task->state.end, memory_order_acquire) == LAXITY_END_NONE;
        if (crew->is_task_alive[i] && is_waiting) {
            stop_process(task->verdict.pid); /* its next release may be far away */
        }
    }
}

static bool is_ready(const struct laxity_process_state *state)
{
    return atomic_load_explicit(&state->phase, memory_order_acquire) == LAXITY_PHASE_READY;
}

static void find_displaced_corunner(struct laxity_corunner *corunner)
{
    if (is_ready(&corunner->state)) {
        laxity_find_displaced(
            &corunner->config,
            &corunner->state,
            corunner->verdict.pid,
            0,
            corunner->verdict.displaced
        );
        const int32_t program_pid = atomic_load(&corunner->program_pid);
        if (program_pid > 0) {
            laxity_find_displaced(
                &corunner->config, &corunner->state, program_pid, 0, corunner->verdict.displaced
            );
        }
    }
}

static void find_displaced_task(struct laxity_task *task)
{
    const struct laxity_process_config *config = &task->config.process;
    const struct laxity_process_state *state = &task->state.process;
    struct laxity_verdict *verdict = &task->verdict;
    /* The relay of an own program is none of its tasks, and looks itself. */
    if (task->config.is_own_program || !is_ready(state)) {
        return;
    }
    laxity_find_displaced(config, state, verdict->pid, 0, verdict->displaced);
    const uint32_t n = atomic_load_explicit(&task->threads.n, memory_order_acquire);
    for (uint32_t i = 0; i < n && task->config.threads > 1; i++) {
        const int32_t tid = task->threads.rows[i].tid;
        if (laxity_is_thread_of(verdict->pid, tid)) {
            laxity_find_displaced(config, state, tid, 0, verdict->displaced);
        }
    }
}

void laxity_crew_find_displaced(struct laxity_crew *crew)
{
    for (uint32_t i = 0; i < crew->launch.plan->n_tasks; i++) {
        if (crew->is_task_alive[i]) {
            find_displaced_task(laxity_segment_task(crew->launch.segment, i));
        }
    }
    for (uint32_t i = 0; i < crew->launch.plan->n_corunners; i++) {
        if (crew->is_corunner_alive[i]) {
            find_displaced_corunner(laxity_segment_corunner(crew->launch.segment, i));
        }
    }
}

void laxity_crew_stop_corunners(struct laxity_crew *crew)
{
    const int64_t now_ns = laxity_now_ns();
    for (uint32_t i = 0; i < crew->launch.plan->n_corunners; i++) {
        struct laxity_corunner *corunner = laxity_segment_corunner(crew->launch.segment, i);
        if (!crew->is_corunner_alive[i]) {
            continue;
        }
        find_displaced_corunner(corunner);
        corunner->passes_at_end = laxity_atomic64_load(&corunner->passes);
        corunner->verdict.end_ns = now_ns;
        atomic_store_explicit(&corunner->verdict.end, LAXITY_END_STOPPED, memory_order_release);
        stop_process(corunner->verdict.pid);
        (void)kill_program(atomic_load(&corunner->program_pid));
    }
}

void laxity_crew_kill(struct laxity_crew *crew)
{
    for (uint32_t i = 0; i < crew->launch.plan->n_tasks; i++) {
        if (crew->is_task_alive[i]) {
            kill_task(laxity_segment_task(crew->launch.segment, i));
        }
    }
    for (uint32_t i = 0; i < crew->launch.plan->n_corunners; i++) {
        if (crew->is_corunner_alive[i]) {
            kill_corunner(laxity_segment_corunner(crew->launch.segment, i));
        }
    }
}

bool laxity_crew_has_tasks(const struct laxity_crew *crew)
{
    return any(crew->is_task_alive, crew->launch.plan->n_tasks);
}

bool laxity_crew_has_workloads(const struct laxity_crew *crew)
{
    return laxity_crew_has_tasks(crew) ||
           any(crew->is_corunner_alive, crew->launch.plan->n_corunners);
}

static void reap_drain(struct laxity_crew *crew, int wait_status)
{
    crew->is_drain_alive = false;
    if (WIFEXITED(wait_status)) {
        crew->drain_exit = WEXITSTATUS(wait_status);
        return;
    }
    /* Its state is in the segment: another one goes on where it died. Twice is no accident. */
    if (!crew->has_restarted_drain) {
        crew->has_restarted_drain = true;
        crew->is_drain_alive = laxity_launch_drain(&crew->launch) == 0;
        return;
    }
    crew->drain_exit = LAXITY_EXIT_INTERNAL;
    laxity_error_set(crew->error, LAXITY_EXIT_INTERNAL, "the drain process died twice");
}

static void reap_child(struct laxity_crew *crew, pid_t pid, int wait_status)
{
    struct laxity_segment *segment = crew->launch.segment;
    if (pid == crew->launch.drain_pid) {
        reap_drain(crew, wait_status);
        return;
    }
    const bool is_published = crew->is_published;
    for (uint32_t i = 0; i < crew->launch.plan->n_tasks; i++) {
        if (laxity_segment_task(segment, i)->verdict.pid == pid) {
            crew->is_task_alive[i] = false;
            /* What it has started for a job ends with it, whatever ended it. */
            (void)kill_program(atomic_load(&laxity_segment_task(segment, i)->state.program_pid));
            const bool has_failed =
                laxity_judge_task(segment, i, wait_status, is_published, crew->error);
            /* Before the first release nothing is lost by giving up; later the others go on. */
            crew->must_stop |= has_failed && (!is_published || crew->launch.plan->is_fail_fast);
        }
    }
    for (uint32_t i = 0; i < crew->launch.plan->n_corunners; i++) {
        if (laxity_segment_corunner(segment, i)->verdict.pid == pid) {
            crew->is_corunner_alive[i] = false;
            (void)kill_program(atomic_load(&laxity_segment_corunner(segment, i)->program_pid));
            crew->must_stop |=
                laxity_judge_corunner(segment, i, wait_status, is_published, crew->error);
        }
    }
}

/* Nothing stops co-runners any more, or for ever: they end before they take more of a job. */
static bool lose_regulator(struct laxity_crew *crew, pid_t pid, int wait_status)
{
    const bool is_stopped = WIFSTOPPED(wait_status);
    if (!laxity_regulate_lose(&crew->regulate, pid, is_stopped, crew->error)) {
        return false;
    }
    for (uint32_t i = 0; i < crew->launch.plan->n_corunners; i++) {
        if (crew->is_corunner_alive[i]) {
            kill_corunner(laxity_segment_corunner(crew->launch.segment, i));
        }
    }
    crew->must_stop = true;
    return true;
}

void laxity_crew_reap(struct laxity_crew *crew)
{
    int wait_status = 0;
    pid_t pid = 0;
    while ((pid = waitpid(-1, &wait_status, WNOHANG | WUNTRACED | WCONTINUED)) > 0) {
        if (!WIFCONTINUED(wait_status) && lose_regulator(crew, pid, wait_status)) {
            continue;
        }
        if (WIFSTOPPED(wait_status) || WIFCONTINUED(wait_status)) {
            laxity_note_stop(crew->launch.segment, pid, wait_status);
        } else {
            reap_child(crew, pid, wait_status);
        }
    }
}

/* A job that is a process ends alone; false: its task has to end with it. */
static bool kill_job(struct laxity_task *task)
{
    const bool is_running =
        is_program(task) || laxity_atomic64_load_ns(&task->state.job_start_ns) != 0;
    if (atomic_load(&task->state.job_process) == LAXITY_JOB_IN_TASK || !is_running) {
        return false;
    }
    laxity_atomic64_store_ns(
        &task->verdict.timed_out_ns, laxity_atomic64_load_ns(&task->state.next_release_ns)
    );
    return kill_program(atomic_load(&task->state.program_pid));
}

void laxity_crew_kill_hung(struct laxity_crew *crew)
{
    const int64_t now_ns = laxity_now_ns();
    const int64_t stalled_until_ns = laxity_stalled_until_ns(crew->launch.segment);
    for (uint32_t i = 0; i < crew->launch.plan->n_tasks; i++) {
        struct laxity_task *task = laxity_segment_task(crew->launch.segment, i);
        if (!crew->is_task_alive[i] || !laxity_task_hangs(task, now_ns, stalled_until_ns)) {
            continue;
        }
        if (!kill_job(task)) {
            laxity_end_task(task, LAXITY_END_TIMEOUT, now_ns);
            kill_task(task);
        }
    }
}
