/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
/* Probe "switch": preemptions while the kernel records when it takes a task off and puts one on. */
#include "base/error.h"
#include "base/port/file.h"
#include "base/port/namespaces.h"
#include "base/port/perf_ring.h"
#include "probes/probe.h"
#include "probes/switch_quantities.h"
#include "probes/switch_victim.h"
#include "schema/probes.h"
#include "schema/streams.h"
#include "trace/perf_records.h"
#include "trace/trace.h"

#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum {
    RING_BYTES = 64 * 1024, /* one page on kernels with 64-KiB pages; hundreds of switches */
    /* A preemption is four records; other threads may run before it, or between. */
    EVENTS_MAX = 256,
    RINGS = 2,
    RECORDS = 4, /* off, on, off, on */
    SETTING_BYTES = 16,
};

/* What the kernel recorded of one CPU during one observation. */
struct switches {
    struct laxity_perf_ring ring;
    int64_t clock_offset_ns; /* our clock minus the machine's, on which records come */
    struct laxity_sched_event events[EVENTS_MAX];
    unsigned n;
    bool is_lossy;
};

static void take_event(void *context, const struct laxity_sched_event *event)
{
    struct switches *switches = context;
    if (event->kind != LAXITY_SCHED_KIND_OFF && event->kind != LAXITY_SCHED_KIND_ON) {
        return;
    }
    if (switches->n == EVENTS_MAX) {
        switches->is_lossy = true;
        return;
    }
    switches->events[switches->n] = *event;
    switches->events[switches->n++].time_ns += switches->clock_offset_ns;
}

static void take_thread(void *context, const struct laxity_thread_event *event)
{
    (void)context;
    (void)event;
}

static void take_lost(void *context, int32_t cpu, uint64_t n)
{
    struct switches *switches = context;
    (void)cpu;
    (void)n;
    switches->is_lossy = true;
}

/* Reads all that there is; what was there before an observation is forgotten so. */
static void drain(struct switches *switches, int32_t cpu)
{
    const struct laxity_trace_sink sink = {
        .context = switches,
        .on_event = take_event,
        .on_thread = take_thread,
        .on_lost = take_lost,
    };
    const struct laxity_perf_bytes bytes = {switches->ring.data, switches->ring.data_bytes};
    const uint64_t head = laxity_perf_ring_head(&switches->ring);
    uint64_t lost = 0;
    switches->n = 0;
    switches->is_lossy = false;
    if (laxity_perf_records_parse(&bytes, switches->ring.tail, head, cpu, &sink, &lost)) {
        switches->is_lossy = true;
    }
    switches->ring.tail = head;
    laxity_perf_ring_release(&switches->ring);
}

/* The four records within the victim's gap, and nothing else there. */
static bool find_records(
    const struct switches *switches, const struct laxity_switch_row *marks, int64_t out_ns[RECORDS]
)
{
    static const enum laxity_sched_kind kinds[RECORDS] = {
        LAXITY_SCHED_KIND_OFF, LAXITY_SCHED_KIND_ON, LAXITY_SCHED_KIND_OFF, LAXITY_SCHED_KIND_ON
    };
    unsigned n = 0;
    for (unsigned i = 0; i < switches->n && !switches->is_lossy; i++) {
        const struct laxity_sched_event *event = &switches->events[i];
        if (event->time_ns < marks->victim_last_ns || event->time_ns > marks->victim_first_ns) {
            continue;
        }
        if (n == RECORDS || event->kind != kinds[n]) {
            return false;
        }
        out_ns[n++] = event->time_ns;
    }
    return n == RECORDS;
}

static void take_switches(
    const struct switches *switches,
    const struct laxity_switch_row *marks,
    struct laxity_switch_row *row
)
{
    int64_t times_ns[RECORDS];
    if (find_records(switches, marks, times_ns)) {
        row->victim_last_ns = times_ns[0];
        row->preemptor_first_ns = times_ns[1];
        row->preemptor_last_ns = times_ns[2];
        row->victim_first_ns = times_ns[3];
    }
}

static int64_t distance_ns(int64_t one_ns, int64_t other_ns)
{
    return one_ns < other_ns ? other_ns - one_ns : one_ns - other_ns;
}

/* Each off is in both rings: from one to the other the kernel did nothing but record. What perf
 * does at a switch besides is not seen so; where others record, too, it shows. */
static void take_echoes(
    const struct switches switches[RINGS],
    const struct laxity_switch_row *marks,
    struct laxity_switch_row *row
)
{
    int64_t times_ns[RINGS][RECORDS];
    if (find_records(&switches[0], marks, times_ns[0]) &&
        find_records(&switches[1], marks, times_ns[1])) {
        row->victim_last_ns = times_ns[0][0];
        row->preemptor_first_ns = times_ns[0][0] + distance_ns(times_ns[0][0], times_ns[1][0]);
        row->preemptor_last_ns = times_ns[0][2];
        row->victim_first_ns = times_ns[0][2] + distance_ns(times_ns[0][2], times_ns[1][2]);
    }
}

