/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
/* A predictor of branches: a counter of two bits each, at the branch's own address. */
#ifndef LAXITY_SIM_BRANCHES_HPP
#define LAXITY_SIM_BRANCHES_HPP

#include <cstddef>
#include <cstdint>
#include <vector>

namespace laxity {

class Branches {
  public:
    /* A power of two; 0: there is no predictor. */
    explicit Branches(std::uint32_t n_entries) : counters_(n_entries, WEAKLY_NOT_TAKEN) {}

    [[nodiscard]] bool exists() const
    {
        return !counters_.empty();
    }

    /* What a branch does. False: it was predicted wrongly. */
    bool learn(std::uint64_t address, bool is_taken)
    {
        /* Instructions lie at even addresses wherever they are of one size or of two. */
        std::uint8_t &counter = counters_.data()[address / 2 & (counters_.size() - 1)];
        const bool is_right = (counter >= WEAKLY_TAKEN) == is_taken;
        if (is_taken && counter < MOST) {
            counter++;
        } else if (!is_taken && counter > 0) {
            counter--;
        }
        return is_right;
    }

  private:
    static constexpr std::uint8_t WEAKLY_NOT_TAKEN = 1;
    static constexpr std::uint8_t WEAKLY_TAKEN = 2;
    static constexpr std::uint8_t MOST = 3;

    std::vector<std::uint8_t> counters_;
};

} // namespace laxity

#endif
