/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
#include "harness/judge.h"

#include "base/cpus.h"
#include "base/error.h"
#include "base/port/atomic64.h"
#include "base/port/death.h"
#include "base/port/time.h"
#include "harness/segment.h"
#include "schema/run.h"

#include <inttypes.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/wait.h>

enum {
    HOW_BYTES = 96,
    CPU_LIST_BYTES = 64,
    /* A task that waits for a release may be kept from running by others; only far beyond that is
     * it stuck. */
    STUCK_MARGIN_NS = LAXITY_NS_PER_S,
};

static int64_t later_ns(int64_t one_ns, int64_t other_ns)
{
    return one_ns > other_ns ? one_ns : other_ns;
}

bool laxity_task_hangs(const struct laxity_task *task, int64_t now_ns, int64_t stalled_until_ns)
{
    const int64_t timeout_ns = task->config.job_timeout_ns;
    if (atomic_load_explicit(&task->state.end, memory_order_acquire) != LAXITY_END_NONE) {
        return false; /* teardown may take its time */
    }
    const int64_t begins_ns = laxity_atomic64_load_ns(&task->state.program_release_ns);
    if (begins_ns != 0) {
        /* only its task sees a program start */
        return now_ns - later_ns(begins_ns, stalled_until_ns) > timeout_ns;
    }
    const int64_t start_ns = laxity_atomic64_load_ns(&task->state.job_start_ns);
    if (start_ns != 0) {
        return now_ns - later_ns(start_ns, stalled_until_ns) > timeout_ns;
    }
    const int64_t release_ns = laxity_atomic64_load_ns(&task->state.next_release_ns);
    if (release_ns == 0 || task->config.overrun == LAXITY_OVERRUN_QUEUE) {
        return false; /* in a queue a release may be long past while jobs come and go */
    }
    return now_ns - later_ns(release_ns, stalled_until_ns) > timeout_ns + STUCK_MARGIN_NS;
}

void laxity_end_task(struct laxity_task *task, enum laxity_end end, int64_t end_ns)
{
    const uint32_t known = atomic_load_explicit(&task->verdict.end, memory_order_relaxed);
    const bool is_overtaken = known == LAXITY_END_STOPPED && end != LAXITY_END_STOPPED;
    if (known == LAXITY_END_NONE || is_overtaken) {
        task->verdict.end_ns = end_ns;
        atomic_store_explicit(&task->verdict.end, end, memory_order_release);
    }
}

/* "job 17", or "between jobs" */
static void describe_job(struct laxity_segment *segment, uint32_t index, char *text, size_t bytes)
{
    const struct laxity_task *task = laxity_segment_task(segment, index);
    const uint64_t head = laxity_atomic64_load(&task->state.head);
    const struct laxity_job_record *record =
        &laxity_segment_ring(segment, index)[head & (segment->ring_slots - 1)];
    const int64_t begins_ns = laxity_atomic64_load_ns(&task->state.program_release_ns);
    const bool is_program_running = begins_ns != 0 && begins_ns <= laxity_now_ns();
    if (is_program_running || laxity_atomic64_load_ns(&task->state.job_start_ns) != 0) {
        laxity_format(text, bytes, "in job %" PRIu64, record->job);
    } else {
        laxity_format(text, bytes, "between jobs");
    }
}

static void describe_status(int wait_status, char *text, size_t bytes)
{
    if (WIFSIGNALED(wait_status)) {
        const int number = WTERMSIG(wait_status);
        const char *name = sigabbrev_np(number);
        laxity_format(text, bytes, "killed by signal %d (SIG%s)", number, name ? name : "?");
        return;
    }
    laxity_format(text, bytes, "called exit(%d)", WEXITSTATUS(wait_status));
}

/* The same, and whether it was the kernel for want of memory: its own count of that has grown. */
static void
describe_death(struct laxity_segment *segment, int wait_status, char *text, size_t bytes)
{
    describe_status(wait_status, text, bytes);
    if (!WIFSIGNALED(wait_status) || WTERMSIG(wait_status) != SIGKILL) {
        return;
    }
    const int64_t kills = laxity_oom_kills();
    if (segment->run.oom_kills >= 0 && kills > segment->run.oom_kills) {
        segment->run.oom_kills = kills;
        laxity_format(text, bytes, "killed by the kernel for want of memory (oom_kill, signal 9)");
    }
}

