// SPDX-FileCopyrightText: 2026 The laxity authors
// SPDX-License-Identifier: MIT
#include "analysis/faults.hpp"

#include <llvm/ADT/StringSet.h>
#include <llvm/ADT/Twine.h>

namespace laxity::workingset {

Fault selected_fault = Fault::None;

namespace {

llvm::StringSet<> &dropped_words()
{
    static llvm::StringSet<> words;
    return words;
}

} // namespace

void drop_from_table(llvm::StringRef word)
{
    dropped_words().insert(word);
}

bool is_dropped_row(llvm::StringRef row)
{
    return dropped_words().contains(row);
}

bool is_dropped_column(llvm::StringRef row, llvm::StringRef column)
{
    return dropped_words().contains((row + llvm::Twine(":") + column).str());
}

} // namespace laxity::workingset
