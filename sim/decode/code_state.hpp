/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
/*
 * Where a program's code is ARM, and where Thumb: by the mapping symbols $a and $t of its ELF file
 * (ELF for the Arm Architecture, 5.5.5).
 */
#ifndef LAXITY_SIM_CODE_STATE_HPP
#define LAXITY_SIM_CODE_STATE_HPP

#include <cstdint>
#include <vector>

namespace laxity {

enum class CodeState {
    Unknown,
    Arm,
    Thumb
};

class CodeStates {
  public:
    CodeStates() = default;
    /* Without symbols nothing is known; `path` may be null. */
    explicit CodeStates(const char *path);

    [[nodiscard]] CodeState at(std::uint64_t address) const;

  private:
    struct Change {
        std::uint64_t address;
        CodeState state;
    };

    std::vector<Change> changes_; /* by address */
};

} // namespace laxity

#endif