static enum laxity_end end_of_status(int wait_status)
{
    if (!WIFSIGNALED(wait_status)) {
        return LAXITY_END_EXIT;
    }
    return WTERMSIG(wait_status) == SIGKILL ? LAXITY_END_KILLED : LAXITY_END_SIGNAL;
}

static bool has_exceeded_memory(const struct laxity_task *task)
{
    return atomic_load_explicit(&task->state.memory.is_exceeded, memory_order_acquire) != 0;
}

static enum laxity_end end_of_task(const struct laxity_task *task, int wait_status)
{
    return has_exceeded_memory(task) ? LAXITY_END_MEMORY_LIMIT : end_of_status(wait_status);
}

/* Before the first release the process's own words are best: what it lacked is in its error. */
static void judge_setup(
    struct laxity_segment *segment,
    const struct laxity_process_state *state,
    const char *kind,
    const struct laxity_process_config *config,
    int wait_status,
    struct laxity_error *error
)
{
    if (state->error.exit_code != 0) {
        laxity_error_set(error, state->error.exit_code, "%s", state->error.text);
        return;
    }
    char how[HOW_BYTES];
    describe_death(segment, wait_status, how, sizeof how);
    laxity_error_set(
        error,
        LAXITY_EXIT_VIOLATED,
        "%s \"%s\": %s before the first release%s",
        kind,
        config->name,
        how,
        config->advice.output
    );
}

static bool judge_running(
    struct laxity_segment *segment, uint32_t index, int wait_status, struct laxity_error *error
)
{
    struct laxity_task *task = laxity_segment_task(segment, index);
    const char *name = task->config.process.name;
    char how[HOW_BYTES];
    char where[HOW_BYTES];
    describe_death(segment, wait_status, how, sizeof how);
    describe_job(segment, index, where, sizeof where);
    uint32_t known = atomic_load_explicit(&task->verdict.end, memory_order_relaxed);
    if (known == LAXITY_END_STOPPED && task->config.is_own_program) {
        known = LAXITY_END_INTERRUPT; /* not waited for: its relay has ended it as asked */
        laxity_end_task(task, LAXITY_END_INTERRUPT, task->verdict.end_ns);
    }
    laxity_end_task(task, end_of_task(task, wait_status), laxity_now_ns());
    char *detail = task->verdict.detail;
    const size_t bytes = sizeof task->verdict.detail;
    if (known == LAXITY_END_INTERRUPT) {
        laxity_format(detail, bytes, "interrupted %s", where);
        return false;
    }
    if (known == LAXITY_END_TIMEOUT) {
        const bool is_in_job = laxity_atomic64_load_ns(&task->state.job_start_ns) != 0;
        laxity_format(
            detail,
            bytes,
            is_in_job ? "%s: longer than its timeout of %" PRId64 " ms"
                      : "%s: no start within %" PRId64 " ms and 1 s more after a release",
            where,
            task->config.job_timeout_ns / LAXITY_NS_PER_MS
        );
    } else if (task->state.process.error.exit_code != 0) {
        laxity_format(detail, bytes, "%s: %.120s", where, task->state.process.error.text);
    } else {
        laxity_format(detail, bytes, "%s %s", how, where);
    }
    laxity_error_set(
        error, LAXITY_EXIT_VIOLATED, "task \"%s\": %.130s; jobs before it were kept", name, detail
    );
    return true;
}

