/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
/*
 * What each word of a stream is a part of (sim/interface/records.h). Any words are taken: a
 * definition that cannot be one ends where that shows.
 */
#ifndef LAXITY_SIM_GRAMMAR_HPP
#define LAXITY_SIM_GRAMMAR_HPP

#include "interface/records.h"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <numeric>

namespace laxity {

enum class Part : std::uint8_t {
    Access,
    Execution,
    Block, /* it begins */
    Call,  /* likewise */
    BlockRest,
    CallRest,
};

class Grammar {
  public:
    Part take(std::uint64_t word)
    {
        if (left_ > 0 || state_ != State::Sizes) {
            return take_rest(word);
        }
        switch (word >> LAXITY_RECORD_KIND_SHIFT) {
        case LAXITY_SIM_ACCESS:
            return Part::Access;
        case LAXITY_SIM_EXECUTION:
            return Part::Execution;
        case LAXITY_SIM_BLOCK:
            block_ = static_cast<std::uint32_t>(word);
            instructions_ = 0;
            state_ = State::Address;
            is_call_ = false;
            return Part::Block;
        default:
            left_ = (word & CALL_RETURN) != 0 ? RETURN_WORDS : CALL_WORDS;
            is_call_ = true;
            return Part::Call;
        }
    }

    /* Of the definition seen last. */
    [[nodiscard]] std::uint32_t block() const
    {
        return block_;
    }
    [[nodiscard]] std::uint32_t instructions() const
    {
        return instructions_;
    }

  private:
    enum class State : std::uint8_t {
        Address,
        Count,
        Sizes, /* and what follows; with no word left: between records */
    };

    static constexpr std::uint64_t CALL_RETURN = std::uint64_t{1} << 32U;
    static constexpr std::uint32_t CALL_WORDS = 6;
    static constexpr std::uint32_t RETURN_WORDS = 1;
    static constexpr std::uint32_t WORD_BYTES = sizeof(std::uint64_t);

    Part take_rest(std::uint64_t word)
    {
        switch (state_) {
        case State::Address:
            state_ = State::Count;
            break;
        case State::Count:
            state_ = State::Sizes;
            if (word > 0 && word <= LAXITY_RECORD_INSTRUCTIONS_MAX) {
                instructions_ = static_cast<std::uint32_t>(word);
                left_ = words_of(instructions_);
                sizes_left_ = instructions_;
                code_bytes_ = 0;
            }
            break;
        case State::Sizes:
            left_--;
            add_sizes(word);
            break;
        }
        return is_call_ ? Part::CallRest : Part::BlockRest;
    }

    /* Behind the sizes follows the code, in whole words. */
    void add_sizes(std::uint64_t word)
    {
        const std::uint32_t n = std::min(sizes_left_, WORD_BYTES);
        std::uint8_t sizes[WORD_BYTES];
        std::memcpy(sizes, &word, sizeof sizes);
        code_bytes_ = std::accumulate(sizes, sizes + n, code_bytes_);
        sizes_left_ -= n;
        if (n > 0 && sizes_left_ == 0) {
            left_ += words_of(code_bytes_);
        }
    }

    static std::uint32_t words_of(std::uint32_t bytes)
    {
        return (bytes + WORD_BYTES - 1) / WORD_BYTES;
    }

    State state_ = State::Sizes;
    bool is_call_ = false;
    std::uint32_t left_ = 0;
    std::uint32_t sizes_left_ = 0;
    std::uint32_t code_bytes_ = 0;
    std::uint32_t block_ = 0;
    std::uint32_t instructions_ = 0;
};

} // namespace laxity

#endif
