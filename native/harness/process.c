/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
#include "harness/process.h"

#include "base/error.h"
#include "base/port/atomic64.h"
#include "base/port/file.h"
#include "base/port/memory.h"
#include "base/port/ticks.h"
#include "harness/engine.h"
#include "harness/job.h"
#include "harness/job_process.h"
#include "harness/marks.h"
#include "harness/memory_limit.h"
#include "harness/memory_need.h"
#include "harness/passages.h"
#include "harness/placement.h"
#include "harness/prepare.h"
#include "harness/release.h"
#include "harness/role.h"
#include "harness/sampler.h"
#include "harness/segment.h"
#include "harness/threads.h"
#include "harness/workload_ops.h"

#include <laxity/hooks.h>

#include <errno.h>
#include <fcntl.h>
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
    CANNOT_EXEC = 127
};

static volatile sig_atomic_t stop;
static volatile sig_atomic_t rttime_is_reached;

/* laxity_job_failed has no argument that could lead it there, because a workload must not know its
 * harness. */
static struct laxity_process_state *own_state;

static void on_term(int signal_number)
{
    (void)signal_number;
    stop = 1;
}

static void on_xcpu(int signal_number)
{
    (void)signal_number;
    rttime_is_reached = 1;
}

static void catch_signals(void)
{
    /* No SA_RESTART: the wait for the first release must end. */
    const struct sigaction term = {.sa_handler = on_term};
    /* It comes while a job runs and is answered after it: no system call of the workload need fail.
     */
    const struct sigaction xcpu = {.sa_handler = on_xcpu, .sa_flags = SA_RESTART};
    (void)sigaction(SIGTERM, &term, NULL);
    (void)sigaction(SIGXCPU, &xcpu, NULL);
}

void laxity_job_failed(const char *reason)
{
    if (own_state) {
        laxity_error_set(&own_state->error, LAXITY_EXIT_VIOLATED, "%s", reason);
    }
    _exit(LAXITY_EXIT_VIOLATED);
}

static void (*execution(void))(int argc, void **argv)
{
    void (*const own)(int, void **) = laxity_workload_ops()->execute;
    return own ? own : benchmark_execution;
}

/* The process of one job: what its task was given it has by inheritance, or makes again. */
static int run_single_job(
    struct laxity_segment *segment, const struct laxity_role *role, int argc, void **workload_argv
)
{
    struct laxity_task *task = laxity_segment_task(segment, role->index);
    struct laxity_job_record *ring = laxity_segment_ring(segment, role->index);
    const uint64_t head = laxity_atomic64_load(&task->state.head);
    const struct laxity_engine engine = {
        .segment = segment,
        .task = task,
        .ring = ring,
        .execute = execution(),
        .workload_argc = argc,
        .workload_argv = workload_argv,
        .tid = (int32_t)gettid(),
        .has_ticks = segment->ticks_name[0] != '\0',
        .stop = &stop,
        .rttime_is_reached = &rttime_is_reached,
    };
    const struct laxity_current_job current = {
        .record = role->go_fd ? &task->state.spare : &ring[head & (segment->ring_slots - 1)],
        .is_lost = role->go_fd != 0,
    };
    const struct laxity_releases releases = laxity_task_releases(segment, task);
    own_state = &task->state.process;
    laxity_keep_heap();
    laxity_marks_open(laxity_segment_marks(segment, role->index));
    if (laxity_touch_heap((size_t)task->config.heap_bytes) || laxity_memory_limit_begin(task) ||
        (segment->ticks_name[0] != '\0' && !laxity_ticks_name()) ||
        benchmark_init(argc, workload_argv) < 0) {
        laxity_job_failed("the process of a job could not be prepared as its task was");
    }
    laxity_touch_stack((size_t)task->config.stack_bytes);
    laxity_be_job_process(&engine, &current, laxity_release_ns(&releases, current.record->job));
}

