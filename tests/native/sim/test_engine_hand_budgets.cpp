/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
/* Budgets of reservations, calculated by hand; both engines must tell the same figures. */
#include "../test.h"
#include "case.hpp"
#include "hand.hpp"
#include "harness/mark_table.h"
#include "interface/engine.h"

#include <cstdint>
#include <vector>

namespace {

/* Two jobs of n instructions each, in a line each. */
Words two_jobs(unsigned n_first, unsigned n_second)
{
    Words words;
    words.define(CODE, std::vector<std::uint8_t>(n_first + 2, 4));
    words.define(CODE + LINE_BYTES, std::vector<std::uint8_t>(n_second + 2, 4));
    for (const unsigned job : {0U, 1U}) {
        words.execute(job);
        words.mark(0, LAXITY_MARK_JOB_START);
        words.mark((job == 0 ? n_first : n_second) + 1, LAXITY_MARK_JOB_FINISH);
    }
    return words;
}

/*
 * 20 of each 100 ticks; the second job is released at 40 and takes 15, 2 of them for its line.
 * At 0 the reservation begins with d = 100 and b = 20.
 */
Case wakes_up_at_40(unsigned n_first)
{
    Case asked;
    asked.platform = a_platform(1, 2);
    asked.tasks = {a_task(1, 0, 0)};
    asked.tasks[0].jobs = 2;
    asked.tasks[0].releases.period_ns = 40;
    asked.tasks[0].reservation = {.runtime_ns = 20, .deadline_ns = 100, .period_ns = 100};
    asked.programs = {two_jobs(n_first, 13)};
    return asked;
}

/* The first job takes 2 + 7: b = 11 and 11 * 100 < (100 - 40) * 20 = 1200, so that b stays. It ends
 * at 40 + 11 = 51. The refill is due at 100 - 100 + 100 = 100; 15 - 11 = 4 are left. */
void a_budget_below_its_share_is_kept_at_a_wake_up(void)
{
    check(wakes_up_at_40(7), {{0, 0, 9, 7, 2, 0, 0, 0}, {0, 40, 104, 13, 2, 0, 0, 1}});
}

/* 2 + 6: b = 12 and 12 * 100 = 1200, which is not more: it ends at 52, and 3 are left at 100. */
void a_budget_that_equals_its_share_is_kept_at_a_wake_up(void)
{
    check(wakes_up_at_40(6), {{0, 0, 8, 6, 2, 0, 0, 0}, {0, 40, 103, 13, 2, 0, 0, 1}});
}

/* 2 + 5: b = 13 and 13 * 100 > 1200: b = 20, which the job does not use up: 40 + 15. */
void a_budget_above_its_share_is_replaced_at_a_wake_up(void)
{
    check(wakes_up_at_40(5), {{0, 0, 7, 5, 2, 0, 0, 0}, {0, 40, 55, 13, 2, 0, 0, 0}});
}

} // namespace

int main(void)
{
    RUN(a_budget_below_its_share_is_kept_at_a_wake_up);
    RUN(a_budget_that_equals_its_share_is_kept_at_a_wake_up);
    RUN(a_budget_above_its_share_is_replaced_at_a_wake_up);
    return test_exit_code();
}
