/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
/* Words of a stream into tokens (predictor.hpp). */
#ifndef LAXITY_SIM_ENCODER_HPP
#define LAXITY_SIM_ENCODER_HPP

#include "streams/predictor.hpp"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace laxity {

class Encoder {
  public:
    /* Of an execution, which begins a group; it may turn out to be none that can be expected. */
    void put_execution(std::uint64_t word);

    /* Of an access, which belongs to the group if there is one. */
    void put_access(std::uint64_t word)
    {
        if (group_.empty() || group_.size() > Predictor::ACCESSES_MAX) {
            put_literal(word);
        } else {
            group_.push_back(word);
        }
    }

    void put_literal(std::uint64_t word);

    /* All that was put, as tokens. */
    const std::vector<std::uint8_t> &finish();

    /* Begins anew, as if nothing had been put. */
    void reset();

  private:
    void end_group();
    void end_literals();
    void put_number(std::uint64_t number);
    bool put_differences(Predictor::Slot *slots);

    Predictor predictor_;
    std::vector<std::uint64_t> group_; /* an execution and its accesses */
    std::vector<std::uint64_t> literals_;
    std::vector<std::uint8_t> tokens_;
};

} // namespace laxity

#endif
