// SPDX-FileCopyrightText: 2026 The laxity authors
// SPDX-License-Identifier: MIT
#pragma once

#include "analysis/call_graph.hpp"
#include "analysis/constraints.hpp"
#include "analysis/module_index.hpp"
#include "analysis/objects.hpp"

#include <llvm/ADT/DenseSet.h>
#include <llvm/ADT/StringSet.h>
#include <map>
#include <vector>

namespace laxity::workingset {

/*
 * Who else may touch what the program calls volatile: a device, a handler, somebody who looks on.
 *
 * Nobody can where no one else knows the address and no name leads there:
 * - A variable in a frame whose address does not escape.
 * - A variable that only one file of a program of Linux can name (static, not in a section of its
 *   own, without an alias) and whose address does not escape either. Such memory is the process's:
 *   what is no device's cannot become one, and whoever interrupts the program is a function of it
 *   that was handed out. So no function that touches the variable may be entered other than by
 *   the program's own calls from its entries.
 * That a variable is static is read from debug information, since after linking all are. Without
 * it, for other systems, beside threads, signals and setjmp, all may be touched.
 */
class Outside {
  public:
    /* `entries`: names of the functions that a program or job begins with. */
    Outside(
        const llvm::Module &module,
        const ObjectTable &objects,
        const PointerAnalysis &pointers,
        const CallGraph &graph,
        const llvm::StringSet<> &entries
    );

    /* Without any function of the program. */
    [[nodiscard]] bool may_touch(unsigned object) const;
    /* Somebody may enter the function besides the program's own calls. */
    [[nodiscard]] bool may_enter(const llvm::Function &function) const
    {
        return entered_.contains(&function);
    }

  private:
    void find_entered(const CallGraph &graph, const llvm::StringSet<> &entries);
    [[nodiscard]] bool is_named_outside(const llvm::GlobalVariable &variable) const;

    const llvm::Module &module_;
    const ObjectTable &objects_;
    std::vector<bool> is_escaped_;                      // per object
    llvm::DenseSet<const llvm::GlobalValue *> is_kept_; // for assembly or the linker to find
    llvm::DenseSet<const llvm::Function *> entered_;    // not only by the program's own calls
    bool is_anything_possible_;
    bool is_process_;
};

/* The objects that an access of `index` calls volatile, and whether somebody else may touch them.
 */
[[nodiscard]] std::map<unsigned, bool> find_volatile(
    const ModuleIndex &index,
    const PointerAnalysis &pointers,
    const ObjectTable &objects,
    const Outside &outside
);

} // namespace laxity::workingset
