// SPDX-FileCopyrightText: 2026 The laxity authors
// SPDX-License-Identifier: MIT
/* What every table of an analysis is written by: a file, and fields of CSV. */
#pragma once

#include <functional>
#include <llvm/ADT/StringRef.h>
#include <llvm/Support/Error.h>
#include <llvm/Support/raw_ostream.h>
#include <string>

namespace laxity::workingset {

/* A CSV field (RFC 4180): quoted where it must be. */
std::string csv_field(llvm::StringRef text);

/* Write a file whole. The error names the path; what was written until then is left. */
llvm::Error
write_table(const std::string &path, const std::function<void(llvm::raw_ostream &)> &writer);

} // namespace laxity::workingset
