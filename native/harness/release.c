/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
#include "harness/release.h"

#include "base/port/time.h"
#include "schema/run.h"
#include "schema/streams.h"

#include <stdint.h>

int64_t laxity_release_ns(const struct laxity_releases *releases, uint64_t job)
{
    return releases->first_ns + (int64_t)job * releases->period_ns;
}

int64_t laxity_abs_deadline_ns(const struct laxity_releases *releases, uint64_t job)
{
    if (releases->deadline_ns == LAXITY_ABSENT_NS) {
        return LAXITY_ABSENT_NS;
    }
    return laxity_release_ns(releases, job) + releases->deadline_ns;
}

uint64_t laxity_released_before(const struct laxity_releases *releases, int64_t instant_ns)
{
    if (instant_ns <= releases->first_ns) {
        return 0;
    }
    return (uint64_t)((instant_ns - releases->first_ns - 1) / releases->period_ns) + 1;
}

uint64_t laxity_next_job(const struct laxity_releases *releases, uint64_t job, int64_t finish_ns)
{
    if (releases->overrun == LAXITY_OVERRUN_QUEUE) {
        return job + 1;
    }
    const uint64_t released = laxity_released_before(releases, finish_ns);
    return released > job + 1 ? released : job + 1;
}

int64_t laxity_own_abs_deadline_ns(const struct laxity_releases *releases, int64_t release_ns)
{
    if (releases->deadline_ns == LAXITY_ABSENT_NS || release_ns == LAXITY_ABSENT_NS) {
        return LAXITY_ABSENT_NS;
    }
    return release_ns + releases->deadline_ns;
}

enum laxity_status laxity_status_by_deadline(int64_t abs_deadline_ns, int64_t finish_ns)
{
    if (abs_deadline_ns != LAXITY_ABSENT_NS && finish_ns > abs_deadline_ns) {
        return LAXITY_STATUS_MISSED;
    }
    return LAXITY_STATUS_DONE;
}

enum laxity_status
laxity_finished_status(const struct laxity_releases *releases, uint64_t job, int64_t finish_ns)
{
    return laxity_status_by_deadline(laxity_abs_deadline_ns(releases, job), finish_ns);
}
