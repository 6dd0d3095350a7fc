// SPDX-FileCopyrightText: 2026 The laxity authors
// SPDX-License-Identifier: MIT
#include "analysis/type_infos.hpp"

#include <llvm/IR/Constants.h>

namespace laxity::workingset {

namespace {

void add_named(const llvm::Value &value, TypeInfos &infos)
{
    if (const auto *global = llvm::dyn_cast<llvm::GlobalVariable>(&value)) {
        if (infos.insert(global) && global->hasInitializer()) {
            add_named(*global->getInitializer(), infos);
        }
        return;
    }
    const auto *constant = llvm::dyn_cast<llvm::Constant>(&value);
    if (constant == nullptr || llvm::isa<llvm::Function>(constant)) {
        return;
    }
    for (const llvm::Use &operand : constant->operands()) {
        add_named(*operand, infos);
    }
}

} // namespace

TypeInfos find_type_infos(const llvm::Value &info)
{
    TypeInfos infos;
    add_named(info, infos);
    return infos;
}

TypeInfos find_type_infos(const llvm::LandingPadInst &landing)
{
    TypeInfos infos;
    for (unsigned i = 0; i < landing.getNumClauses(); i++) {
        add_named(*landing.getClause(i), infos);
    }
    return infos;
}

} // namespace laxity::workingset
