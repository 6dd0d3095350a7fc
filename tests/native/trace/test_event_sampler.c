/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
/* Groups, refusals and what is missing, on a made-up PMU and rings of our own. */
#include "../counters/fake_perf_event.h"
#include "../test.h"
#include "base/cpus.h"
#include "base/error.h"
#include "base/port/perf_event.h"
#include "base/port/perf_ring.h"
#include "counters/event.h"
#include "counters/events.h"
#include "schema/streams.h"
#include "trace/event_sampler.h"

#include <errno.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

enum {
    CPU = 3,
    RING_BYTES = 1024,
    ROWS_MAX = 16,
    TYPE_LOST = 2,
    TYPE_THROTTLE = 5,
    TYPE_SAMPLE = 9,
};

static const uint64_t ms = 1000000;

/* One ring for all: each test writes into that of one group. */
static struct {
    unsigned char data[RING_BYTES];
    uint64_t head;
} ring;

static struct {
    struct laxity_counters_per_cpu_row rows[ROWS_MAX];
    unsigned n;
} seen;

static struct laxity_event_sampler *sampler;
static struct laxity_error error;

int laxity_perf_ring_map(int fd, uint64_t data_bytes, struct laxity_perf_ring *out_ring)
{
    CHECK(data_bytes >= RING_BYTES);
    *out_ring = (struct laxity_perf_ring
    ){.fd = fd, .echo_fd = -1, .page = &ring, .data = ring.data, .data_bytes = RING_BYTES};
    return 0;
}

uint64_t laxity_perf_ring_head(const struct laxity_perf_ring *ours)
{
    return ours->fd == sampler->cpus[0].groups[0].ring.fd ? ring.head : 0;
}

void laxity_perf_ring_release(struct laxity_perf_ring *ours)
{
    (void)ours;
}

int laxity_perf_ring_start(const struct laxity_perf_ring *ours)
{
    (void)ours;
    return 0;
}

int laxity_perf_ring_stop(const struct laxity_perf_ring *ours)
{
    (void)ours;
    return 0;
}

void laxity_perf_ring_close(struct laxity_perf_ring *ours)
{
    laxity_perf_close(ours->fd);
}

int laxity_perf_start(int fd)
{
    (void)fd;
    return 0;
}

int laxity_perf_stop(int fd)
{
    (void)fd;
    return 0;
}

static void take(void *context, const struct laxity_counters_per_cpu_row *row)
{
    (void)context;
    CHECK(seen.n < ROWS_MAX);
    seen.rows[seen.n++] = *row;
}

/* Names separated by blanks. Returns what opening does. */
static int open_sampler(struct fake_pmu pmu, const char *names, uint64_t every_count)
{
    static char text[256];
    char *items[LAXITY_EVENTS_MAX];
    struct laxity_sampling asked = {.every_ns = (int64_t)ms, .every_count = every_count};
    struct laxity_cpus cpus = {0};
    char *rest = NULL;
    memset(&ring, 0, sizeof ring);
    memset(&seen, 0, sizeof seen);
    memset(&error, 0, sizeof error);
    sampler = NULL;
    fake_pmu = pmu;
    laxity_cpus_add(&cpus, CPU);
    (void)snprintf(text, sizeof text, "%s", names);
    for (char *word = strtok_r(text, " ", &rest); word; word = strtok_r(NULL, " ", &rest)) {
        items[asked.n_events++] = word;
    }
    CHECK_EQUAL(laxity_events_resolve(items, asked.n_events, asked.events, &error), 0);
    return laxity_event_sampler_open(&asked, &cpus, &sampler, &error);
}

static void close_sampler(void)
{
    laxity_event_sampler_close(sampler);
    CHECK_EQUAL(fake_pmu.n_open, 0);
}

static void put(const void *bytes, size_t n)
{
    memcpy(ring.data + ring.head, bytes, n);
    ring.head += n;
}

static void put_header(uint32_t type, uint16_t size)
{
    const uint16_t misc = 0;
    put(&type, sizeof type);
    put(&misc, sizeof misc);
    put(&size, sizeof size);
}

/* Of the timer and one event, each value with a word of what its event lost behind it: 8 + 8 + 32 +
 * 2 * 16 bytes. */
