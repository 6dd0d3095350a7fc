/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
/* Tokens of a part of a stored stream (predictor.hpp) into words. */
#ifndef LAXITY_SIM_DECODER_HPP
#define LAXITY_SIM_DECODER_HPP

#include "streams/predictor.hpp"

#include <cstddef>
#include <cstdint>
#include <span>

namespace laxity {

class Decoder {
  public:
    /* Behind the tokens there are so many bytes that may be read and mean nothing. */
    static constexpr std::size_t PADDING_BYTES = 128;
    /* Room for so many words must be given. */
    static constexpr std::size_t ROOM_WORDS = Predictor::ACCESSES_MAX + 1;

    /* Begins with the tokens of another part; they stay the caller's. */
    void begin(std::span<const std::uint8_t> tokens);

    /* Writes at least one word and at most n, n >= ROOM_WORDS; 0: the part has ended, or is
     * damaged. */
    std::size_t decode(std::uint64_t *words, std::size_t n);

  private:
    std::uint64_t *decode_group(unsigned token, std::uint64_t *words);
    std::uint64_t *decode_literals(std::uint64_t *words, std::size_t room);
    void correct(Predictor::Slot *slots, std::uint32_t n, std::uint64_t *words);
    std::uint64_t take_number();

    Predictor predictor_;
    const std::uint8_t *at_ = nullptr;
    const std::uint8_t *end_ = nullptr;
    std::size_t literals_left_ = 0;
    bool is_damaged_ = false;
};

} // namespace laxity

#endif
