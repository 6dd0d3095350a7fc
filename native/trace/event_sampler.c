/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
#include "trace/event_sampler.h"

#include "base/cpus.h"
#include "base/error.h"
#include "base/port/perf_event.h"
#include "base/port/perf_ring.h"
#include "base/port/time.h"
#include "counters/counters.h"
#include "counters/event.h"
#include "schema/run.h"
#include "schema/streams.h"
#include "trace/perf_records.h"
#include "trace/perf_refusal.h"
#include "trace/sample_records.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <time.h>

enum {
    TIMER = LAXITY_EVENTS_MAX, /* in place of an event: the clock that interrupts */
    NO_TASK = UINT16_MAX,
    RECORD_BYTES = 64, /* without the values */
    VALUE_BYTES = 16,
    /* The rings are looked at every 20 ms; half a second leaves room for a late look. */
    RINGS_PER_S = 2,
    LEAST_RING_BYTES = 64 * 1024, /* one page on kernels with 64-KiB pages */
    MOST_RING_BYTES = 8 << 20,
    UNKNOWN_RATE_RING_BYTES = 1 << 20,
};

/* PERF_FORMAT_LOST of Linux 6.0; older kernels refuse it with EINVAL. */
static const uint64_t format_lost = 1U << 4;

static uint64_t ring_bytes_for(const struct laxity_sampling *asked)
{
    if (asked->every_count > 0) {
        return UNKNOWN_RATE_RING_BYTES;
    }
    const uint64_t record = RECORD_BYTES + VALUE_BYTES * (asked->n_events + 1);
    const uint64_t wanted =
        record * (uint64_t)(LAXITY_NS_PER_S / asked->every_ns + 1) / RINGS_PER_S;
    uint64_t bytes = LEAST_RING_BYTES;
    while (bytes < wanted && bytes < MOST_RING_BYTES) {
        bytes *= 2;
    }
    return bytes;
}

/* The kernel takes members of one clock only. */
static struct perf_event_attr member_attributes(const struct laxity_event *event)
{
    struct perf_event_attr attr = laxity_event_attributes(event);
    attr.use_clockid = 1;
    attr.clockid = CLOCK_MONOTONIC;
    return attr;
}

/* The one that interrupts: a clock of the CPU, or the first event itself. */
static struct perf_event_attr leader_attributes(const struct laxity_sampling *asked)
{
    static const struct laxity_event timer = {
        .type = PERF_TYPE_SOFTWARE, .config = PERF_COUNT_SW_CPU_CLOCK
    };
    const bool is_timer = asked->every_count == 0;
    struct perf_event_attr attr = member_attributes(is_timer ? &timer : &asked->events[0]);
    attr.sample_period = is_timer ? (uint64_t)asked->every_ns : asked->every_count;
    attr.sample_type = PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_READ;
    attr.read_format |= format_lost;
    attr.disabled = 1;
    /* Nobody waits for the ring: it is looked at by the clock, which costs the CPU nothing. */
    attr.watermark = 1;
    attr.wakeup_watermark = UINT32_MAX;
    return attr;
}

static void close_group(struct laxity_sampled_group *group)
{
    /* The leader last: its members would otherwise live on as groups of their own. */
    for (unsigned i = group->n; i > 1; i--) {
        laxity_perf_close(group->fds[i - 1]);
    }
    laxity_perf_ring_close(&group->ring);
}

static void close_cpu(struct laxity_sampled_cpu *cpu)
{
    for (unsigned i = 0; i < cpu->n_groups; i++) {
        close_group(&cpu->groups[i]);
    }
    cpu->n_groups = 0;
}

static void add_member(struct laxity_sampled_group *group, unsigned event, int fd)
{
    group->fds[group->n] = fd;
    group->events[group->n] = event;
    group->n++;
}

/* Locked memory may be short. Returns 0 or -errno; the descriptor is the ring's then. */
static int map_ring(int fd, uint64_t bytes, struct laxity_perf_ring *out_ring)
{
    int rc = -ENOMEM;
    while ((rc == -ENOMEM || rc == -EPERM) && bytes >= LEAST_RING_BYTES) {
        rc = laxity_perf_ring_map(fd, bytes, out_ring);
        bytes /= 2;
    }
    return rc;
}

