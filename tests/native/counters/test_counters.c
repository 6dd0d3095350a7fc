/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
/* Groups, turns and refusals, on the made-up PMU of fake_perf_event.h. */
#include "../test.h"
#include "base/error.h"
#include "counters/counters.h"
#include "counters/event.h"
#include "counters/events.h"
#include "fake_perf_event.h"
#include "harness/counting.h"

#include <errno.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

static struct laxity_event events[LAXITY_EVENTS_MAX];
static struct laxity_counters counters;
static struct laxity_counts counts;
static int errors[LAXITY_EVENTS_MAX];

/* Names separated by blanks. */
static unsigned resolve(const char *names)
{
    static char text[256];
    char *items[LAXITY_EVENTS_MAX];
    unsigned n = 0;
    struct laxity_error error = {0};
    char *rest = NULL;
    (void)snprintf(text, sizeof text, "%s", names);
    for (char *word = strtok_r(text, " ", &rest); word; word = strtok_r(NULL, " ", &rest)) {
        items[n++] = word;
    }
    CHECK_EQUAL(laxity_events_resolve(items, n, events, &error), 0);
    return n;
}

static void open_events(struct fake_pmu pmu, const char *names)
{
    laxity_counters_close(&counters);
    fake_pmu = pmu;
    laxity_counters_open(events, resolve(names), &counters, errors);
}

static void count_a_job(void)
{
    struct laxity_counter_reading before;
    struct laxity_counter_reading after;
    laxity_counters_read(&counters, LAXITY_FIRST_GROUP_FIRST, &before);
    laxity_counters_read(&counters, LAXITY_FIRST_GROUP_LAST, &after);
    laxity_counters_difference(&counters, &before, &after, &counts);
}

static void one_group_is_read_by_one_system_call(void)
{
    open_events((struct fake_pmu){.counters = 6, .turns = 1}, "cycles instructions llc_access");
    CHECK_EQUAL(counters.n_groups, 1);
    count_a_job();
    CHECK_EQUAL(fake_pmu.n_reads, 2);
    /* 100 ns between the two readings; codes 0 (cycles), 1 (instructions), 2 (LLC access). */
    CHECK_EQUAL(counts.values[0], 0);
    CHECK_EQUAL(counts.values[1], 100);
    CHECK_EQUAL(counts.values[2], 200);
    CHECK(counts.scale_ratios[1] == 1.0F);
}

static void events_beyond_the_counters_form_further_groups(void)
{
    open_events(
        (struct fake_pmu){.counters = 2, .turns = 1},
        "cycles instructions llc_access llc_refill l1i_access"
    );
    CHECK_EQUAL(counters.n_groups, 3); /* 2 + 2 + 1 */
    count_a_job();
    /*
     * Readings at 1..6 x 100 ns: before = groups 0 1 2, after = groups 2 1 0. Group 0 lies between
     * 100 and 600, group 1 between 200 and 500, group 2 between 300 and 400 ns.
     */
    CHECK_EQUAL(counts.values[1], 500);
    CHECK_EQUAL(counts.values[2], 300 * 2);
    CHECK_EQUAL(counts.values[4], 100); /* code 1: cache 1 (L1I), read, access */
}

static void software_events_never_take_turns_with_hardware(void)
{
    open_events(
        (struct fake_pmu){.counters = 2, .turns = 4}, "cycles context-switches instructions"
    );
    CHECK_EQUAL(counters.n_groups, 2);
    count_a_job();
    CHECK(counts.scale_ratios[1] == 1.0F);
    CHECK_EQUAL(counts.values[1], 300 * 3); /* code 3; read first and last, 300 ns apart */
    /* The hardware group is read nearest to the job: 100 ns enabled, of which 25 running. */
    CHECK(counts.scale_ratios[2] == 4.0F);
    CHECK_EQUAL(counts.values[2], 25);
}

static void counter_whose_turn_did_not_come_is_absent(void)
{
    open_events((struct fake_pmu){.counters = 2, .turns = 0}, "instructions page-faults");
    count_a_job();
    CHECK_EQUAL(counts.values[0], INT64_MIN);
    CHECK(isnan(counts.scale_ratios[0]));
    CHECK(counts.values[1] >= 0);
}

static void job_shorter_than_the_clock_of_the_kernel_is_counted(void)
{
    open_events((struct fake_pmu){.counters = 2, .turns = 1}, "instructions");
    count_a_job();
    fake_pmu.is_clock_coarse = true;
    count_a_job();
    CHECK_EQUAL(counts.values[0], 0);
    CHECK(counts.scale_ratios[0] == 1.0F);
}

