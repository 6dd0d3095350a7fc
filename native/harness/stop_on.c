/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
#include "harness/stop_on.h"

#include "base/port/time.h"
#include "harness/job_rows.h"
#include "harness/release.h"
#include "harness/segment.h"
#include "schema/streams.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <unistd.h>

bool laxity_stop_on_is_met(
    const struct laxity_stop_on *condition,
    int64_t release_ns,
    int64_t abs_deadline_ns,
    int64_t finish_ns
)
{
    switch (condition->kind) {
    case LAXITY_STOP_ON_MISS:
        return laxity_status_by_deadline(abs_deadline_ns, finish_ns) == LAXITY_STATUS_MISSED;
    case LAXITY_STOP_ON_RESPONSE:
        return release_ns != LAXITY_ABSENT_NS && finish_ns - release_ns > condition->response_ns;
    case LAXITY_STOP_ON_NOTHING:
        break;
    }
    return false;
}

void laxity_stop_on_judge(struct laxity_segment *segment, const struct laxity_job_row *row)
{
    struct laxity_stop_job *found = &segment->stop_job;
    const bool is_met = laxity_stop_on_is_met(
        &segment->stop_on, row->release_ns, row->abs_deadline_ns, row->finish_ns
    );
    if (!is_met || laxity_stop_on_is_told(segment) ||
        (found->is_found && found->finish_ns <= row->finish_ns)) {
        return;
    }
    found->task = row->task;
    found->job = row->job;
    found->release_ns = row->release_ns;
    found->abs_deadline_ns = row->abs_deadline_ns;
    found->finish_ns = row->finish_ns;
    found->is_found = 1;
}

void laxity_stop_on_tell(struct laxity_segment *segment, int fd)
{
    struct laxity_stop_job *found = &segment->stop_job;
    if (!found->is_found || laxity_stop_on_is_told(segment)) {
        return;
    }
    found->seen_ns = laxity_now_ns();
    atomic_store_explicit(&found->is_told, 1, memory_order_release);
    const uint64_t one = 1;
    if (fd >= 0) {
        /* Without it the supervisor would look a little later. */
        (void)!write(fd, &one, sizeof one);
    }
}

bool laxity_stop_on_is_told(const struct laxity_segment *segment)
{
    return atomic_load_explicit(&segment->stop_job.is_told, memory_order_acquire) != 0;
}