/* A group with nothing in it but what interrupts. Returns 0 or -errno. */
static int
open_group(const struct laxity_sampling *asked, int cpu, struct laxity_sampled_group *out_group)
{
    struct perf_event_attr attr = leader_attributes(asked);
    int fd = laxity_perf_open(&attr, cpu, LAXITY_PERF_NO_GROUP);
    if (fd == -EINVAL) {
        attr.read_format &= ~format_lost;
        fd = laxity_perf_open(&attr, cpu, LAXITY_PERF_NO_GROUP);
    }
    if (fd < 0) {
        return fd;
    }
    *out_group = (struct laxity_sampled_group){
        .has_lost = (attr.read_format & format_lost) != 0,
        .scope = attr.type == PERF_TYPE_SOFTWARE ? LAXITY_SCOPE_SOFTWARE : LAXITY_SCOPE_CORE,
    };
    const int rc = map_ring(fd, ring_bytes_for(asked), &out_group->ring);
    if (rc) {
        laxity_perf_close(fd);
        return rc;
    }
    add_member(out_group, asked->every_count > 0 ? 0 : TIMER, fd);
    return 0;
}

static struct laxity_sampled_group *
last_group(struct laxity_sampled_cpu *cpu, enum laxity_event_scope scope, bool is_apart)
{
    for (unsigned i = cpu->n_groups; i > 0; i--) {
        if (!is_apart || cpu->groups[i - 1].scope == scope) {
            return &cpu->groups[i - 1];
        }
    }
    return NULL;
}

static int add_to(
    struct laxity_sampled_group *group, const struct laxity_sampling *asked, int cpu, unsigned event
)
{
    struct perf_event_attr attr = member_attributes(&asked->events[event]);
    const int fd = laxity_perf_open(&attr, cpu, group->fds[0]);
    if (fd < 0) {
        return fd;
    }
    add_member(group, event, fd);
    return 0;
}

/* Returns 0 or -errno: why the event does not count on this CPU. */
static int add_event(
    struct laxity_sampled_cpu *cpu,
    const struct laxity_sampling *asked,
    unsigned event,
    bool is_apart
)
{
    const enum laxity_event_scope scope = asked->events[event].scope;
    struct laxity_sampled_group *group = last_group(cpu, scope, is_apart);
    const int refused = group ? add_to(group, asked, cpu->cpu, event) : -ENOENT;
    if (refused == 0 || (group && asked->every_count > 0)) {
        return refused;
    }
    /* Whatever the reason: an event that a group has no room for may be the first of another. */
    group = &cpu->groups[cpu->n_groups];
    int rc = open_group(asked, cpu->cpu, group);
    if (rc || asked->every_count > 0) {
        cpu->n_groups += rc == 0; /* the first event is all of the group */
        return rc;
    }
    rc = add_to(group, asked, cpu->cpu, event);
    if (rc) {
        close_group(group);
        return rc;
    }
    group->scope = scope;
    cpu->n_groups++;
    return 0;
}

static void open_cpu(
    struct laxity_sampled_cpu *cpu,
    const struct laxity_sampling *asked,
    bool is_apart,
    int *out_errors
)
{
    for (unsigned i = 0; i < asked->n_events; i++) {
        const bool has_interrupt = asked->every_count == 0 || i == 0 || out_errors[0] == 0;
        out_errors[i] = -ENOENT;
        if (has_interrupt && asked->events[i].platform_event[0] != '\0') {
            out_errors[i] = add_event(cpu, asked, i, is_apart);
        }
    }
}

