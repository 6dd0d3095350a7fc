/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
/* What a core's loads have asked for, by their instructions (docs/simulation-model.md, step g). */
#ifndef LAXITY_SIM_STRIDES_HPP
#define LAXITY_SIM_STRIDES_HPP

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>

namespace laxity {

/* Of no instruction that the prefetcher looks at. */
constexpr std::uint64_t NO_INSTRUCTION = UINT64_MAX;

class Strides {
  public:
    /* An instruction has asked for a line. Returns the one that it will ask for next, if it goes on
     * as it has done twice. */
    std::optional<std::uint64_t> note(std::uint64_t instruction, std::uint64_t line)
    {
        Entry &entry = entries_[instruction / 2 % entries_.size()];
        if (entry.instruction != instruction) {
            entry = {.instruction = instruction, .line = line, .stride = 0};
            return std::nullopt;
        }
        const std::uint64_t stride = line - entry.line; /* downwards, too */
        const bool is_again = stride != 0 && stride == entry.stride;
        entry.line = line;
        entry.stride = stride;
        return is_again ? std::optional{line + stride} : std::nullopt;
    }

  private:
    static constexpr std::size_t ENTRIES = 64;

    struct Entry {
        std::uint64_t instruction = NO_INSTRUCTION;
        std::uint64_t line = 0;
        std::uint64_t stride = 0;
    };

    std::array<Entry, ENTRIES> entries_;
};

} // namespace laxity

#endif
