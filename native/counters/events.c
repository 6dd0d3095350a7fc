/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
#include "counters/events.h"

#include "base/error.h"
#include "counters/event.h"
#include "counters/library.h"
#include "schema/run.h"

#include <linux/perf_event.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

enum {
    NO_CODE = -1,
    /* Names further apart than this are no slip of the finger. */
    NEAR = 4,
};

#define CACHE(cache, result)                                                                       \
    (PERF_COUNT_HW_CACHE_##cache | PERF_COUNT_HW_CACHE_OP_READ << 8 |                              \
     PERF_COUNT_HW_CACHE_RESULT_##result << 16)

/* Both ARM architectures number their common events alike (Arm Architecture Reference Manual,
 * "Common event numbers"), so that no table per core is needed. */
#if defined(__aarch64__) || defined(__arm__)
#define HAS_ARM_EVENTS 1
#else
#define HAS_ARM_EVENTS 0
#endif

/* Where the kernel has no event of its own, a code of ARM's or a name of libpfm4's may do. */
struct row {
    const char *name;
    const char *platform_event;
    const char *library_name;
    uint64_t config;
    uint32_t type;
    int arm_code;
    bool is_of_kernel;
};

#define HARDWARE(name, event) {name, #event, NULL, event, PERF_TYPE_HARDWARE, NO_CODE, false}
#define CACHED(name, cache, result)                                                                \
    {name,                                                                                         \
     "PERF_COUNT_HW_CACHE_" #cache ":READ:" #result,                                               \
     NULL,                                                                                         \
     CACHE(cache, result),                                                                         \
     PERF_TYPE_HW_CACHE,                                                                           \
     NO_CODE,                                                                                      \
     false}
#define OF_PROCESSOR(name, arm_name, arm_code, library_name)                                       \
    {name, arm_name, library_name, 0, PERF_TYPE_RAW, arm_code, false}
#define SOFTWARE(name, event, is_of_kernel)                                                        \
    {name, #event, NULL, event, PERF_TYPE_SOFTWARE, NO_CODE, is_of_kernel}

static const struct row rows[] = {
    HARDWARE("cycles", PERF_COUNT_HW_CPU_CYCLES),
    HARDWARE("instructions", PERF_COUNT_HW_INSTRUCTIONS),
    CACHED("l1i_access", L1I, ACCESS),
    CACHED("l1i_refill", L1I, MISS),
    CACHED("l1d_access", L1D, ACCESS),
    CACHED("l1d_refill", L1D, MISS),
    OF_PROCESSOR("l1d_writeback", "L1D_CACHE_WB", 0x15, NULL),
    OF_PROCESSOR("l2_access", "L2D_CACHE", 0x16, "L2_RQSTS:REFERENCES"),
    OF_PROCESSOR("l2_refill", "L2D_CACHE_REFILL", 0x17, "L2_RQSTS:MISS"),
    OF_PROCESSOR("l2_writeback", "L2D_CACHE_WB", 0x18, "L2_TRANS:L2_WB"),
    CACHED("llc_access", LL, ACCESS),
    CACHED("llc_refill", LL, MISS),
    OF_PROCESSOR("llc_writeback", NULL, NO_CODE, NULL),
    /* Memory controllers lie beside the cores and cannot tell one task's traffic from another's. */
    OF_PROCESSOR("mem_read_bytes", NULL, NO_CODE, NULL),
    OF_PROCESSOR("mem_write_bytes", NULL, NO_CODE, NULL),
    OF_PROCESSOR("bus_access", "BUS_ACCESS", 0x19, NULL),
    CACHED("remote_access", NODE, MISS),
    OF_PROCESSOR("uncached_access", NULL, NO_CODE, NULL),
    OF_PROCESSOR("l1i_extrinsic", NULL, NO_CODE, NULL),
    OF_PROCESSOR("l1d_extrinsic", NULL, NO_CODE, NULL),
    OF_PROCESSOR("moved_fetch", NULL, NO_CODE, NULL),
    OF_PROCESSOR("moved_load", NULL, NO_CODE, NULL),
    OF_PROCESSOR("moved_store", NULL, NO_CODE, NULL),
    HARDWARE("branch_misses", PERF_COUNT_HW_BRANCH_MISSES),
    CACHED("itlb_refill", ITLB, MISS),
    CACHED("dtlb_refill", DTLB, MISS),
    SOFTWARE("page-faults", PERF_COUNT_SW_PAGE_FAULTS, false),
    SOFTWARE("minor-faults", PERF_COUNT_SW_PAGE_FAULTS_MIN, false),
    SOFTWARE("major-faults", PERF_COUNT_SW_PAGE_FAULTS_MAJ, false),
    SOFTWARE("alignment-faults", PERF_COUNT_SW_ALIGNMENT_FAULTS, false),
    SOFTWARE("emulation-faults", PERF_COUNT_SW_EMULATION_FAULTS, false),
    SOFTWARE("context-switches", PERF_COUNT_SW_CONTEXT_SWITCHES, true),
    SOFTWARE("cpu-migrations", PERF_COUNT_SW_CPU_MIGRATIONS, true),
    SOFTWARE("task-clock", PERF_COUNT_SW_TASK_CLOCK, false),
    SOFTWARE("cpu-clock", PERF_COUNT_SW_CPU_CLOCK, false),
};

enum {
    ROW_COUNT = sizeof rows / sizeof rows[0]
};

const char *laxity_event_name_at(unsigned index)
{
    return index < ROW_COUNT ? rows[index].name : NULL;
}

static const struct row *find_row(const char *name)
{
    for (size_t i = 0; i < ROW_COUNT; i++) {
        if (strcmp(rows[i].name, name) == 0) {
            return &rows[i];
        }
    }
    return NULL;
}

/* Leaves platform_event empty where this processor has no counterpart. */
static void resolve_row(const struct row *row, struct laxity_event *event)
{
    event->type = row->type;
    event->config = row->config;
    event->is_of_kernel = row->is_of_kernel;
    event->scope = row->type == PERF_TYPE_SOFTWARE ? LAXITY_SCOPE_SOFTWARE : LAXITY_SCOPE_CORE;
    const char *platform_event = row->platform_event;
    if (row->type == PERF_TYPE_RAW) {
        const bool is_arm = HAS_ARM_EVENTS && row->arm_code != NO_CODE;
        if (!is_arm && row->library_name) {
            (void)laxity_library_resolve(row->library_name, event);
        }
        event->config = is_arm ? (uint64_t)row->arm_code : event->config;
        platform_event = is_arm ? platform_event : NULL;
    }
    if (platform_event) {
        laxity_format(event->platform_event, sizeof event->platform_event, "%s", platform_event);
    }
}

/* A name becomes a column and a word for libpfm4: letters that neither could mistake. */
static bool is_well_formed(const char *name)
{
    static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
                                  "_-:.=";
    const size_t length = strspn(name, letters);
    return length > 0 && length < LAXITY_EVENT_NAME_BYTES && name[length] == '\0';
}

/* Levenshtein's distance of two words, each below LAXITY_EVENT_NAME_BYTES. */
static unsigned distance(const char *left, const char *right)
{
    unsigned costs[LAXITY_EVENT_NAME_BYTES];
    const size_t width = strlen(right);
    for (unsigned j = 0; j <= width; j++) {
        costs[j] = j;
    }
    for (unsigned i = 0; left[i] != '\0'; i++) {
        unsigned diagonal = costs[0];
        costs[0] = i + 1;
        for (size_t j = 0; j < width; j++) {
            const unsigned changed = diagonal + (left[i] != right[j]);
            const unsigned shorter = costs[j] < costs[j + 1] ? costs[j] : costs[j + 1];
            diagonal = costs[j + 1];
            costs[j + 1] = changed < shorter + 1 ? changed : shorter + 1;
        }
    }
    return costs[width];
}

static const char *nearest_name(const char *name)
{
    const char *nearest = NULL;
    unsigned least = NEAR;
    for (size_t i = 0; i < ROW_COUNT; i++) {
        const unsigned apart = distance(name, rows[i].name);
        if (apart < least) {
            least = apart;
            nearest = rows[i].name;
        }
    }
    return nearest;
}

static int refuse_name(const char *name, struct laxity_error *error)
{
    const char *nearest = is_well_formed(name) ? nearest_name(name) : NULL;
    if (nearest) {
        laxity_error_set(
            error, LAXITY_EXIT_USAGE, "event \"%.60s\": unknown; did you mean %s?", name, nearest
        );
    } else if (laxity_library_name()) {
        laxity_error_set(
            error,
            LAXITY_EXIT_USAGE,
            "event \"%.60s\": unknown to this build and to %s; see laxity list events",
            name,
            laxity_library_name()
        );
    } else {
        laxity_error_set(
            error,
            LAXITY_EXIT_USAGE,
            "event \"%.60s\": unknown; this build has no libpfm4, which knows more; see laxity "
            "list events",
            name
        );
    }
    return -1;
}

int laxity_event_resolve(
    const char *name, struct laxity_event *out_event, struct laxity_error *error
)
{
    struct laxity_event event = {.name = ""};
    const struct row *row = find_row(name);
    if (row) {
        resolve_row(row, &event);
    } else if (!is_well_formed(name) ||
               (laxity_library_resolve(name, &event) != 0 && !laxity_library_knows(name))) {
        return refuse_name(name, error);
    }
    laxity_format(event.name, sizeof event.name, "%s", name);
    laxity_format(event.ratio_name, sizeof event.ratio_name, "%s_scale_ratio", name);
    *out_event = event;
    return 0;
}

int laxity_events_resolve(
    char *const *names, unsigned n, struct laxity_event *out_events, struct laxity_error *error
)
{
    if (n > LAXITY_EVENTS_MAX) {
        return laxity_refuse(
            error,
            LAXITY_EXIT_USAGE,
            "%u events, at most %d are kept per job; use several runs",
            n,
            LAXITY_EVENTS_MAX
        );
    }
    for (unsigned i = 0; i < n; i++) {
        for (unsigned j = 0; j < i; j++) {
            if (strcmp(names[i], names[j]) == 0) {
                return laxity_refuse(
                    error,
                    LAXITY_EXIT_USAGE,
                    "event \"%.60s\": named twice; once is enough",
                    names[i]
                );
            }
        }
        if (laxity_event_resolve(names[i], &out_events[i], error)) {
            return -1;
        }
    }
    return 0;
}
