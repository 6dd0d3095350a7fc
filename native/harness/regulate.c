/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
#include "harness/regulate.h"

#include "base/cpus.h"
#include "base/error.h"
#include "base/npy.h"
#include "base/port/atomic64.h"
#include "base/port/time.h"
#include "guard/guard.h"
#include "guard/lease.h"
#include "harness/regulator_loop.h"
#include "harness/segment.h"
#include "regulator/jobs.h"
#include "regulator/plan.h"
#include "schema/run.h"
#include "schema/streams.h"

#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <unistd.h>

enum {
    REGULATOR_PRIORITY = 98, /* FIFO, on a CPU of its own or above its guard */
    READY_PATIENCE_MS = 5000,
    END_PATIENCE_MS = 1000,
    POLL_NS = LAXITY_NS_PER_MS,
};

static const struct laxity_field fields[] = {LAXITY_REGULATION_REASONS_FIELDS};

/* CPUs of co-runners; none of them may be one of a task. Returns 0, or -1 with error set. */
static int guarded_cpus(
    struct laxity_segment *segment, struct laxity_cpus *out_cpus, struct laxity_error *error
)
{
    *out_cpus = (struct laxity_cpus){{0}};
    for (uint32_t i = 0; i < segment->n_corunners; i++) {
        const struct laxity_process_config *work = &laxity_segment_corunner(segment, i)->config;
        const bool is_fixed =
            work->policy == LAXITY_POLICY_FIFO || work->policy == LAXITY_POLICY_RR;
        if (!is_fixed || work->priority >= LAXITY_GUARD_PRIORITY) {
            return laxity_refuse(
                error,
                LAXITY_EXIT_USAGE,
                "co-runner \"%s\": a guard holds only work of policy fifo or rr with a priority "
                "below %d; add --policy rr --priority 1",
                work->name,
                LAXITY_GUARD_PRIORITY
            );
        }
        for (unsigned cpu = 0; cpu < laxity_cpus_end(&work->cpus); cpu++) {
            if (laxity_cpus_has(&work->cpus, cpu)) {
                laxity_cpus_add(out_cpus, cpu);
            }
        }
    }
    for (uint32_t i = 0; i < segment->n_tasks; i++) {
        const struct laxity_process_config *task = &laxity_segment_task(segment, i)->config.process;
        const struct laxity_cpus rest = laxity_cpus_without(out_cpus, &task->cpus);
        if (laxity_cpus_count(&rest) < laxity_cpus_count(out_cpus)) {
            return laxity_refuse(
                error,
                LAXITY_EXIT_USAGE,
                "task \"%s\" shares a CPU with a co-runner; a regulated co-runner is stopped by "
                "holding its CPU: give both CPUs of their own",
                task->name
            );
        }
    }
    if (laxity_cpus_is_empty(out_cpus)) {
        return laxity_refuse(
            error, LAXITY_EXIT_USAGE, "[regulate]: no co-runner to stop; add [[interfere]]"
        );
    }
    return 0;
}

/* The thread that makes the jobs of the regulated task has to write their passages. */
static int check_task(
    struct laxity_segment *segment,
    const struct laxity_regulation_plan *plan,
    struct laxity_error *error
)
{
    if (plan->task >= segment->n_tasks) {
        return laxity_refuse(error, LAXITY_EXIT_USAGE, "regulation: no task %" PRIu32, plan->task);
    }
    const struct laxity_task *task = laxity_segment_task(segment, plan->task);
    const char *name = task->config.process.name;
    if (task->config.threads > 1) {
        return laxity_refuse(
            error,
            LAXITY_EXIT_USAGE,
            "task \"%s\": has %" PRIu32 " threads, a regulated job has one",
            name,
            task->config.threads
        );
    }
    if (task->config.is_own_program ||
        atomic_load(&task->state.job_process) != LAXITY_JOB_IN_TASK) {
        return laxity_refuse(
            error,
            LAXITY_EXIT_USAGE,
            "task \"%s\": its jobs are processes or a program's own, whose passages no regulator "
            "sees; regulate a workload",
            name
        );
    }
    for (uint32_t i = 0; i < segment->n_tasks; i++) {
        const struct laxity_task *other = laxity_segment_task(segment, i);
        if (laxity_cpus_has(&other->config.process.cpus, plan->core)) {
            return laxity_refuse(
                error,
                LAXITY_EXIT_USAGE,
                "CPU %" PRIu32 ": task \"%s\" runs there, and so would the regulator; choose "
                "another cpu in [regulate]",
                plan->core,
                other->config.process.name
            );
        }
    }
    return 0;
}

/* Ends with the supervisor, and not by Ctrl-C, which is for it. */
static void become_child(const char *name, pid_t parent, int close_fd)
{
    (void)prctl(PR_SET_PDEATHSIG, SIGKILL);
    (void)prctl(PR_SET_NAME, name);
    (void)setpgid(0, 0);
    (void)close(close_fd);
    if (getppid() != parent) {
        _exit(LAXITY_EXIT_INTERNAL);
    }
}

