/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
#include "counters/event.h"

const char *laxity_event_scope_name(enum laxity_event_scope scope)
{
    static const char *const names[] = {
        [LAXITY_SCOPE_CORE] = "core",
        [LAXITY_SCOPE_SOFTWARE] = "software",
    };
    return names[scope];
}

const char *laxity_event_modes_name(const struct laxity_event *event)
{
    if (event->excludes_kernel) {
        return "user";
    }
    return event->excludes_user ? "kernel" : "user+kernel";
}
