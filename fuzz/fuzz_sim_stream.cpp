/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
/* Any bytes as the words of two programs on a platform where everything runs short: it must end. */
#include "base/error.h"
#include "interface/engine.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <iterator>

namespace {

constexpr std::uint64_t JOBS_MAX = 1000;

struct Words {
    const std::uint8_t *bytes;
    std::size_t n_bytes;
};

std::size_t read_words(void *context, std::uint64_t *words, std::size_t n)
{
    auto *const left = static_cast<Words *>(context);
    n = std::min(n, left->n_bytes / sizeof *words);
    if (n > 0) {
        std::memcpy(words, left->bytes, n * sizeof *words);
    }
    left->bytes += n * sizeof *words;
    left->n_bytes -= n * sizeof *words;
    return n;
}

const char *why(void *context)
{
    (void)context;
    return "its words have ended";
}

/* Registers and ticks that follow from the code. */
void decode(
    void *context,
    std::uint64_t address,
    const std::uint8_t *code,
    laxity_sim_instruction *instructions,
    std::uint32_t n_instructions
)
{
    (void)context;
    (void)address;
    for (std::uint32_t i = 0; i < n_instructions; i++) {
        instructions[i].reads[0] = *code & 0xfU;
        instructions[i].writes[1] = *code >> 4U;
        instructions[i].writes[0] = *code >> 6U;
        instructions[i].ticks = static_cast<std::uint16_t>(1 + (*code & 1U));
        code += instructions[i].bytes;
    }
}

int start(void *context, const laxity_sim_job *job)
{
    (void)context;
    (void)job;
    return 0;
}

int finish(void *context, const laxity_sim_job *job)
{
    const std::int64_t parts = job->busy_ns + job->stall_own_ns + job->stall_reload_ns +
                               job->stall_moved_ns + job->stall_shared_ns;
    if (parts != job->exec_ns) {
        std::abort();
    }
    return start(context, job);
}

int end(
    void *context,
    std::uint32_t task,
    laxity_sim_end why,
    std::int64_t end_ns,
    const laxity_error *error
)
{
    (void)task;
    (void)why;
    (void)end_ns;
    (void)error;
    ++*static_cast<std::uint32_t *>(context);
    return 0;
}

bool never(void *context)
{
    (void)context;
    return false;
}

/* Two cores; a byte behind the words chooses the rest. */
laxity_sim_platform platform_of(std::uint8_t choices)
{
    const auto replacement = static_cast<laxity_sim_replacement>(choices & 3U);
    laxity_sim_platform platform{};
    platform.ticks_per_s[0] = UINT64_C(1'200'000'000);
    platform.ticks_per_s[1] = 1;
    platform.cores = 2;
    platform.line_bytes = 32;
    platform.instruction_ticks = 1;
    platform.fill_buffers = (choices >> 2U & 1U) * 2;
    platform.store_entries = (choices >> 3U & 1U) * 2;
    platform.merges_stores = (choices >> 4U & 1U) != 0;
    platform.switch_ticks = 7;
    platform.kernel_code_lines = 2;
    platform.kernel_data_lines = 1;
    platform.timer_interval = (choices >> 1U & 1U) * UINT64_C(90);
    platform.timer_ticks = 4;
    platform.timer_code_lines = 1;
    platform.timer_data_lines = 1;
    platform.predictor_entries = (choices >> 2U & 1U) * 4;
    platform.mispredict_ticks = 6;
    platform.itlb = {
        .size_bytes = (choices & 1U) * UINT64_C(8192), .ways = 2, .replacement = replacement
    };
    platform.dtlb = platform.itlb;
    platform.walk_loads = 2;
    platform.walk_ticks = 3;
    platform.transfer_ticks = 9;
    platform.upgrade_ticks = 5;
    platform.l1i = {.size_bytes = 128, .ways = 2, .replacement = replacement};
    platform.l1d = {.size_bytes = 128, .ways = 2, .replacement = replacement};
    platform.n_levels = 1;
    platform.levels[0].cache = {.size_bytes = 512, .ways = 4, .replacement = replacement};
    platform.levels[0].cores = 2 - (choices >> 5U & 1U);
    platform.levels[0].hit_ticks = 3;
    platform.levels[0].prefetch =
        (choices >> 6U & 1U) != 0 ? LAXITY_SIM_PREFETCH_NEXT_LINE : LAXITY_SIM_PREFETCH_NONE;
    platform.levels[0].way_masks[0] = choices >> 7U;
    platform.memory = {
        .channels = 2,
        .read_queue = 2,
        .write_queue = 2,
        .reorder = 2,
        .banks = 2,
        .row_lines = 4,
        .request_ticks = 2,
        .response_ticks = 1,
        .hit_ticks = 5,
        .empty_ticks = 9,
        .conflict_ticks = 13,
        .line_ticks = 4,
        .word_ticks = 2,
        .turnaround_ticks = 2,
        .refresh_ticks = 20,
        .refresh_interval = 200,
    };
    return platform;
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t *data, std::size_t size)
{
    const bool has_choices = size % sizeof(std::uint64_t) != 0;
    const laxity_sim_platform platform = platform_of(has_choices ? data[size - 1] : 0);
    /* Both execute all of it; one may move from core to core. */
    Words programs[] = {{data, size}, {data, size}};
    laxity_sim_task tasks[2]{};
    for (std::size_t i = 0; i < std::size(tasks); i++) {
        tasks[i].source = {.context = &programs[i], .read = read_words, .why = why};
        tasks[i].decoder = {.context = nullptr, .decode = decode};
        tasks[i].priority = static_cast<std::int32_t>(i);
        tasks[i].cores = 3U - i;
        tasks[i].jobs = JOBS_MAX;
        tasks[i].timeout_ns = INT64_C(1'000'000'000);
        tasks[i].releases.period_ns = 100 + 50 * static_cast<std::int64_t>(i);
    }
    std::uint32_t n_ended = 0;
    const laxity_sim_listener listener = {
        .context = &n_ended,
        .on_start = start,
        .on_finish = finish,
        .on_end = end,
        .on_pass = nullptr,
        .on_turn = nullptr,
        .on_mark = nullptr,
        .must_stop = never,
        .on_wait = nullptr,
        .on_sample = nullptr,
        .interrupts = false,
        .sample_ns = 0,
        .first_sample_ns = 0,
        .observer = nullptr,
    };
    laxity_sim_totals totals{};
    laxity_simulate(
        &platform,
        tasks,
        static_cast<std::uint32_t>(std::size(tasks)),
        INT64_MAX,
        &listener,
        &totals
    );
    const laxity_sim_counts &counts = totals.cores[0];
    const bool is_sound = counts.fetch_misses <= counts.fetches &&
                          counts.load_misses <= counts.loads &&
                          counts.store_misses <= counts.stores;
    if (n_ended != std::size(tasks) || !is_sound) {
        std::abort();
    }
    return 0;
}
