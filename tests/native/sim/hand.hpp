/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
/* Platforms, tasks and jobs that are small enough for a hand. */
#ifndef LAXITY_HAND_HPP
#define LAXITY_HAND_HPP

#include "case.hpp"
#include "harness/mark_table.h"
#include "interface/engine.h"

#include <cstddef>
#include <cstdint>
#include <vector>

constexpr unsigned WORD = 2; /* four bytes */
constexpr std::uint64_t CODE = 0x1000;
constexpr std::uint64_t LINE_BYTES = 64;

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

#endif
