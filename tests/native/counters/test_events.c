/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
/* From names to what the kernel is told. Codes are those of linux/perf_event.h, written out. */
#include "../test.h"
#include "base/error.h"
#include "counters/event.h"
#include "counters/events.h"
#include "counters/library.h"
#include "schema/run.h"

#include <linux/perf_event.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

static struct laxity_event event;
static struct laxity_error error;

static int resolve(const char *name)
{
    event = (struct laxity_event){.name = ""};
    error = (struct laxity_error){0};
    return laxity_event_resolve(name, &event, &error);
}

static void check_refusal(const char *name, const char *part)
{
    CHECK_EQUAL(resolve(name), -1);
    CHECK_EQUAL(error.exit_code, LAXITY_EXIT_USAGE);
    CHECK_TEXT(event.name, "");
    if (!strstr(error.text, part)) {
        test_fail(__FILE__, __LINE__, "\"%s\" lacks \"%s\"", error.text, part);
    }
}

static void every_name_of_ours_resolves(void)
{
    static const char *const designed[] = {
        "cycles",     "instructions",  "l1i_access",    "l1i_refill",     "l1d_access",
        "l1d_refill", "l1d_writeback", "l2_access",     "l2_refill",      "l2_writeback",
        "llc_access", "llc_refill",    "llc_writeback", "mem_read_bytes", "mem_write_bytes",
        "bus_access", "branch_misses", "itlb_refill",   "dtlb_refill",
    };
    for (size_t i = 0; i < sizeof designed / sizeof designed[0]; i++) {
        CHECK_EQUAL(resolve(designed[i]), 0);
        CHECK_TEXT(event.name, designed[i]);
    }
}

static void names_are_translated_to_the_codes_of_the_kernel(void)
{
    CHECK_EQUAL(resolve("instructions"), 0);
    CHECK_EQUAL(event.type, 0); /* PERF_TYPE_HARDWARE */
    CHECK_EQUAL(event.config, 1);
    CHECK_TEXT(event.platform_event, "PERF_COUNT_HW_INSTRUCTIONS");
    CHECK_EQUAL(event.scope, LAXITY_SCOPE_CORE);
    CHECK_EQUAL(resolve("l1d_refill"), 0);
    CHECK_EQUAL(event.type, 3);         /* PERF_TYPE_HW_CACHE */
    CHECK_EQUAL(event.config, 0x10000); /* cache 0 (L1D), op 0 (read), result 1 (miss) << 16 */
    CHECK_EQUAL(resolve("llc_access"), 0);
    CHECK_EQUAL(event.config, 2); /* cache 2 (LL), op 0, result 0 */
    CHECK_EQUAL(resolve("dtlb_refill"), 0);
    CHECK_EQUAL(event.config, 0x10003); /* cache 3 (DTLB), op 0, result 1 << 16 */
    CHECK_EQUAL(resolve("branch_misses"), 0);
    CHECK_EQUAL(event.config, 5); /* PERF_COUNT_HW_BRANCH_MISSES */
    CHECK_EQUAL(resolve("context-switches"), 0);
    CHECK_EQUAL(event.type, 1); /* PERF_TYPE_SOFTWARE */
    CHECK_EQUAL(event.config, 3);
    CHECK_EQUAL(event.scope, LAXITY_SCOPE_SOFTWARE);
    CHECK(event.is_of_kernel);
    CHECK_TEXT(event.ratio_name, "context-switches_scale_ratio");
}

static void codes_of_arm_are_used_on_arm_only(void)
{
    CHECK_EQUAL(resolve("l1d_writeback"), 0);
#if defined(__aarch64__) || defined(__arm__)
    CHECK_EQUAL(event.type, 4); /* PERF_TYPE_RAW */
    CHECK_EQUAL(event.config, 0x15);
    CHECK_TEXT(event.platform_event, "L1D_CACHE_WB");
#else
    CHECK_TEXT(event.platform_event, "");
#endif
}

static void slip_of_the_finger_is_answered_with_the_nearest_name(void)
{
    check_refusal("instuctions", "did you mean instructions?");
    check_refusal("page_faults", "did you mean page-faults?");
    check_refusal("", "unknown");
    check_refusal("cyc les", "unknown");
    check_refusal("wholly-different", "unknown");
}

