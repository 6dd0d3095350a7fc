/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
/* What engines tell, as text, and where two of them differ. */
#include "case.hpp"
#include "interface/engine.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

std::string Call::text() const
{
    if (what == What::End) {
        return "end of task " + std::to_string(job.task) + number("why", end) + " at " +
               std::to_string(end_ns) + number("exit code", static_cast<std::uint64_t>(exit_code));
    }
    const auto ns = [](const char *name, std::int64_t value) {
        return " " + std::string{name} + " " + std::to_string(value);
    };
    if (what == What::Wait) {
        return "question for task" + number("", job.task) + number("with cores", job.job) +
               ns("answered by", end_ns);
    }
    if (what == What::Pass) {
        return "pass" + number("of task", job.task) +
               number("at", static_cast<std::uint64_t>(end_ns));
    }
    if (what == What::Turn) {
        return "turn" + number("of task", job.task) + number("on core", job.core_start) +
               number("what", static_cast<std::uint64_t>(turn)) +
               number("at", static_cast<std::uint64_t>(end_ns));
    }
    if (what == What::Sample) {
        return "sample" + number("", job.ordinal) + ns("at", end_ns) + number("sum", job.job);
    }
    if (what == What::Tick) {
        return "tick" + number("", job.ordinal) + ns("at", end_ns) + number("sum", job.job) +
               number("cores", job.core_start) + number("seen", job.core_finish);
    }
    return std::string{what == What::Start ? "start" : "finish"} + number("of task", job.task) +
           number("ordinal", job.ordinal) + number("job", job.job) +
           number("cores", job.core_start) + number("to", job.core_finish) +
           ns("from", job.start_ns) + ns("to", job.finish_ns) + ns("exec", job.exec_ns) +
           number("ticks", job.exec_ticks) + ns("busy", job.busy_ns) + ns("own", job.stall_own_ns) +
           ns("reload", job.stall_reload_ns) + ns("moved", job.stall_moved_ns) +
           ns("shared", job.stall_shared_ns) + number("preemptions", job.preemptions) +
           number("migrations", job.migrations) + number("at", job.migrated_at);
}

std::vector<Count> counts_of(const laxity_sim_counts &counts)
{
    std::vector<Count> all = {
        {"instructions", counts.instructions},
        {"fetches", counts.fetches},
        {"fetch_misses", counts.fetch_misses},
        {"loads", counts.loads},
        {"load_misses", counts.load_misses},
        {"stores", counts.stores},
        {"store_misses", counts.store_misses},
        {"joins", counts.joins},
        {"fetch_joins", counts.fetch_joins},
        {"upgrades", counts.upgrades},
        {"transfers", counts.transfers},
        {"lost_fetches", counts.lost_fetches},
        {"lost_data", counts.lost_data},
        {"moved_fetches", counts.moved_fetches},
        {"moved_loads", counts.moved_loads},
        {"moved_stores", counts.moved_stores},
        {"merged", counts.merged},
        {"fetch_walks", counts.fetch_walks},
        {"data_walks", counts.data_walks},
        {"mispredictions", counts.mispredictions},
        {"reads", counts.reads},
        {"writes", counts.writes},
        {"uncached", counts.uncached},
        {"remote", counts.remote},
        {"row_hits", counts.row_hits},
    };
    for (unsigned i = 0; i < LAXITY_SIM_LEVELS_MAX; i++) {
        const std::string level = "level " + std::to_string(i) + " ";
        all.push_back({level + "lookups", counts.levels[i].lookups});
        all.push_back({level + "misses", counts.levels[i].misses});
        all.push_back({level + "prefetches", counts.levels[i].prefetches});
    }
    return all;
}