static void put_sample(uint64_t time_ns, uint64_t value, uint64_t running_ns)
{
    const uint32_t thread[] = {70, 71};
    const uint64_t words[] = {time_ns, 2, 4 * ms, running_ns, time_ns, 0, value, 0};
    put_header(TYPE_SAMPLE, 80);
    put(thread, sizeof thread);
    put(words, sizeof words);
}

static void events_that_have_counters_are_one_group_behind_the_timer(void)
{
    CHECK_EQUAL(
        open_sampler(
            (struct fake_pmu){.counters = 2, .turns = 1}, "cycles page-faults instructions", 0
        ),
        0
    );
    const struct laxity_sampled_cpu *cpu = &sampler->cpus[0];
    CHECK_EQUAL(cpu->cpu, CPU);
    CHECK_EQUAL(cpu->n_groups, 1);
    CHECK_EQUAL(cpu->groups[0].n, 4);
    CHECK_EQUAL(cpu->groups[0].events[0], LAXITY_EVENTS_MAX);
    CHECK_EQUAL(cpu->groups[0].events[1], 0);
    CHECK_EQUAL(cpu->groups[0].events[2], 1);
    CHECK_EQUAL(cpu->groups[0].events[3], 2);
    close_sampler();
}

/* Three for two counters: the third takes turns with them, and the kernel's event with none. */
static void where_counters_do_not_suffice_software_events_stay_apart(void)
{
    const char *names = "cycles page-faults instructions l1d_refill minor-faults";
    CHECK_EQUAL(open_sampler((struct fake_pmu){.counters = 2, .turns = 1}, names, 0), 0);
    const struct laxity_sampled_cpu *cpu = &sampler->cpus[0];
    CHECK_EQUAL(cpu->n_groups, 3);
    CHECK_EQUAL(cpu->groups[0].n, 3); /* timer, cycles, instructions */
    CHECK_EQUAL(cpu->groups[0].events[2], 2);
    CHECK_EQUAL(cpu->groups[1].n, 3); /* timer, page-faults, minor-faults */
    CHECK_EQUAL(cpu->groups[1].events[1], 1);
    CHECK_EQUAL(cpu->groups[1].events[2], 4);
    CHECK_EQUAL(cpu->groups[2].n, 2); /* timer, l1d_refill */
    CHECK_EQUAL(cpu->groups[2].events[1], 3);
    close_sampler();
}

/* Nothing but its own interrupt would read another group. */
static void by_overflow_only_what_fits_beside_the_first_event_is_sampled(void)
{
    CHECK_EQUAL(
        open_sampler(
            (struct fake_pmu){.counters = 2, .turns = 1}, "cycles instructions l1d_refill", 100
        ),
        0
    );
    const struct laxity_sampled_cpu *cpu = &sampler->cpus[0];
    CHECK_EQUAL(cpu->n_groups, 1);
    CHECK_EQUAL(cpu->groups[0].n, 2);
    CHECK_EQUAL(cpu->groups[0].events[0], 0);
    CHECK_EQUAL(sampler->refusals[2], EINVAL);
    CHECK(sampler->asked.events[1].platform_event[0] != '\0');
    CHECK_EQUAL(sampler->asked.events[2].platform_event[0], '\0');
    close_sampler();
}

static void by_overflow_of_an_event_that_nothing_counts_nothing_is_sampled(void)
{
    CHECK_EQUAL(open_sampler((struct fake_pmu){.refusal = -ENOENT}, "cycles page-faults", 100), -1);
    CHECK_EQUAL(error.exit_code, LAXITY_EXIT_LACKING);
    CHECK_EQUAL(fake_pmu.n_open, 0);
}

static void without_a_pmu_software_events_are_sampled_alone(void)
{
    CHECK_EQUAL(open_sampler((struct fake_pmu){.refusal = -ENOENT}, "cycles page-faults", 0), 0);
    CHECK_EQUAL(sampler->cpus[0].n_groups, 1);
    CHECK_EQUAL(sampler->cpus[0].groups[0].n, 2);
    CHECK_EQUAL(sampler->refusals[0], ENOENT);
    CHECK_EQUAL(sampler->asked.events[0].platform_event[0], '\0');
    close_sampler();
}

