/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
/* Ticks and nanoseconds. */
#ifndef LAXITY_SIM_CLOCK_HPP
#define LAXITY_SIM_CLOCK_HPP

#include <cstdint>

namespace laxity {

/* Products of ticks and frequencies. */
__extension__ using Wide = unsigned __int128;

class Clock {
  public:
    /* A fraction of ticks per second. */
    Clock(std::uint64_t numerator, std::uint64_t denominator)
        : ticks_(numerator), ns_(static_cast<Wide>(denominator) * NS_PER_S)
    {
    }

    [[nodiscard]] std::int64_t ceil_ns(std::uint64_t ticks) const
    {
        return static_cast<std::int64_t>((ticks * ns_ + ticks_ - 1) / ticks_);
    }
    [[nodiscard]] std::int64_t floor_ns(std::uint64_t ticks) const
    {
        return static_cast<std::int64_t>(ticks * ns_ / ticks_);
    }
    /* The first tick at or after an instant; an instant that is too far away never comes. */
    [[nodiscard]] std::uint64_t ticks_of(std::int64_t time_ns) const
    {
        const Wide ticks = (static_cast<Wide>(time_ns) * ticks_ + ns_ - 1) / ns_;
        return ticks < UINT64_MAX ? static_cast<std::uint64_t>(ticks) : UINT64_MAX;
    }
    /* The first tick that is told as this instant or a later one. */
    [[nodiscard]] std::uint64_t first_told_as(std::int64_t time_ns) const
    {
        return time_ns <= 0 ? 0 : ticks_before(time_ns - 1) + 1;
    }

  private:
    [[nodiscard]] std::uint64_t ticks_before(std::int64_t time_ns) const
    {
        const Wide ticks = static_cast<Wide>(time_ns) * ticks_ / ns_;
        return ticks < UINT64_MAX - 1 ? static_cast<std::uint64_t>(ticks) : UINT64_MAX - 1;
    }

    static constexpr std::uint64_t NS_PER_S = 1'000'000'000;

    std::uint64_t ticks_;
    Wide ns_;
};

} // namespace laxity

#endif
