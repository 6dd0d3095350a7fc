/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
#include "harness/threads.h"

#include "base/error.h"
#include "base/port/atomic64.h"
#include "base/port/threads.h"
#include "base/port/time.h"
#include "harness/segment.h"
#include "schema/run.h"

#include <errno.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <unistd.h>

enum {
    /* Threads may make threads while they are being put under their policy. */
    POLICY_PASSES = 8
};

struct found {
    int32_t tids[LAXITY_THREADS_FOUND_MAX];
    unsigned n;
};

static bool is_foreign(const struct laxity_threads *threads, int32_t tid)
{
    for (unsigned i = 0; i < threads->n_foreign; i++) {
        if (threads->foreign_tids[i] == tid) {
            return true;
        }
    }
    return false;
}

/* The workload's threads but the main one. */
static void find_others(const struct laxity_threads *threads, struct found *out_found)
{
    int32_t tids[LAXITY_THREADS_FOUND_MAX];
    const int n =
        threads->fd < 0 ? 0 : laxity_threads_list(threads->fd, tids, LAXITY_THREADS_FOUND_MAX);
    out_found->n = 0;
    for (int i = 0; i < n; i++) {
        if (tids[i] != threads->own_tid && !is_foreign(threads, tids[i])) {
            out_found->tids[out_found->n++] = tids[i];
        }
    }
}

void laxity_threads_begin(
    struct laxity_threads *threads, struct laxity_task *task, enum laxity_snapshots snapshots
)
{
    *threads = (struct laxity_threads){
        .fd = laxity_threads_open(),
        .own_tid = gettid(),
        .task = task,
        .is_measured = snapshots != LAXITY_SNAPSHOTS_NONE,
    };
    struct found found;
    find_others(threads, &found);
    for (unsigned i = 0; i < found.n && i < LAXITY_THREADS_FOREIGN_MAX; i++) {
        threads->foreign_tids[threads->n_foreign++] = found.tids[i];
    }
}

static void mask_signals(int how)
{
    sigset_t ours;
    sigemptyset(&ours);
    sigaddset(&ours, SIGTERM);
    sigaddset(&ours, SIGXCPU);
    (void)pthread_sigmask(how, &ours, NULL);
}

void laxity_threads_hold_signals(void)
{
    mask_signals(SIG_BLOCK);
}

void laxity_threads_take_signals(void)
{
    mask_signals(SIG_UNBLOCK);
}

static bool has_tid(const struct found *found, int32_t tid)
{
    for (unsigned i = 0; i < found->n; i++) {
        if (found->tids[i] == tid) {
            return true;
        }
    }
    return false;
}

static int refuse_policy(
    const struct laxity_process_config *config, struct laxity_process_state *state, int rc
)
{
    return laxity_refuse(
        &state->error,
        LAXITY_EXIT_LACKING,
        "task \"%.60s\": cannot put its threads under %s priority %d: %s; create them in a job",
        config->name,
        laxity_policy_name(state->policy),
        (int)config->priority,
        strerrordesc_np(-rc)
    );
}

int laxity_threads_apply_policy(
    const struct laxity_threads *threads,
    const struct laxity_process_config *config,
    struct laxity_process_state *state
)
{
    if (state->policy != LAXITY_POLICY_FIFO && state->policy != LAXITY_POLICY_RR) {
        return 0;
    }
    struct found done = {.n = 0};
    for (unsigned pass = 0; pass < POLICY_PASSES; pass++) {
        struct found found;
        find_others(threads, &found);
        unsigned n_new = 0;
        for (unsigned i = 0; i < found.n; i++) {
            if (has_tid(&done, found.tids[i])) {
                continue;
            }
            n_new++;
            const int rc = laxity_set_thread_policy(found.tids[i], state->policy, config->priority);
            if (rc && rc != -ESRCH) {
                return refuse_policy(config, state, rc);
            }
        }
        if (n_new == 0) {
            break;
        }
        done = found;
    }
    return 0;
}

static struct laxity_thread *listed_thread(struct laxity_thread_table *table, int32_t tid)
{
    const uint32_t n = atomic_load_explicit(&table->n, memory_order_relaxed);
    for (uint32_t i = n; i > 0; i--) {
        if (table->rows[i - 1].tid == tid) {
            return &table->rows[i - 1];
        }
    }
    return NULL;
}

static void tell_full(const struct laxity_threads *threads)
{
    struct laxity_thread_table *table = &threads->task->threads;
    if (!table->is_full_told) {
        table->is_full_told = 1;
        laxity_add_fallback(
            &threads->task->state.process,
            "list of threads",
            "the first 64",
            "the workload makes new ones in its jobs; threads.npy lacks the later ones"
        );
    }
}

/* A thread that is new was made since the look before; what came and went in between is not seen.
 */
