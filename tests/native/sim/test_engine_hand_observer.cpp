/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
/* Observers of cases that a hand calculates; both engines must tell the same figures. */
#include "../test.h"
#include "case.hpp"
#include "hand.hpp"
#include "interface/engine.h"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace {

using Answers = std::vector<Case::Observer::Answer>;

constexpr std::uint64_t BOTH = 3;
constexpr std::uint64_t NOT_0 = 2;

/*
 * Nine instructions of ten ticks on core 0, their line here at 1 + 1 + 20 = 22: undisturbed they
 * begin at 22, 32, ..., and the job ends at 112. The observer's core is 1, where nothing is.
 */
Case observed(std::int64_t first_ns, const Answers &answers)
{
    Case asked;
    asked.platform = a_platform(2, 2);
    asked.platform.instruction_ticks = 10;
    asked.platform.memory.response_ticks = 20;
    asked.platform.probe_ticks = 5;
    asked.tasks = {a_task(1, 1, 0)};
    asked.programs = {a_job(9, {})};
    asked.observer.answers = answers;
    asked.observer.asked.core = 1;
    asked.observer.asked.first_ns = first_ns;
    asked.observer.asked.stop_ns = 15;
    asked.observer.asked.resume_ns = 7;
    return asked;
}

/* Forbidden at 40 + 15 = 55, within the fourth instruction, which ends at 62; allowed at
 * 100 + 7 = 107, when five instructions are left. */
void a_core_stops_and_resumes_after_the_latencies(void)
{
    const Case asked = observed(40, {{NOT_0, 100}, {BOTH, INT64_MAX}});
    check(asked, {{0, 0, 157, 90, 22, 0, 0, 1}});
    check_turns(
        asked,
        {{0, 0, LAXITY_SIM_TURN_SWITCH, 0},
         {0, 0, LAXITY_SIM_TURN_ON, 0},
         {0, 0, LAXITY_SIM_TURN_PREEMPTED, 62},
         {0, 0, LAXITY_SIM_TURN_ON, 107},
         {0, 0, LAXITY_SIM_TURN_OFF, 157}}
    );
}

/* At 50, before 55. */
void a_stop_on_its_way_is_called_off(void)
{
    const Case asked = observed(40, {{NOT_0, 50}, {BOTH, INT64_MAX}});
    check(asked, {{0, 0, 112, 90, 22, 0, 0, 0}});
}

/* The answer of 50 would be there at 65, after the fifth instruction has begun. */
void a_stop_on_its_way_keeps_its_time(void)
{
    const Case asked = observed(40, {{NOT_0, 50}, {NOT_0, 100}, {BOTH, INT64_MAX}});
    check(asked, {{0, 0, 157, 90, 22, 0, 0, 1}});
}

/* The answer of 0 is there at once, before a core is given away: the job starts at 93 + 7. */
void no_job_starts_on_a_forbidden_core(void)
{
    Case asked = observed(0, {{NOT_0, 93}, {BOTH, INT64_MAX}});
    asked.observer.asked.stop_ns = 0;
    check(asked, {{0, 100, 212, 90, 22, 0, 0, 0}});
}

/* The switch to the task lasts to 30; it need not be made once more at 100. */
void a_switch_ends_on_a_forbidden_core_and_its_task_waits(void)
{
    Case asked = observed(10, {{NOT_0, 93}, {BOTH, INT64_MAX}});
    asked.platform.switch_ticks = 30;
    asked.observer.asked.stop_ns = 0;
    check_turns(
        asked,
        {{0, 0, LAXITY_SIM_TURN_SWITCH, 0},
         {0, 0, LAXITY_SIM_TURN_ON, 100},
         {0, 0, LAXITY_SIM_TURN_OFF, 212}}
    );
}

/* Without a further tick the core would stay forbidden. */
void all_cores_may_when_the_observer_ends(void)
{
    check(observed(40, {{NOT_0, 100}, {0, INT64_MAX}}), {{0, 0, 157, 90, 22, 0, 0, 1}});
}

