// SPDX-FileCopyrightText: 2026 The laxity authors
// SPDX-License-Identifier: MIT
#include "analysis/call_graph.hpp"

#include <algorithm>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicInst.h>

namespace laxity::workingset {

CallGraph::CallGraph(const llvm::Module &module, const PointerAnalysis &pointers)
{
    for (const llvm::Function &function : module) {
        for (const llvm::Instruction &instruction : llvm::instructions(function)) {
            const auto *call = llvm::dyn_cast<llvm::CallBase>(&instruction);
            if (call == nullptr || llvm::isa<llvm::IntrinsicInst>(call)) {
                continue;
            }
            llvm::SetVector<const llvm::Function *> targets = pointers.callees(*call);
            if (pointers.may_call_unknown(*call)) {
                targets.insert(
                    pointers.escaped_functions().begin(), pointers.escaped_functions().end()
                );
            }
            targets.remove_if([](const llvm::Function *target) { return target->isDeclaration(); });
            callees_[call] = targets.takeVector();
            for (const llvm::Function *target : callees_[call]) {
                called_[&function].insert(target);
            }
        }
    }
    find_components(module);
}

llvm::ArrayRef<const llvm::Function *> CallGraph::callees(const llvm::CallBase &call) const
{
    auto found = callees_.find(&call);
    if (found == callees_.end()) {
        return {};
    }
    return found->second;
}

namespace {

/* Tarjan; the depth of recursion is that of the call graph. */
struct Finder {
    using Called = llvm::DenseMap<const llvm::Function *, llvm::SetVector<const llvm::Function *>>;
    Finder(const Called &all_called, std::vector<std::vector<const llvm::Function *>> &found)
        : called(all_called), components(found)
    {
    }

    const Called &called;
    std::vector<std::vector<const llvm::Function *>> &components;
    llvm::DenseMap<const llvm::Function *, unsigned> index, low;
    llvm::DenseSet<const llvm::Function *> open;
    std::vector<const llvm::Function *> stack;

    void visit(const llvm::Function *function)
    {
        const unsigned number = index.size() + 1;
        index[function] = low[function] = number;
        stack.push_back(function);
        open.insert(function);
        if (auto found = called.find(function); found != called.end()) {
            for (const llvm::Function *callee : found->second) {
                if (!index.contains(callee)) {
                    visit(callee);
                    low[function] = std::min(low[function], low[callee]);
                } else if (open.contains(callee)) {
                    low[function] = std::min(low[function], index[callee]);
                }
            }
        }
        if (low[function] == number) {
            close(function);
        }
    }
    void close(const llvm::Function *head)
    {
        std::vector<const llvm::Function *> component;
        const llvm::Function *member = nullptr;
        do {
            member = stack.back();
            stack.pop_back();
            open.erase(member);
            component.push_back(member);
        } while (member != head);
        components.push_back(std::move(component));
    }
};

} // namespace

void CallGraph::find_components(const llvm::Module &module)
{
    Finder finder(called_, components_);
    for (const llvm::Function &function : module) {
        if (!function.isDeclaration() && !finder.index.contains(&function)) {
            finder.visit(&function);
        }
    }
    for (unsigned number = 0; number < components_.size(); number++) {
        for (const llvm::Function *member : components_[number]) {
            component_numbers_[member] = number;
            auto found = called_.find(member);
            const bool calls_itself = found != called_.end() && found->second.contains(member);
            if (components_[number].size() > 1 || calls_itself) {
                recursive_.insert(member);
            }
        }
    }
}

} // namespace laxity::workingset
