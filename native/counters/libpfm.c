/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
#include "base/error.h"
#include "counters/event.h"
#include "counters/library.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <perfmon/pfmlib.h>
#include <perfmon/pfmlib_perf_event.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

enum {
    QUALIFIED_BYTES = 128,
};

/* libpfm4 encodes events of processors that it does not find here only with this in its
 * environment. */
static const char inactive_variable[] = "LIBPFM_ENCODE_INACTIVE";

const char *laxity_library_name(void)
{
    return "libpfm4";
}

/* Of a core or of the kernel's own table; a PMU beside the cores cannot count for one task. */
static bool is_countable_per_task(int index)
{
    pfm_event_info_t event = {.size = sizeof event};
    pfm_pmu_info_t pmu = {.size = sizeof pmu};
    if (pfm_get_event_info(index, PFM_OS_PERF_EVENT_EXT, &event) != PFM_SUCCESS ||
        pfm_get_pmu_info(event.pmu, &pmu) != PFM_SUCCESS) {
        return false;
    }
    return pmu.is_present && pmu.type != PFM_PMU_TYPE_UNCORE;
}

/* "perf::PERF_COUNT_HW_CPU_CYCLES:u=1:k=1:...": everything up to the settings that are defaults. */
static void copy_platform_event(const char *full_name, struct laxity_event *event)
{
    const char *settings = strstr(full_name, ":e=");
    if (!settings) {
        settings = strstr(full_name, ":u=");
    }
    const size_t length = settings ? (size_t)(settings - full_name) : strlen(full_name);
    laxity_format(
        event->platform_event, sizeof event->platform_event, "%.*s", (int)length, full_name
    );
}

int laxity_library_resolve(const char *name, struct laxity_event *out_event)
{
    struct perf_event_attr attr = {.size = sizeof attr};
    char *full_name = NULL;
    pfm_perf_encode_arg_t argument = {.attr = &attr, .fstr = &full_name, .size = sizeof argument};
    if (pfm_initialize() != PFM_SUCCESS ||
        pfm_get_os_event_encoding(name, PFM_PLM0 | PFM_PLM3, PFM_OS_PERF_EVENT_EXT, &argument) !=
            PFM_SUCCESS) {
        return -ENOENT;
    }
    if (!is_countable_per_task(argument.idx)) {
        free(full_name);
        return -ENOENT;
    }
    out_event->type = attr.type;
    out_event->config = attr.config;
    out_event->config1 = attr.config1;
    out_event->config2 = attr.config2;
    out_event->excludes_user = attr.exclude_user != 0;
    out_event->excludes_kernel = attr.exclude_kernel != 0;
    out_event->scope = attr.type == PERF_TYPE_SOFTWARE ? LAXITY_SCOPE_SOFTWARE : LAXITY_SCOPE_CORE;
    copy_platform_event(full_name ? full_name : name, out_event);
    free(full_name);
    return 0;
}

static bool is_event_of_any_pmu(const char *name)
{
    for (int pmu = PFM_PMU_NONE + 1; pmu < PFM_PMU_MAX; pmu++) {
        pfm_pmu_info_t info = {.size = sizeof info};
        char qualified[QUALIFIED_BYTES];
        if (pfm_get_pmu_info((pfm_pmu_t)pmu, &info) != PFM_SUCCESS) {
            continue;
        }
        laxity_format(qualified, sizeof qualified, "%s::%s", info.name, name);
        if (pfm_find_event(qualified) >= 0) {
            return true;
        }
    }
    return false;
}

bool laxity_library_knows(const char *name)
{
    pfm_terminate();
    /* NOLINTNEXTLINE(concurrency-mt-unsafe): options are read before any thread exists */
    (void)setenv(inactive_variable, "1", 1);
    bool is_known = false;
    if (pfm_initialize() == PFM_SUCCESS) {
        is_known = pfm_find_event(name) >= 0 || is_event_of_any_pmu(name);
    }
    pfm_terminate();
    /* NOLINTNEXTLINE(concurrency-mt-unsafe) */
    (void)unsetenv(inactive_variable);
    return is_known;
}
