/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
#include "harness/drain.h"

#include "base/error.h"
#include "base/npy.h"
#include "base/port/atomic64.h"
#include "base/port/death.h"
#include "base/port/file.h"
#include "base/port/time.h"
#include "harness/job_stream.h"
#include "harness/judge.h"
#include "harness/mark_stream.h"
#include "harness/outcome.h"
#include "harness/output.h"
#include "harness/own_jobs.h"
#include "harness/sample_stream.h"
#include "harness/segment.h"
#include "harness/stalls.h"
#include "harness/stop_on.h"

#include <poll.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <unistd.h>

enum {
    PASS_MS = 50, /* the ring holds seconds of jobs; nothing is gained by more passes */
    PATCH_NS = LAXITY_NS_PER_S / 2, /* "at least once a second" */
    DEATH_WAIT_MS = 5000,
};

struct drain {
    const struct laxity_drain_config *config;
    struct laxity_job_stream stream;
    struct laxity_sample_stream samples;
    struct laxity_mark_stream marks;
    bool is_open;
    int64_t patched_ns;
};

static uint32_t process_count(const struct laxity_segment *segment)
{
    return segment->n_tasks + segment->n_corunners;
}

static bool is_hung_up(int fd)
{
    struct pollfd poll_fd = {.fd = fd, .events = 0};
    return fd >= 0 && poll(&poll_fd, 1, 0) > 0 && (poll_fd.revents & (POLLHUP | POLLERR)) != 0;
}

static void copy_outputs(const struct laxity_drain_config *config)
{
    if (!config->output_fds) {
        return;
    }
    for (uint32_t i = 0; i < process_count(config->segment); i++) {
        (void)laxity_output_copy(config->segment, config->dir_fd, config->output_fds[i], i);
    }
}

static int open_stream(struct drain *drain)
{
    if (drain->is_open) {
        return 0;
    }
    const int rc =
        laxity_job_stream_open(drain->config->segment, drain->config->dir_fd, &drain->stream);
    drain->is_open = rc == 0;
    return rc;
}

/* One pass over all rings. Returns 0 or -errno. */
static int drain_rings(struct drain *drain)
{
    struct laxity_segment *segment = drain->config->segment;
    if (laxity_atomic64_load_ns(&segment->run.t0_ns) == 0) {
        return 0; /* the columns are known only when every task is past its init */
    }
    int rc = open_stream(drain);
    for (uint32_t i = 0; i < segment->n_tasks && rc == 0; i++) {
        rc = laxity_job_stream_drain(&drain->stream, i);
    }
    laxity_stop_on_tell(segment, drain->config->stop_fd);
    if (rc == 0) {
        rc = laxity_sample_stream_drain(&drain->samples, segment, drain->config->dir_fd);
    }
    rc = rc ? rc : laxity_mark_stream_drain(&drain->marks, false);
    const int64_t now_ns = laxity_now_ns();
    if (rc == 0 && now_ns - drain->patched_ns > PATCH_NS) {
        rc = laxity_npy_patch(&drain->stream.npy);
        if (rc == 0 && drain->samples.is_open) {
            rc = laxity_npy_patch(&drain->samples.npy);
        }
        rc = rc ? rc : laxity_mark_stream_patch(&drain->marks);
        drain->patched_ns = now_ns;
    }
    return rc;
}

/* Until the supervisor closes its end of the lifeline, or dies. */
static void follow_run(struct drain *drain)
{
    const struct laxity_drain_config *config = drain->config;
    struct laxity_segment *segment = config->segment;
    while (config->lifeline_fd >= 0 && !is_hung_up(config->lifeline_fd)) {
        const int rc = drain_rings(drain);
        if (rc) {
            atomic_store_explicit(&segment->output_error, rc, memory_order_release);
        }
        copy_outputs(config);
        struct pollfd lifeline = {.fd = config->lifeline_fd, .events = 0};
        (void)poll(&lifeline, 1, PASS_MS);
    }
}

/* The supervisor is dead and its children die with it (PR_SET_PDEATHSIG); rows are final only when
 * they are gone. */
static void wait_for_deaths(struct laxity_segment *segment)
{
    for (uint32_t i = 0; i < segment->n_tasks; i++) {
        const int32_t pid = laxity_segment_task(segment, i)->verdict.pid;
        if (pid > 0) {
            (void)laxity_wait_for_death(pid, DEATH_WAIT_MS);
        }
    }
}

/*
 * When a run was last seen alive, for a recovery that may come hours later: what was released after
 * that was not skipped, nobody was there to run it.
 */
static int64_t last_sign_of_life_ns(struct laxity_segment *segment, uint32_t task_index)
{
    const struct laxity_task_state *state = &laxity_segment_task(segment, task_index)->state;
    int64_t last_ns = laxity_atomic64_load_ns(&segment->run.alive_ns);
    const int64_t start_ns = laxity_atomic64_load_ns(&state->job_start_ns);
    last_ns = start_ns > last_ns ? start_ns : last_ns;
    const uint64_t head = laxity_atomic64_load(&state->head);
    if (head > 0) {
        const struct laxity_job_record *last =
            &laxity_segment_ring(segment, task_index)[(head - 1) & (segment->ring_slots - 1)];
        last_ns = last->finish_ns > last_ns ? last->finish_ns : last_ns;
    }
    const int64_t t0_ns = laxity_atomic64_load_ns(&segment->run.t0_ns);
    return last_ns > t0_ns ? last_ns : t0_ns;
}

