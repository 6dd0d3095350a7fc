/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
/*
 * What can be counted, by name: ours (design section 4), the kernel's own software events, and
 * whatever libpfm4 knows of this processor where the build has it.
 */
#ifndef LAXITY_COUNTERS_EVENTS_H
#define LAXITY_COUNTERS_EVENTS_H

#include "base/error.h"
#include "counters/event.h"

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

/* laxity_event_name_at - the names that need no libpfm4, one after the other; NULL behind the last
 */
const char *laxity_event_name_at(unsigned index);

#endif