static void list_thread(const struct laxity_threads *threads, int32_t tid, int64_t now_ns)
{
    struct laxity_thread_table *table = &threads->task->threads;
    struct laxity_thread *row = listed_thread(table, tid);
    if (row) {
        laxity_atomic64_store_ns(&row->to_ns, now_ns);
        return;
    }
    const uint32_t n = atomic_load_explicit(&table->n, memory_order_relaxed);
    if (n == LAXITY_THREADS_LISTED_MAX) {
        tell_full(threads);
        return;
    }
    row = &table->rows[n];
    row->tid = tid;
    laxity_thread_name(tid, row->name, sizeof row->name);
    laxity_atomic64_store_ns(&row->from_ns, threads->looked_ns);
    laxity_atomic64_store_ns(&row->to_ns, now_ns);
    atomic_store_explicit(&table->n, n + 1, memory_order_release);
}

static void note_found(struct laxity_threads *threads, const struct found *found)
{
    struct laxity_thread_table *table = &threads->task->threads;
    const int64_t now_ns = laxity_now_ns();
    for (unsigned i = 0; i < found->n; i++) {
        list_thread(threads, found->tids[i], now_ns);
    }
    const uint32_t all = found->n + 1;
    if (all > atomic_load_explicit(&table->most, memory_order_relaxed)) {
        atomic_store_explicit(&table->most, all, memory_order_relaxed);
    }
    laxity_atomic64_store_ns(&table->looked_ns, now_ns);
    threads->looked_ns = now_ns;
}

/* `seen` 0: there were others that are gone, nobody knows how many. */
static void tell_undeclared(struct laxity_threads *threads, unsigned seen)
{
    struct laxity_task *task = threads->task;
    const uint32_t declared = task->config.threads;
    if (task->threads.is_undeclared_told || !threads->is_measured) {
        return;
    }
    task->threads.is_undeclared_told = 1;
    char what[LAXITY_NAME_BYTES];
    char used[LAXITY_NAME_BYTES] = "more";
    char number[LAXITY_NAME_BYTES] = "their number";
    laxity_format(what, sizeof what, "threads %u", (unsigned)declared);
    if (seen > 0) {
        laxity_format(used, sizeof used, "%u", seen);
        laxity_format(number, sizeof number, "%u", seen);
    }
    char reason[LAXITY_ERROR_TEXT_BYTES];
    const bool is_reserved = task->state.process.policy == LAXITY_POLICY_DEADLINE;
    laxity_format(
        reason,
        sizeof reason,
        "the workload has made them; %s; %s the task's threads to %s",
        declared > 1 ? "processor time, preemptions and faults of its jobs count all of them"
                     : "processor time, preemptions and faults of its jobs leave them out",
        is_reserved ? "no reservation holds for them; use policy fifo and set" : "set",
        number
    );
    laxity_add_fallback(&task->state.process, what, used, reason);
}

/* Whether another thread ran since the first look, though it may be gone: the kernel's clock of the
 * process keeps the time of dead ones. One that ended without ever waiting has no switch counted.
 */
static bool has_hidden_thread(const struct laxity_threads *threads)
{
    int64_t low_ns = 0;
    int64_t high_ns = 0;
    laxity_others_time_bounds(&low_ns, &high_ns);
    return threads->n_foreign == 0 && low_ns > threads->time_high_ns;
}

static int64_t updated_time_ns(const struct found *others)
{
    for (unsigned i = 0; i < others->n; i++) {
        laxity_update_thread_time(others->tids[i]);
    }
    return laxity_others_time_ns();
}

void laxity_threads_look(struct laxity_threads *threads)
{
    struct found found;
    find_others(threads, &found);
    const bool is_first = threads->looked_ns == 0;
    note_found(threads, &found);
    if (found.n + 1 > threads->task->config.threads) {
        tell_undeclared(threads, found.n + 1);
    }
    if (is_first) {
        int64_t low_ns = 0;
        laxity_others_usage(&threads->usage);
        threads->time_ns = updated_time_ns(&found);
        laxity_others_time_bounds(&low_ns, &threads->time_high_ns);
        return;
    }
    if (threads->task->config.threads == 1 && has_hidden_thread(threads)) {
        tell_undeclared(threads, 0);
    }
}

static void
add_usage(struct laxity_job_record *record, const struct rusage *before, const struct rusage *after)
{
    record->preemptions += (int32_t)(after->ru_nivcsw - before->ru_nivcsw);
    if (record->blockings != INT32_MIN) { /* else that of the main thread is not known */
        record->blockings += (int32_t)(after->ru_nvcsw - before->ru_nvcsw);
    }
    record->minor_faults += (int32_t)(after->ru_minflt - before->ru_minflt);
    record->major_faults += (int32_t)(after->ru_majflt - before->ru_majflt);
}

void laxity_threads_count_job(
    struct laxity_threads *threads, enum laxity_snapshots mode, struct laxity_job_record *record
)
{
    struct found found;
    find_others(threads, &found);
    if (mode != LAXITY_SNAPSHOTS_NONE) {
        const int64_t time_ns = updated_time_ns(&found);
        record->exec_ns += time_ns - threads->time_ns;
        threads->time_ns = time_ns;
    }
    if (mode == LAXITY_SNAPSHOTS_ALL) {
        const struct rusage before = threads->usage;
        laxity_others_usage(&threads->usage);
        add_usage(record, &before, &threads->usage);
    }
    note_found(threads, &found);
    if (found.n + 1 > threads->task->config.threads) {
        tell_undeclared(threads, found.n + 1);
    }
}
