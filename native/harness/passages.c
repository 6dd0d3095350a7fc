/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
#include "harness/passages.h"

#include "base/port/time.h"
#include "harness/mark_table.h"
#include "harness/passage_ring.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/resource.h>

/* A workload knows no harness that it could hand to laxity_phase. Set before any hook is called. */
static struct laxity_passage_ring *own_ring;

/* The job that runs, if this thread makes it. */
static _Thread_local struct {
    bool is_running;
    uint64_t job;
    int64_t own_before_ns;
    int64_t switches_before;
} own_job;

void laxity_passages_open(struct laxity_passage_ring *ring)
{
    own_ring = ring;
}

static int64_t forced_switches(void)
{
    struct rusage usage;
    (void)getrusage(RUSAGE_THREAD, &usage);
    return usage.ru_nivcsw;
}

/* The own time is read last: with what was read before, it leaves the job no more time than it has.
 */
static void tell(uint32_t mark)
{
    struct laxity_passage passage = {.job = own_job.job, .mark = mark};
    passage.wall_ns = laxity_now_ns();
    passage.preemptions = (uint32_t)(forced_switches() - own_job.switches_before);
    passage.own_ns = laxity_thread_time_ns() - own_job.own_before_ns;
    laxity_passage_push(own_ring, &passage);
}

void laxity_passages_start(uint64_t job)
{
    if (own_ring) {
        own_job.is_running = true;
        own_job.job = job;
        own_job.own_before_ns = laxity_thread_time_ns();
        own_job.switches_before = forced_switches();
        tell(LAXITY_MARK_JOB_START);
    }
}

void laxity_passages_finish(void)
{
    if (own_job.is_running) {
        tell(LAXITY_MARK_JOB_FINISH);
        own_job.is_running = false;
    }
}

void laxity_passages_mark(uint32_t mark)
{
    if (own_job.is_running) {
        tell(mark);
    }
}
