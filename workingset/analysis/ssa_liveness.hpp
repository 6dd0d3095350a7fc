// SPDX-FileCopyrightText: 2026 The laxity authors
// SPDX-License-Identifier: MIT
#pragma once

#include "analysis/module_index.hpp"

#include <llvm/IR/Function.h>
#include <vector>

namespace laxity::workingset {

/* SSA liveness of a module, one function at a time: bits before each instruction, and across each
 * call. */
class SsaLiveness {
  public:
    SsaLiveness(const llvm::Module &module, const ModuleIndex &index);

    /* Of instructions. */
    [[nodiscard]] unsigned size() const
    {
        return static_cast<unsigned>(before_.size());
    }
    /* Bits of the values that are still to be used before this instruction; of a phi: after all
     * phis of its block. */
    [[nodiscard]] uint64_t bits_before(unsigned instruction) const
    {
        return before_[instruction];
    }
    /* Bits that stay in the frame while a call runs: live after it, without its result. */
    [[nodiscard]] uint64_t bits_across(unsigned call) const
    {
        return across_[call];
    }

  private:
    std::vector<uint64_t> before_;
    std::vector<uint64_t> across_;
};

} // namespace laxity::workingset