static void without_permission_it_is_refused(void)
{
    CHECK_EQUAL(open_sampler((struct fake_pmu){.is_kernel_denied = true}, "page-faults", 0), -1);
    CHECK_EQUAL(error.exit_code, LAXITY_EXIT_LACKING);
    CHECK(strstr(error.text, "run as root") != NULL);
    CHECK_EQUAL(fake_pmu.n_open, 0);
}

/* 40 counted in a quarter of the time: scale 4. */
static void sample_is_a_row_with_its_cpu_and_whom_it_found(void)
{
    CHECK_EQUAL(open_sampler((struct fake_pmu){.counters = 1}, "page-faults", 0), 0);
    put_sample(ms, 40, ms);
    laxity_event_sampler_drain(sampler, take, NULL);
    CHECK_EQUAL(seen.n, 1);
    CHECK_EQUAL(seen.rows[0].time_ns, 1000000);
    CHECK_EQUAL(seen.rows[0].task, UINT16_MAX);
    CHECK_EQUAL(seen.rows[0].event, 0);
    CHECK_EQUAL(seen.rows[0].value, 40);
    CHECK_EQUAL((int)seen.rows[0].scale_ratio, 4);
    CHECK_EQUAL(seen.rows[0].cpu, CPU);
    CHECK_EQUAL(seen.rows[0].tid, 71);
    close_sampler();
}

static void event_whose_turn_has_not_come_has_no_value(void)
{
    CHECK_EQUAL(open_sampler((struct fake_pmu){.counters = 1}, "page-faults", 0), 0);
    put_sample(ms, 0, 0);
    laxity_event_sampler_drain(sampler, take, NULL);
    CHECK_EQUAL(seen.n, 1);
    CHECK_EQUAL(seen.rows[0].value, INT64_MIN);
    CHECK(seen.rows[0].scale_ratio != seen.rows[0].scale_ratio);
    close_sampler();
}

/* From 1 ms to 5 ms four periods: three samples are not there, one of which found no room. */
static void samples_that_the_timer_owed_are_counted_and_what_was_lost_only_once(void)
{
    CHECK_EQUAL(open_sampler((struct fake_pmu){.counters = 1}, "page-faults", 0), 0);
    const uint64_t lost[] = {1, 1};
    const uint64_t throttled[] = {0, 0, 0};
    put_sample(ms, 1, 4 * ms);
    put_header(TYPE_LOST, 24);
    put(lost, sizeof lost);
    put_header(TYPE_THROTTLE, 32);
    put(throttled, sizeof throttled);
    put_sample(5 * ms + 1000, 2, 4 * ms);
    laxity_event_sampler_drain(sampler, take, NULL);
    CHECK_EQUAL(sampler->cpus[0].samples, 2);
    CHECK_EQUAL(sampler->cpus[0].lost, 1);
    CHECK_EQUAL(laxity_sampled_missing(&sampler->cpus[0]), 2);
    CHECK_EQUAL(sampler->cpus[0].throttled, 1);
    close_sampler();
}

/* 1.49 periods are one, 1.51 would be two. */
static void timer_that_is_a_little_late_owes_nothing(void)
{
    CHECK_EQUAL(open_sampler((struct fake_pmu){.counters = 1}, "page-faults", 0), 0);
    put_sample(ms, 1, 4 * ms);
    put_sample(ms + 1490000, 2, 4 * ms);
    put_sample(ms + 1490000 + 1510000, 3, 4 * ms);
    laxity_event_sampler_drain(sampler, take, NULL);
    CHECK_EQUAL(laxity_sampled_missing(&sampler->cpus[0]), 1);
    close_sampler();
}

int main(void)
{
    RUN(events_that_have_counters_are_one_group_behind_the_timer);
    RUN(where_counters_do_not_suffice_software_events_stay_apart);
    RUN(by_overflow_only_what_fits_beside_the_first_event_is_sampled);
    RUN(by_overflow_of_an_event_that_nothing_counts_nothing_is_sampled);
    RUN(without_a_pmu_software_events_are_sampled_alone);
    RUN(without_permission_it_is_refused);
    RUN(sample_is_a_row_with_its_cpu_and_whom_it_found);
    RUN(event_whose_turn_has_not_come_has_no_value);
    RUN(samples_that_the_timer_owed_are_counted_and_what_was_lost_only_once);
    RUN(timer_that_is_a_little_late_owes_nothing);
    return test_exit_code();
}
