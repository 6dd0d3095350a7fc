// SPDX-FileCopyrightText: 2026 The laxity authors
// SPDX-License-Identifier: MIT
#include "analysis/byte_runs.hpp"

#include <algorithm>

namespace laxity::workingset {

namespace {

constexpr auto MAX_SPAN = static_cast<uint64_t>(MAX_SPAN_BYTES);

/* Repetitions ascending by stride, and those that leave no hole made part of the width. */
void fill_holes(Sweep &sweep)
{
    std::ranges::sort(sweep.repetitions, {}, &Repetition::stride_bytes);
    auto rest = sweep.repetitions.begin();
    for (; rest != sweep.repetitions.end() && rest->stride_bytes <= sweep.width_bytes; ++rest) {
        sweep.width_bytes += rest->stride_bytes * (rest->count - 1);
    }
    sweep.repetitions.erase(sweep.repetitions.begin(), rest);
}

/* The holes of the finest repetition count as touched. */
void close_finest(Sweep &sweep)
{
    const Repetition &finest = sweep.repetitions.front();
    sweep.width_bytes += finest.stride_bytes * (finest.count - 1);
    sweep.repetitions.erase(sweep.repetitions.begin());
    fill_holes(sweep);
}

/* Where each run of a sweep without fillable holes begins; false: more than `max_runs`. */
bool add_starts(const Sweep &sweep, size_t max_runs, llvm::SmallVectorImpl<int64_t> &starts)
{
    starts.assign(1, sweep.first_byte);
    for (const Repetition &repetition : sweep.repetitions) {
        if (repetition.count > max_runs / starts.size()) {
            return false;
        }
        const size_t known = starts.size();
        for (uint64_t i = 1; i < repetition.count; i++) {
            for (size_t j = 0; j < known; j++) {
                starts.push_back(starts[j] + static_cast<int64_t>(i * repetition.stride_bytes));
            }
        }
    }
    return true;
}

} // namespace

bool repeat(Sweep &sweep, int64_t stride_bytes, uint64_t count)
{
    const uint64_t distance = stride_bytes < 0 ? uint64_t{0} - static_cast<uint64_t>(stride_bytes)
                                               : static_cast<uint64_t>(stride_bytes);
    if (count == 0 || (distance > 0 && count - 1 > MAX_SPAN / distance)) {
        return false;
    }
    if (count == 1 || distance == 0) {
        return true;
    }
    if (stride_bytes < 0) {
        sweep.first_byte -= static_cast<int64_t>(distance * (count - 1));
    }
    sweep.repetitions.push_back({.stride_bytes = distance, .count = count});
    const ByteRun hull = hull_of(sweep);
    return hull.first_byte > -MAX_SPAN_BYTES && hull.end_byte < MAX_SPAN_BYTES;
}

ByteRun hull_of(const Sweep &sweep)
{
    uint64_t span = sweep.width_bytes;
    for (const Repetition &repetition : sweep.repetitions) {
        span += repetition.stride_bytes * (repetition.count - 1);
    }
    return {sweep.first_byte, sweep.first_byte + static_cast<int64_t>(span)};
}

std::optional<ByteRuns> runs_of(const Sweep &sweep, size_t max_runs)
{
    Sweep coarse = sweep;
    fill_holes(coarse);
    llvm::SmallVector<int64_t, 8> starts;
    if (!add_starts(coarse, max_runs, starts)) {
        return std::nullopt;
    }
    ByteRuns runs;
    for (int64_t start : starts) {
        runs.push_back({start, start + static_cast<int64_t>(coarse.width_bytes)});
    }
    merge_runs(runs);
    return runs;
}

ByteRuns runs_around(Sweep sweep, size_t max_runs)
{
    fill_holes(sweep);
    std::optional<ByteRuns> runs = runs_of(sweep, max_runs);
    while (!runs) {
        close_finest(sweep);
        runs = runs_of(sweep, max_runs);
    }
    return *runs;
}

void merge_runs(ByteRuns &runs)
{
    std::ranges::sort(runs, {}, &ByteRun::first_byte);
    ByteRuns merged;
    for (const ByteRun &run : runs) {
        if (!merged.empty() && run.first_byte <= merged.back().end_byte) {
            merged.back().end_byte = std::max(merged.back().end_byte, run.end_byte);
        } else if (run.first_byte < run.end_byte) {
            merged.push_back(run);
        }
    }
    runs = std::move(merged);
}

} // namespace laxity::workingset
