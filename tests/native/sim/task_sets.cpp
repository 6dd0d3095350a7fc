/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
/*
 * Task sets of made-up programs through the engine, for the tests of schedules and of bounds
 * (tests/bounds/simulated_sets.py). Reads words from stdin, one set after the other:
 *
 *   platform FILE SEED                        of settings (sim/cli/settings.h); what registers and
 *                                             ticks of instructions follow from, 0: there are none
 *   task 20 NUMBERS                           priority, cores, first release, period, deadline,
 *                                             whether jobs are skipped, jobs; runtime, deadline and
 *                                             period of a reservation; the members of Program
 *   run                                       the tasks since the last run
 *
 * A step is an execution of a line of code with an access to a line of data. Writes for each set
 * what the engine tells, and an empty line:
 *
 *   job TASK JOB STATUS START FINISH EXEC BUSY OWN RELOAD MOVED SHARED PREEMPTIONS MIGRATIONS CORE
 *   end TASK WHY AT
 */
#include "base/error.h"
#include "case.hpp"
#include "harness/mark_table.h"
#include "harness/release.h"
#include "interface/engine.h"
#include "random.hpp"
#include "schema/run.h"

#include <cinttypes>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <utility>
#include <vector>

extern "C" {
#include "cli/settings.h"
}

namespace {

constexpr std::uint64_t MARKS_CODE = 0x40000000; /* fetched by nobody: no part of a job */
constexpr std::uint64_t DATA_ADDRESS = 0x8000000;
constexpr std::uint64_t CODE_ADDRESS = 0x1000000;
constexpr unsigned LARGEST = 2; /* 4 bytes */
constexpr std::size_t WORD_BYTES = 256;
constexpr int DECIMAL = 10;

std::int64_t number()
{
    char word[WORD_BYTES];
    if (std::scanf("%255s", word) != 1) {
        std::abort(); /* of a test alone */
    }
    return std::strtoll(word, nullptr, DECIMAL);
}

std::uint64_t count()
{
    return static_cast<std::uint64_t>(number());
}

struct Program {
    std::uint64_t seed = count(); /* of what differs from job to job */
    std::uint64_t first_code_line = count();
    std::uint64_t code_lines = count();
    std::uint64_t instructions = count(); /* of a step */
    std::uint64_t first_data_line = count();
    std::uint64_t data_lines = count();
    std::uint64_t stride = count(); /* from one step to the next, in lines */
    std::uint64_t stores_in_8 = count();
    std::uint64_t shortest = count(); /* job, in steps */
    std::uint64_t longest = count();

    [[nodiscard]] Words words(std::uint64_t n_jobs, std::uint32_t line_bytes) const;
};

Words Program::words(std::uint64_t n_jobs, std::uint32_t line_bytes) const
{
    Random random{seed};
    Words words;
    words.define(MARKS_CODE, {1});
    for (std::uint64_t i = 0; i < code_lines; i++) {
        const std::uint64_t address = CODE_ADDRESS + (first_code_line + i) * line_bytes;
        words.define(address, std::vector<std::uint8_t>(instructions, 1));
    }
    for (std::uint64_t job = 0; job < n_jobs; job++) {
        words.execute(0);
        words.mark(0, LAXITY_MARK_JOB_START);
        const std::uint64_t n_steps = random.between(shortest, longest);
        for (std::uint64_t step = 0; step < n_steps; step++) {
            words.execute(1 + step % code_lines);
            if (data_lines > 0) {
                const std::uint64_t line = first_data_line + step * stride % data_lines;
                words.access(
                    0, DATA_ADDRESS + line * line_bytes, LARGEST, random.is(stores_in_8, 8)
                );
            }
        }
        words.execute(0);
        words.mark(0, LAXITY_MARK_JOB_FINISH);
    }
    return words;
}

void add_task(Case &made)
{
    laxity_sim_task task{};
    task.priority = static_cast<std::int32_t>(number());
    task.cores = count();
    task.releases.first_ns = number();
    task.releases.period_ns = number();
    task.releases.deadline_ns = number();
    task.releases.overrun = number() != 0 ? LAXITY_OVERRUN_SKIP : LAXITY_OVERRUN_QUEUE;
    task.jobs = count();
    task.timeout_ns = INT64_MAX / 4;
    task.reservation.runtime_ns = number();
    task.reservation.deadline_ns = number();
    task.reservation.period_ns = number();
    made.programs.push_back(Program{}.words(task.jobs, made.platform.line_bytes));
    made.tasks.push_back(task);
}

void tell(const Case &asked)
{
    for (const Call &call : run_engine(asked).calls) {
        const laxity_sim_job &job = call.job;
        if (call.what == Call::What::End) {
            std::printf("end %" PRIu32 " %d %" PRId64 "\n", job.task, call.end, call.end_ns);
        } else if (call.what == Call::What::Finish) {
            std::printf(
                "job %" PRIu32 " %" PRIu64 " %d %" PRId64 " %" PRId64 " %" PRId64 " %" PRId64
                " %" PRId64 " %" PRId64 " %" PRId64 " %" PRId64 " %" PRIu32 " %" PRIu32 " %" PRIu32
                "\n",
                job.task,
                job.job,
                laxity_finished_status(&asked.tasks[job.task].releases, job.job, job.finish_ns),
                job.start_ns,
                job.finish_ns,
                job.exec_ns,
                job.busy_ns,
                job.stall_own_ns,
                job.stall_reload_ns,
                job.stall_moved_ns,
                job.stall_shared_ns,
                job.preemptions,
                job.migrations,
                job.core_finish
            );
        }
    }
    std::puts("");
}

} // namespace

int main()
{
    Case made;
    char word[WORD_BYTES];
    while (std::scanf("%255s", word) == 1) {
        if (std::strcmp(word, "task") == 0) {
            add_task(made);
        } else if (std::strcmp(word, "run") == 0) {
            tell(made);
            made.tasks.clear();
            made.programs.clear();
        } else {
            laxity_error error{};
            if (std::scanf("%255s", word) != 1 ||
                laxity_sim_settings_read(word, &made.platform, &error) != 0) {
                (void)std::fprintf(stderr, "task_sets: %s\n", error.text);
                return EXIT_FAILURE;
            }
            made.instructions_seed = count();
        }
    }
    return EXIT_SUCCESS;
}
