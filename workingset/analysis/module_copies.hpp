// SPDX-FileCopyrightText: 2026 The laxity authors
// SPDX-License-Identifier: MIT
#pragma once

#include "analysis/module_index.hpp"

#include <llvm/ADT/ArrayRef.h>
#include <llvm/ADT/STLFunctionalExtras.h>
#include <memory>

namespace laxity::workingset {

/*
 * A copy of the user's module that the analysis may change, and what of it stands for what.
 *
 * A function of the user may have several copies (one per calling situation) or none (no path leads
 * there). All that a user hears of is in terms of the original, which is never touched. Debug
 * information is not copied: the analysis does not look at it.
 */
class ModuleCopies {
  public:
    ModuleCopies(const llvm::Module &original, const ModuleIndex &index);

    [[nodiscard]] llvm::Module &module()
    {
        return *module_;
    }
    [[nodiscard]] const llvm::Module &module() const
    {
        return *module_;
    }

    /* One more copy, of what `body` is now. */
    llvm::Function &add_copy(llvm::Function &body);
    /* Nothing calls these but they themselves. */
    void remove(llvm::ArrayRef<llvm::Function *> functions);
    /* It is about to go, since nothing leads there. */
    void forget(const llvm::Instruction &copy);
    /* `by` now does what `copy` did, which is about to go. */
    void replace(const llvm::Instruction &copy, const llvm::Instruction &by);

    [[nodiscard]] const llvm::Function &original(const llvm::Function &copy) const
    {
        return *originals_.lookup(&copy);
    }
    /* Of a global, an argument or an instruction; nullptr: of something else. */
    [[nodiscard]] const llvm::Value *original(const llvm::Value &copy) const;
    [[nodiscard]] llvm::ArrayRef<llvm::Function *> copies(const llvm::Function &original) const;

    /* The number of the original of an instruction that has one. */
    [[nodiscard]] unsigned origin(const llvm::Instruction &copy) const
    {
        return origins_.lookup(&copy);
    }
    /* In one copy of its function; nullptr: no path leads there. */
    [[nodiscard]] const llvm::Instruction *
    find(const llvm::Function &copy, const llvm::Instruction &original) const
    {
        return find(copy, index_.number(original));
    }
    /* The same by the number of the original. */
    [[nodiscard]] const llvm::Instruction *
    find(const llvm::Function &copy, unsigned original) const;

  private:
    void add_function(llvm::Function &copy, const llvm::Function &original);

    const ModuleIndex &index_; // of the original
    std::unique_ptr<llvm::Module> module_;
    llvm::DenseMap<const llvm::Value *, const llvm::Value *> globals_; // original of each
    llvm::DenseMap<const llvm::Function *, const llvm::Function *> originals_;
    llvm::DenseMap<const llvm::Function *, llvm::SmallVector<llvm::Function *, 1>> copies_;
    llvm::DenseMap<const llvm::Instruction *, unsigned> origins_;
    /* Of a copied function, in the order of the original's numbers. */
    struct Body {
        unsigned first_number = 0;
        std::vector<const llvm::Instruction *> instructions;
    };
    llvm::DenseMap<const llvm::Function *, Body> bodies_;
};

} // namespace laxity::workingset
