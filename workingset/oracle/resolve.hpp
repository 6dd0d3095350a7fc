// SPDX-FileCopyrightText: 2026 The laxity authors
// SPDX-License-Identifier: MIT
// The way forward through a trace: which object each address belongs to, and whether what is read
// was ever defined.
#ifndef LAXITY_WORKINGSET_RESOLVE_HPP
#define LAXITY_WORKINGSET_RESOLVE_HPP

#include "llvm/Support/Error.h"
#include "numbering.hpp"
#include "runtime/trace_words.h"

#include <cstdint>
#include <span>
#include <unordered_map>
#include <vector>

namespace laxity::workingset::oracle {

// A place in memory that an object had: the same place again is the same slot, so there are few.
struct Slot {
    uint64_t address;
    uint64_t size_bytes;
    laxity_trace_object kind;
    uint32_t index;
};

// A node of the tree of calls; 0 is outside of the program.
struct TracedContext {
    uint32_t parent;
    uint32_t site; // instruction, or LAXITY_TRACE_NO_SITE
    uint32_t function;
};

// A call that enters a context which is being executed already.
struct TracedRecursion {
    uint32_t parent;
    uint32_t site;
    uint32_t context;
};

// An access to no object that the program declares: of the C library, its arguments, the save area
// of varargs.
constexpr uint32_t NO_SLOT = (uint32_t{1} << 28) - 1;

// A resolved word: the tag of the traced one, and a slot above an offset.
constexpr int SLOT_SHIFT = 32;

struct Resolved {
    std::vector<Slot> slots;
    std::vector<TracedContext> contexts;
    std::vector<TracedRecursion> recursions;
    // By position of the word: bytes of the access that were not defined. They are no reads.
    std::unordered_map<size_t, std::vector<bool>> undefined;
    uint64_t undefined_bytes = 0;
    uint64_t foreign_accesses = 0;
};

// `out` has as many words as `trace`; all but accesses, ranges and births are copied.
[[nodiscard]] llvm::Expected<Resolved>
resolve(std::span<const uint64_t> trace, const Numbering &numbering, std::span<uint64_t> out);

// What an instruction does with the memory at its address, in bytes; an alloca or a call: 0.
struct MemoryEffect {
    uint64_t read_bytes;
    uint64_t written_bytes;
};
[[nodiscard]] MemoryEffect memory_effect(const llvm::Instruction &instruction);

} // namespace laxity::workingset::oracle

#endif