/* The loop was left in good order; what can still go wrong is the teardown. */
static bool judge_teardown(
    struct laxity_task *task, enum laxity_end own, int wait_status, struct laxity_error *error
)
{
    const bool is_clean = WIFEXITED(wait_status) && WEXITSTATUS(wait_status) == 0;
    const uint32_t asked = atomic_load_explicit(&task->verdict.end, memory_order_relaxed);
    if (own == LAXITY_END_INTERRUPT && asked == LAXITY_END_NONE) {
        laxity_end_task(task, LAXITY_END_SIGNAL, task->state.end_ns);
        laxity_format(
            task->verdict.detail, sizeof task->verdict.detail, "ended by SIGTERM from outside"
        );
        laxity_error_set(
            error,
            LAXITY_EXIT_VIOLATED,
            "task \"%s\": ended by SIGTERM from outside; jobs up to then were kept",
            task->config.process.name
        );
        return true;
    }
    if (is_clean && own == LAXITY_END_EXIT) {
        laxity_format(
            task->verdict.detail, sizeof task->verdict.detail, "ended by itself with exit code 0"
        );
    }
    if (is_clean || own == LAXITY_END_INTERRUPT) {
        return false;
    }
    char how[LAXITY_ERROR_TEXT_BYTES];
    describe_status(wait_status, how, sizeof how);
    if (has_exceeded_memory(task)) {
        laxity_format(how, sizeof how, "%s", task->state.process.error.text);
    }
    laxity_format(task->verdict.detail, sizeof task->verdict.detail, "%.150s in teardown", how);
    laxity_error_set(
        error,
        LAXITY_EXIT_VIOLATED,
        "task \"%s\": %.120s in its teardown; all jobs were kept",
        task->config.process.name,
        how
    );
    return true;
}

bool laxity_judge_task(
    struct laxity_segment *segment,
    uint32_t index,
    int wait_status,
    bool is_published,
    struct laxity_error *error
)
{
    struct laxity_task *task = laxity_segment_task(segment, index);
    const uint32_t own = atomic_load_explicit(&task->state.end, memory_order_acquire);
    task->verdict.wait_status = wait_status;
    if (own != LAXITY_END_NONE) {
        return judge_teardown(task, own, wait_status, error);
    }
    if (is_published) {
        return judge_running(segment, index, wait_status, error);
    }
    const uint32_t known = atomic_load_explicit(&task->verdict.end, memory_order_relaxed);
    if (known != LAXITY_END_NONE) {
        return false; /* stopped by us */
    }
    const struct laxity_process_state *state = &task->state.process;
    const char *name = task->config.process.name;
    if (has_exceeded_memory(task)) {
        laxity_error_set(
            error,
            LAXITY_EXIT_VIOLATED,
            "task \"%s\": in its init: %.110s; raise the limit",
            name,
            state->error.text
        );
    }
    judge_setup(segment, state, "task", &task->config.process, wait_status, error);
    laxity_end_task(task, end_of_task(task, wait_status), laxity_now_ns());
    return true;
}

bool laxity_judge_corunner(
    struct laxity_segment *segment,
    uint32_t index,
    int wait_status,
    bool is_published,
    struct laxity_error *error
)
{
    struct laxity_corunner *corunner = laxity_segment_corunner(segment, index);
    struct laxity_verdict *verdict = &corunner->verdict;
    verdict->wait_status = wait_status;
    if (atomic_load_explicit(&verdict->end, memory_order_relaxed) != LAXITY_END_NONE) {
        return false; /* stopped by us */
    }
    verdict->end_ns = laxity_now_ns();
    corunner->passes_at_end = laxity_atomic64_load(&corunner->passes);
    atomic_store_explicit(&verdict->end, end_of_status(wait_status), memory_order_release);
    if (!is_published) {
        judge_setup(segment, &corunner->state, "co-runner", &corunner->config, wait_status, error);
        return true;
    }
    char cpus[CPU_LIST_BYTES];
    laxity_cpus_format(&corunner->config.cpus, cpus, sizeof cpus);
    if (corunner->state.error.exit_code != 0) {
        laxity_format(
            verdict->detail, sizeof verdict->detail, "%.150s", corunner->state.error.text
        );
    } else {
        describe_death(segment, wait_status, verdict->detail, sizeof verdict->detail);
    }
    laxity_error_set(
        error,
        LAXITY_EXIT_NO_VERDICT,
        "co-runner \"%s\" on CPU %s died: %.90s; jobs up to then were kept",
        corunner->config.name,
        cpus,
        verdict->detail
    );
    return true;
}