static int run_task(
    struct laxity_segment *segment,
    const struct laxity_role *role,
    char **own_argv,
    int argc,
    void **workload_argv
)
{
    struct laxity_task *task = laxity_segment_task(segment, role->index);
    struct laxity_process_state *state = &task->state.process;
    struct laxity_threads threads;
    struct laxity_engine engine = {
        .segment = segment,
        .task = task,
        .ring = laxity_segment_ring(segment, role->index),
        .execute = execution(),
        .workload_argc = argc,
        .workload_argv = workload_argv,
        .tid = (int32_t)gettid(),
        .has_ticks = segment->ticks_name[0] != '\0',
        .stop = &stop,
        .rttime_is_reached = &rttime_is_reached,
        .threads = &threads,
        .is_forking = task->config.threads > 1,
        .segment_fd = role->segment_fd,
        .index = role->index,
        .argv = own_argv,
    };
    /* Static: its thread may still wait on it while the process ends. */
    static struct laxity_sampler sampler;
    own_state = state;
    laxity_marks_open(laxity_segment_marks(segment, role->index));
    if (segment->regulated_task == role->index + 1) {
        laxity_passages_open(&segment->passages);
    }
    /* The sampler is no thread of the workload's: it is there before those are looked for. */
    if (laxity_sampler_make(&sampler, &engine)) {
        return state->error.exit_code;
    }
    laxity_threads_begin(&threads, task, segment->snapshots);
    if (laxity_prepare_task(&engine) || laxity_sampler_place(&sampler)) {
        return state->error.exit_code;
    }
    laxity_set_phase(state, LAXITY_PHASE_READY);
    if (laxity_wait_for_go(role->go_fd, &stop)) {
        laxity_sampler_go(&sampler);
        laxity_engine_run(&engine);
        laxity_threads_look(&threads);
    }
    laxity_sampler_stop(&sampler);
    laxity_set_phase(state, LAXITY_PHASE_TEARDOWN);
    const bool is_measured = task->config.is_memory_need != 0;
    if (is_measured && laxity_workload_ops()->measure_need) {
        laxity_memory_need_end();
    }
    benchmark_teardown(argc, workload_argv);
    if (is_measured && !laxity_workload_ops()->measure_need) {
        laxity_memory_need_end();
    }
    if (!is_measured) {
        laxity_memory_limit_end();
    }
    laxity_set_phase(state, LAXITY_PHASE_DONE);
    return LAXITY_EXIT_DONE;
}

/*
 * Where a stack begins within a page varies from process to process, and with it how many pages the
 * same frames take. Where they are counted all frames below this one lie alike in every process.
 */
static int run_measured_task(
    struct laxity_segment *segment,
    const struct laxity_role *role,
    char **own_argv,
    int argc,
    void **workload_argv
)
{
    const uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);
    const uintptr_t above = (uintptr_t)__builtin_frame_address(0) % page;
    volatile unsigned char *gap = __builtin_alloca(above + 1);
    gap[0] = 0;
    const int rc = run_task(segment, role, own_argv, argc, workload_argv);
    gap[0] = 1; /* it stays until here */
    return rc;
}

static bool is_over(const struct laxity_segment *segment)
{
    return stop ||
           atomic_load_explicit(&segment->run.stop, memory_order_relaxed) == LAXITY_RUN_STOPS;
}

/* Endless passes, counted where the supervisor sees them; one pass is one execution hook. */
static void run_passes(
    struct laxity_segment *segment, struct laxity_corunner *corunner, int argc, void **workload_argv
)
{
    void (*const execute)(int, void **) = execution();
    while (!is_over(segment)) {
        execute(argc, workload_argv);
        laxity_atomic64_increment(&corunner->passes);
    }
}

