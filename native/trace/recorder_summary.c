/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
/* trace.json: what was recorded, by what, and what is missing. */
#include "base/cpus.h"
#include "base/error.h"
#include "base/json.h"
#include "base/port/file.h"
#include "base/port/time.h"
#include "counters/event.h"
#include "schema/run.h"
#include "schema/streams.h"
#include "trace/event_sampler.h"
#include "trace/recorder_state.h"
#include "trace/sched_stream.h"
#include "trace/steal.h"
#include "trace/switch_stream.h"
#include "trace/trace.h"

#include <errno.h>
#include <stddef.h>
#include <stdint.h>

enum {
    SCHEMA = 1,
};

static const char *const kind_names[LAXITY_SCHED_KIND_COUNT] = {
    "off",
    "on",
    "wakeup",
    "migrate",
    "fork",
    "exit",
    "irq_in",
    "irq_out",
    "softirq_in",
    "softirq_out",
};

static uint32_t supplies_of(const struct recorder *recorder)
{
    const struct laxity_trace_backend *backend = recorder->backend;
    if (recorder->recording->is_histogram) {
        return 0;
    }
    return backend->supplies & ~(backend->lacks ? backend->lacks(recorder->state) : 0);
}

static void put_supplies(struct laxity_json *json, uint32_t supplies)
{
    laxity_json_open(json, "supplies", '[');
    for (unsigned kind = 0; kind < LAXITY_SCHED_KIND_COUNT; kind++) {
        if ((supplies & LAXITY_SUPPLIES(kind)) != 0) {
            laxity_json_text(json, NULL, kind_names[kind]);
        }
    }
    laxity_json_close(json, ']');
}

static void put_steal(struct laxity_json *json, const struct recorder *recorder, unsigned cpu)
{
    const int64_t steal_ns =
        laxity_steal_between_ns(&recorder->steal_before, &recorder->steal_after, cpu);
    /* What is known is of the whole recording, which rows are no longer of. */
    if (steal_ns == LAXITY_ABSENT_NS || recorder->has_window) {
        laxity_json_null(json, "steal_ns");
    } else {
        laxity_json_int(json, "steal_ns", steal_ns);
    }
}

static void put_cpus(struct laxity_json *json, const struct recorder *recorder)
{
    uint64_t lost = 0;
    laxity_json_open(json, "cpus", '[');
    for (unsigned cpu = 0; cpu < LAXITY_CPUS_MAX; cpu++) {
        if (laxity_cpus_has(&recorder->cpus, cpu)) {
            uint64_t rows = recorder->stream.cpus[cpu].rows;
            uint64_t lost_here = recorder->stream.cpus[cpu].lost;
            if (recorder->recording->is_histogram) {
                rows = laxity_switch_stream_rows(&recorder->switches, cpu);
                lost_here = recorder->switches.seen[LAXITY_SWITCHES_QUANTITY_KERNEL][cpu].lost;
            }
            laxity_json_open(json, NULL, '{');
            laxity_json_count(json, "cpu", cpu);
            laxity_json_count(json, "rows", rows);
            laxity_json_count(json, "lost", lost_here);
            put_steal(json, recorder, cpu);
            laxity_json_close(json, '}');
            lost += lost_here;
        }
    }
    laxity_json_close(json, ']');
    laxity_json_count(json, "lost", lost);
}

static void put_fallback(
    struct laxity_json *json, const char *what, const char *used, const struct laxity_error *refusal
)
{
    if (refusal->exit_code != 0) {
        laxity_json_open(json, NULL, '{');
        laxity_json_text(json, "what", what);
        laxity_json_text(json, "used", used);
        laxity_json_text(json, "reason", refusal->text);
        laxity_json_close(json, '}');
    }
}

static void put_vectors(struct laxity_json *json, const struct recorder *recorder)
{
    laxity_json_open(json, "vectors", '[');
    for (unsigned i = 0; i < recorder->stream.n_vectors; i++) {
        laxity_json_open(json, NULL, '{');
        laxity_json_int(json, "number", recorder->stream.vectors[i].number);
        laxity_json_text(json, "name", recorder->stream.vectors[i].name);
        laxity_json_close(json, '}');
    }
    laxity_json_close(json, ']');
}