/* Notes which events any CPU counts. Returns 0 or -errno with *out_cpu, one that is forbidden. */
static int open_cpus(struct laxity_event_sampler *sampler, int *out_cpu)
{
    struct laxity_sampling *asked = &sampler->asked;
    int errors[LAXITY_EVENTS_MAX] = {0};
    bool is_counted[LAXITY_EVENTS_MAX] = {false};
    for (unsigned c = 0; c < sampler->n_cpus; c++) {
        struct laxity_sampled_cpu *cpu = &sampler->cpus[c];
        open_cpu(cpu, asked, false, errors);
        if (cpu->n_groups > 1) {
            close_cpu(cpu);
            open_cpu(cpu, asked, true, errors);
        }
        for (unsigned i = 0; i < asked->n_events; i++) {
            is_counted[i] |= errors[i] == 0;
            const bool is_known = asked->events[i].platform_event[0] != '\0';
            sampler->refusals[i] = is_known ? -errors[i] : LAXITY_NO_COUNTERPART;
            if (errors[i] == -EACCES || errors[i] == -EPERM) {
                *out_cpu = cpu->cpu;
                return errors[i];
            }
        }
    }
    for (unsigned i = 0; i < asked->n_events; i++) {
        if (!is_counted[i]) {
            asked->events[i].platform_event[0] = '\0';
        }
    }
    return 0;
}

static int refuse_all(const struct laxity_event_sampler *sampler, struct laxity_error *error)
{
    char reason[LAXITY_ERROR_TEXT_BYTES / 2];
    laxity_explain_counter_refusal(sampler->refusals[0], reason, sizeof reason);
    return laxity_refuse(
        error,
        LAXITY_EXIT_LACKING,
        "event \"%.48s\": %s; laxity list events shows what is counted here",
        sampler->asked.events[0].name,
        reason
    );
}

/* Whether what interrupts is there. */
static bool counts_anything(const struct laxity_event_sampler *sampler)
{
    for (unsigned c = 0; c < sampler->n_cpus; c++) {
        if (sampler->cpus[c].n_groups > 0) {
            return true;
        }
    }
    return false;
}

int laxity_event_sampler_open(
    const struct laxity_sampling *asked,
    const struct laxity_cpus *cpus,
    struct laxity_event_sampler **out_sampler,
    struct laxity_error *error
)
{
    const unsigned n = laxity_cpus_count(cpus);
    struct laxity_event_sampler *sampler = calloc(1, sizeof *sampler + n * sizeof sampler->cpus[0]);
    if (!sampler) {
        return laxity_refuse(error, LAXITY_EXIT_LACKING, "out of memory; end other programs");
    }
    sampler->asked = *asked;
    for (unsigned cpu = 0; cpu < LAXITY_CPUS_MAX; cpu++) {
        if (laxity_cpus_has(cpus, cpu)) {
            sampler->cpus[sampler->n_cpus++].cpu = (int32_t)cpu;
        }
    }
    int cpu = 0;
    const int rc = open_cpus(sampler, &cpu);
    if (rc) {
        laxity_explain_perf_refusal(rc, cpu, error);
    } else if (!counts_anything(sampler)) {
        (void)refuse_all(sampler, error);
    } else {
        *out_sampler = sampler;
        return 0;
    }
    laxity_event_sampler_close(sampler);
    return -1;
}

static int
tell_all(struct laxity_event_sampler *sampler, int (*tell)(const struct laxity_perf_ring *))
{
    int rc = 0;
    for (unsigned c = 0; c < sampler->n_cpus; c++) {
        for (unsigned g = 0; g < sampler->cpus[c].n_groups; g++) {
            const int told = tell(&sampler->cpus[c].groups[g].ring);
            rc = rc ? rc : told;
        }
    }
    return rc;
}

int laxity_event_sampler_start(struct laxity_event_sampler *sampler)
{
    return tell_all(sampler, laxity_perf_ring_start);
}

/* While one group's ring is read. */
struct reading {
    const struct laxity_sampling *asked;
    struct laxity_sampled_cpu *cpu;
    struct laxity_sampled_group *group;
    laxity_take_value *take;
    void *context;
};

/* A timer goes on at multiples of its period, however late an interrupt was. */
static void count_owed(const struct reading *reading, const struct laxity_group_sample *sample)
{
    struct laxity_sampled_group *group = reading->group;
    const int64_t every_ns = reading->asked->every_ns;
    const int64_t off_ns = (int64_t)(sample->enabled_ns - sample->running_ns);
    const bool has_counted_since = group->last_ns > 0 && off_ns == group->last_off_ns;
    if (reading->asked->every_count == 0 && has_counted_since) {
        const int64_t periods = (sample->time_ns - group->last_ns + every_ns / 2) / every_ns;
        reading->cpu->owed += periods > 1 ? (uint64_t)periods - 1 : 0;
    }
    group->last_ns = sample->time_ns;
    group->last_off_ns = off_ns;
}

