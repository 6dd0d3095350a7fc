/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
#include "../test.h"
#include "probes/probe.h"
#include "probes/switch_interrupts.h"
#include "probes/switch_settings.h"
#include "probes/switch_stamps.h"
#include "schema/probes.h"
#include "schema/streams.h"

#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* Two stamps per nanosecond: 1000 at 500 ns, 3000 at 1500 ns. */
static const struct laxity_stamp_clock made_up = {
    .has_ticks = true, .stamps_per_ns = 2, .anchors = {{1000, 500}, {3000, 1500}}
};

static void stamps_lie_on_the_line_through_both_anchors(void)
{
    CHECK_EQUAL(laxity_stamp_ns(&made_up, 1000), 500);
    CHECK_EQUAL(laxity_stamp_ns(&made_up, 2000), 1000);
    CHECK_EQUAL(laxity_stamp_ns(&made_up, 3000), 1500);
    CHECK_EQUAL(laxity_stamp_ns(&made_up, 3200), 1600); /* beyond: 500 + 2200 / 2 */
    CHECK_EQUAL(laxity_stamp_ns(&made_up, 900), 450);   /* before: 500 - 100 / 2 */
    CHECK_EQUAL(laxity_stamps_of_ns(&made_up, 250), 500);
}

static void nanoseconds_are_not_stretched(void)
{
    const struct laxity_stamp_clock clock = {
        .has_ticks = false, .stamps_per_ns = 1, .anchors = {{1000, 1010}, {3000, 3999}}
    };
    /* Both anchors are readings of one clock; the first alone places a stamp. */
    CHECK_EQUAL(laxity_stamp_ns(&clock, 2000), 2010);
}

static void gap_holds_what_lies_on_its_ends(void)
{
    static struct laxity_gaps gaps = {.n = 2, .gaps = {{10, 20}, {30, 50}}};
    CHECK(laxity_find_gap(&gaps, 30, 50) == &gaps.gaps[1]);
    CHECK(laxity_find_gap(&gaps, 29, 50) == NULL);
    CHECK(laxity_find_gap(&gaps, 30, 51) == NULL);
    CHECK(laxity_find_gap(&gaps, 15, 16) == &gaps.gaps[0]);
    CHECK(laxity_find_gap(&gaps, 15, 35) == NULL); /* in two gaps is in none */
}

static void every_stamp_is_a_gap_where_the_least_one_is_zero(void)
{
    static struct laxity_gaps gaps;
    struct laxity_stamp_clock clock;
    laxity_stamp_clock_open(&clock);
    gaps.least = 0;
    laxity_stamp_until(&clock, &gaps, NULL, 0, UINT64_MAX);
    CHECK_EQUAL(gaps.n, LAXITY_GAPS_MAX);
    CHECK_EQUAL(gaps.stamps, LAXITY_GAPS_MAX);
    for (unsigned i = 1; i < gaps.n; i++) {
        CHECK(gaps.gaps[i].last == gaps.gaps[i - 1].first);
        CHECK(gaps.gaps[i].first >= gaps.gaps[i].last);
    }
}

static void stamp_is_taken_after_the_end_is_seen(void)
{
    static struct laxity_gaps gaps;
    struct laxity_stamp_clock clock;
    atomic_uint done = 4;
    laxity_stamp_clock_open(&clock);
    gaps.least = 0;
    laxity_stamp_until(&clock, &gaps, &done, 3, UINT64_MAX);
    CHECK_EQUAL(gaps.stamps, 1);
    laxity_stamp_until(&clock, &gaps, NULL, 0, 0); /* long past */
    CHECK_EQUAL(gaps.stamps, 0);
}

static void period_is_found_and_gaps_are_several_of_them(void)
{
    static struct laxity_gaps gaps;
    struct laxity_stamp_clock clock;
    laxity_stamp_clock_open(&clock);
    const uint64_t period = laxity_stamp_period(&clock, &gaps);
    CHECK(period >= 1);
    CHECK(gaps.least >= 4 * period);
}

static const char counts[] = "           CPU0       CPU2       \n"
                             " 24:          1         20  IO-APIC   5-edge      ACPI:Ged\n"
                             "LOC:        300        400   Local timer interrupts\n"
                             "ERR:          7\n"
                             "LONGLABEL:    5          6   cut\n";

static void counts_are_those_of_the_cpus_own_column(void)
{
    static struct laxity_interrupts read;
    CHECK(laxity_interrupts_parse(counts, 2, &read));
    CHECK_EQUAL(read.n, 3); /* ERR has one number, which is not this CPU's */
    CHECK(strcmp(read.labels[0], "24") == 0 && read.counts[0] == 20);
    CHECK(strcmp(read.labels[1], "LOC") == 0 && read.counts[1] == 400);
    CHECK(memcmp(read.labels[2], "LONGLABE", 8) == 0 && read.counts[2] == 6);
}