/* One preemption, recorded once or, as a control, twice. */
static int observe(
    struct laxity_switch_victim *victim,
    struct switches switches[RINGS],
    enum laxity_switch_case preemption_case,
    enum laxity_switch_role role
)
{
    const unsigned n_rings = role == LAXITY_SWITCH_ROLE_CONTROL ? RINGS : 1;
    struct laxity_switch_row marks;
    struct laxity_switch_row row = laxity_switch_row_of(victim, LAXITY_SWITCH_QUANTITY_KERNEL);
    for (unsigned i = 0; i < n_rings; i++) {
        drain(&switches[i], (int32_t)victim->cpu);
        (void)laxity_perf_ring_start(&switches[i].ring);
    }
    const int rc = laxity_switch_preempt(victim, preemption_case, &marks);
    for (unsigned i = 0; i < n_rings; i++) {
        (void)laxity_perf_ring_stop(&switches[i].ring);
        drain(&switches[i], (int32_t)victim->cpu);
    }
    if (rc) {
        return rc;
    }
    row.time_ns = marks.time_ns;
    row.case_ = (uint8_t)preemption_case;
    row.role = (uint8_t)role;
    if (role == LAXITY_SWITCH_ROLE_CONTROL) {
        take_echoes(switches, &marks, &row);
        return laxity_switch_add_row(victim, &row);
    }
    take_switches(&switches[0], &marks, &row);
    marks.role = LAXITY_SWITCH_ROLE_CONTROL;
    return laxity_switch_add_row(victim, &marks) || laxity_switch_add_row(victim, &row);
}

static bool is_asked_alone(const struct laxity_switch_settings *settings)
{
    unsigned asked = 0;
    for (int i = 0; i < LAXITY_SWITCH_QUANTITY_COUNT; i++) {
        asked += settings->has_quantity[i];
    }
    return asked == 1;
}

/* Returns 0 if something else is measured, else -1 with error set. */
static int tell_refusal(struct laxity_switch_victim *victim, int error_number)
{
    char level[SETTING_BYTES] = "unknown";
    char reason[LAXITY_ERROR_TEXT_BYTES];
    (void)laxity_read_text("/proc/sys/kernel/perf_event_paranoid", level, sizeof level);
    level[strcspn(level, "\n")] = '\0';
    laxity_format(
        reason,
        sizeof reason,
        "perf_event_open on CPU %u: %s, perf_event_paranoid %s; run as root or set it to 0 or less",
        victim->cpu,
        strerrordesc_np(error_number),
        level
    );
    if (is_asked_alone(victim->run->plan->settings)) {
        return laxity_refuse(
            &victim->run->shared->error, LAXITY_EXIT_LACKING, "switch_kernel: %.150s", reason
        );
    }
    laxity_probe_add_fallback(victim->run, "switch_kernel", "nothing", reason);
    return 0;
}

/* Returns as the parts. */
static int observe_all(struct laxity_switch_victim *victim, struct switches switches[RINGS])
{
    enum {
        WAYS = LAXITY_SWITCH_CASE_COUNT * 2
    };
    for (uint64_t i = 0; i < victim->run->plan->repetitions; i++) {
        const unsigned first = (unsigned)laxity_switch_draw_ns(victim, WAYS);
        for (unsigned at = 0; at < WAYS; at++) {
            const unsigned way = (first + at) % WAYS;
            const int rc = observe(
                victim,
                switches,
                (enum laxity_switch_case)(way / 2),
                (enum laxity_switch_role)(way % 2)
            );
            if (rc) {
                return rc;
            }
            laxity_probe_pause(victim->run);
        }
    }
    return 0;
}

int laxity_switch_measure_kernel(struct laxity_switch_victim *victim)
{
    struct switches *switches = calloc(RINGS, sizeof *switches);
    unsigned opened = 0;
    int rc = switches ? 0 : -ENOMEM;
    struct laxity_namespaces here = {.is_clock_known = true};
    (void)laxity_namespaces_read(&here); /* without /proc: that of the machine */
    if (!here.is_clock_known) {
        rc = -EXDEV;
    }
    while (opened < RINGS && rc == 0) {
        switches[opened].clock_offset_ns = here.monotonic_offset_ns;
        rc = laxity_perf_ring_open((int)victim->cpu, RING_BYTES, &switches[opened].ring);
        opened += rc == 0;
    }
    rc = rc ? tell_refusal(victim, -rc) : observe_all(victim, switches);
    while (opened > 0) {
        laxity_perf_ring_close(&switches[--opened].ring);
    }
    free(switches);
    return rc;
}