static void take_sample(void *context, const struct laxity_group_sample *sample)
{
    const struct reading *reading = context;
    struct laxity_sampled_group *group = reading->group;
    if (sample->n != group->n) {
        reading->cpu->lost++;
        return;
    }
    count_owed(reading, sample);
    reading->cpu->samples++;
    for (unsigned i = 0; i < group->n; i++) {
        if (group->events[i] == TIMER) {
            continue;
        }
        struct laxity_counters_per_cpu_row row = {
            .time_ns = sample->time_ns,
            .task = NO_TASK,
            .event = (uint16_t)group->events[i],
            .value = (int64_t)sample->values[i],
            .scale_ratio = (float)((double)sample->enabled_ns / (double)sample->running_ns),
            .cpu = reading->cpu->cpu,
            .tid = sample->tid,
        };
        if (sample->running_ns == 0) { /* nothing is known, which is not zero */
            row.value = INT64_MIN;
            row.scale_ratio = __builtin_nanf("");
        }
        reading->take(reading->context, &row);
    }
}

static void take_lost(void *context, uint64_t n)
{
    const struct reading *reading = context;
    reading->group->told_lost += n;
    reading->cpu->lost += n;
}

static void take_throttled(void *context)
{
    const struct reading *reading = context;
    reading->cpu->throttled++;
}

/* What was lost last, no record tells: there was none after it. */
static void count_untold(struct laxity_sampled_cpu *cpu, struct laxity_sampled_group *group)
{
    uint64_t values[3 + 2 * LAXITY_SAMPLE_VALUES_MAX] = {0}; /* n, times, and value, lost of each */
    if (!group->has_lost || laxity_perf_read(group->fds[0], values, sizeof values) <= 0) {
        return;
    }
    const uint64_t lost = values[4];
    if (lost > group->told_lost) {
        cpu->lost += lost - group->told_lost;
        group->told_lost = lost;
    }
}

static void drain_group(struct reading *reading)
{
    const struct laxity_sample_sink sink = {
        .context = reading,
        .on_sample = take_sample,
        .on_lost = take_lost,
        .on_throttled = take_throttled,
    };
    struct laxity_perf_ring *ring = &reading->group->ring;
    const struct laxity_perf_bytes bytes = {ring->data, ring->data_bytes};
    const uint64_t head = laxity_perf_ring_head(ring);
    if (laxity_sample_records_parse(&bytes, ring->tail, head, reading->group->has_lost, &sink)) {
        reading->cpu->lost++; /* at least: how many cannot be told */
    }
    ring->tail = head;
    laxity_perf_ring_release(ring);
}

void laxity_event_sampler_drain(
    struct laxity_event_sampler *sampler, laxity_take_value *take, void *context
)
{
    for (unsigned c = 0; c < sampler->n_cpus; c++) {
        struct laxity_sampled_cpu *cpu = &sampler->cpus[c];
        for (unsigned g = 0; g < cpu->n_groups; g++) {
            struct reading reading = {&sampler->asked, cpu, &cpu->groups[g], take, context};
            drain_group(&reading);
        }
    }
}

void laxity_event_sampler_stop(
    struct laxity_event_sampler *sampler, laxity_take_value *take, void *context
)
{
    (void)tell_all(sampler, laxity_perf_ring_stop);
    laxity_event_sampler_drain(sampler, take, context);
    for (unsigned c = 0; c < sampler->n_cpus; c++) {
        for (unsigned g = 0; g < sampler->cpus[c].n_groups; g++) {
            count_untold(&sampler->cpus[c], &sampler->cpus[c].groups[g]);
        }
    }
}

uint64_t laxity_sampled_missing(const struct laxity_sampled_cpu *cpu)
{
    return cpu->owed > cpu->lost ? cpu->owed - cpu->lost : 0;
}

void laxity_event_sampler_close(struct laxity_event_sampler *sampler)
{
    if (!sampler) {
        return;
    }
    for (unsigned c = 0; c < sampler->n_cpus; c++) {
        close_cpu(&sampler->cpus[c]);
    }
    free(sampler);
}
