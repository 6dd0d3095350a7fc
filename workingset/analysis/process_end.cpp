// SPDX-FileCopyrightText: 2026 The laxity authors
// SPDX-License-Identifier: MIT
#include "analysis/process_end.hpp"

#include "analysis/entries.hpp"
#include "analysis/summaries.hpp"

#include <llvm/ADT/STLExtras.h>
#include <llvm/ADT/SetVector.h>
#include <llvm/IR/InstrTypes.h>

namespace laxity::workingset {

namespace {

using FunctionSet = llvm::DenseSet<const llvm::Function *>;

/* Functions that come to a call of exit(), by themselves or through others. */
FunctionSet
find_exiting(const ModuleIndex &index, const CallGraph &graph, const PointerAnalysis &pointers)
{
    FunctionSet exiting;
    const auto is_exiting = [&](const llvm::Function *function) {
        return llvm::any_of(
                   index.calls_and_allocas(*function),
                   [&](const llvm::Instruction *site) {
                       const auto *call = llvm::dyn_cast<llvm::CallBase>(site);
                       return call != nullptr && find_outside_call(*call, pointers).ends_process;
                   }
               ) ||
               llvm::any_of(graph.callees(*function), [&](const llvm::Function *callee) {
                   return exiting.contains(callee);
               });
    };
    for (const auto &component : graph.bottom_up()) {
        if (llvm::any_of(component, is_exiting)) {
            exiting.insert(component.begin(), component.end());
        }
    }
    return exiting;
}

} // namespace

std::vector<const llvm::Function *>
find_exit_functions(const llvm::Module &module, const PointerAnalysis &pointers)
{
    llvm::SetVector<const llvm::Function *> functions = pointers.exit_functions();
    const auto destructors = find_destructors(module);
    functions.insert(destructors.begin(), destructors.end());
    if (pointers.may_have_unknown_handlers()) {
        const auto &escaped = pointers.escaped_functions();
        functions.insert(escaped.begin(), escaped.end());
    }
    functions.remove_if([](const llvm::Function *function) { return function->isDeclaration(); });
    return {functions.begin(), functions.end()};
}

FunctionSet find_entered_at_exit(
    const ModuleCopies &copies,
    const ModuleIndex &index,
    const CallGraph &graph,
    const PointerAnalysis &pointers
)
{
    FunctionSet entered;
    std::vector<const llvm::Function *> open = find_exit_functions(copies.module(), pointers);
    while (!open.empty()) {
        const llvm::Function *function = open.back();
        open.pop_back();
        if (entered.insert(function).second) {
            llvm::append_range(open, graph.callees(*function));
        }
    }
    // One copy may be on the stack and another be entered: the frame of both is one object.
    FunctionSet originals;
    for (const llvm::Function *function : entered) {
        originals.insert(&copies.original(*function));
    }
    FunctionSet twice;
    for (const llvm::Function *function : find_exiting(index, graph, pointers)) {
        if (originals.contains(&copies.original(*function))) {
            twice.insert(&copies.original(*function));
        }
    }
    return twice;
}

} // namespace laxity::workingset