static void without_permission_for_the_kernel_user_mode_is_counted(void)
{
    open_events(
        (struct fake_pmu){.counters = 4, .turns = 1, .is_kernel_denied = true},
        "instructions context-switches page-faults"
    );
    CHECK_EQUAL(errors[0], 0);
    CHECK_TEXT(laxity_event_modes_name(&events[0]), "user");
    CHECK_EQUAL(errors[1], -EACCES); /* in user mode alone it would be 0, which is not true */
    CHECK_EQUAL(errors[2], 0);
    count_a_job();
    CHECK_EQUAL(counts.values[1], INT64_MIN);
}

static void closing_leaves_no_descriptor(void)
{
    open_events((struct fake_pmu){.counters = 1, .turns = 1}, "cycles instructions task-clock");
    CHECK_EQUAL(fake_pmu.n_open, 3);
    laxity_counters_close(&counters);
    CHECK_EQUAL(fake_pmu.n_open, 0);
}

static struct laxity_counting *try_events(struct fake_pmu pmu, const char *names)
{
    static struct laxity_counting counting;
    counting = (struct laxity_counting){.n_events = resolve(names)};
    memcpy(counting.events, events, sizeof events);
    fake_pmu = pmu;
    laxity_try_counters(&counting);
    CHECK_EQUAL(fake_pmu.n_open, 0);
    return &counting;
}

static void machine_without_a_pmu_gives_one_message_for_all(void)
{
    const struct laxity_counting *counting =
        try_events((struct fake_pmu){.refusal = -ENOENT}, "cycles instructions page-faults");
    CHECK_EQUAL(counting->n_fallbacks, 1);
    const char *reason = counting->fallbacks[0].reason;
    CHECK(strstr(reason, "cycles, instructions: perf_event_open: ENOENT: ") == reason);
    CHECK_TEXT(counting->events[0].platform_event, "");
    CHECK_TEXT(counting->events[2].platform_event, "PERF_COUNT_SW_PAGE_FAULTS");
}

static void each_reason_has_its_own_message(void)
{
    const struct laxity_counting *counting = try_events(
        (struct fake_pmu){.refusal = -ENOENT, .is_kernel_denied = true},
        "instructions mem_read_bytes cpu-migrations mem_write_bytes"
    );
    CHECK_EQUAL(counting->n_fallbacks, 3);
    CHECK(strstr(counting->fallbacks[0].reason, "instructions: perf_event_open: ENOENT") != NULL);
    CHECK(strstr(counting->fallbacks[1].reason, "mem_read_bytes, mem_write_bytes: ") != NULL);
    CHECK(strstr(counting->fallbacks[2].reason, "cpu-migrations: perf_event_open: EACCES") != NULL);
    CHECK(strstr(counting->fallbacks[2].reason, "perf_event_paranoid") != NULL);
}

static void long_list_of_names_is_cut_and_counted(void)
{
    const struct laxity_counting *counting = try_events(
        (struct fake_pmu){.refusal = -ENOENT},
        "cycles instructions l1i_access l1i_refill l1d_access l1d_refill llc_access llc_refill"
    );
    CHECK_EQUAL(counting->n_fallbacks, 1);
    /* The names have 56 bytes: 6 + 2 + 12 + 2 + 10 + 2 + 10 = 44, " and 4 more" 11, the end 1. */
    const char *names = "cycles, instructions, l1i_access, l1i_refill and 4 more: ";
    if (strncmp(counting->fallbacks[0].reason, names, strlen(names)) != 0) {
        test_fail(__FILE__, __LINE__, "%s", counting->fallbacks[0].reason);
    }
}

int main(void)
{
    RUN(one_group_is_read_by_one_system_call);
    RUN(events_beyond_the_counters_form_further_groups);
    RUN(software_events_never_take_turns_with_hardware);
    RUN(counter_whose_turn_did_not_come_is_absent);
    RUN(job_shorter_than_the_clock_of_the_kernel_is_counted);
    RUN(without_permission_for_the_kernel_user_mode_is_counted);
    RUN(closing_leaves_no_descriptor);
    RUN(machine_without_a_pmu_gives_one_message_for_all);
    RUN(each_reason_has_its_own_message);
    RUN(long_list_of_names_is_cut_and_counted);
    return test_exit_code();
}
