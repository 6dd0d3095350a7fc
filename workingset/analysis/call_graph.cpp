// SPDX-FileCopyrightText: 2026 The laxity authors
// SPDX-License-Identifier: MIT
#include "analysis/call_graph.hpp"

#include <algorithm>
#include <llvm/IR/IntrinsicInst.h>

namespace laxity::workingset {

namespace {

llvm::SetVector<const llvm::Function *>
entered_functions(const llvm::CallBase &call, const PointerAnalysis &pointers)
{
    llvm::SetVector<const llvm::Function *> targets = pointers.callees(call);
    if (pointers.may_call_unknown(call)) {
        targets.insert(pointers.escaped_functions().begin(), pointers.escaped_functions().end());
    }
    return targets;
}

} // namespace

CallGraph::CallGraph(
    const llvm::Module &module, const ModuleIndex &index, const PointerAnalysis &pointers
)
    : CallGraph(module, index, [&](const llvm::CallBase &call) {
          return entered_functions(call, pointers);
      })
{
}

CallGraph::CallGraph(const llvm::Module &module, const ModuleIndex &index, Targets find_targets)
{
    for (const llvm::Function &function : module) {
        for (const llvm::Instruction *site : index.calls_and_allocas(function)) {
            const auto *call = llvm::dyn_cast<llvm::CallBase>(site);
            if (call == nullptr || llvm::isa<llvm::IntrinsicInst>(call)) {
                continue;
            }
            llvm::SetVector<const llvm::Function *> targets = find_targets(*call);
            targets.remove_if([](const llvm::Function *target) { return target->isDeclaration(); });
            callees_[call] = targets.takeVector();
            for (const llvm::Function *target : callees_[call]) {
                called_[&function].insert(target);
            }
        }
    }
    number_components(module);
}

llvm::ArrayRef<const llvm::Function *> CallGraph::callees(const llvm::CallBase &call) const
{
    auto found = callees_.find(&call);
    if (found == callees_.end()) {
        return {};
    }
    return found->second;
}

llvm::ArrayRef<const llvm::Function *> CallGraph::callees(const llvm::Function &caller) const
{
    auto found = called_.find(&caller);
    if (found == called_.end()) {
        return {};
    }
    return found->second.getArrayRef();
}

namespace {

/* Tarjan; the depth of recursion is that of the call graph. */
struct ComponentFinder {
    explicit ComponentFinder(const Calls &all_called) : called(all_called) {}

    const Calls &called;
    FunctionSets components;
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

FunctionSets find_components(llvm::ArrayRef<const llvm::Function *> starts, const Calls &calls)
{
    ComponentFinder finder(calls);
    for (const llvm::Function *function : starts) {
        if (!finder.index.contains(function)) {
            finder.visit(function);
        }
    }
    return std::move(finder.components);
}

void CallGraph::number_components(const llvm::Module &module)
{
    std::vector<const llvm::Function *> defined;
    for (const llvm::Function &function : module) {
        if (!function.isDeclaration()) {
            defined.push_back(&function);
        }
    }
    components_ = find_components(defined, called_);
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
