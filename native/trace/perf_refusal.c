/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
#include "trace/perf_refusal.h"

#include "base/error.h"
#include "base/port/file.h"

#include <errno.h>
#include <string.h>

enum {
    SETTING_BYTES = 16,
};

void laxity_explain_perf_refusal(int rc, int cpu, struct laxity_error *error)
{
    const char *why = strerrordesc_np(-rc);
    if (rc == -EACCES || rc == -EPERM) {
        char level[SETTING_BYTES] = "unknown";
        (void)laxity_read_text("/proc/sys/kernel/perf_event_paranoid", level, sizeof level);
        level[strcspn(level, "\n")] = '\0';
        laxity_error_set(
            error,
            LAXITY_EXIT_LACKING,
            "perf: CPU %d may not be watched (%s, perf_event_paranoid %s); run as root or set it "
            "to 0 or less",
            cpu,
            why,
            level
        );
        return;
    }
    laxity_error_set(
        error,
        LAXITY_EXIT_LACKING,
        "perf: CPU %d cannot be watched: %s; use a kernel with CONFIG_PERF_EVENTS",
        cpu,
        why
    );
}
