// SPDX-FileCopyrightText: 2026 The laxity authors
// SPDX-License-Identifier: MIT
#include "analysis/assembly_names.hpp"

#include <llvm/ADT/STLExtras.h>
#include <llvm/ADT/StringExtras.h>
#include <llvm/IR/DataLayout.h>

namespace laxity::workingset {

namespace {

bool is_of_word(char letter)
{
    return llvm::isAlnum(letter) || letter == '_';
}

} // namespace

AssemblyNames::AssemblyNames(const llvm::Module &module)
    : text_(module.getModuleInlineAsm()), prefix_(module.getDataLayout().getGlobalPrefix())
{
    for (llvm::StringRef rest = text_; !rest.empty();) {
        rest = rest.drop_until(is_of_word);
        const llvm::StringRef word = rest.take_while(is_of_word);
        words_.insert(word);
        rest = rest.drop_front(word.size());
    }
}

bool AssemblyNames::contains(const llvm::GlobalValue &global) const
{
    llvm::StringRef name = global.getName();
    name.consume_front("\1"); // as it is, without a prefix
    if (text_.empty() || name.empty()) {
        return false;
    }
    if (!llvm::all_of(name, is_of_word)) {
        return text_.contains(name);
    }
    return words_.contains(name) || (prefix_ != 0 && words_.contains(prefix_ + name.str()));
}

} // namespace laxity::workingset