static _Noreturn void
become_pass(struct laxity_corunner *corunner, pid_t parent, const sigset_t *usual, int failure_fd)
{
    (void)setpgid(0, 0); /* what it starts itself ends with it */
    (void)prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent) {
        _exit(CANNOT_EXEC);
    }
    /* By itself: at a real-time priority its parent might not get to run before its end. */
    atomic_store(&corunner->program_pid, getpid());
    (void)pthread_sigmask(SIG_SETMASK, usual, NULL);
    const int rc = laxity_workload_ops()->program->become_free();
    (void)!write(failure_fd, &rc, sizeof rc);
    _exit(CANNOT_EXEC);
}

/* Starts the process of a pass. Returns its pid once it is the program, or -errno. */
static pid_t start_pass(struct laxity_corunner *corunner, const sigset_t *usual)
{
    int failure_fds[2];
    int rc = 0;
    if (pipe2(failure_fds, O_CLOEXEC) != 0) {
        return -errno;
    }
    const pid_t parent = getpid();
    const pid_t pid = fork();
    if (pid == 0) {
        become_pass(corunner, parent, usual, failure_fds[1]);
    }
    const int saved = errno;
    (void)close(failure_fds[1]);
    /* The pipe is closed by a successful exec. */
    if (pid > 0 && read(failure_fds[0], &rc, sizeof rc) == (ssize_t)sizeof rc) {
        (void)waitpid(pid, NULL, 0);
    }
    (void)close(failure_fds[0]);
    if (pid < 0) {
        rc = -saved;
    }
    return rc ? rc : pid;
}

/* Until the process of a pass has ended. SIGTERM ends it, and is delivered to this process later.
 */
static void await_pass(pid_t pid, const sigset_t *awaited)
{
    siginfo_t info = {.si_pid = 0};
    /* It is not reaped: the number stays its own while others may kill by it. */
    while (waitid(P_PID, (id_t)pid, &info, WEXITED | WNOHANG | WNOWAIT) == 0 && info.si_pid == 0) {
        if (sigwaitinfo(awaited, NULL) == SIGTERM) {
            (void)kill(-pid, SIGKILL);
            (void)kill(pid, SIGKILL); /* it may have left its group */
            (void)raise(SIGTERM);
            (void)waitid(P_PID, (id_t)pid, &info, WEXITED | WNOWAIT);
            return;
        }
    }
}

/* One process of the program, with what it starts. Returns its wait status, or -1 with the error
 * set. */
static int run_process(struct laxity_corunner *corunner)
{
    sigset_t awaited;
    sigset_t usual;
    int wait_status = -1;
    sigemptyset(&awaited);
    sigaddset(&awaited, SIGTERM);
    sigaddset(&awaited, SIGCHLD);
    /* So that no SIGTERM comes unseen between a look and the wait. */
    (void)pthread_sigmask(SIG_BLOCK, &awaited, &usual);
    const pid_t pid = start_pass(corunner, &usual);
    if (pid >= 0) {
        await_pass(pid, &awaited);
    }
    atomic_store(&corunner->program_pid, 0);
    if (pid >= 0) {
        (void)kill(-pid, SIGKILL);
        (void)waitpid(pid, &wait_status, 0);
    } else {
        laxity_error_set(
            &corunner->state.error,
            LAXITY_EXIT_LACKING,
            "co-runner \"%s\": cannot start: %s; build it or correct exec",
            corunner->config.name,
            strerrordesc_np(-pid)
        );
    }
    (void)pthread_sigmask(SIG_SETMASK, &usual, NULL);
    return wait_status;
}

/* A pass of a program is one process, from its start to its end. A failed process is the end of
 * the co-runner. */
static void run_processes(struct laxity_segment *segment, struct laxity_corunner *corunner)
{
    while (!is_over(segment) && corunner->state.error.exit_code == 0) {
        const int wait_status = run_process(corunner);
        if (wait_status == 0) {
            laxity_atomic64_increment(&corunner->passes);
        } else if (wait_status > 0 && !is_over(segment)) {
            laxity_die_alike(wait_status);
        }
    }
}