static void name_has_room_up_to_its_limit(void)
{
    char name[LAXITY_EVENT_NAME_BYTES + 1];
    memset(name, 'q', sizeof name);
    name[LAXITY_EVENT_NAME_BYTES] = '\0';
    check_refusal(name, "unknown"); /* 48 letters do not fit into 48 bytes */
    name[LAXITY_EVENT_NAME_BYTES - 1] = '\0';
    check_refusal(name, "unknown"); /* 47 would, but there is no such event */
}

static int resolve_list(const char *names, struct laxity_event *out_events)
{
    static char text[512];
    char *items[LAXITY_EVENTS_MAX + 1];
    unsigned n = 0;
    (void)snprintf(text, sizeof text, "%s", names);
    char *rest = NULL;
    for (char *word = strtok_r(text, " ", &rest); word; word = strtok_r(NULL, " ", &rest)) {
        items[n++] = word;
    }
    error = (struct laxity_error){0};
    return laxity_events_resolve(items, n, out_events, &error);
}

static void list_holds_each_event_once_and_at_most_sixteen(void)
{
#define SIXTEEN                                                                                    \
    "cycles instructions l1i_access l1i_refill l1d_access l1d_refill llc_access llc_refill "       \
    "branch_misses itlb_refill dtlb_refill page-faults minor-faults context-switches "             \
    "cpu-migrations cpu-clock"
    struct laxity_event events[LAXITY_EVENTS_MAX];
    CHECK_EQUAL(resolve_list(SIXTEEN, events), 0);
    CHECK_TEXT(events[15].name, "cpu-clock");
    CHECK_EQUAL(resolve_list(SIXTEEN " task-clock", events), -1);
    CHECK(strstr(error.text, "at most 16") != NULL);
    CHECK_EQUAL(resolve_list("cycles task-clock cycles", events), -1);
    CHECK(strstr(error.text, "named twice") != NULL);
}

static void library_resolves_what_we_do_not_know(void)
{
    if (!laxity_library_name()) {
        SKIP("no libpfm4 in this build");
    }
    CHECK_EQUAL(resolve("perf::PERF_COUNT_HW_CPU_CYCLES:u"), 0);
    CHECK_EQUAL(event.type, PERF_TYPE_HARDWARE);
    CHECK_EQUAL(event.config, PERF_COUNT_HW_CPU_CYCLES);
    CHECK(event.excludes_kernel && !event.excludes_user);
    CHECK_TEXT(event.platform_event, "perf::PERF_COUNT_HW_CPU_CYCLES");
    CHECK_TEXT(laxity_event_modes_name(&event), "user");
}

static void event_of_another_processor_is_known_and_cannot_be_counted(void)
{
    if (!laxity_library_name()) {
        SKIP("no libpfm4 in this build");
    }
#if defined(__x86_64__)
    /* Of an Intel and of an AMD processor: no machine has both. */
    CHECK_EQUAL(resolve("skl::L2_RQSTS:MISS"), 0);
    const int is_intel_here = event.platform_event[0] != '\0';
    CHECK_EQUAL(resolve("amd64_fam17h_zen1::RETIRED_INSTRUCTIONS"), 0);
    const int is_amd_here = event.platform_event[0] != '\0';
    CHECK(!(is_intel_here && is_amd_here));
#endif
}

static void names_of_the_library_for_our_own_events_exist(void)
{
    if (!laxity_library_name()) {
        SKIP("no libpfm4 in this build");
    }
#if defined(__x86_64__)
    CHECK(laxity_library_knows("skl::L2_RQSTS:REFERENCES"));
    CHECK(laxity_library_knows("skl::L2_RQSTS:MISS"));
    CHECK(laxity_library_knows("skl::L2_TRANS:L2_WB"));
#endif
    CHECK(!laxity_library_knows("skl::NO_SUCH_EVENT"));
}

int main(void)
{
    RUN(every_name_of_ours_resolves);
    RUN(names_are_translated_to_the_codes_of_the_kernel);
    RUN(codes_of_arm_are_used_on_arm_only);
    RUN(slip_of_the_finger_is_answered_with_the_nearest_name);
    RUN(name_has_room_up_to_its_limit);
    RUN(list_holds_each_event_once_and_at_most_sixteen);
    RUN(library_resolves_what_we_do_not_know);
    RUN(event_of_another_processor_is_known_and_cannot_be_counted);
    RUN(names_of_the_library_for_our_own_events_exist);
    return test_exit_code();
}
