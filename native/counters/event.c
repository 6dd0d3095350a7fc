/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
#include "counters/event.h"

#include "base/error.h"

#include <errno.h>
#include <string.h>

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

void laxity_explain_counter_refusal(int error_number, char *text, unsigned long bytes)
{
    const char *advice = "not counted";
    switch (error_number) {
    case LAXITY_NO_COUNTERPART:
        laxity_format(text, bytes, "this build knows no such event of this processor");
        return;
    case ENOENT:
    case EOPNOTSUPP:
    case ENODEV:
    case ENXIO:
        advice = "no such counter here; virtual machines mostly have no PMU";
        break;
    case EACCES:
    case EPERM:
        advice = "lower kernel.perf_event_paranoid or run as root";
        break;
    case ENOSYS:
        advice = "this kernel or emulator has no perf events";
        break;
    case EMFILE:
        advice = "raise ulimit -n";
        break;
    default:
        break;
    }
    const char *name = strerrorname_np(error_number);
    laxity_format(text, bytes, "perf_event_open: %s: %s", name ? name : "unknown error", advice);
}
