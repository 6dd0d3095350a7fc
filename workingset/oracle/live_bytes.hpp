// SPDX-FileCopyrightText: 2026 The laxity authors
// SPDX-License-Identifier: MIT
// The bytes that are live at one moment of the way back: those whose next access is a read.
#ifndef LAXITY_WORKINGSET_LIVE_BYTES_HPP
#define LAXITY_WORKINGSET_LIVE_BYTES_HPP

#include "llvm/ADT/BitVector.h"
#include "resolve.hpp"
#include "static_sets.hpp"

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace laxity::workingset::oracle {

// A log that forgets: whoever was here last at entry n learns what has come since, or that he must
// look at everything.
class GainLog {
  public:
    void add(uint32_t gained)
    {
        if (end_ == closed_ || ring_[(end_ - 1) % ring_.size()] != gained) {
            ring_[end_++ % ring_.size()] = gained;
        }
    }
    // What comes from now on gets entries of its own, even if it is what came last.
    uint64_t close()
    {
        closed_ = end_;
        return end_;
    }
    [[nodiscard]] uint64_t end() const
    {
        return end_;
    }
    [[nodiscard]] bool reaches_back_to(uint64_t position) const
    {
        return end_ - position < ring_.size();
    }
    [[nodiscard]] uint32_t operator[](uint64_t position) const
    {
        return ring_[position % ring_.size()];
    }

  private:
    // Beyond that a full look is cheaper: 4096 entries are as much as the words of 256 Ki cells.
    std::array<uint32_t, 4096> ring_ = {};
    uint64_t end_ = 0;
    uint64_t closed_ = 0;
};

class LiveBytes {
  public:
    // objects: by slot, the analysis's object, or NO_OBJECT
    static constexpr unsigned NO_OBJECT = ~0U;
    LiveBytes(
        std::span<const Slot> slots, std::span<const unsigned> objects, const StaticSets &sets
    );

    // `undefined`: bytes that are no read, or nullptr
    void
    read(uint32_t slot, uint64_t offset, uint64_t size_bytes, const std::vector<bool> *undefined);
    void end_life(uint32_t slot, uint64_t offset, uint64_t size_bytes);

    [[nodiscard]] const llvm::BitVector &cells() const
    {
        return cells_;
    }
    [[nodiscard]] GainLog &gained_cells()
    {
        return gained_cells_;
    }
    // Bytes of objects with one instance, 64 per word, each object from a word of its own.
    [[nodiscard]] std::span<const uint64_t> words() const
    {
        return words_;
    }
    [[nodiscard]] GainLog &gained_words()
    {
        return gained_words_;
    }
    [[nodiscard]] const std::array<uint64_t, MEMORY_CLASSES> &class_bytes() const
    {
        return class_bytes_;
    }
    // One more point has been checked with what is live now.
    void count_point()
    {
        points_++;
    }
    // Live bytes of an object with one instance, added up over the points that were counted.
    [[nodiscard]] uint64_t byte_points(unsigned object) const
    {
        const ObjectState &state = states_[object];
        return state.byte_points + state.live_bytes * (points_ - state.points);
    }
    // The first word of an object with one instance, or nothing if it was never anywhere.
    [[nodiscard]] std::optional<size_t> first_word(unsigned object) const
    {
        const ObjectState &state = states_[object];
        return state.is_counted ? std::optional(state.first_word) : std::nullopt;
    }
    // Where the word's bytes lie, for messages and classes.
    [[nodiscard]] unsigned object_of_word(size_t word) const
    {
        return word_objects_[word];
    }
    // The first live byte of the object in this cell.
    [[nodiscard]] uint64_t first_live_offset(unsigned cell) const;

  private:
    void set(uint32_t slot, uint64_t offset);
    void clear(uint32_t slot, uint64_t offset);

    struct ObjectState {
        std::vector<uint32_t> cells; // by byte; one entry only where the size is not known
        size_t first_word = 0;
        MemoryClass memory_class = MemoryClass::Other;
        bool is_counted = false;
        uint64_t live_bytes = 0;
        uint64_t byte_points = 0; // up to `points`
        uint64_t points = 0;
    };
    // Before the number of live bytes changes.
    void add_up(ObjectState &object) const
    {
        object.byte_points += object.live_bytes * (points_ - object.points);
        object.points = points_;
    }
    [[nodiscard]] static uint32_t cell_at(const ObjectState &object, uint64_t offset)
    {
        return object.cells[offset < object.cells.size() ? offset : object.cells.size() - 1];
    }

    std::span<const Slot> slots_;
    std::span<const unsigned> objects_;
    std::vector<ObjectState> states_;
    std::vector<std::vector<bool>> live_; // by slot; empty until something of it is live
    std::vector<uint64_t> cell_counts_;
    llvm::BitVector cells_;
    std::vector<uint64_t> words_;
    std::vector<unsigned> word_objects_;
    std::array<uint64_t, MEMORY_CLASSES> class_bytes_ = {};
    uint64_t points_ = 0;
    GainLog gained_cells_, gained_words_;
};

} // namespace laxity::workingset::oracle

#endif
