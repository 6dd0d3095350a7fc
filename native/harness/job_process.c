/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
#include "harness/job_process.h"

#include "base/error.h"
#include "base/port/atomic64.h"
#include "base/port/memory.h"
#include "base/port/time.h"
#include "harness/counting.h"
#include "harness/job.h"
#include "harness/placement.h"
#include "harness/role.h"
#include "harness/segment.h"
#include "harness/workload_ops.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <unistd.h>

enum {
    CHILD_STOPPED = 99, /* exit code of a job's process that was to stop before its release */
    CANNOT_EXEC = 127,
};

/* The process of a job, as its task sees it. */
struct job_process {
    const struct laxity_engine *engine;
    const struct laxity_current_job *current;
    const struct laxity_program_ops *program; /* NULL: it is of our executable */
    bool is_fresh;                            /* of which then this says whether it begins anew */
    int64_t release_ns;
    pid_t pid;
    sigset_t usual; /* signals that are blocked in the task; SIGTERM and SIGCHLD are not */
    int wait_status;
};

_Noreturn void laxity_be_job_process(
    const struct laxity_engine *engine, const struct laxity_current_job *current, int64_t release_ns
)
{
    struct laxity_engine own = *engine;
    struct laxity_isolating *isolating = &engine->task->state.isolating;
    if (engine->task->state.process.memory_is_locked) {
        (void)laxity_lock_memory(); /* not inherited; it also makes the pages ours */
    }
    current->record->tid = (int32_t)gettid();
    if (engine->segment->counting.n_events > 0) {
        laxity_open_counters(
            &engine->segment->counting, &engine->task->state, &own.counters
        ); /* those of the task would count nothing here */
    }
    laxity_workload_ops()->isolate_next();
    const int64_t ready_ns = laxity_now_ns();
    struct laxity_usage_before slept;
    if (!laxity_engine_wait(&own, release_ns, ready_ns, &slept)) {
        _exit(CHILD_STOPPED);
    }
    isolating->checking_ns = 0;
    (void)laxity_engine_run_job(&own, current, &slept);
    laxity_note_isolating(isolating, ready_ns - isolating->begun_ns + isolating->checking_ns);
    _exit(0);
}

/* The same executable, told that it is the process of one job. */
static _Noreturn void become_fresh(const struct job_process *job)
{
    const struct laxity_engine *engine = job->engine;
    char role[LAXITY_HARNESS_OPTION_BYTES];
    char **argv = engine->argv;
    laxity_format(
        role,
        sizeof role,
        LAXITY_HARNESS_OPTION "job,%u,%d,%d",
        (unsigned)engine->index,
        engine->segment_fd,
        job->current->is_lost
    );
    argv[1] = role;
    const struct laxity_workload_ops *ops = laxity_workload_ops();
    if (ops->prepare_fresh) {
        ops->prepare_fresh(argv + 2);
    }
    (void)fcntl(engine->segment_fd, F_SETFD, 0);
    (void)execv("/proc/self/exe", argv);
    _exit(CANNOT_EXEC);
}

static _Noreturn void become_job(const struct job_process *job, pid_t parent)
{
    (void)setpgid(0, 0); /* what it starts itself ends with it */
    (void)prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent) {
        _exit(CHILD_STOPPED);
    }
    (void)signal(SIGCHLD, SIG_DFL);
    (void)pthread_sigmask(SIG_SETMASK, &job->usual, NULL);
    if (job->program) {
        job->program->become();
    }
    if (job->is_fresh) {
        become_fresh(job);
    }
    laxity_be_job_process(job->engine, job->current, job->release_ns);
}

static void on_child(int signal_number)
{
    (void)signal_number; /* that it came is enough: it ends sigsuspend */
}

/* From here to its end neither SIGTERM nor the end of the process can come unseen between a look
 * and the sleep. */
static void hold_signals(struct job_process *job)
{
    const struct sigaction action = {.sa_handler = on_child, .sa_flags = SA_NOCLDSTOP};
    sigset_t awaited;
    sigemptyset(&awaited);
    sigaddset(&awaited, SIGTERM);
    sigaddset(&awaited, SIGCHLD);
    (void)sigaction(SIGCHLD, &action, NULL);
    (void)pthread_sigmask(SIG_BLOCK, &awaited, &job->usual);
}

