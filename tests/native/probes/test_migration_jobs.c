/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
#include "../test.h"
#include "base/cpus.h"
#include "base/port/sched.h"
#include "base/port/time.h"
#include "probes/interfering.h"
#include "probes/probe.h"

#include <stdint.h>

enum {
    SIZE_BYTES = 4096,
    LOOKS = 5000
};

static void primes_are_counted(void)
{
    CHECK_EQUAL(laxity_count_primes(2), 0);
    CHECK_EQUAL(laxity_count_primes(3), 1);
    /* 2 3 5 7 11 13 17 19 23 29 */
    CHECK_EQUAL(laxity_count_primes(30), 10);
    CHECK_EQUAL(laxity_count_primes(1000), 168);
}

static void rows_are_counted_before_they_are_measured(void)
{
    uint64_t sizes[] = {2048, 4096};
    struct laxity_migration_jobs_settings settings = {.sizes_bytes = {sizes, 2}};
    struct laxity_probe_plan plan = {.repetitions = 7, .settings = &settings};
    CHECK_EQUAL(laxity_probe_migration_jobs.count_rows(&plan), 14);
    settings.has_primes = true;
    CHECK_EQUAL(laxity_probe_migration_jobs.count_rows(&plan), 21);
    plan.repetitions = UINT64_MAX / 2;
    CHECK(laxity_probe_migration_jobs.count_rows(&plan) > UINT32_MAX);
}

/* Passes come sooner or later, however busy the machine is. */
static bool has_passed(const struct laxity_interfering *interfering)
{
    const uint32_t before = laxity_interfering_passes(interfering, 0);
    for (int i = 0; i < LOOKS; i++) {
        if (laxity_interfering_passes(interfering, 0) - before > 1) {
            return true;
        }
        laxity_pause_ns(LAXITY_NS_PER_MS);
    }
    return false;
}

static void interfering_task_waits_works_and_ends(void)
{
    struct laxity_probe_shared shared = {0};
    struct laxity_probe_run run = {.shared = &shared};
    struct laxity_interfering interfering = {0};
    struct laxity_cpus allowed;
    uint32_t cpu = 0;
    CHECK_EQUAL(laxity_get_affinity(&allowed), 0);
    while (!laxity_cpus_has(&allowed, cpu)) {
        cpu++;
    }
    CHECK_EQUAL(laxity_interfering_start(&run, &cpu, 1, SIZE_BYTES, &interfering), 0);
    laxity_pause_ns(LAXITY_NS_PER_MS);
    CHECK_EQUAL(laxity_interfering_passes(&interfering, 0), 0);
    laxity_interfering_use(&interfering, SIZE_BYTES);
    CHECK(has_passed(&interfering));
    laxity_interfering_use(&interfering, 0);
    CHECK(has_passed(&interfering));
    laxity_interfering_stop(&interfering);
    CHECK_EQUAL(interfering.n, 0);
}

int main(void)
{
    RUN(primes_are_counted);
    RUN(rows_are_counted_before_they_are_measured);
    RUN(interfering_task_waits_works_and_ends);
    return test_exit_code();
}
