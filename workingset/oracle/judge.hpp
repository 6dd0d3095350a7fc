// SPDX-FileCopyrightText: 2026 The laxity authors
// SPDX-License-Identifier: MIT
// The way back through a trace: is every byte that is live in the analysis's set, at each executed
// instruction and in its context?
#ifndef LAXITY_WORKINGSET_JUDGE_HPP
#define LAXITY_WORKINGSET_JUDGE_HPP

#include "resolve.hpp"
#include "static_sets.hpp"

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace laxity::workingset::oracle {

// A byte that was live and that the analysis calls dead; once per instruction, context and cell.
struct Violation {
    uint32_t instruction;
    uint32_t context;
    unsigned cell;
    uint64_t offset; // of the first live byte in the object
};

// An instruction that was executed though no path leads to it in this context.
struct ImpossiblePoint {
    uint32_t instruction;
    uint32_t context;
};

// An instruction before which, or a call across which, the analysis reports other bits of SSA
// values than live ones have. Paths alone tell that: it need not have been executed.
struct WrongValues {
    uint32_t instruction;
    bool is_across;
    uint64_t reported_bits;
    uint64_t live_bits;
};

// An instruction in a context, over all its visits.
struct ObservedPoint {
    uint64_t visits = 0;
    uint64_t cells_noticed = 0; // entry of the log of cells at the last visit
    // Numbers of StaticSets::sets(): many points have the same.
    uint32_t set = 0;  // the analysis's, and what was reported already
    uint32_t seen = 0; // cells that were live at some visit
};

// What a run showed of the program beyond the verdict.
struct Observation {
    std::vector<unsigned> contexts; // of the trace → of the analysis
    std::vector<std::vector<ObservedPoint>>
        points; // by traced context, then by instruction of its function; empty: never there
    std::vector<uint32_t> first_instructions;  // by function
    std::vector<bool> is_executed;             // by instruction, in any context
    std::vector<uint64_t> visits;              // by instruction
    std::vector<uint32_t> shares;              // the instruction whose union is this one's, too
    std::vector<std::vector<uint64_t>> unions; // by instruction: bytes that were live at some visit
    std::vector<std::optional<size_t>> first_words; // by object: where its bytes are in a union
    std::vector<uint64_t> dynamic_byte_points;      // by object
    std::vector<bool> is_touched_in_parts;          // by cell: an access went to a part of it alone
    std::vector<bool> is_indexed; // by object: one instruction touched it in more than one place
};

struct Verdict {
    std::vector<Violation> violations;
    std::vector<ImpossiblePoint> impossible_points; // once per instruction and context
    std::vector<WrongValues> wrong_values;
    uint64_t value_points = 0;   // instructions whose values were compared
    uint64_t points = 0;         // executed instructions that were checked
    uint64_t points_outside = 0; // in no context of the analysis: before and after the jobs
    std::vector<uint32_t> impossible_contexts; // of the trace, that the analysis says cannot be
    std::vector<uint32_t> unknown_allocations; // instructions whose blocks are none of its objects
    // Sums over the checked points, in bytes, by MemoryClass; only objects with one instance.
    std::array<uint64_t, MEMORY_CLASSES> dynamic_bytes = {};
    std::array<uint64_t, MEMORY_CLASSES> static_bytes = {};
    // What the best answer that knows no more than the instruction would have been over what was
    // seen.
    std::array<uint64_t, MEMORY_CLASSES> best_bytes = {};
    std::vector<std::string> externals_without_model;
    Observation observed;

    [[nodiscard]] bool is_covered() const
    {
        return violations.empty() && wrong_values.empty() && impossible_points.empty() &&
               impossible_contexts.empty() && unknown_allocations.empty() &&
               externals_without_model.empty() && points > 0;
    }
};

[[nodiscard]] Verdict judge(
    std::span<const uint64_t> resolved_words,
    const Resolved &resolved,
    const Numbering &numbering,
    StaticSets &sets
);

} // namespace laxity::workingset::oracle

#endif