static void tell_ready(struct laxity_regulator_board *board, int rc)
{
    if (rc) {
        uint32_t none = 0;
        (void)atomic_compare_exchange_strong(&board->refusal, &none, (uint32_t)-rc);
    }
    atomic_fetch_add(&board->n_ready, 1);
}

static _Noreturn void play_guard(struct laxity_regulate *regulate, unsigned index, unsigned cpu)
{
    const int rc = laxity_guard_enter(cpu, LAXITY_GUARD_PRIORITY);
    tell_ready(regulate->board, rc);
    if (rc == 0) {
        laxity_guard_run(&regulate->board->leases[index], regulate->timer_fds[index]);
    }
    _exit(LAXITY_EXIT_DONE);
}

static _Noreturn void play_regulator(struct laxity_regulate *regulate)
{
    const struct laxity_regulator_config config = {
        .plan = regulate->plan,
        .segment = regulate->segment,
        .board = regulate->board,
        .timer_fds = regulate->timer_fds,
        .n_guards = regulate->n_guards,
    };
    const int rc = laxity_guard_enter(regulate->plan->core, REGULATOR_PRIORITY);
    tell_ready(regulate->board, rc);
    if (rc == 0) {
        laxity_regulator_loop(&config);
    }
    _exit(LAXITY_EXIT_DONE);
}

/* Guards first: the regulator writes their leases. Returns 0 or -errno. */
static int
start_children(struct laxity_regulate *regulate, const struct laxity_cpus *cpus, int close_fd)
{
    const pid_t parent = getpid();
    unsigned n = 0;
    for (unsigned cpu = 0; cpu < laxity_cpus_end(cpus); cpu++) {
        if (!laxity_cpus_has(cpus, cpu)) {
            continue;
        }
        if (n == LAXITY_GUARDS_MAX) {
            return -E2BIG;
        }
        regulate->timer_fds[n] = laxity_lease_timer();
        if (regulate->timer_fds[n] < 0) {
            return regulate->timer_fds[n];
        }
        regulate->pids[n] = fork();
        if (regulate->pids[n] == 0) {
            become_child("laxity-guard", parent, close_fd);
            play_guard(regulate, n, cpu);
        }
        if (regulate->pids[n] < 0) {
            return -errno;
        }
        regulate->n_guards = ++n;
    }
    regulate->pids[n] = fork();
    if (regulate->pids[n] == 0) {
        become_child("laxity-regulate", parent, close_fd);
        play_regulator(regulate);
    }
    return regulate->pids[n] < 0 ? -errno : 0;
}

static int await_ready(const struct laxity_regulate *regulate)
{
    for (unsigned waited_ms = 0; waited_ms < READY_PATIENCE_MS; waited_ms++) {
        if (atomic_load(&regulate->board->n_ready) > regulate->n_guards) {
            return -(int)atomic_load(&regulate->board->refusal);
        }
        laxity_pause_ns(POLL_NS);
    }
    return -ETIMEDOUT;
}

int laxity_regulate_begin(
    struct laxity_regulate *regulate,
    const struct laxity_regulation_plan *plan,
    struct laxity_segment *segment,
    int dir_fd,
    int close_fd,
    struct laxity_error *error
)
{
    struct laxity_cpus cpus;
    if (guarded_cpus(segment, &cpus, error) || check_task(segment, plan, error)) {
        return -1;
    }
    *regulate = (struct laxity_regulate){.plan = plan, .segment = segment};
    void *board = mmap(
        NULL, sizeof *regulate->board, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0
    );
    if (board == MAP_FAILED) {
        return laxity_refuse(error, LAXITY_EXIT_LACKING, "no memory for the regulator");
    }
    regulate->board = board;
    const unsigned n_fields = sizeof fields / sizeof fields[0];
    int rc = laxity_npy_create(dir_fd, "regulation.npy", fields, n_fields, &regulate->stream);
    if (rc) {
        (void)munmap(board, sizeof *regulate->board);
        regulate->board = NULL;
        return laxity_refuse(
            error, LAXITY_EXIT_LACKING, "regulation.npy: cannot be made: %s", strerrordesc_np(-rc)
        );
    }
    rc = start_children(regulate, &cpus, close_fd);
    rc = rc ? rc : await_ready(regulate);
    if (rc) {
        return laxity_refuse(
            error,
            LAXITY_EXIT_LACKING,
            "cannot regulate co-runners: %s; %s",
            strerrordesc_np(-rc),
            rc == -EPERM ? "run as root, or raise rtprio in limits.conf to 98"
                         : "end other processes, or raise ulimit -l and ulimit -n"
        );
    }
    return 0;
}