_Noreturn void laxity_die_alike(int wait_status)
{
    if (WIFSIGNALED(wait_status)) {
        const struct rlimit no_core = {0, 0};
        (void)setrlimit(RLIMIT_CORE, &no_core);
        (void)signal(WTERMSIG(wait_status), SIG_DFL);
        (void)raise(WTERMSIG(wait_status));
    }
    _exit(WIFEXITED(wait_status) ? WEXITSTATUS(wait_status) : LAXITY_EXIT_VIOLATED);
}

static void kill_job(const struct job_process *job)
{
    (void)kill(-job->pid, SIGKILL);
    (void)kill(job->pid, SIGKILL); /* it may not have its group yet */
}

static void start(struct job_process *job)
{
    struct laxity_task_state *state = &job->engine->task->state;
    const pid_t parent = getpid();
    state->isolating.begun_ns = laxity_now_ns();
    hold_signals(job);
    if (job->program) {
        job->program->prepare(job->engine->segment, job->release_ns);
    }
    job->pid = fork();
    if (job->pid == 0) {
        become_job(job, parent);
    }
    if (job->pid < 0) {
        laxity_error_set(
            &state->process.error,
            LAXITY_EXIT_LACKING,
            "no process for a job: %s; end other processes",
            strerrordesc_np(errno)
        );
        _exit(LAXITY_EXIT_LACKING);
    }
    (void)setpgid(job->pid, job->pid);
    atomic_store(&state->program_pid, job->pid);
}

/* A program is held until its release; a child of ours sleeps until then by itself. */
static void release_program(struct job_process *job)
{
    struct laxity_task_state *state = &job->engine->task->state;
    bool is_ours = false;
    if (job->program->hold(job->pid, &is_ours, &state->process.error)) {
        kill_job(job);
        _exit(state->process.error.exit_code);
    }
    const int64_t now_ns = laxity_now_ns();
    const int64_t begins_ns = job->release_ns > now_ns ? job->release_ns : now_ns;
    laxity_atomic64_store_ns(&state->next_release_ns, begins_ns);
    laxity_atomic64_store_ns(&state->program_release_ns, begins_ns);
    if (!is_ours) {
        return;
    }
    sigset_t awaited;
    (void)pthread_sigmask(SIG_SETMASK, &job->usual, &awaited);
    struct laxity_usage_before unused; /* of the task, not of the program */
    const bool is_released = laxity_engine_wait(job->engine, job->release_ns, now_ns, &unused);
    (void)pthread_sigmask(SIG_SETMASK, &awaited, NULL);
    if (is_released) {
        job->program->release(job->pid);
    }
}

static bool has_started(const struct job_process *job)
{
    return job->program ? job->program->has_started()
                        : laxity_atomic64_load_ns(&job->engine->task->state.job_start_ns) != 0;
}

/* Until it has ended; it is not reaped, so that its number stays its own. Returns when that was
 * seen. */
static int64_t await_end(const struct job_process *job)
{
    struct laxity_process_state *state = &job->engine->task->state.process;
    for (;;) {
        const int64_t seen_ns = laxity_now_ns();
        siginfo_t info = {.si_pid = 0};
        const int rc = waitid(P_PID, (id_t)job->pid, &info, WEXITED | WNOHANG | WNOWAIT);
        if (rc == 0 && info.si_pid == job->pid) {
            return seen_ns;
        }
        if (rc != 0 && errno != EINTR) {
            laxity_error_set(
                &state->error, LAXITY_EXIT_INTERNAL, "the process of a job cannot be waited for"
            );
            _exit(LAXITY_EXIT_INTERNAL);
        }
        if (laxity_engine_must_stop(job->engine) && !has_started(job)) {
            kill_job(job);
        }
        (void)sigsuspend(&job->usual); /* NOLINT(concurrency-mt-unsafe): of the main thread */
    }
}

/* With all that it has started. */
static void reap(struct job_process *job, struct rusage *out_usage)
{
    atomic_store(&job->engine->task->state.program_pid, 0);
    kill_job(job);
    while (wait4(job->pid, &job->wait_status, 0, out_usage) < 0 && errno == EINTR) {
    }
    (void)pthread_sigmask(SIG_SETMASK, &job->usual, NULL);
}

