/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
#include "streams/encoder.hpp"

#include "interface/records.h"
#include "streams/predictor.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <vector>

namespace laxity {

namespace {

constexpr unsigned NUMBER_BITS = 7;
constexpr std::uint64_t EXECUTION = std::uint64_t{LAXITY_SIM_EXECUTION} << LAXITY_RECORD_KIND_SHIFT;

std::uint64_t with_sign_in_bit_0(std::uint64_t difference)
{
    const std::uint64_t sign = difference >> 63U;
    return difference << 1U ^ (std::uint64_t{0} - sign);
}

} // namespace

void Encoder::put_execution(std::uint64_t word)
{
    end_group();
    if (word - EXECUTION >= Predictor::BLOCKS_MAX || !predictor_.has_room()) {
        put_literal(word);
        return;
    }
    end_literals();
    group_.push_back(word);
}

void Encoder::put_literal(std::uint64_t word)
{
    end_group();
    literals_.push_back(word);
}

const std::vector<std::uint8_t> &Encoder::finish()
{
    end_group();
    end_literals();
    return tokens_;
}

void Encoder::reset()
{
    predictor_.reset();
    tokens_.clear();
}

void Encoder::end_group()
{
    if (group_.empty()) {
        return;
    }
    const auto id = static_cast<std::uint32_t>(group_[0] - EXECUTION);
    const auto n_accesses = static_cast<std::uint32_t>(group_.size() - 1);
    const std::size_t at = tokens_.size();
    unsigned token = 0;
    tokens_.push_back(0);
    if (predictor_.successor() != id) {
        token |= TOKEN_ID;
        put_number(id);
        predictor_.correct(id);
    }
    Predictor::Block &block = predictor_.advance();
    if (block.n_accesses != n_accesses) {
        token |= TOKEN_COUNT;
        put_number(n_accesses);
        predictor_.set_count(block, n_accesses);
    }
    if (put_differences(predictor_.slots(block))) {
        token |= TOKEN_ACCESSES;
    }
    tokens_[at] = static_cast<std::uint8_t>(token);
    group_.clear();
}

/* Whether there were any; else nothing is put. */
bool Encoder::put_differences(Predictor::Slot *slots)
{
    const std::size_t begin = tokens_.size();
    const std::size_t n = group_.size() - 1;
    unsigned any = 0;
    for (std::size_t from = 0; from < n; from += Predictor::MASK_BITS) {
        const std::size_t mask_at = tokens_.size();
        unsigned mask = 0;
        tokens_.push_back(0);
        for (std::size_t i = from; i < std::min<std::size_t>(n, from + Predictor::MASK_BITS); i++) {
            const std::uint64_t word = group_[i + 1];
            const std::uint64_t difference = word - Predictor::expect(slots[i]);
            if (difference != 0) {
                mask |= 1U << (i - from);
                put_number(with_sign_in_bit_0(difference));
            }
            Predictor::learn(slots[i], word);
        }
        tokens_[mask_at] = static_cast<std::uint8_t>(mask);
        any |= mask;
    }
    if (any == 0) {
        tokens_.resize(begin);
    }
    return any != 0;
}

void Encoder::end_literals()
{
    if (literals_.empty()) {
        return;
    }
    tokens_.push_back(TOKEN_LITERALS);
    put_number(literals_.size());
    const std::size_t at = tokens_.size();
    const std::size_t bytes = literals_.size() * sizeof literals_[0];
    tokens_.resize(at + bytes);
    std::memcpy(&tokens_[at], literals_.data(), bytes);
    literals_.clear();
}

void Encoder::put_number(std::uint64_t number)
{
    constexpr std::uint64_t MORE = std::uint64_t{1} << NUMBER_BITS;
    while (number >= MORE) {
        tokens_.push_back(static_cast<std::uint8_t>(number | MORE));
        number >>= NUMBER_BITS;
    }
    tokens_.push_back(static_cast<std::uint8_t>(number));
}

} // namespace laxity