static void cpu_without_a_column_has_no_counts(void)
{
    static struct laxity_interrupts read;
    CHECK(laxity_interrupts_parse(counts, 0, &read));
    CHECK_EQUAL(read.n, 4);
    CHECK_EQUAL(read.counts[0], 1);
    CHECK(!laxity_interrupts_parse(counts, 1, &read)); /* offline: no column */
    CHECK(!laxity_interrupts_parse("", 0, &read));
}

static void interrupts_are_what_the_counts_have_grown_by(void)
{
    static struct laxity_interrupts before;
    static struct laxity_interrupts after;
    const char *label = NULL;
    (void)laxity_interrupts_parse(counts, 2, &before);
    after = before;
    CHECK_EQUAL(laxity_interrupts_since(&before, &after, &label), 0);
    CHECK(label == NULL);
    after.counts[1]++;
    CHECK_EQUAL(laxity_interrupts_since(&before, &after, &label), 1);
    CHECK(label && strcmp(label, "LOC") == 0);
    after.counts[0] += 2;
    CHECK_EQUAL(laxity_interrupts_since(&before, &after, &label), 3);
    after.labels[0][0] = '9';
    CHECK(laxity_interrupts_since(&before, &after, &label) == UINT64_MAX);
}

static void rows_are_counted_before_anything_is_measured(void)
{
    struct laxity_switch_settings settings = {
        .spin_ns = 41000000,
        .has_quantity = {true, true, true, true, true, true},
    };
    laxity_cpus_add(&settings.to, 0);
    laxity_cpus_add(&settings.to, 1);
    laxity_cpus_add(&settings.to, 2);
    struct laxity_probe_plan plan = {.repetitions = 61, .settings = &settings};
    laxity_cpus_add(&plan.cpus, 1);
    /* By timers 7 * 61; sync 2 batches of 60 and 5 of 14; to each of two CPUs 2 batches of 60 and
     * 64 turns by spinning; two windows of 40 ms with up to 256 gaps each: 427 + 120 + 70 + 2 * 184
     * + 2 * 257 = 1499 */
    CHECK_EQUAL(laxity_probe_switch.count_rows(&plan), 1499);
    settings.has_quantity[LAXITY_SWITCH_QUANTITY_SPIN] = false;
    CHECK_EQUAL(laxity_probe_switch.count_rows(&plan), 985);
    settings.has_quantity[LAXITY_SWITCH_QUANTITY_KERNEL] =
        true; /* in 2 cases stamps, records, control */
    CHECK_EQUAL(laxity_probe_switch.count_rows(&plan), 985 + 6 * 61);
    settings.has_quantity[LAXITY_SWITCH_QUANTITY_KERNEL] = false;
    settings.has_quantity[LAXITY_SWITCH_QUANTITY_IRQ] =
        true; /* 41 windows of 1 ms, and one begun */
    CHECK_EQUAL(laxity_probe_switch.count_rows(&plan), 985 + 42);
    settings.has_quantity[LAXITY_SWITCH_QUANTITY_IRQ] = false;
    laxity_cpus_add(&plan.cpus, 5); /* wakes all three: 427 + 190 + 3 * 184 = 1169 */
    CHECK_EQUAL(laxity_probe_switch.count_rows(&plan), 985 + 1169);
}

static void row_has_the_bytes_of_its_fields(void)
{
    unsigned bytes = 0;
    for (unsigned i = 0; i < laxity_probe_switch.n_fields; i++) {
        bytes += laxity_probe_switch.fields[i].bytes;
    }
    CHECK_EQUAL(bytes, laxity_probe_switch.row_bytes);
    CHECK_EQUAL(offsetof(struct laxity_switch_row, period_ns), 48); /* six columns of eight bytes */
    CHECK_EQUAL(offsetof(struct laxity_switch_row, role), 63);
    CHECK_EQUAL(offsetof(struct laxity_switch_row, interrupt), 64);
}

int main(void)
{
    RUN(stamps_lie_on_the_line_through_both_anchors);
    RUN(nanoseconds_are_not_stretched);
    RUN(gap_holds_what_lies_on_its_ends);
    RUN(every_stamp_is_a_gap_where_the_least_one_is_zero);
    RUN(stamp_is_taken_after_the_end_is_seen);
    RUN(period_is_found_and_gaps_are_several_of_them);
    RUN(counts_are_those_of_the_cpus_own_column);
    RUN(cpu_without_a_column_has_no_counts);
    RUN(interrupts_are_what_the_counts_have_grown_by);
    RUN(rows_are_counted_before_anything_is_measured);
    RUN(row_has_the_bytes_of_its_fields);
    return test_exit_code();
}
