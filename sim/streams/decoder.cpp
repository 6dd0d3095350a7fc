/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
#include "streams/decoder.hpp"

#include "interface/records.h"
#include "streams/predictor.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>

namespace laxity {

namespace {

constexpr unsigned NUMBER_BITS = 7;
constexpr std::uint64_t NUMBER_MASK = (std::uint64_t{1} << NUMBER_BITS) - 1;
constexpr std::uint64_t EXECUTION = std::uint64_t{LAXITY_SIM_EXECUTION} << LAXITY_RECORD_KIND_SHIFT;

/* Of eight accesses all that is put: without a look at the end of the tokens. */
static_assert(
    Decoder::PADDING_BYTES >=
    1 + Predictor::MASK_BITS * Predictor::NUMBER_BYTES + 2 * Predictor::NUMBER_BYTES + 1
);

} // namespace

void Decoder::begin(std::span<const std::uint8_t> tokens)
{
    predictor_.reset();
    at_ = tokens.data();
    end_ = at_ + tokens.size();
    literals_left_ = 0;
    is_damaged_ = false;
}

std::size_t Decoder::decode(std::uint64_t *words, std::size_t n)
{
    std::uint64_t *to = words;
    const std::uint64_t *const full = words + n - ROOM_WORDS;
    while (to <= full && !is_damaged_) {
        if (literals_left_ > 0) {
            to = decode_literals(to, static_cast<std::size_t>(words + n - to));
            continue;
        }
        if (at_ >= end_) {
            break;
        }
        const unsigned token = *at_++;
        if (token < TOKEN_LITERALS) {
            to = decode_group(token, to);
            if (is_damaged_) {
                break; /* no word may have been written */
            }
            for (; predictor_.is_alone() && to <= full && at_ < end_ && *at_ == 0; at_++, to++) {
                *to = to[-1]; /* a turn of a loop that accesses nothing, as expected */
            }
        } else {
            literals_left_ = take_number();
            const auto bytes = static_cast<std::size_t>(std::max<std::ptrdiff_t>(end_ - at_, 0));
            is_damaged_ = token != TOKEN_LITERALS || literals_left_ == 0 ||
                          literals_left_ > bytes / sizeof *words;
        }
    }
    is_damaged_ = is_damaged_ || at_ > end_;
    return is_damaged_ ? 0 : static_cast<std::size_t>(to - words);
}

std::uint64_t *Decoder::decode_group(unsigned token, std::uint64_t *words)
{
    if ((token & TOKEN_ID) != 0) {
        const std::uint64_t id = take_number();
        if (id >= Predictor::BLOCKS_MAX) {
            is_damaged_ = true;
            return words;
        }
        predictor_.correct(static_cast<std::uint32_t>(id));
    }
    *words++ = EXECUTION | predictor_.successor();
    Predictor::Block &block = predictor_.advance();
    if ((token & TOKEN_COUNT) != 0) {
        const std::uint64_t n = take_number();
        if (n > Predictor::ACCESSES_MAX || !predictor_.has_room()) {
            is_damaged_ = true;
            return words;
        }
        predictor_.set_count(block, static_cast<std::uint32_t>(n));
    }
    const std::uint32_t n = block.n_accesses;
    Predictor::Slot *const slots = predictor_.slots(block);
    if ((token & TOKEN_ACCESSES) != 0) {
        correct(slots, n, words);
        return words + n;
    }
    for (std::uint32_t i = 0; i < n; i++) {
        words[i] = slots[i].last = Predictor::expect(slots[i]);
    }
    return words + n;
}

void Decoder::correct(Predictor::Slot *slots, std::uint32_t n, std::uint64_t *words)
{
    for (std::uint32_t from = 0; from < n; from += Predictor::MASK_BITS) {
        if (at_ >= end_) {
            is_damaged_ = true;
            return;
        }
        unsigned mask = *at_++;
        const std::uint32_t until = std::min(n, from + Predictor::MASK_BITS);
        for (std::uint32_t i = from; i < until; i++, mask >>= 1U) {
            std::uint64_t word = Predictor::expect(slots[i]);
            if ((mask & 1U) != 0) {
                const std::uint64_t number = take_number();
                word += number >> 1U ^ (std::uint64_t{0} - (number & 1U));
                Predictor::learn(slots[i], word);
            }
            slots[i].last = word;
            words[i] = word;
        }
    }
}

std::uint64_t *Decoder::decode_literals(std::uint64_t *words, std::size_t room)
{
    const std::size_t n = std::min(literals_left_, room);
    std::memcpy(words, at_, n * sizeof *words);
    at_ += n * sizeof *words;
    literals_left_ -= n;
    return words + n;
}

/* Takes at most NUMBER_BYTES; what is too large loses its highest bits. */
std::uint64_t Decoder::take_number()
{
    std::uint64_t number = 0;
    for (unsigned shift = 0; shift < NUMBER_BITS * Predictor::NUMBER_BYTES; shift += NUMBER_BITS) {
        const std::uint64_t byte = *at_++;
        number |= (byte & NUMBER_MASK) << shift;
        if (byte <= NUMBER_MASK) {
            break;
        }
    }
    return number;
}

} // namespace laxity
