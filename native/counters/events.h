/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
/*
 * What can be counted, by name: ours (design section 4), the kernel's own software events, and
 * whatever libpfm4 knows of this processor where the build has it.
 */
#ifndef LAXITY_COUNTERS_EVENTS_H
#define LAXITY_COUNTERS_EVENTS_H

#include "base/error.h"
#include "schema/run.h"

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

/* One event, resolved: what perf_event_open is told. Lies in the segment, so it holds no pointer.
 */
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

/*
 * laxity_event_resolve - from a name to what the kernel is told
 *
 * A name that is known, but has no counterpart on this processor, leaves platform_event empty.
 * Returns 0, or -1 with error set (exit 2): no such name, with the nearest one.
 */
int laxity_event_resolve(
    const char *name, struct laxity_event *out_event, struct laxity_error *error
);

/*
 * laxity_events_resolve - a list of names, each once, at most LAXITY_EVENTS_MAX
 *
 * Returns 0, or -1 with error set (exit 2).
 */
int laxity_events_resolve(
    char *const *names, unsigned n, struct laxity_event *out_events, struct laxity_error *error
);

const char *laxity_event_scope_name(enum laxity_event_scope scope);

/* laxity_event_modes_name - what is counted: "user+kernel", "user" or "kernel" */
const char *laxity_event_modes_name(const struct laxity_event *event);

/* laxity_event_name_at - the names that need no libpfm4, one after the other; NULL behind the last
 */
const char *laxity_event_name_at(unsigned index);

#endif
