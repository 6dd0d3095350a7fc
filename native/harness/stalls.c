/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
#include "harness/stalls.h"

#include "base/error.h"
#include "base/port/atomic64.h"
#include "base/port/file.h"
#include "base/port/time.h"
#include "harness/segment.h"
#include "schema/run.h"

#include <fcntl.h>
#include <inttypes.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>
#include <sys/wait.h> /* IWYU pragma: keep */
#include <time.h>
#include <unistd.h>

enum {
    /* A look that is late by less may be late for a busy machine: its own wake-up was slow. */
    LEAST_NS = 50 * LAXITY_NS_PER_MS,
    /* Where SIGCONT says that there was a stop. */
    LEAST_CONTINUED_NS = 5 * LAXITY_NS_PER_MS,
    DELAY_BYTES = 96,
    PATH_BYTES = 32,
    STAT_BYTES = 128, /* the name has at most 64 bytes */
    DECIMAL = 10,
    SHARE = 2, /* most of: more than one half */
};

bool laxity_is_standstill(const struct laxity_beat_gap *gap)
{
    const int64_t least_ns = gap->is_continued ? LEAST_CONTINUED_NS : LEAST_NS;
    return gap->late_ns >= least_ns && gap->delay_ns < gap->late_ns / SHARE &&
           gap->busy_ns < gap->late_ns / SHARE;
}

/* The first instant after from_ns at which a job of this task began or ended; INT64_MAX = none. */
static int64_t next_event_ns(struct laxity_segment *segment, uint32_t index, int64_t from_ns)
{
    const struct laxity_task *task = laxity_segment_task(segment, index);
    const struct laxity_job_record *ring = laxity_segment_ring(segment, index);
    const uint64_t head = laxity_atomic64_load(&task->state.head);
    const int64_t start_ns = laxity_atomic64_load_ns(&task->state.job_start_ns);
    int64_t next_ns = start_ns > from_ns ? start_ns : INT64_MAX;
    for (uint64_t back = 1; back <= head && back < segment->ring_slots; back++) {
        const struct laxity_job_record *record = &ring[(head - back) & (segment->ring_slots - 1)];
        if (record->finish_ns <= from_ns) {
            break;
        }
        next_ns = record->finish_ns < next_ns ? record->finish_ns : next_ns;
        if (record->start_ns > from_ns && record->start_ns < next_ns) {
            next_ns = record->start_ns;
        }
    }
    return next_ns;
}

bool laxity_find_hole(
    struct laxity_segment *segment, int64_t least_ns, int64_t *inout_from_ns, int64_t *inout_to_ns
)
{
    int64_t from_ns = *inout_from_ns;
    while (*inout_to_ns - from_ns >= least_ns) {
        int64_t next_ns = *inout_to_ns;
        for (uint32_t i = 0; i < segment->n_tasks; i++) {
            const int64_t event_ns = next_event_ns(segment, i, from_ns);
            next_ns = event_ns < next_ns ? event_ns : next_ns;
        }
        if (next_ns - from_ns >= least_ns) {
            *inout_from_ns = from_ns;
            *inout_to_ns = next_ns;
            return true;
        }
        from_ns = next_ns;
    }
    return false;
}

/* The second number: nanoseconds on a run queue without a CPU. */
static int64_t read_delay_ns(int fd)
{
    char text[DELAY_BYTES];
    const ssize_t got = fd < 0 ? -1 : pread(fd, text, sizeof text - 1, 0);
    if (got <= 0) {
        return 0;
    }
    text[got] = '\0';
    char *rest = NULL;
    (void)strtoll(text, &rest, DECIMAL);
    return strtoll(rest, NULL, DECIMAL);
}

/* A task that has ended uses no more. */
static int64_t read_busy_ns(struct laxity_segment *segment)
{
    int64_t busy_ns = 0;
    for (uint32_t i = 0; i < segment->n_tasks; i++) {
        clockid_t clock = 0;
        struct timespec used;
        const int32_t pid = laxity_segment_task(segment, i)->verdict.pid;
        if (pid > 0 && clock_getcpuclockid(pid, &clock) == 0 && clock_gettime(clock, &used) == 0) {
            busy_ns += (int64_t)used.tv_sec * LAXITY_NS_PER_S + used.tv_nsec;
        }
    }
    return busy_ns;
}

static void take_beat(struct laxity_heartbeat *heartbeat, struct laxity_segment *segment)
{
    heartbeat->delay_ns = read_delay_ns(heartbeat->delay_fd);
    heartbeat->busy_ns = read_busy_ns(segment);
    heartbeat->is_continued = false;
    heartbeat->beat_ns = laxity_now_ns();
}

void laxity_heartbeat_begin(struct laxity_heartbeat *heartbeat, struct laxity_segment *segment)
{
    heartbeat->delay_fd = open("/proc/self/schedstat", O_RDONLY | O_CLOEXEC);
    take_beat(heartbeat, segment);
}

void laxity_heartbeat_end(struct laxity_heartbeat *heartbeat)
{
    if (heartbeat->delay_fd >= 0) {
        (void)close(heartbeat->delay_fd);
    }
    heartbeat->delay_fd = -1;
}

static void note(struct laxity_segment *segment, const struct laxity_stall *stall)
{
    struct laxity_stalls *stalls = &segment->run.stalls;
    const uint32_t n = atomic_load_explicit(&stalls->n, memory_order_relaxed);
    if (n < LAXITY_STALLS_MAX) {
        stalls->listed[n] = *stall;
        atomic_store_explicit(&stalls->n, n + 1, memory_order_release);
    } else {
        stalls->more++;
    }
}