static enum laxity_end cause_of(const struct job_process *job)
{
    const struct laxity_task *task = job->engine->task;
    const int64_t timed_out_ns = laxity_atomic64_load_ns(&task->verdict.timed_out_ns);
    if (!WIFSIGNALED(job->wait_status)) {
        const bool is_right = job->program && WEXITSTATUS(job->wait_status) == 0;
        return is_right ? LAXITY_END_NONE : LAXITY_END_EXIT;
    }
    if (WTERMSIG(job->wait_status) != SIGKILL) {
        return LAXITY_END_SIGNAL;
    }
    if (timed_out_ns != 0 &&
        timed_out_ns == laxity_atomic64_load_ns(&task->state.next_release_ns)) {
        return LAXITY_END_TIMEOUT;
    }
    return atomic_load(&task->verdict.end) == LAXITY_END_INTERRUPT ? LAXITY_END_INTERRUPT
                                                                   : LAXITY_END_KILLED;
}

/* Publishes the record of a job that did not do so itself. */
static void publish(const struct job_process *job)
{
    struct laxity_job_record *record = job->current->record;
    record->cause = cause_of(job);
    if (record->cause != LAXITY_END_NONE && record->cause != LAXITY_END_INTERRUPT) {
        laxity_engine_note_abort(
            job->engine, record, (enum laxity_end)record->cause, job->wait_status
        );
    }
    laxity_engine_publish(job->engine, job->current);
}

/* What the process said before it died is no end of one job but of the task: an init that failed, a
 * limit. */
static bool ends_task(const struct laxity_task *task)
{
    return task->state.process.error.exit_code != 0 ||
           atomic_load(&task->state.memory.is_exceeded) != 0;
}

static bool is_published(const struct job_process *job)
{
    return atomic_load_explicit(&job->current->record->state, memory_order_acquire) ==
           LAXITY_RECORD_DONE;
}

static bool end_child(const struct job_process *job, int64_t seen_ns)
{
    struct laxity_job_record *record = job->current->record;
    if (is_published(job)) {
        return true;
    }
    if (!has_started(job) && laxity_engine_must_stop(job->engine)) {
        return false;
    }
    if (!has_started(job) || ends_task(job->engine->task)) {
        laxity_die_alike(job->wait_status);
    }
    record->start_ns = laxity_atomic64_load_ns(&job->engine->task->state.job_start_ns);
    record->finish_ns = seen_ns;
    publish(job);
    return true;
}

static bool end_program(const struct job_process *job)
{
    struct laxity_task_state *state = &job->engine->task->state;
    const bool is_stopped = !job->program->has_started();
    laxity_atomic64_store_ns(&state->program_release_ns, 0);
    if (is_stopped && laxity_engine_must_stop(job->engine)) {
        return false;
    }
    if (state->process.error.exit_code != 0) {
        _exit(state->process.error.exit_code);
    }
    if (is_stopped) {
        laxity_die_alike(job->wait_status);
    }
    laxity_note_isolating(&state->isolating, job->program->ready_ns() - state->isolating.begun_ns);
    job->program->note(&state->process);
    publish(job);
    return job->current->record->cause != LAXITY_END_INTERRUPT;
}

bool laxity_run_in_process(
    const struct laxity_engine *engine,
    const struct laxity_current_job *current,
    int64_t release_ns,
    int64_t *out_finish_ns
)
{
    const struct laxity_workload_ops *ops = laxity_workload_ops();
    struct job_process job = {
        .engine = engine,
        .current = current,
        .program = ops->program,
        .is_fresh = ops->job_process == LAXITY_JOB_IN_FRESH,
        .release_ns = release_ns,
    };
    struct laxity_job_record *record = current->record;
    struct rusage usage;
    start(&job);
    if (job.program) {
        release_program(&job);
    }
    const int64_t seen_ns = await_end(&job);
    if (job.program && (has_started(&job) || !laxity_engine_must_stop(engine))) {
        (void)job.program->take(job.pid, seen_ns, record, &engine->task->state.process.error);
    }
    if (job.program) {
        struct laxity_process_state *process = &engine->task->state.process;
        laxity_find_displaced(
            &engine->task->config.process, process, job.pid, 1, process->displaced
        );
    }
    reap(&job, &usage);
    if (job.program) {
        job.program->reaped(&usage, record);
    }
    if (!(job.program ? end_program(&job) : end_child(&job, seen_ns))) {
        return false;
    }
    *out_finish_ns = record->finish_ns;
    return true;
}
