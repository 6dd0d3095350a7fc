/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
#include "harness/counting.h"

#include "base/cpus.h"
#include "base/error.h"
#include "base/port/sched.h"
#include "base/port/time.h"
#include "counters/counters.h"
#include "counters/event.h"
#include "harness/plan.h"
#include "harness/segment.h"
#include "schema/run.h"

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

enum {
    /* Room for the explanation behind the names, in a reason of LAXITY_ERROR_TEXT_BYTES. */
    NAMES_BYTES = 56,
    /* The ring of samples holds this many seconds, but at most 8 MiB per task. */
    SAMPLE_SECONDS = 4,
    SAMPLE_SLOTS_MIN = 256,
    SAMPLE_SLOTS_MAX = 65536,
};

uint32_t laxity_sample_slots(const struct laxity_run_plan *plan)
{
    if (plan->n_events == 0 || plan->sample_bucket_ns <= 0) {
        return 0;
    }
    uint32_t slots = SAMPLE_SLOTS_MIN;
    const int64_t wanted = SAMPLE_SECONDS * (int64_t)LAXITY_NS_PER_S / plan->sample_bucket_ns;
    while (slots < wanted && slots < SAMPLE_SLOTS_MAX) {
        slots *= 2;
    }
    return slots;
}

/* A sampler beside a task delays it less than one that interrupts it. */
static int32_t choose_sample_cpu(struct laxity_segment *segment)
{
    struct laxity_cpus rest;
    if (laxity_get_affinity(&rest)) {
        return -1;
    }
    for (uint32_t i = 0; i < segment->n_tasks; i++) {
        rest = laxity_cpus_without(&rest, &laxity_segment_task(segment, i)->config.process.cpus);
    }
    for (unsigned cpu = 0; cpu < LAXITY_CPUS_MAX; cpu++) {
        if (laxity_cpus_has(&rest, cpu)) {
            return (int32_t)cpu;
        }
    }
    return -1;
}

void laxity_fill_counting(const struct laxity_run_plan *plan, struct laxity_segment *segment)
{
    struct laxity_counting *counting = &segment->counting;
    memcpy(counting->events, plan->events, sizeof plan->events);
    counting->n_events = plan->n_events;
    counting->sample_slots = laxity_sample_slots(plan);
    counting->sample_bucket_ns = plan->sample_bucket_ns;
    counting->sample_cpu = plan->sample_cpu < 0 ? choose_sample_cpu(segment) : plan->sample_cpu;
}

/* Why event i does not count: the errno of the kernel, or 0: this processor has no such event. */
struct refusals {
    bool is_refused[LAXITY_EVENTS_MAX];
    int numbers[LAXITY_EVENTS_MAX];
};

/* "cycles, instructions and 3 more" */
static void list_names(
    const struct laxity_counting *counting, const bool *is_named, char *text, unsigned long bytes
)
{
    unsigned left = 0;
    size_t used = 0;
    text[0] = '\0';
    for (uint32_t i = 0; i < counting->n_events; i++) {
        const char *name = counting->events[i].name;
        if (!is_named[i]) {
            continue;
        }
        const bool fits = used + strlen(name) + sizeof ", and 8 more" < bytes;
        if (left > 0 || (used > 0 && !fits)) {
            left++;
            continue;
        }
        laxity_format(text + used, bytes - used, "%s%s", used > 0 ? ", " : "", name);
        used = strlen(text);
    }
    if (left > 0) {
        laxity_format(text + used, bytes - used, " and %u more", left);
    }
}

static void
note_refusal(struct laxity_counting *counting, const struct refusals *refusals, int error_number)
{
    if (counting->n_fallbacks >= LAXITY_FALLBACKS_MAX) {
        return;
    }
    bool is_named[LAXITY_EVENTS_MAX] = {false};
    for (uint32_t i = 0; i < counting->n_events; i++) {
        is_named[i] = refusals->is_refused[i] && refusals->numbers[i] == error_number;
    }
    struct laxity_fallback *fallback = &counting->fallbacks[counting->n_fallbacks++];
    char names[NAMES_BYTES];
    char reason[LAXITY_ERROR_TEXT_BYTES - NAMES_BYTES];
    list_names(counting, is_named, names, sizeof names);
    laxity_explain_counter_refusal(error_number, reason, sizeof reason);
    laxity_format(fallback->what, sizeof fallback->what, "events");
    laxity_format(fallback->used, sizeof fallback->used, "no columns");
    laxity_format(fallback->reason, sizeof fallback->reason, "%s: %s", names, reason);
}

/* One note per reason, whoever many events have it. */
static void note_refusals(struct laxity_counting *counting, const struct refusals *refusals)
{
    for (uint32_t i = 0; i < counting->n_events; i++) {
        bool is_noted = !refusals->is_refused[i];
        for (uint32_t j = 0; j < i; j++) {
            is_noted |= refusals->is_refused[j] && refusals->numbers[j] == refusals->numbers[i];
        }
        if (!is_noted) {
            note_refusal(counting, refusals, refusals->numbers[i]);
        }
    }
}

void laxity_try_counters(struct laxity_counting *counting)
{
    struct laxity_counters counters;
    struct refusals refusals = {.numbers = {0}};
    int errors[LAXITY_EVENTS_MAX] = {0};
    for (uint32_t i = 0; i < counting->n_events; i++) {
        refusals.is_refused[i] = counting->events[i].platform_event[0] == '\0';
    }
    laxity_counters_open(counting->events, counting->n_events, &counters, errors);
    laxity_counters_close(&counters);
    for (uint32_t i = 0; i < counting->n_events; i++) {
        if (errors[i] != 0 && !refusals.is_refused[i]) {
            refusals.is_refused[i] = true;
            refusals.numbers[i] = -errors[i];
            counting->refusals[i] = -errors[i];
            counting->events[i].platform_event[0] = '\0';
        }
    }
    note_refusals(counting, &refusals);
}

void laxity_open_counters(
    const struct laxity_counting *asked,
    struct laxity_task_state *state,
    struct laxity_counters *out_counters
)
{
    /* A copy: what the supervisor wrote is not ours to change. */
    struct laxity_counting counting = *asked;
    int errors[LAXITY_EVENTS_MAX] = {0};
    laxity_counters_open(counting.events, counting.n_events, out_counters, errors);
    for (uint32_t i = 0; i < counting.n_events; i++) {
        if (errors[i] == 0) {
            state->counted_events |= UINT32_C(1) << i;
        } else if (counting.events[i].platform_event[0] != '\0') {
            char reason[LAXITY_ERROR_TEXT_BYTES];
            laxity_explain_counter_refusal(-errors[i], reason, sizeof reason);
            laxity_add_fallback(&state->process, counting.events[i].name, "no values", reason);
        }
    }
}