static int run_corunner(
    struct laxity_segment *segment, const struct laxity_role *role, int argc, void **workload_argv
)
{
    struct laxity_corunner *corunner = laxity_segment_corunner(segment, role->index);
    struct laxity_process_state *state = &corunner->state;
    struct laxity_threads threads;
    own_state = state;
    laxity_threads_begin(&threads, NULL, segment->snapshots);
    if (laxity_apply_placement(&corunner->config, state)) {
        return state->error.exit_code;
    }
    laxity_threads_hold_signals();
    const int rc = benchmark_init(argc, workload_argv);
    laxity_threads_take_signals();
    if (rc < 0) {
        laxity_error_set(
            &state->error,
            LAXITY_EXIT_VIOLATED,
            "co-runner \"%s\": its init failed (benchmark_init returned %d)%s",
            corunner->config.name,
            rc,
            corunner->config.advice.output
        );
        return state->error.exit_code;
    }
    if (laxity_apply_policy(&corunner->config, state) ||
        laxity_threads_apply_policy(&threads, &corunner->config, state)) {
        return state->error.exit_code;
    }
    laxity_note_placement(&corunner->config, state);
    laxity_set_phase(state, LAXITY_PHASE_READY);
    if (laxity_workload_ops()->program) {
        run_processes(segment, corunner);
        if (state->error.exit_code != 0) {
            return state->error.exit_code;
        }
    } else {
        run_passes(segment, corunner, argc, workload_argv);
    }
    laxity_set_phase(state, LAXITY_PHASE_TEARDOWN);
    benchmark_teardown(argc, workload_argv);
    laxity_set_phase(state, LAXITY_PHASE_DONE);
    return LAXITY_EXIT_DONE;
}

static int play_role(
    struct laxity_segment *segment,
    const struct laxity_role *role,
    char **own_argv,
    int argc,
    void **workload_argv
)
{
    switch (role->kind) {
    case LAXITY_ROLE_TASK:
        return laxity_segment_task(segment, role->index)->config.is_memory_need != 0
                   ? run_measured_task(segment, role, own_argv, argc, workload_argv)
                   : run_task(segment, role, own_argv, argc, workload_argv);
    case LAXITY_ROLE_JOB:
        return run_single_job(segment, role, argc, workload_argv);
    case LAXITY_ROLE_CORUNNER:
    case LAXITY_ROLE_OWN_PROGRAM:
        break;
    }
    return run_corunner(segment, role, argc, workload_argv);
}

int laxity_workload_main(int argc, char **argv)
{
    struct laxity_role role;
    if (!laxity_has_role(argc, argv) || laxity_parse_role(argv[1], &role)) {
        const char *slash = strrchr(argv[0], '/');
        const char *name = slash ? slash + 1 : argv[0];
        (void)fprintf(
            stderr, "%s: is started by laxity; write `laxity run %s -p 10ms -t 1000`\n", name, name
        );
        return LAXITY_EXIT_USAGE;
    }
    void *base = NULL;
    size_t bytes = 0;
    if (laxity_map_shared(role.segment_fd, &base, &bytes) || laxity_segment_check(base, bytes)) {
        (void)fprintf(stderr, "%s: the segment is not of this version; rebuild\n", argv[0]);
        return LAXITY_EXIT_INTERNAL;
    }
    /* Processes of single jobs need it; whoever else is begun must not have it. */
    (void)fcntl(role.segment_fd, F_SETFD, FD_CLOEXEC);
    catch_signals();
    void **workload_argv = (void **)calloc((size_t)argc, sizeof *workload_argv);
    if (!workload_argv) {
        return LAXITY_EXIT_LACKING;
    }
    for (int i = 2; i < argc; i++) {
        workload_argv[i - 2] = argv[i];
    }
    const int rc = play_role(base, &role, argv, argc - 2, workload_argv);
    (void)fflush(NULL);
    free((void *)workload_argv);
    return rc;
}
