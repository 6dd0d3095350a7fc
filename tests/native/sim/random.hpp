/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
/* Numbers that are the same everywhere, as distributions of the standard library are not. */
#ifndef LAXITY_RANDOM_HPP
#define LAXITY_RANDOM_HPP

#include <cstdint>

/* SplitMix64: Steele, Lea and Flood, "Fast splittable pseudorandom number generators", 2014. */
class Random {
  public:
    explicit Random(std::uint64_t seed) : state_(seed) {}

    std::uint64_t next()
    {
        std::uint64_t z = state_ += 0x9e3779b97f4a7c15U;
        z = (z ^ z >> 30U) * 0xbf58476d1ce4e5b9U;
        z = (z ^ z >> 27U) * 0x94d049bb133111ebU;
        return z ^ z >> 31U;
    }

    std::uint64_t below(std::uint64_t n)
    {
        return next() % n;
    }

    /* Both included. */
    std::uint64_t between(std::uint64_t least, std::uint64_t most)
    {
        return least + below(most - least + 1);
    }

    /* True in n of `of` cases. */
    bool is(std::uint64_t n, std::uint64_t of)
    {
        return below(of) < n;
    }

  private:
    std::uint64_t state_;
};

#endif
