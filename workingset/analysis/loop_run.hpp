// SPDX-FileCopyrightText: 2026 The laxity authors
// SPDX-License-Identifier: MIT
#pragma once

#include "analysis/byte_runs.hpp"

#include <llvm/ADT/BitVector.h>
#include <map>
#include <memory>
#include <optional>
#include <vector>

namespace laxity::workingset {

/* Bytes that an instruction of a loop nest touches in each of its turns. */
struct LoopTouch {
    struct Stride {
        unsigned depth; // of the loop in the nest; 0 is the outermost
        int64_t bytes;  // per turn of that loop

        friend bool operator==(const Stride &, const Stride &) = default;
    };
    unsigned object = 0;
    int64_t first_byte = 0;
    uint64_t width_bytes = 0;
    llvm::SmallVector<Stride, 2> strides;
    bool is_write = false; // else a read
    // Also in the turn in which its loop is left: a write surely, a read possibly.
    bool is_in_last = true;

    [[nodiscard]] bool is_same_place(const LoopTouch &other) const
    {
        return object == other.object && first_byte == other.first_byte &&
               width_bytes == other.width_bytes && strides == other.strides;
    }
};

/* What a loop does, in the order in which it does it. */
struct LoopBody {
    struct Step {
        std::optional<LoopTouch> touch;
        std::unique_ptr<LoopBody> inner; // where there is no touch
    };
    unsigned depth = 0;
    uint64_t back_edges = 0; // taken, exactly
    // The same as in LoopTouch, of the loop around this one.
    bool writes_in_last = true;
    bool reads_in_last = true;
    std::vector<Step> steps;
};

/*
 * Bytes that a loop nest overwrites before it reads them, found by going through all of its turns.
 *
 * All addresses and turns are constants, so it is known exactly which turn writes and reads what:
 * it does not matter whether a loop counts up or down, whether several writes together fill an
 * array, or how far behind its writes a loop reads. Beyond a number of steps reads and writes of
 * all turns are only compared as wholes.
 */
class LoopRun {
  public:
    /* Sizes of the objects that may die, in bytes. */
    explicit LoopRun(const std::map<unsigned, uint64_t> &object_bytes);

    void run(const LoopBody &body);

    /* Overwritten, and not read before. */
    [[nodiscard]] llvm::BitVector killed_bytes(unsigned object) const;

  private:
    struct Bytes {
        llvm::BitVector written;
        llvm::BitVector exposed; // read before they were written
    };
    void run_turns(const LoopBody &body, bool writes);
    void touch(const LoopTouch &touch);
    void compare_wholes(const LoopBody &body);
    void compare_whole(const LoopTouch &touch);
    [[nodiscard]] static uint64_t step_count(const LoopBody &body);

    std::map<unsigned, Bytes> objects_;
    std::vector<uint64_t> turns_; // of each depth: the one that is running, or their number
    std::vector<uint64_t> write_turns_;
};

} // namespace laxity::workingset