/* Everything that was asked for; what no CPU counts has no platform event. */
static void put_events(struct laxity_json *json, const struct laxity_event_sampler *sampler)
{
    laxity_json_open(json, "events", '[');
    for (unsigned i = 0; i < sampler->asked.n_events; i++) {
        const struct laxity_event *event = &sampler->asked.events[i];
        laxity_json_open(json, NULL, '{');
        laxity_json_text(json, "name", event->name);
        if (event->platform_event[0] == '\0') {
            laxity_json_null(json, "platform_event");
        } else {
            laxity_json_text(json, "platform_event", event->platform_event);
            laxity_json_text(json, "scope", laxity_event_scope_name(event->scope));
            laxity_json_text(json, "modes", laxity_event_modes_name(event));
        }
        laxity_json_close(json, '}');
    }
    laxity_json_close(json, ']');
}

static void put_uncounted(struct laxity_json *json, const struct laxity_event_sampler *sampler)
{
    for (unsigned i = 0; i < sampler->asked.n_events; i++) {
        const struct laxity_event *event = &sampler->asked.events[i];
        if (event->platform_event[0] == '\0') {
            char reason[LAXITY_ERROR_TEXT_BYTES / 2];
            struct laxity_error refusal = {.exit_code = LAXITY_EXIT_LACKING};
            laxity_explain_counter_refusal(sampler->refusals[i], reason, sizeof reason);
            laxity_format(refusal.text, sizeof refusal.text, "%s: %s", event->name, reason);
            put_fallback(json, "events", "no samples", &refusal);
        }
    }
}

static void put_sampling(struct laxity_json *json, const struct recorder *recorder)
{
    const struct laxity_sampling *asked = &recorder->sampler->asked;
    laxity_json_open(json, "sampling", '{');
    if (asked->every_count > 0) {
        laxity_json_null(json, "every_ns");
        laxity_json_count(json, "every_count", asked->every_count);
    } else {
        laxity_json_int(json, "every_ns", asked->every_ns);
        laxity_json_null(json, "every_count");
    }
    laxity_json_count(json, "lost_rows", recorder->counts.lost);
    laxity_json_open(json, "cpus", '[');
    for (unsigned i = 0; i < recorder->sampler->n_cpus; i++) {
        const struct laxity_sampled_cpu *cpu = &recorder->sampler->cpus[i];
        laxity_json_open(json, NULL, '{');
        laxity_json_int(json, "cpu", cpu->cpu);
        laxity_json_count(json, "groups", cpu->n_groups);
        laxity_json_count(json, "samples", cpu->samples);
        laxity_json_count(json, "lost", cpu->lost);
        laxity_json_count(json, "missing", laxity_sampled_missing(cpu));
        laxity_json_count(json, "throttled", cpu->throttled);
        laxity_json_close(json, '}');
    }
    laxity_json_close(json, ']');
    laxity_json_close(json, '}');
}

static void put_fallbacks(struct laxity_json *json, const struct recorder *recorder)
{
    laxity_json_open(json, "fallbacks", '[');
    for (unsigned i = 0; i < N_BACKENDS; i++) {
        put_fallback(json, "trace", recorder->backend->name, &recorder->refusals[i]);
    }
    put_fallback(json, "trace", "figures as recorded", &recorder->empty_refusal);
    put_fallback(json, "trace", recorder->backend->name, &recorder->hidden_threads);
    if (recorder->sampler) {
        put_uncounted(json, recorder->sampler);
    }
    laxity_json_close(json, ']');
}

int laxity_write_trace_summary(const struct recorder *recorder)
{
    struct laxity_json json = {0};
    laxity_json_open(&json, NULL, '{');
    laxity_json_int(&json, "schema", SCHEMA);
    laxity_json_text(&json, "backend", recorder->backend->name);
    put_supplies(&json, supplies_of(recorder));
    laxity_json_int(&json, "started_ns", recorder->started_ns);
    laxity_json_int(&json, "stopped_ns", recorder->stopped_ns);
    laxity_json_count(&json, "dropped", recorder->stream.dropped);
    laxity_json_bool(&json, "has_hidden_threads", recorder->hidden_threads.exit_code != 0);
    laxity_json_count(&json, "ring_bytes", recorder->backend->ring_bytes(recorder->state));
    laxity_json_int(&json, "steal_resolution_ns", laxity_steal_resolution_ns());
    put_cpus(&json, recorder);
    put_vectors(&json, recorder);
    if (recorder->sampler) {
        put_events(&json, recorder->sampler);
        put_sampling(&json, recorder);
    }
    put_fallbacks(&json, recorder);
    laxity_json_close(&json, '}');
    int rc = -ENOMEM;
    if (!json.is_out_of_memory) {
        rc = laxity_write_file(recorder->dir_fd, "trace.json", json.text, json.used);
    }
    laxity_json_free(&json);
    return rc;
}
