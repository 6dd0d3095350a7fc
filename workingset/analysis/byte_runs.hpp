// SPDX-FileCopyrightText: 2026 The laxity authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <llvm/ADT/SmallVector.h>
#include <optional>

namespace laxity::workingset {

/* Bytes [first, end), counted from where a pointer points to; may lie before it. */
struct ByteRun {
    int64_t first_byte;
    int64_t end_byte;

    friend bool operator==(const ByteRun &, const ByteRun &) = default;
};

/* Ascending, apart from each other by one byte at least. */
using ByteRuns = llvm::SmallVector<ByteRun, 2>;

/* A place and its copies: `count` in all, each `stride_bytes` behind the one before. */
struct Repetition {
    uint64_t stride_bytes;
    uint64_t count;
};

/*
 * What an access of constant width touches over all combinations of its indices: with
 * repetitions (s1, n1), (s2, n2), ... the bytes [first + Σ ki*si, ... + width) of all ki < ni.
 */
struct Sweep {
    int64_t first_byte = 0;
    uint64_t width_bytes = 0;
    llvm::SmallVector<Repetition, 3> repetitions;
};

/* More bytes than any object has: a sweep that spans more is not known. */
inline constexpr int64_t MAX_SPAN_BYTES = int64_t{1} << 40;

/* `value` more bytes, `count` times over; false: beyond MAX_SPAN_BYTES. */
[[nodiscard]] bool repeat(Sweep &sweep, int64_t stride_bytes, uint64_t count);

/*
 * Exactly the bytes of a sweep; nullopt if they are more than `max_runs` runs or span too much.
 * Repetitions that leave no hole become one run, so a whole array is one.
 */
[[nodiscard]] std::optional<ByteRuns> runs_of(const Sweep &sweep, size_t max_runs);

/* From the first to the last byte of a sweep. */
[[nodiscard]] ByteRun hull_of(const Sweep &sweep);

/* The bytes of a sweep, and of the holes between them where there would be too many runs. */
[[nodiscard]] ByteRuns runs_around(Sweep sweep, size_t max_runs);

/* Brings runs in any order into that of ByteRuns. */
void merge_runs(ByteRuns &runs);

} // namespace laxity::workingset
