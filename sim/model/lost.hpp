/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
/* Lines that others have taken from a cache, each with who has (docs/simulation-model.md, section
 * 5). */
#ifndef LAXITY_SIM_LOST_HPP
#define LAXITY_SIM_LOST_HPP

#include "model/table.hpp"

#include <cstdint>

namespace laxity {

/* Who has removed a line since its task used it. */
enum class Cause : std::uint8_t {
    Own, /* no line is lost to its own task: nothing is noted */
    Reload,
    Moved,
    Shared,
};

/* The causes of neighbours are one word: they are often lost, and asked for, one after the other.
 */
class Lost {
  public:
    void set(std::uint64_t line, Cause cause)
    {
        std::uint64_t &causes =
            groups_.insert(line / NEIGHBOURS, [](std::uint64_t of_group) { return of_group == 0; });
        causes = (causes & ~(EACH << shift_of(line))) | static_cast<std::uint64_t>(cause)
                                                            << shift_of(line);
    }

    /* Takes a line out, and tells what was noted of it; Own: nothing. */
    Cause take(std::uint64_t line)
    {
        std::uint64_t *const causes = groups_.find(line / NEIGHBOURS);
        if (causes == nullptr) {
            return Cause::Own;
        }
        const auto cause = static_cast<Cause>(*causes >> shift_of(line) & EACH);
        *causes &= ~(EACH << shift_of(line));
        return cause;
    }

  private:
    static constexpr unsigned BITS = 2;
    static constexpr std::uint64_t EACH = (1U << BITS) - 1;
    static constexpr unsigned NEIGHBOURS = 64 / BITS;

    [[nodiscard]] static unsigned shift_of(std::uint64_t line)
    {
        return line % NEIGHBOURS * BITS;
    }

    Table<std::uint64_t> groups_;
};

} // namespace laxity

#endif
