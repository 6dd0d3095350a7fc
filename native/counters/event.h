/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
/* One event that is counted, as the kernel is told. */
#ifndef LAXITY_COUNTERS_EVENT_H
#define LAXITY_COUNTERS_EVENT_H

#include <stdbool.h>
#include <stdint.h>

enum {
    LAXITY_EVENT_NAME_BYTES = 48,
    LAXITY_PLATFORM_EVENT_BYTES = 64,
};

/* What an event belongs to. */
enum laxity_event_scope {
    LAXITY_SCOPE_CORE,     /* the core, while the task's thread runs on it */
    LAXITY_SCOPE_SOFTWARE, /* the kernel's book-keeping of the task's thread */
};

/* What perf_event_open is told. Lies in the segment, so it holds no pointer. */
struct laxity_event {
    char name[LAXITY_EVENT_NAME_BYTES];               /* as asked for; its column */
    char ratio_name[LAXITY_EVENT_NAME_BYTES + 16];    /* column of its scale ratio */
    char platform_event[LAXITY_PLATFORM_EVENT_BYTES]; /* "" = this processor has none */
    uint64_t config;
    uint64_t config1;
    uint64_t config2;
    uint32_t type;
    enum laxity_event_scope scope;
    bool excludes_user;
    bool excludes_kernel;
    /* Happens inside the kernel only: counting user mode alone would give a zero that is none. */
    bool is_of_kernel;
};

const char *laxity_event_scope_name(enum laxity_event_scope scope);

/* laxity_event_modes_name - what is counted: "user+kernel", "user" or "kernel" */
const char *laxity_event_modes_name(const struct laxity_event *event);

enum {
    /* No errno of the kernel's: the name is known, this processor has no such event. */
    LAXITY_NO_COUNTERPART = 0,
};

/* laxity_explain_counter_refusal - what an errno of perf_event_open means and what to do about it
 */
void laxity_explain_counter_refusal(int error_number, char *text, unsigned long bytes);

#endif