void laxity_judge_aborted(struct laxity_segment *segment, struct laxity_error *error)
{
    for (uint32_t i = 0; i < segment->n_tasks; i++) {
        const struct laxity_task *task = laxity_segment_task(segment, i);
        const struct laxity_aborted *aborted = &task->state.aborted;
        const uint64_t n = laxity_atomic64_load(&aborted->n);
        char how[HOW_BYTES] = "";
        if (n == 0) {
            continue;
        }
        if (aborted->first_cause != LAXITY_END_TIMEOUT && aborted->first_status != 0) {
            describe_death(segment, aborted->first_status, how, sizeof how);
        }
        laxity_error_set(
            error,
            LAXITY_EXIT_VIOLATED,
            "task \"%s\": %" PRIu64 " of its jobs aborted, the first in job %" PRIu64
            " (cause %s%s%s); all jobs were kept",
            task->config.process.name,
            n,
            aborted->first_job,
            laxity_end_name((enum laxity_end)aborted->first_cause),
            how[0] != '\0' ? ": " : "",
            how
        );
    }
}

const struct laxity_displaced *laxity_first_displaced(
    const struct laxity_process_state *state,
    const struct laxity_verdict *verdict,
    enum laxity_displaced_kind kind
)
{
    const struct laxity_displaced *own = &state->displaced[kind];
    const struct laxity_displaced *seen = &verdict->displaced[kind];
    const bool has_own = atomic_load_explicit(&own->is_seen, memory_order_acquire) != 0;
    const bool has_seen = atomic_load_explicit(&seen->is_seen, memory_order_acquire) != 0;
    if (has_own && has_seen) {
        return own->seen_ns <= seen->seen_ns ? own : seen;
    }
    if (has_own) {
        return own;
    }
    return has_seen ? seen : NULL;
}

static void judge_displaced_process(
    const char *name,
    const struct laxity_process_state *state,
    const struct laxity_verdict *verdict,
    struct laxity_error *error
)
{
    const struct laxity_displaced *policy =
        laxity_first_displaced(state, verdict, LAXITY_DISPLACED_POLICY);
    const struct laxity_displaced *cpus =
        laxity_first_displaced(state, verdict, LAXITY_DISPLACED_CPUS);
    if (policy) {
        laxity_error_set(
            error,
            LAXITY_EXIT_NO_VERDICT,
            "\"%.40s\" was found under %.32s, planned was %.32s; let nothing change it, and run "
            "again",
            name,
            policy->found,
            policy->planned
        );
    }
    if (cpus) {
        laxity_error_set(
            error,
            LAXITY_EXIT_NO_VERDICT,
            "\"%.40s\" was found on CPUs %.32s, planned were %.32s; let nothing move it, and run "
            "again",
            name,
            cpus->found,
            cpus->planned
        );
    }
}

static void judge_elsewhere(const struct laxity_task *task, struct laxity_error *error)
{
    const struct laxity_elsewhere *elsewhere = &task->drain.elsewhere;
    char planned[CPU_LIST_BYTES];
    if (elsewhere->jobs == 0) {
        return;
    }
    laxity_cpus_format(&task->config.process.cpus, planned, sizeof planned);
    laxity_error_set(
        error,
        LAXITY_EXIT_NO_VERDICT,
        "\"%.40s\": %" PRIu64 " jobs began or ended off CPUs %.32s, the first was job %" PRIu64
        " on CPU %d; let nothing move it, and run again",
        task->config.process.name,
        elsewhere->jobs,
        planned,
        elsewhere->first_job,
        (int)elsewhere->first_cpu
    );
}

void laxity_judge_displaced(struct laxity_segment *segment, struct laxity_error *error)
{
    struct laxity_error found = {.exit_code = 0};
    for (uint32_t i = 0; i < segment->n_tasks; i++) {
        const struct laxity_task *task = laxity_segment_task(segment, i);
        judge_elsewhere(task, &found);
        judge_displaced_process(
            task->config.process.name, &task->state.process, &task->verdict, &found
        );
    }
    for (uint32_t i = 0; i < segment->n_corunners; i++) {
        const struct laxity_corunner *corunner = laxity_segment_corunner(segment, i);
        judge_displaced_process(
            corunner->config.name, &corunner->state, &corunner->verdict, &found
        );
    }
    if (found.exit_code != 0 &&
        (error->exit_code == 0 || error->exit_code == LAXITY_EXIT_INTERRUPTED)) {
        *error = found;
    }
}
