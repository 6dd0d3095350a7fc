/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
/* By perf_event_open of Linux. */
#include "counters/counters.h"

#include "base/port/perf_event.h"
#include "counters/event.h"
#include "schema/run.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

static bool is_denied(int rc)
{
    return rc == -EACCES || rc == -EPERM;
}

struct perf_event_attr laxity_event_attributes(const struct laxity_event *event)
{
    return (struct perf_event_attr){
        .size = sizeof(struct perf_event_attr),
        .type = event->type,
        .config = event->config,
        .config1 = event->config1,
        .config2 = event->config2,
        .exclude_user = event->excludes_user,
        .exclude_kernel = event->excludes_kernel,
        .read_format =
            PERF_FORMAT_GROUP | PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING,
    };
}

static int open_one(const struct laxity_event *event, int group_fd)
{
    struct perf_event_attr attr = laxity_event_attributes(event);
    return laxity_perf_open(&attr, LAXITY_PERF_NO_CPU, group_fd);
}

/* Without permission for the kernel's code, user mode alone, where that is not a false zero. */
static int open_permitted(struct laxity_event *event, int group_fd)
{
    const int fd = open_one(event, group_fd);
    if (!is_denied(fd) || event->excludes_kernel || event->excludes_user || event->is_of_kernel) {
        return fd;
    }
    struct laxity_event user_only = *event;
    user_only.excludes_kernel = true;
    const int user_fd = open_one(&user_only, group_fd);
    if (user_fd >= 0) {
        event->excludes_kernel = true;
    }
    return user_fd;
}

static void add_to_group(struct laxity_counter_group *group, unsigned event, int fd)
{
    group->fds[group->n] = fd;
    group->events[group->n] = event;
    group->n++;
}

/* The last group of the event's scope: hardware events must not make software events take turns. */
static struct laxity_counter_group *
last_group(struct laxity_counters *counters, enum laxity_event_scope scope)
{
    for (unsigned i = counters->n_groups; i > 0; i--) {
        if (counters->groups[i - 1].scope == scope) {
            return &counters->groups[i - 1];
        }
    }
    return NULL;
}

static int open_event(struct laxity_event *event, unsigned index, struct laxity_counters *counters)
{
    struct laxity_counter_group *group = last_group(counters, event->scope);
    if (group) {
        const int fd = open_permitted(event, group->fd);
        if (fd >= 0) {
            add_to_group(group, index, fd);
            return 0;
        }
    }
    /* Whatever the reason: an event that a group has no room for may be the first of another. */
    const int fd = open_permitted(event, LAXITY_PERF_NO_GROUP);
    if (fd < 0) {
        return fd;
    }
    group = &counters->groups[counters->n_groups++];
    *group = (struct laxity_counter_group){.fd = fd, .scope = event->scope};
    add_to_group(group, index, fd);
    return 0;
}

void laxity_counters_open(
    struct laxity_event *events, unsigned n, struct laxity_counters *out_counters, int *out_errors
)
{
    *out_counters = (struct laxity_counters){.n_groups = 0};
    /* The first group is read farthest from the job: reading it is the kernel's work, which
     * hardware events would count. */
    static const enum laxity_event_scope order[] = {LAXITY_SCOPE_SOFTWARE, LAXITY_SCOPE_CORE};
    for (size_t k = 0; k < sizeof order / sizeof order[0]; k++) {
        for (unsigned i = 0; i < n; i++) {
            if (events[i].platform_event[0] == '\0') {
                out_errors[i] = -ENOENT;
            } else if (events[i].scope == order[k]) {
                out_errors[i] = open_event(&events[i], i, out_counters);
            }
        }
    }
}

void laxity_counters_read(
    const struct laxity_counters *counters,
    enum laxity_order order,
    struct laxity_counter_reading *out_reading
)
{
    for (unsigned i = 0; i < counters->n_groups; i++) {
        const unsigned g = order == LAXITY_FIRST_GROUP_FIRST ? i : counters->n_groups - 1 - i;
        struct laxity_group_reading *reading = &out_reading->groups[g];
        const int got = laxity_perf_read(counters->groups[g].fd, reading, sizeof *reading);
        if (got <= 0) {
            reading->n = 0; /* a group in error state answers with nothing */
        }
    }
}

static void group_difference(
    const struct laxity_counter_group *group,
    const struct laxity_group_reading *before,
    const struct laxity_group_reading *after,
    struct laxity_counts *counts
)
{
    if (before->n != group->n || after->n != group->n) {
        return;
    }
    const uint64_t running_ns = after->running_ns - before->running_ns;
    const uint64_t enabled_ns = after->enabled_ns - before->enabled_ns;
    /* The kernel's clock may be too coarse for a short job; a group that has always run ran then.
     */
    const bool has_always_run = after->running_ns == after->enabled_ns && after->running_ns > 0;
    if (running_ns == 0 && !has_always_run) {
        return; /* its turn did not come: nothing is known, which is not zero */
    }
    const float ratio = running_ns == 0 ? 1.0F : (float)((double)enabled_ns / (double)running_ns);
    for (unsigned i = 0; i < group->n; i++) {
        counts->values[group->events[i]] = (int64_t)(after->values[i] - before->values[i]);
        counts->scale_ratios[group->events[i]] = ratio;
    }
}

void laxity_counts_set_absent(struct laxity_counts *out_counts)
{
    for (unsigned i = 0; i < LAXITY_EVENTS_MAX; i++) {
        out_counts->values[i] = INT64_MIN;
        out_counts->scale_ratios[i] = __builtin_nanf("");
    }
}

void laxity_counters_difference(
    const struct laxity_counters *counters,
    const struct laxity_counter_reading *before,
    const struct laxity_counter_reading *after,
    struct laxity_counts *out_counts
)
{
    laxity_counts_set_absent(out_counts);
    for (unsigned g = 0; g < counters->n_groups; g++) {
        group_difference(&counters->groups[g], &before->groups[g], &after->groups[g], out_counts);
    }
}

void laxity_counters_close(struct laxity_counters *counters)
{
    for (unsigned g = 0; g < counters->n_groups; g++) {
        /* The leader last: its members would otherwise live on as groups of their own. */
        for (unsigned i = counters->groups[g].n; i > 0; i--) {
            laxity_perf_close(counters->groups[g].fds[i - 1]);
        }
    }
    counters->n_groups = 0;
}
