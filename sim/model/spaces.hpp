/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
/* Whose memory a line is of: a task's, or a program's, whose tasks share it
 * (docs/simulation-model.md, section 2). */
#ifndef LAXITY_SIM_SPACES_HPP
#define LAXITY_SIM_SPACES_HPP

#include "interface/engine.h"

#include <algorithm>
#include <bit>
#include <cstdint>
#include <vector>

namespace laxity {

/* Lines have the number of their space above an address of 48 bits. Tasks have their own, and the
 * kernel is one; programs' follow from here on. */
constexpr unsigned SPACE_SHIFT = 48;
constexpr std::uint32_t KERNEL = 0xffff;
constexpr std::uint32_t PROGRAM_SPACES = 0x8000;

/* What a task shares with the others of its program. */
class Shared {
  public:
    Shared(const laxity_sim_task &task, std::uint64_t first_line, std::uint32_t line_bytes)
        : line_shift_(static_cast<unsigned>(std::countr_zero(line_bytes))), first_line_(first_line),
          ranges_(task.shared, task.shared + task.n_shared),
          space_(std::uint64_t{PROGRAM_SPACES + task.program} << SPACE_SHIFT >> line_shift_)
    {
        if (!ranges_.empty()) {
            begin_ = ranges_.front().begin;
            end_ = ranges_.back().end;
        }
        begin_line_ = first_line + (begin_ >> line_shift_);
        end_line_ = first_line + (end_ >> line_shift_);
    }

    /* The number by which caches and memory know a line of the task. */
    [[nodiscard]] std::uint64_t line_of(std::uint64_t line) const
    {
        /* Most data lie behind all that is shared. */
        return line < end_line_ && line >= begin_line_ ? find(line - first_line_) : line;
    }

    /* Whether one of these bytes is shared. */
    [[nodiscard]] bool has(std::uint64_t address, std::uint64_t bytes) const
    {
        return address < end_ && address + bytes > begin_ &&
               std::ranges::any_of(ranges_, [address, bytes](const laxity_sim_range &range) {
                   return address < range.end && address + bytes > range.begin;
               });
    }

  private:
    [[nodiscard]] std::uint64_t find(std::uint64_t line) const
    {
        return (has(line << line_shift_, 1) ? space_ : first_line_) + line;
    }

    unsigned line_shift_;
    std::uint64_t first_line_; /* of the task */
    std::vector<laxity_sim_range> ranges_;
    std::uint64_t space_; /* its first line */
    std::uint64_t begin_ = 0;
    std::uint64_t end_ = 0; /* of all ranges together */
    std::uint64_t begin_line_ = 0;
    std::uint64_t end_line_ = 0;
};

} // namespace laxity

#endif
