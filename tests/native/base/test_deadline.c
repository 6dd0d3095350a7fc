/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
#include "../test.h"
#include "base/cpus.h"
#include "base/port/deadline.h"
#include "base/port/time.h"

#include <errno.h>
#include <stdint.h>
#include <string.h>

static char text[200];

static struct laxity_cpus cpus(const char *list)
{
    struct laxity_cpus found = {{0}};
    (void)laxity_cpus_parse(list, &found);
    return found;
}

/* A machine of four CPUs with the kernel's defaults, where nothing stands in the way. */
static struct laxity_deadline_facts usual_facts(void)
{
    return (struct laxity_deadline_facts){
        .online = cpus("0-3"),
        .cpuset = cpus("0-3"),
        .affinity = cpus("0-3"),
        .may_nice = true,
        .period_min_us = 100,
        .period_max_us = 4194304,
        .rt_runtime_us = 950000,
        .rt_period_us = 1000000,
    };
}

static const char *check(int64_t runtime_ns, int64_t deadline_ns, int64_t period_ns)
{
    const struct laxity_reservation reservation = {runtime_ns, deadline_ns, period_ns};
    text[0] = '\0';
    const int rc = laxity_check_reservation(&reservation, text, sizeof text);
    CHECK_EQUAL(rc, text[0] == '\0' ? 0 : -EINVAL);
    return text;
}

static const char *
explain(int error_number, int64_t period_ns, const struct laxity_deadline_facts *facts)
{
    const struct laxity_reservation reservation = {period_ns / 2, period_ns, period_ns};
    laxity_explain_reservation_refusal(error_number, &reservation, facts, text, sizeof text);
    return text;
}

static void runtime_of_1024_ns_is_the_shortest(void)
{
    CHECK_TEXT(check(1024, 100000, 100000), "");
    CHECK_TEXT(
        check(1023, 100000, 100000),
        "runtime 1023 ns is below 1024 ns, the kernel's least; write a longer one"
    );
}

static void runtime_fits_into_the_deadline_and_that_into_the_period(void)
{
    CHECK_TEXT(check(2000, 2000, 2000), "");
    CHECK_TEXT(
        check(2001, 2000, 3000), "runtime 2001 ns is longer than the deadline, 2000 ns; shorten it"
    );
    CHECK_TEXT(
        check(2000, 3001, 3000), "deadline 3001 ns is longer than the period, 3000 ns; shorten it"
    );
}

static void deadline_beyond_the_period_or_absent_is_the_period(void)
{
    CHECK_EQUAL(laxity_reservation_of_task(10, 40, 50).deadline_ns, 40);
    CHECK_EQUAL(laxity_reservation_of_task(10, 50, 50).deadline_ns, 50);
    CHECK_EQUAL(laxity_reservation_of_task(10, 51, 50).deadline_ns, 50);
    CHECK_EQUAL(laxity_reservation_of_task(10, LAXITY_ABSENT_NS, 50).deadline_ns, 50);
    CHECK_EQUAL(laxity_reservation_of_task(10, 40, 50).period_ns, 50);
    CHECK_EQUAL(laxity_reservation_of_task(10, 40, 50).runtime_ns, 10);
}

static void period_outside_the_kernels_bounds_is_named_with_the_bound(void)
{
    const struct laxity_deadline_facts facts = usual_facts();
    CHECK(strstr(explain(EINVAL, 99999, &facts), "below sched_deadline_period_min_us (100)"));
    CHECK(strstr(explain(EINVAL, 100000, &facts), "no SCHED_DEADLINE"));
    /* 4194304 us = 4194304000 ns */
    CHECK(strstr(explain(EINVAL, INT64_C(4194304000), &facts), "no SCHED_DEADLINE"));
    CHECK(strstr(
        explain(EINVAL, INT64_C(4194304001), &facts), "above sched_deadline_period_max_us (4194304)"
    ));
}

static void process_without_the_capability_is_told_so_first(void)
{
    struct laxity_deadline_facts facts = usual_facts();
    facts.may_nice = false;
    facts.affinity = cpus("1");
    CHECK(strstr(explain(EPERM, 100000, &facts), "needs CAP_SYS_NICE"));
}

static void kernel_without_any_real_time_budget_is_told(void)
{
    struct laxity_deadline_facts facts = usual_facts();
    facts.rt_runtime_us = 0;
    CHECK(strstr(explain(EPERM, 100000, &facts), "sched_rt_runtime_us is 0"));
}

static void task_bound_to_a_part_of_the_cpus_is_told_both(void)
{
    struct laxity_deadline_facts facts = usual_facts();
    facts.affinity = cpus("1");
    CHECK_TEXT(
        explain(EPERM, 100000, &facts),
        "bound to CPUs 1 of 0-3; use all, an exclusive cpuset, or kernel.sched_rt_runtime_us -1 "
        "(laxity run --no-throttling)"
    );
}

static void cpuset_that_is_no_scheduling_domain_is_told(void)
{
    struct laxity_deadline_facts facts = usual_facts();
    facts.cpuset = cpus("2-3");
    facts.affinity = cpus("2-3");
    CHECK_TEXT(
        explain(EPERM, 100000, &facts),
        "cpuset 2-3 is no scheduling domain of its own; make it exclusive, and "
        "sched_load_balance 0 in the one above"
    );
    /* Within it and bound to less, the affinity is the nearer cause. */
    facts.affinity = cpus("3");
    CHECK(strstr(explain(EPERM, 100000, &facts), "bound to CPUs 3 of 0-3"));
}

static void bandwidth_that_is_not_left_is_told_as_a_share_of_a_cpu(void)
{
    const struct laxity_deadline_facts facts = usual_facts();
    CHECK(strstr(explain(EBUSY, 100000, &facts), "50 % of a CPU is more than"));
}

static void every_explanation_says_what_to_do(void)
{
    const struct laxity_deadline_facts facts = usual_facts();
    const int errors[] = {EINVAL, EPERM, EBUSY, ENOSYS, E2BIG};
    for (unsigned i = 0; i < sizeof errors / sizeof errors[0]; i++) {
        CHECK(strchr(explain(errors[i], 100000, &facts), ';') != NULL);
    }
}

int main(void)
{
    RUN(runtime_of_1024_ns_is_the_shortest);
    RUN(runtime_fits_into_the_deadline_and_that_into_the_period);
    RUN(deadline_beyond_the_period_or_absent_is_the_period);
    RUN(period_outside_the_kernels_bounds_is_named_with_the_bound);
    RUN(process_without_the_capability_is_told_so_first);
    RUN(kernel_without_any_real_time_budget_is_told);
    RUN(task_bound_to_a_part_of_the_cpus_is_told_both);
    RUN(cpuset_that_is_no_scheduling_domain_is_told);
    RUN(bandwidth_that_is_not_left_is_told_as_a_share_of_a_cpu);
    RUN(every_explanation_says_what_to_do);
    return test_exit_code();
}
