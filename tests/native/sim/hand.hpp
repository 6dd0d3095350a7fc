/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
/* What cases that a hand calculates consist of. */
#ifndef LAXITY_HAND_HPP
#define LAXITY_HAND_HPP

#include "../test.h"
#include "case.hpp"
#include "harness/mark_table.h"
#include "interface/engine.h"

#include <cstddef>
#include <cstdint>
#include <vector>

inline constexpr unsigned WORD = 2; /* four bytes */
inline constexpr std::uint64_t CODE = 0x1000;
inline constexpr std::uint64_t LINE_BYTES = 64;

/* A tick is a nanosecond; an instruction takes one. Memory: see the tests. */
inline laxity_sim_platform a_platform(std::uint32_t cores, std::uint32_t ways)
{
    laxity_sim_platform platform{};
    platform.ticks_per_s[0] = 1'000'000'000;
    platform.ticks_per_s[1] = 1;
    platform.cores = cores;
    platform.line_bytes = LINE_BYTES;
    platform.instruction_ticks = 1;
    platform.transfer_ticks = 1;
    platform.upgrade_ticks = 1;
    platform.l1i = {std::uint64_t{2} * ways * LINE_BYTES, ways, LAXITY_SIM_LRU}; /* two sets */
    platform.l1d = platform.l1i;
    laxity_sim_memory &memory = platform.memory;
    memory.channels = 1;
    memory.read_queue = 4;
    memory.write_queue = 4;
    memory.reorder = 4;
    memory.banks = 1;
    memory.row_lines = 4;
    memory.request_ticks = 1;
    memory.line_ticks = 1;
    return platform;
}

inline laxity_sim_task a_task(std::uint64_t cores, std::int32_t priority, std::int64_t release_ns)
{
    laxity_sim_task task{};
    task.releases.first_ns = release_ns;
    task.releases.period_ns = 1'000'000;
    task.priority = priority;
    task.cores = cores;
    task.jobs = 1;
    task.timeout_ns = 1'000'000;
    return task;
}

/* A job of n instructions in one line; the first ones load a word of these addresses each. */
inline Words a_job(unsigned n, const std::vector<std::uint64_t> &loads)
{
    Words words;
    words.define(CODE, std::vector<std::uint8_t>(n + 2, 4));
    words.execute(0);
    words.mark(0, LAXITY_MARK_JOB_START);
    for (std::size_t i = 0; i < loads.size(); i++) {
        words.access(static_cast<unsigned>(i + 1), loads[i], WORD, false);
    }
    words.mark(n + 1, LAXITY_MARK_JOB_FINISH);
    return words;
}

struct Accessed {
    std::uint64_t address;
    bool is_store;
};

/* An instruction for each access. */
inline Words a_job_that_accesses(const std::vector<Accessed> &accesses)
{
    Words words;
    const auto n = static_cast<unsigned>(accesses.size());
    words.define(CODE, std::vector<std::uint8_t>(n + 2, 4));
    words.execute(0);
    words.mark(0, LAXITY_MARK_JOB_START);
    for (unsigned i = 0; i < n; i++) {
        words.access(i + 1, accesses[i].address, WORD, accesses[i].is_store);
    }
    words.mark(n + 1, LAXITY_MARK_JOB_FINISH);
    return words;
}

struct WantTurn {
    std::uint32_t core, task;
    laxity_sim_turn turn;
    std::int64_t time_ns;
};

inline void check_turns_of_one(const Told &told, const std::vector<WantTurn> &wants)
{
    std::size_t n = 0;
    for (const Call &call : told.calls) {
        if (call.what != Call::What::Turn || n == wants.size()) {
            n += call.what == Call::What::Turn ? 1 : 0;
            continue;
        }
        const WantTurn &want = wants[n++];
        CHECK_EQUAL(call.job.core_start, want.core);
        CHECK_EQUAL(call.job.task, want.task);
        CHECK_EQUAL(call.turn, want.turn);
        CHECK_EQUAL(call.end_ns, want.time_ns);
    }
    CHECK_EQUAL(n, wants.size());
}

inline void check_turns(const Case &asked, const std::vector<WantTurn> &wants)
{
    check_turns_of_one(run_naive(asked), wants);
    check_turns_of_one(run_engine(asked), wants);
}

struct Want {
    std::uint32_t task;
    std::int64_t start_ns, finish_ns, busy_ns, own_ns, reload_ns, shared_ns;
    std::uint32_t preemptions;
    std::int64_t moved_ns = 0;
};

inline void check_one(const Told &told, const std::vector<Want> &wants)
{
    std::size_t n = 0;
    for (const Call &call : told.calls) {
        if (call.what != Call::What::Finish || n == wants.size()) {
            continue;
        }
        const Want &want = wants[n++];
        CHECK_EQUAL(call.job.task, want.task);
        CHECK_EQUAL(call.job.start_ns, want.start_ns);
        CHECK_EQUAL(call.job.finish_ns, want.finish_ns);
        CHECK_EQUAL(call.job.busy_ns, want.busy_ns);
        CHECK_EQUAL(call.job.stall_own_ns, want.own_ns);
        CHECK_EQUAL(call.job.stall_reload_ns, want.reload_ns);
        CHECK_EQUAL(call.job.stall_shared_ns, want.shared_ns);
        CHECK_EQUAL(call.job.stall_moved_ns, want.moved_ns);
        CHECK_EQUAL(call.job.preemptions, want.preemptions);
        CHECK_EQUAL(
            call.job.exec_ns,
            want.busy_ns + want.own_ns + want.reload_ns + want.shared_ns + want.moved_ns
        );
    }
    CHECK_EQUAL(n, wants.size());
}

/* The jobs in the order of their finishes. */
inline void check(const Case &asked, const std::vector<Want> &wants)
{
    check_one(run_naive(asked), wants);
    check_one(run_engine(asked), wants);
}

/* Of core 0. */
inline void
check_counts(const Case &asked, std::uint64_t laxity_sim_counts::*which, std::uint64_t want)
{
    CHECK_EQUAL(run_naive(asked).totals.cores[0].*which, want);
    CHECK_EQUAL(run_engine(asked).totals.cores[0].*which, want);
}

#endif
