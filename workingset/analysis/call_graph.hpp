// SPDX-FileCopyrightText: 2026 The laxity authors
// SPDX-License-Identifier: MIT
#pragma once

#include "analysis/constraints.hpp"
#include "analysis/module_index.hpp"

#include <llvm/ADT/ArrayRef.h>
#include <llvm/ADT/STLFunctionalExtras.h>
#include <vector>

namespace laxity::workingset {

/* Which functions each calls; nullptr may stand for code that nobody knows. */
using Calls = llvm::DenseMap<const llvm::Function *, llvm::SetVector<const llvm::Function *>>;
using FunctionSets = std::vector<std::vector<const llvm::Function *>>;

/* Functions that call each other, callees before callers; from each of `starts`. */
[[nodiscard]] FunctionSets
find_components(llvm::ArrayRef<const llvm::Function *> starts, const Calls &calls);

/* Which defined functions call which, and in what order to look at them. */
class CallGraph {
  public:
    using Targets =
        llvm::function_ref<llvm::SetVector<const llvm::Function *>(const llvm::CallBase &call)>;

    /* `targets`: the functions that a call may enter. */
    CallGraph(const llvm::Module &module, const ModuleIndex &index, Targets targets);
    CallGraph(
        const llvm::Module &module, const ModuleIndex &index, const PointerAnalysis &pointers
    );

    /* The defined functions that a call may enter, directly or because a function outside calls
     * them back. */
    [[nodiscard]] llvm::ArrayRef<const llvm::Function *> callees(const llvm::CallBase &call) const;

    /* Those that any call of a function may enter. */
    [[nodiscard]] llvm::ArrayRef<const llvm::Function *> callees(const llvm::Function &caller
    ) const;

    /* Functions that call each other, callees before callers. */
    [[nodiscard]] const FunctionSets &bottom_up() const
    {
        return components_;
    }
    [[nodiscard]] bool is_recursive(const llvm::Function &function) const
    {
        return recursive_.contains(&function);
    }
    /* The functions that call each other in a circle; of one that is in none, itself. */
    [[nodiscard]] const std::vector<const llvm::Function *> &
    component(const llvm::Function &function) const
    {
        return components_[component_numbers_.lookup(&function)];
    }
    [[nodiscard]] bool is_same_component(const llvm::Function &a, const llvm::Function &b) const
    {
        return component_numbers_.lookup(&a) == component_numbers_.lookup(&b);
    }

  private:
    void number_components(const llvm::Module &module);

    llvm::DenseMap<const llvm::CallBase *, llvm::SmallVector<const llvm::Function *, 0>> callees_;
    Calls called_;
    llvm::DenseMap<const llvm::Function *, unsigned> component_numbers_;
    llvm::DenseSet<const llvm::Function *> recursive_;
    FunctionSets components_;
};

} // namespace laxity::workingset
