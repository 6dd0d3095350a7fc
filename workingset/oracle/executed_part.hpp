// SPDX-FileCopyrightText: 2026 The laxity authors
// SPDX-License-Identifier: MIT
// The analysis of that part of a program which a run executed.
#ifndef LAXITY_WORKINGSET_EXECUTED_PART_HPP
#define LAXITY_WORKINGSET_EXECUTED_PART_HPP

#include "numbering.hpp"
#include "static_sets.hpp"

#include <memory>
#include <string>
#include <vector>

namespace laxity::workingset::oracle {

class ExecutedPart {
  public:
    // A copy of the module in which blocks without an executed instruction end as soon as they are
    // entered.
    [[nodiscard]] static llvm::Expected<std::unique_ptr<ExecutedPart>> analyse(
        const llvm::Module &module,
        const std::vector<bool> &is_executed,
        const StaticSets::Options &options
    );

    // By object of the whole program: that of the part; NO_OBJECT where there is none, or where it
    // has no value of its own to be found by, and then `is_known` is false.
    struct Counterpart {
        unsigned object = NO_OBJECT;
        bool is_known = false;
    };
    static constexpr unsigned NO_OBJECT = ~0U;
    [[nodiscard]] std::vector<Counterpart>
    counterparts(const StaticSets &whole, const Numbering &numbering) const;

    // Numbers are those of the whole program; only executed instructions are there.
    [[nodiscard]] const llvm::Instruction &instruction(uint32_t number) const
    {
        return *numbering_.instructions[number];
    }
    [[nodiscard]] std::vector<unsigned> find_contexts(const Resolved &resolved)
    {
        return sets_->find_contexts(resolved, numbering_);
    }
    [[nodiscard]] StaticSets &sets() const
    {
        return *sets_;
    }

  private:
    ExecutedPart(std::unique_ptr<llvm::Module> copy, std::vector<bool> is_left);

    std::unique_ptr<llvm::Module> copy_;
    Numbering numbering_;       // made before anything was taken away
    std::vector<bool> is_left_; // by instruction
    std::unique_ptr<StaticSets> sets_;
};

} // namespace laxity::workingset::oracle

#endif
