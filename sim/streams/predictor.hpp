/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
/*
 * What of a program is expected next; the encoder and the decoder of a stored stream hold one each,
 * and tell it the same.
 *
 * A block is followed by the block that followed it last, and makes as many accesses as last. The
 * k-th access of a block has the word of its last time plus the difference to the time before: the
 * whole word, so that size, direction and instruction are expected with the address.
 */
#ifndef LAXITY_SIM_PREDICTOR_HPP
#define LAXITY_SIM_PREDICTOR_HPP

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace laxity {

/*
 * A part of a stored stream is a sequence of tokens. A byte says what follows:
 *
 *   0 to 7     an execution and its accesses, as expected except for what these bits say:
 *     ID         the number of the block follows
 *     COUNT      the number of accesses follows
 *     ACCESSES   for each eight accesses a byte follows whose bits say which of them are not as
 *                expected; for each such one the difference, as a number with the sign in bit 0
 *   LITERALS   a number of words follows, then the words
 *
 * Numbers have seven bits in a byte, the lowest first; bit 7 says that there is another byte.
 */
constexpr unsigned TOKEN_ID = 1;
constexpr unsigned TOKEN_COUNT = 2;
constexpr unsigned TOKEN_ACCESSES = 4;
constexpr unsigned TOKEN_LITERALS = 8;

class Predictor {
  public:
    /* Blocks with a higher number are not expected at all, executions with more accesses neither:
     * no program has them, and a damaged stream must not take all memory. */
    static constexpr std::uint64_t BLOCKS_MAX = std::uint64_t{1} << 20U;
    static constexpr std::uint32_t ACCESSES_MAX = 1023;
    static constexpr std::uint32_t MASK_BITS = 8;
    static constexpr std::size_t NUMBER_BYTES = 10;
    static constexpr std::size_t SLOTS_MAX = std::size_t{1} << 22U;

    struct Slot {
        std::uint64_t last;
        std::uint64_t stride;
    };

    struct Block {
        std::uint32_t successor;
        std::uint32_t n_accesses;
        std::uint32_t slot;
        std::uint32_t n_slots;
    };

    Predictor()
    {
        reset();
    }

    /* Nothing is known. */
    void reset()
    {
        blocks_.assign(1, Block{});
        slots_.clear();
        current_ = 0;
    }

    [[nodiscard]] std::uint32_t successor() const
    {
        return blocks_[current_].successor;
    }

    /* Whether the block that is executed is expected again, and to access nothing. */
    [[nodiscard]] bool is_alone() const
    {
        return std::size_t{successor()} + 1 == current_ && blocks_[current_].n_accesses == 0;
    }

    /* The block that is executed, which is not the expected one or not known yet. */
    void correct(std::uint32_t id)
    {
        blocks_[current_].successor = id;
    }

    /* Goes on to the expected block. */
    Block &advance()
    {
        const std::size_t at = std::size_t{successor()} + 1;
        if (at >= blocks_.size()) {
            blocks_.resize(at + 1);
        }
        current_ = at;
        return blocks_[at];
    }

    /* Slots of a block whose number of accesses is right. */
    Slot *slots(const Block &block)
    {
        return slots_.data() + block.slot;
    }

    /* Whether a block may have any number of accesses. */
    [[nodiscard]] bool has_room() const
    {
        return slots_.size() + ACCESSES_MAX <= SLOTS_MAX;
    }

    void set_count(Block &block, std::uint32_t n_accesses)
    {
        block.n_accesses = n_accesses;
        if (n_accesses <= block.n_slots) {
            return;
        }
        /* The old place is lost, but a block seldom grows, and each time by a half at least. */
        const std::uint32_t n_slots =
            std::min(ACCESSES_MAX, std::max(n_accesses, block.n_slots + block.n_slots / 2));
        const std::size_t from = block.slot;
        const std::size_t to = slots_.size();
        slots_.resize(to + n_slots);
        std::copy_n(
            slots_.begin() + static_cast<std::ptrdiff_t>(from),
            block.n_slots,
            slots_.begin() + static_cast<std::ptrdiff_t>(to)
        );
        block.slot = static_cast<std::uint32_t>(to);
        block.n_slots = n_slots;
    }

    static std::uint64_t expect(const Slot &slot)
    {
        return slot.last + slot.stride;
    }

    static void learn(Slot &slot, std::uint64_t word)
    {
        slot.stride = word - slot.last;
        slot.last = word;
    }

  private:
    std::vector<Block> blocks_; /* the first stands for what is before all */
    std::vector<Slot> slots_;
    std::size_t current_ = 0;
};

} // namespace laxity

#endif