static std::string first_difference(const laxity_sim_counts &engine, const laxity_sim_counts &naive)
{
    const std::vector<Count> got = counts_of(engine);
    const std::vector<Count> want = counts_of(naive);
    for (std::size_t i = 0; i < got.size(); i++) {
        if (got[i].value != want[i].value) {
            return " " + got[i].name + "\n  engine: " + std::to_string(got[i].value) +
                   "\n  naive:  " + std::to_string(want[i].value);
        }
    }
    return "";
}

static std::string first_difference(const Sample &engine, const Sample &naive)
{
    for (std::size_t i = 0; i < engine.cores.size(); i++) {
        const std::string difference = first_difference(engine.cores[i], naive.cores[i]);
        if (!difference.empty()) {
            return number(" core", i) + difference;
        }
    }
    for (std::size_t i = 0; i < engine.tasks.size(); i++) {
        const std::string difference =
            first_difference(engine.tasks[i].counts, naive.tasks[i].counts);
        if (!difference.empty()) {
            return number(" task", i) + difference;
        }
        if (engine.tasks[i].exec_ticks != naive.tasks[i].exec_ticks) {
            return number(" task", i) + number(" exec_ticks", engine.tasks[i].exec_ticks) +
                   number(" naive", naive.tasks[i].exec_ticks);
        }
    }
    return "";
}

static std::string text_of_call(std::size_t number)
{
    return "call " + std::to_string(number);
}

static std::string difference_of_totals(const Told &engine, const Told &naive)
{
    if (engine.n_samples != naive.n_samples || engine.sum_of_rest != naive.sum_of_rest) {
        return "samples\n  engine:" + number("", engine.n_samples) +
               "\n  naive: " + number("", naive.n_samples);
    }
    if (engine.totals.ticks != naive.totals.ticks) {
        return "ticks\n  engine: " + std::to_string(engine.totals.ticks) +
               "\n  naive:  " + std::to_string(naive.totals.ticks);
    }
    for (std::size_t core = 0; core < LAXITY_SIM_CORES_MAX; core++) {
        const std::string difference =
            first_difference(engine.totals.cores[core], naive.totals.cores[core]);
        if (!difference.empty()) {
            return "core " + std::to_string(core) + difference;
        }
    }
    return "";
}

static std::string difference_of_marks(const Told &engine, const Told &naive)
{
    for (std::size_t task = 0; task < naive.marks.size(); task++) {
        const auto [got, want] = std::ranges::mismatch(engine.marks[task], naive.marks[task]);
        if (got != engine.marks[task].end() || want != naive.marks[task].end()) {
            const auto n = static_cast<std::uint64_t>(want - naive.marks[task].begin());
            return "marks of task" + number("", task) + number("from", n) +
                   "\n  engine:" + number("", engine.marks[task].size()) +
                   "\n  naive: " + number("", naive.marks[task].size());
        }
    }
    return "";
}

std::string first_difference(const Told &engine, const Told &naive)
{
    const std::size_t n = std::max(engine.calls.size(), naive.calls.size());
    for (std::size_t i = 0; i < n; i++) {
        const std::string got = i < engine.calls.size() ? engine.calls[i].text() : "nothing";
        const std::string want = i < naive.calls.size() ? naive.calls[i].text() : "nothing";
        if (got != want) {
            std::string text = text_of_call(i);
            const bool are_samples = got.starts_with("sample") && want.starts_with("sample");
            const std::uint64_t which = are_samples ? naive.calls[i].job.ordinal : UINT64_MAX;
            if (which < std::min(engine.samples.size(), naive.samples.size())) {
                text += first_difference(engine.samples[which], naive.samples[which]);
            }
            return text.append("\n  engine: " + got).append("\n  naive:  " + want);
        }
        const std::string difference =
            first_difference(engine.calls[i].job.counts, naive.calls[i].job.counts);
        if (!difference.empty()) {
            return text_of_call(i).append(difference).append("\n  " + want);
        }
    }
    const std::string marks = difference_of_marks(engine, naive);
    return marks.empty() ? difference_of_totals(engine, naive) : marks;
}
