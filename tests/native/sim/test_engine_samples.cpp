/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
/* Samples of cases that a hand calculates; both engines must tell the same figures. */
#include "../test.h"
#include "case.hpp"
#include "hand.hpp"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace {

/* Of task 0. */
struct Sampled {
    std::int64_t time_ns;
    std::uint64_t exec_ticks, instructions, loads;
};

void check_samples_of_one(const Told &told, const std::vector<Sampled> &wants)
{
    std::size_t n = 0;
    for (const Call &call : told.calls) {
        if (call.what != Call::What::Sample || n == wants.size()) {
            n += call.what == Call::What::Sample ? 1 : 0;
            continue;
        }
        const laxity_sim_taken &taken = told.samples[n].tasks[0];
        CHECK_EQUAL(call.end_ns, wants[n].time_ns);
        CHECK_EQUAL(taken.exec_ticks, wants[n].exec_ticks);
        CHECK_EQUAL(taken.counts.instructions, wants[n].instructions);
        CHECK_EQUAL(taken.counts.loads, wants[n].loads);
        n++;
    }
    CHECK_EQUAL(n, wants.size());
}

void check_samples(const Case &asked, const std::vector<Sampled> &wants)
{
    check_samples_of_one(run_naive(asked), wants);
    check_samples_of_one(run_engine(asked), wants);
}

/* A line arrives 1 + 1 + 20 behind its miss; an instruction takes ten. */
Case slow(unsigned n_instructions, const std::vector<std::uint64_t> &loads)
{
    Case asked;
    asked.platform = a_platform(1, 2);
    asked.platform.instruction_ticks = 10;
    asked.platform.memory.response_ticks = 20;
    asked.tasks = {a_task(1, 1, 0)};
    asked.programs = {a_job(n_instructions, loads)};
    return asked;
}

/* Fetch to 22, load to 44, the instruction to 54. What it waits for is cut at the sample, its ten
 * ticks are there as a whole from 44 on. */
void a_sample_cuts_waits_but_no_instruction(void)
{
    Case asked = slow(1, {0x8000});
    asked.sample_ns = 10;
    check_samples(
        asked,
        {{0, 0, 0, 0},
         {10, 10, 0, 0},
         {20, 20, 0, 0},
         {30, 30, 0, 1},
         {40, 40, 0, 1},
         {50, 54, 1, 1}}
    );
}

/*
 * Fetch to 22, three instructions to 52. Behind 50 the kernel fetches its line to 74 and takes five
 * ticks: three instructions from 79 to 109, behind 100 five ticks of the kernel, whose line is
 * there: three instructions from 114 to 144. At 35 the second one is told as a whole: 42; at 95
 * five of them: 22 + 50; at 125 eight: 22 + 80.
 */
void a_sample_counts_no_time_of_the_kernel(void)
{
    Case asked = slow(9, {});
    asked.platform.timer_interval = 50;
    asked.platform.timer_ticks = 5;
    asked.platform.timer_code_lines = 1;
    asked.sample_ns = 30;
    asked.first_sample_ns = 5;
    check_samples(
        asked, {{5, 5, 0, 0}, {35, 42, 2, 0}, {65, 52, 3, 0}, {95, 72, 5, 0}, {125, 102, 8, 0}}
    );
}

/*
 * Fetch to 22, three instructions to 52. The sample of 50 tells the third one as a whole; behind it
 * the kernel fetches its line to 74 and takes five ticks. Three more from 79 to 109, of which that
 * of 100 tells the third one as a whole: 22 + 60. Behind it five ticks of the kernel, whose line is
 * there, and three instructions from 114 to 144.
 */
void a_sample_by_interrupt_is_taken_before_what_it_costs(void)
{
    Case asked = slow(9, {});
    asked.platform.probe_ticks = 5;
    asked.platform.probe_code_lines = 1;
    asked.sample_ns = 50;
    asked.first_sample_ns = 50;
    asked.interrupts = true;
    check_samples(asked, {{50, 52, 3, 0}, {100, 82, 6, 0}});
    check(asked, {{0, 0, 144, 90, 22, 0, 0, 0}});
}

/* An instruction to 32, an interrupt for the samples of 10, 20 and 30 to 67, those of 40, 50 and 60
 * with it; an instruction to 77, an interrupt for that of 70 to 112; to 122, where the job ends. */
void however_often_is_sampled_a_task_goes_on(void)
{
    Case asked = slow(3, {});
    asked.platform.probe_ticks = 35;
    asked.sample_ns = 10;
    asked.first_sample_ns = 10;
    asked.interrupts = true;
    check(asked, {{0, 0, 122, 30, 22, 0, 0, 0}});
}

/* A tick is ten nanoseconds: the line is there at tick 2, the job ends at 3, behind the samples of
 * this tick. */
void several_samples_may_fall_on_one_tick(void)
{
    Case asked = slow(1, {});
    asked.platform.ticks_per_s[0] = 100'000'000;
    asked.platform.instruction_ticks = 1;
    asked.platform.memory.response_ticks = 0;
    asked.sample_ns = 4;
    check_samples(
        asked,
        {{0, 0, 0, 0},
         {4, 1, 0, 0},
         {8, 1, 0, 0},
         {12, 2, 0, 0},
         {16, 2, 0, 0},
         {20, 2, 0, 0},
         {24, 3, 1, 0},
         {28, 3, 1, 0}}
    );
}

} // namespace

int main()
{
    RUN(a_sample_cuts_waits_but_no_instruction);
    RUN(a_sample_counts_no_time_of_the_kernel);
    RUN(a_sample_by_interrupt_is_taken_before_what_it_costs);
    RUN(however_often_is_sampled_a_task_goes_on);
    RUN(several_samples_may_fall_on_one_tick);
    return test_exit_code();
}
