// SPDX-FileCopyrightText: 2026 The laxity authors
// SPDX-License-Identifier: MIT
#include "analysis/outside.hpp"

#include "analysis/accesses.hpp"

#include <llvm/IR/DebugInfoMetadata.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/Module.h>
#include <llvm/TargetParser/Triple.h>

namespace laxity::workingset {

namespace {

/* Only one file can name it: all its descriptions say so, and there is one. */
bool is_static(const llvm::GlobalVariable &variable)
{
    llvm::SmallVector<llvm::DIGlobalVariableExpression *, 1> descriptions;
    variable.getDebugInfo(descriptions);
    return !descriptions.empty() &&
           llvm::all_of(descriptions, [](const llvm::DIGlobalVariableExpression *description) {
               return description->getVariable()->isLocalToUnit();
           });
}

} // namespace

Outside::Outside(
    const llvm::Module &module,
    const ObjectTable &objects,
    const PointerAnalysis &pointers,
    const CallGraph &graph,
    const llvm::StringSet<> &entries
)
    : module_(module), objects_(objects), is_escaped_(objects.size()),
      // After setjmp a volatile variable of the frame is what it was last, whatever path led there.
      is_anything_possible_(
          pointers.is_fallback() || pointers.is_concurrent() || pointers.has_second_returns()
      ),
      is_process_(
          llvm::Triple(module.getTargetTriple()).isOSLinux() &&
          module.getFunction("main") != nullptr && !module.getFunction("main")->isDeclaration() &&
          module.getModuleInlineAsm().empty()
      )
{
    if (is_anything_possible_) {
        return;
    }
    for (const Location &place : pointers.escaped()) {
        is_escaped_[place.object] = true;
    }
    if (!is_process_) {
        return;
    }
    llvm::SmallVector<llvm::GlobalValue *, 8> kept;
    llvm::collectUsedGlobalVariables(module, kept, false);
    llvm::collectUsedGlobalVariables(module, kept, true);
    is_kept_.insert(kept.begin(), kept.end());
    for (const llvm::GlobalAlias &alias : module.aliases()) {
        is_kept_.insert(alias.getAliaseeObject());
    }
    find_entered(graph, entries);
}

/* Whoever has the address of a function, or its name, may enter it at any time. */
void Outside::find_entered(const CallGraph &graph, const llvm::StringSet<> &entries)
{
    std::vector<const llvm::Function *> open;
    const auto enter = [&](const llvm::Function &function) {
        if (!function.isDeclaration() && entered_.insert(&function).second) {
            open.push_back(&function);
        }
    };
    for (const llvm::Function &function : module_) {
        const bool is_named = !function.hasLocalLinkage() && !entries.contains(function.getName());
        if (is_named || is_kept_.contains(&function) || function.hasAddressTaken()) {
            enter(function);
        }
    }
    while (!open.empty()) {
        const llvm::Function &function = *open.back();
        open.pop_back();
        for (const llvm::Function *callee : graph.callees(function)) {
            enter(*callee);
        }
    }
}

bool Outside::is_named_outside(const llvm::GlobalVariable &variable) const
{
    return !variable.hasLocalLinkage() || !variable.hasInitializer() || variable.hasSection() ||
           variable.isThreadLocal() || variable.getAddressSpace() != 0 ||
           is_kept_.contains(&variable) || !is_static(variable);
}

bool Outside::may_touch(unsigned number) const
{
    const Object &object = objects_[number];
    if (is_anything_possible_ || is_escaped_[number]) {
        return true;
    }
    if (object.kind == ObjectKind::Alloca) {
        return false;
    }
    const auto *variable = llvm::dyn_cast_if_present<llvm::GlobalVariable>(object.value);
    return !is_process_ || variable == nullptr || is_named_outside(*variable);
}

namespace {

/* `visit(access, object, function)` for each object that an access may touch. */
template <typename Visit>
void visit_places(const ModuleIndex &index, const PointerAnalysis &pointers, Visit visit)
{
    for (unsigned number = 0; number < index.size(); number++) {
        const llvm::Instruction &instruction = index.instruction(number);
        for (const Access &access : find_accesses(instruction, pointers).accesses) {
            for (const Location &place : access.places) {
                visit(access, place.object, *instruction.getFunction());
            }
        }
    }
}

} // namespace

std::map<unsigned, bool> find_volatile(
    const ModuleIndex &index,
    const PointerAnalysis &pointers,
    const ObjectTable &objects,
    const Outside &outside
)
{
    std::map<unsigned, bool> touched; // by volatile object
    bool depends_on_functions = false;
    const auto begin = [&](const Access &access, unsigned object, const llvm::Function & /*in*/) {
        if (access.is_volatile && !touched.contains(object)) {
            touched[object] = outside.may_touch(object);
            depends_on_functions = depends_on_functions ||
                                   (!touched[object] && objects[object].kind == ObjectKind::Global);
        }
    };
    visit_places(index, pointers, begin);
    if (!depends_on_functions) {
        return touched;
    }
    const auto add_function =
        [&](const Access & /*access*/, unsigned object, const llvm::Function &function) {
            // Whoever enters a function once more makes other variables in its frame.
            const auto found = touched.find(object);
            if (found != touched.end() && objects[object].kind == ObjectKind::Global) {
                found->second = found->second || outside.may_enter(objects.original(function));
            }
        };
    visit_places(index, pointers, add_function);
    return touched;
}

} // namespace laxity::workingset