/* What an own program's relay did not live to take: rows are lost only where the ring was full. */
static int drain_own_jobs(struct drain *drain, uint32_t task_index)
{
    struct laxity_segment *segment = drain->config->segment;
    struct laxity_task *task = laxity_segment_task(segment, task_index);
    if (!task->config.is_own_program || atomic_load(&task->state.end) != LAXITY_END_NONE) {
        return 0;
    }
    const bool has_verdict = atomic_load(&task->verdict.end) != LAXITY_END_NONE;
    const int64_t until_ns = has_verdict ? task->verdict.end_ns : INT64_MAX;
    int rc = 0;
    bool has_more = true;
    while (rc == 0 && has_more) {
        rc = laxity_job_stream_drain(&drain->stream, task_index);
        has_more = laxity_own_jobs_take(segment, task_index, until_ns);
    }
    return rc;
}

/* The task's own word first, then the supervisor's; if neither spoke, all were killed. */
static void find_end(
    const struct laxity_drain_config *config,
    uint32_t task_index,
    int64_t *out_end_ns,
    enum laxity_end *out_end
)
{
    struct laxity_segment *segment = config->segment;
    const struct laxity_task *task = laxity_segment_task(segment, task_index);
    const uint32_t own = atomic_load_explicit(&task->state.end, memory_order_acquire);
    const uint32_t verdict = atomic_load_explicit(&task->verdict.end, memory_order_acquire);
    const bool has_own_end =
        own == LAXITY_END_JOBS || own == LAXITY_END_DURATION || own == LAXITY_END_STOPPED;
    if (verdict != LAXITY_END_NONE && !has_own_end) {
        *out_end = verdict;
        *out_end_ns = task->verdict.end_ns;
        return;
    }
    if (own != LAXITY_END_NONE) {
        *out_end = own;
        *out_end_ns = task->state.end_ns;
        return;
    }
    const bool is_witness = config->lifeline_fd >= 0; /* of the death, a moment ago */
    *out_end = LAXITY_END_KILLED;
    *out_end_ns = is_witness ? laxity_now_ns() : last_sign_of_life_ns(segment, task_index);
}

static int complete_streams(struct drain *drain)
{
    struct laxity_segment *segment = drain->config->segment;
    const bool is_published = laxity_atomic64_load_ns(&segment->run.t0_ns) != 0;
    int rc = open_stream(drain);
    for (uint32_t i = 0; i < segment->n_tasks && rc == 0; i++) {
        struct laxity_task *task = laxity_segment_task(segment, i);
        int64_t end_ns = 0;
        enum laxity_end end = LAXITY_END_NONE;
        find_end(drain->config, i, &end_ns, &end);
        if (is_published) {
            rc = drain_own_jobs(drain, i);
            rc = rc ? rc : laxity_job_stream_end_task(&drain->stream, i, end_ns, end);
        } else {
            task->drain.end = end;
        }
    }
    if (rc == 0) {
        rc = laxity_job_stream_close(&drain->stream, drain->config->dir_fd);
    }
    if (rc == 0 && is_published) {
        rc = laxity_sample_stream_drain(&drain->samples, segment, drain->config->dir_fd);
    }
    rc = rc || !is_published ? rc : laxity_mark_stream_drain(&drain->marks, true);
    const int samples_rc = laxity_sample_stream_close(&drain->samples);
    const int marks_rc = laxity_mark_stream_close(&drain->marks);
    const int close_rc = samples_rc ? samples_rc : marks_rc;
    return rc ? rc : close_rc;
}

void laxity_finish_orphan(const struct laxity_segment *segment, int parent_fd, const char *run_dir)
{
    const char *finisher = segment->finisher;
    const bool is_orphan = parent_fd >= 0 && is_hung_up(parent_fd);
    if (is_orphan && finisher[0] != '\0') {
        /* Where the Python side is gone nobody reads its output: the finisher reports through the
         * manifest. */
        (void)execl("/bin/sh", "sh", "-c", finisher, "sh", run_dir, (char *)NULL);
    }
}

int laxity_drain_run(const struct laxity_drain_config *config)
{
    /* The row buffer of a stream is in the segment; this holds only its layout and file. */
    static struct drain drain;
    drain = (struct drain){
        .config = config,
        .marks = {.segment = config->segment, .dir_fd = config->dir_fd},
    };
    (void)signal(SIGXFSZ, SIG_IGN); /* a file size limit is an error of write(), not a death */
    follow_run(&drain);
    struct laxity_segment *segment = config->segment;
    if (atomic_load_explicit(&segment->run.status, memory_order_acquire) == LAXITY_RUN_RUNNING) {
        wait_for_deaths(segment);
    }
    copy_outputs(config);
    int rc = complete_streams(&drain);
    if (rc == 0) {
        laxity_judge_stalled(segment, &segment->run.error);
        laxity_judge_displaced(segment, &segment->run.error);
        rc = laxity_outcome_write(segment, config->dir_fd);
    }
    if (rc) {
        atomic_store_explicit(&segment->output_error, rc, memory_order_release);
        if (laxity_is_deleted(config->dir_fd)) {
            (void)unlink(config->shared_path); /* the run was deleted: nobody can complete it */
        }
        /* The run must wait for space, but not the kernel settings that were changed for it. */
        laxity_finish_orphan(config->segment, config->parent_fd, config->run_dir);
        return LAXITY_EXIT_LACKING;
    }
    (void)unlinkat(config->dir_fd, "segment", 0);
    (void)unlink(config->shared_path);
    (void)fsync(config->dir_fd);
    laxity_finish_orphan(config->segment, config->parent_fd, config->run_dir);
    return LAXITY_EXIT_DONE;
}