/*
 * Fetch to 22, three instructions to 52. After the tick of 50 the kernel fetches its line to 74
 * and takes five ticks; three instructions to 109, five ticks for that of 100, three to 144.
 */
void a_tick_interrupts_the_observers_core(void)
{
    Case asked = observed(50, {{BOTH, 100}, {BOTH, INT64_MAX}});
    asked.platform.probe_code_lines = 1;
    asked.observer.asked.core = 0;
    check(asked, {{0, 0, 144, 90, 22, 0, 0, 0}});
}

struct WantTick {
    std::int64_t time_ns;
    std::uint32_t n_seen;
    std::uint64_t exec_ticks; /* sums over what is seen */
    std::uint32_t preemptions;
};

void check_ticks(const Case &asked, const std::vector<WantTick> &wants)
{
    for (const Told &told : {run_naive(asked), run_engine(asked)}) {
        std::size_t n = 0;
        for (const Call &call : told.calls) {
            if (call.what == Call::What::Tick && n < wants.size()) {
                CHECK_EQUAL(call.end_ns, wants[n].time_ns);
                CHECK_EQUAL(call.job.core_finish, wants[n].n_seen);
                CHECK_EQUAL(call.job.exec_ticks, wants[n].exec_ticks);
                CHECK_EQUAL(call.job.preemptions, wants[n].preemptions);
                n++;
            }
        }
        CHECK_EQUAL(n, wants.size());
    }
}

/*
 * What is seen is more than ten old. Task 0 starts at 0, marks at 32 when its second instruction
 * has all that it needs, and ends at 112; task 1 starts on the other core at 60, and ends later.
 */
void starts_marks_and_ends_are_seen_after_the_latency(void)
{
    Case asked = observed(
        10, {{3, 11}, {3, 42}, {3, 43}, {3, 70}, {3, 71}, {3, 122}, {3, 123}, {3, INT64_MAX}}
    );
    asked.observer.asked.mark_ns = 10;
    Words words;
    words.define(CODE, std::vector<std::uint8_t>(11, 4));
    words.execute(0);
    words.mark(0, LAXITY_MARK_JOB_START);
    words.mark(2, LAXITY_MARK_PHASES + 1);
    words.mark(10, LAXITY_MARK_JOB_FINISH);
    asked.programs = {words, a_job(9, {})};
    asked.tasks.push_back(a_task(2, 1, 60));
    check_ticks(
        asked,
        {{10, 0, 0, 0},
         {11, 1, 0, 0},
         {42, 0, 0, 0},
         {43, 1, 32, 0},
         {70, 0, 0, 0},
         {71, 1, 0, 0},
         {122, 0, 0, 0},
         {123, 1, 112, 0}}
    );
}

/* As above the job is off its core from 62 to 107: it has executed for 157 - 45 = 112. The job on
 * the other core starts at 60 and lasts longer. */
void an_end_is_seen_with_the_time_and_the_preemptions_of_its_job(void)
{
    Case asked = observed(40, {{NOT_0, 100}, {BOTH, 158}, {BOTH, INT64_MAX}});
    asked.tasks.push_back(a_task(2, 1, 60));
    asked.programs.push_back(a_job(9, {}));
    check_ticks(asked, {{40, 1, 0, 0}, {100, 1, 0, 0}, {158, 1, 112, 1}});
}

} // namespace

int main(void)
{
    RUN(a_core_stops_and_resumes_after_the_latencies);
    RUN(a_stop_on_its_way_is_called_off);
    RUN(a_stop_on_its_way_keeps_its_time);
    RUN(no_job_starts_on_a_forbidden_core);
    RUN(a_switch_ends_on_a_forbidden_core_and_its_task_waits);
    RUN(all_cores_may_when_the_observer_ends);
    RUN(a_tick_interrupts_the_observers_core);
    RUN(starts_marks_and_ends_are_seen_after_the_latency);
    RUN(an_end_is_seen_with_the_time_and_the_preemptions_of_its_job);
    return test_exit_code();
}