/* The stop of a task that is not over; NULL = there is none. */
static struct laxity_stall *open_stall(struct laxity_segment *segment, uint32_t task)
{
    struct laxity_stalls *stalls = &segment->run.stalls;
    const uint32_t n = atomic_load_explicit(&stalls->n, memory_order_relaxed);
    for (uint32_t i = 0; i < n; i++) {
        if (stalls->listed[i].task == task && stalls->listed[i].to_ns == 0) {
            return &stalls->listed[i];
        }
    }
    return NULL;
}

static void
take_stop(struct laxity_segment *segment, uint32_t task, bool is_stopped, int64_t since_ns)
{
    struct laxity_stall *stall = open_stall(segment, task);
    if (is_stopped && !stall) {
        note(segment, &(struct laxity_stall){.from_ns = since_ns, .task = task});
    } else if (!is_stopped && stall) {
        stall->to_ns = laxity_now_ns();
    }
}

void laxity_note_stop(struct laxity_segment *segment, pid_t pid, int wait_status)
{
    for (uint32_t i = 0; i < segment->n_tasks; i++) {
        if (laxity_segment_task(segment, i)->verdict.pid == pid) {
            take_stop(segment, i, WIFSTOPPED(wait_status), laxity_now_ns());
        }
    }
}

/* Whether a signal has stopped a process: state T of /proc/PID/stat. */
static bool is_stopped(int32_t pid)
{
    char path[PATH_BYTES];
    char text[STAT_BYTES];
    laxity_format(path, sizeof path, "/proc/%d/stat", (int)pid);
    if (laxity_read_text(path, text, sizeof text) != 0) {
        return false;
    }
    const char *end = strrchr(text, ')'); /* of the name, which may hold any character */
    return end && strncmp(end, ") T", strlen(") T")) == 0;
}

/* Programs below a task are no children of the supervisor: the kernel reports their stops to the
 * task, which waits for their jobs. */
static void look_at_programs(struct laxity_segment *segment, int64_t since_ns)
{
    for (uint32_t i = 0; i < segment->n_tasks; i++) {
        const struct laxity_task *task = laxity_segment_task(segment, i);
        const int32_t pid = atomic_load(&task->state.program_pid);
        if (pid > 0) {
            take_stop(segment, i, is_stopped(pid) || is_stopped(task->verdict.pid), since_ns);
        }
    }
}

void laxity_heartbeat_look(
    struct laxity_heartbeat *heartbeat, struct laxity_segment *segment, int wait_ms
)
{
    const struct laxity_heartbeat before = *heartbeat;
    take_beat(heartbeat, segment);
    const struct laxity_beat_gap gap = {
        .late_ns = heartbeat->beat_ns - before.beat_ns - (int64_t)wait_ms * LAXITY_NS_PER_MS,
        .delay_ns = heartbeat->delay_ns - before.delay_ns,
        .busy_ns = heartbeat->busy_ns - before.busy_ns,
        .is_continued = before.is_continued,
    };
    struct laxity_stall stall = {
        .from_ns = before.beat_ns, .to_ns = heartbeat->beat_ns, .task = LAXITY_STALL_OF_RUN
    };
    if (laxity_is_standstill(&gap) &&
        laxity_find_hole(segment, gap.late_ns / SHARE, &stall.from_ns, &stall.to_ns)) {
        note(segment, &stall);
    }
    look_at_programs(segment, before.beat_ns);
}

int64_t laxity_stalled_until_ns(const struct laxity_segment *segment)
{
    const struct laxity_stalls *stalls = &segment->run.stalls;
    const uint32_t n = atomic_load_explicit(&stalls->n, memory_order_acquire);
    int64_t until_ns = 0;
    for (uint32_t i = 0; i < n; i++) {
        const struct laxity_stall *stall = &stalls->listed[i];
        if (stall->task == LAXITY_STALL_OF_RUN && stall->to_ns > until_ns) {
            until_ns = stall->to_ns;
        }
    }
    return until_ns;
}

void laxity_judge_stalled(struct laxity_segment *segment, struct laxity_error *error)
{
    const struct laxity_stalls *stalls = &segment->run.stalls;
    if (atomic_load_explicit(&stalls->n, memory_order_acquire) == 0 ||
        (error->exit_code != 0 && error->exit_code != LAXITY_EXIT_INTERRUPTED)) {
        return;
    }
    const struct laxity_stall *first = &stalls->listed[0];
    const int64_t t0_ns = laxity_atomic64_load_ns(&segment->run.t0_ns);
    struct laxity_error found = {.exit_code = 0};
    char whose[LAXITY_NAME_BYTES * 2] = "the run stood still";
    if (first->task != LAXITY_STALL_OF_RUN) {
        laxity_format(
            whose,
            sizeof whose,
            "task \"%.40s\" was stopped by a signal",
            laxity_segment_task(segment, first->task)->config.process.name
        );
    }
    const int64_t end_ns = first->to_ns ? first->to_ns : segment->run.end_ns;
    laxity_error_set(
        &found,
        LAXITY_EXIT_NO_VERDICT,
        "%s for %" PRId64 " ms, %" PRId64 " ms after its first release; its jobs of that time are "
        "set apart; run again",
        whose,
        (end_ns - first->from_ns) / LAXITY_NS_PER_MS,
        (first->from_ns - t0_ns) / LAXITY_NS_PER_MS
    );
    *error = found;
}