void laxity_regulate_store(struct laxity_regulate *regulate)
{
    struct laxity_regulator_board *board = regulate->board;
    if (!board || regulate->write_rc) {
        return;
    }
    const uint64_t made = laxity_atomic64_load(&board->rows_made);
    uint64_t taken = laxity_atomic64_load(&board->rows_taken);
    while (taken < made && regulate->write_rc == 0) {
        const uint64_t at = taken & (LAXITY_REGULATOR_ROWS - 1);
        const uint64_t to_edge = LAXITY_REGULATOR_ROWS - at;
        const uint64_t n = made - taken < to_edge ? made - taken : to_edge;
        struct laxity_npy *stream = &regulate->stream;
        regulate->write_rc = laxity_npy_write(stream, stream->rows, &board->rows[at], n);
        taken += n;
    }
    laxity_atomic64_store(&board->rows_taken, taken);
}

/* Index of a child; n_guards is the regulator; -1: none of these. */
static int index_of(const struct laxity_regulate *regulate, pid_t pid)
{
    for (unsigned i = 0; regulate->board && i <= regulate->n_guards; i++) {
        if (regulate->pids[i] == pid) {
            return (int)i;
        }
    }
    return -1;
}

bool laxity_regulate_lose(
    struct laxity_regulate *regulate, pid_t pid, bool is_stopped, struct laxity_error *error
)
{
    const int index = index_of(regulate, pid);
    if (index < 0 || pid <= 0) {
        return false;
    }
    if (is_stopped) {
        (void)kill(pid, SIGKILL);
        (void)waitpid(pid, NULL, 0);
    }
    regulate->pids[index] = 0;
    if (regulate->is_ending) {
        return false;
    }
    laxity_error_set(
        error,
        LAXITY_EXIT_NO_VERDICT,
        "%s was killed or stopped by another program; co-runners were ended, and nothing is "
        "promised for the job of that moment",
        index == (int)regulate->n_guards ? "the regulator" : "a guard"
    );
    return true;
}

static void judge(const struct laxity_regulate *regulate, struct laxity_error *error)
{
    const struct laxity_regulator_board *board = regulate->board;
    if (error->exit_code == 0 && board->lost > 0) {
        laxity_error_set(
            error,
            LAXITY_EXIT_NO_VERDICT,
            "marks were lost %" PRIu64 " times, because the regulator was kept from CPU %" PRIu32
            "; keep other work from it",
            board->lost,
            regulate->plan->core
        );
    }
    laxity_regulated_jobs_judge(&board->jobs, &board->policy, error);
    if (error->exit_code == 0 && board->late_stops > 0) {
        laxity_error_set(
            error,
            LAXITY_EXIT_NO_VERDICT,
            "co-runners stood still later than assumed (%" PRId64 "ns) after %" PRIu64
            " permissions, the latest after %" PRId64 "ns; use a longer stop_latency",
            regulate->plan->terms.stop_ns,
            board->late_stops,
            board->latest_ns
        );
    }
    if (error->exit_code == 0 && board->late_marks > 0) {
        laxity_error_set(
            error,
            LAXITY_EXIT_NO_VERDICT,
            "%" PRIu64 " marks were seen later than assumed (%" PRId64
            "ns); use a longer mark_latency",
            board->late_marks,
            regulate->plan->terms.mark_ns
        );
    }
    if (error->exit_code == 0 && board->rows_lost > 0) {
        laxity_error_set(
            error,
            LAXITY_EXIT_NO_VERDICT,
            "regulation.npy lacks %" PRIu64 " readings; use a longer period in [regulate]",
            board->rows_lost
        );
    }
    if (error->exit_code == 0 && regulate->write_rc) {
        laxity_error_set(
            error,
            LAXITY_EXIT_LACKING,
            "cannot write regulation.npy: %s; free space",
            strerrordesc_np(-regulate->write_rc)
        );
    }
}

/* A child that does not end is killed. */
static void await_end(pid_t pid)
{
    for (unsigned waited_ms = 0; waited_ms < END_PATIENCE_MS; waited_ms++) {
        if (waitpid(pid, NULL, WNOHANG) != 0) {
            return;
        }
        laxity_pause_ns(POLL_NS);
    }
    (void)kill(pid, SIGKILL);
    (void)waitpid(pid, NULL, 0);
}

void laxity_regulate_end(struct laxity_regulate *regulate, struct laxity_error *error)
{
    struct laxity_regulator_board *board = regulate->board;
    if (!board) {
        return;
    }
    regulate->is_ending = true;
    /* The regulator ends the leases, unless it has ended before. */
    atomic_store_explicit(&board->is_over, 1, memory_order_release);
    for (unsigned i = 0; i < regulate->n_guards; i++) {
        laxity_lease_end(&board->leases[i], regulate->timer_fds[i]);
    }
    for (unsigned i = 0; i <= regulate->n_guards; i++) {
        if (regulate->pids[i] > 0) {
            await_end(regulate->pids[i]);
            regulate->pids[i] = 0;
        }
    }
    for (unsigned i = 0; i < regulate->n_guards; i++) {
        (void)close(regulate->timer_fds[i]);
    }
    laxity_regulate_store(regulate);
    const int rc = laxity_npy_close(&regulate->stream);
    regulate->write_rc = regulate->write_rc ? regulate->write_rc : rc;
    judge(regulate, error);
    (void)munmap(board, sizeof *board);
    regulate->board = NULL;
}
