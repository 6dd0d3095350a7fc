// SPDX-FileCopyrightText: 2026 The laxity authors
// SPDX-License-Identifier: MIT
#include "analysis/table_file.hpp"

namespace laxity::workingset {

std::string csv_field(llvm::StringRef text)
{
    if (text.find_first_of(",\"\n\r") == llvm::StringRef::npos) {
        return text.str();
    }
    std::string quoted = "\"";
    for (const char c : text) {
        quoted += c == '"' ? "\"\"" : std::string(1, c);
    }
    return quoted + "\"";
}

llvm::Error
write_table(const std::string &path, const std::function<void(llvm::raw_ostream &)> &writer)
{
    std::error_code code;
    llvm::raw_fd_ostream out(path, code);
    constexpr size_t BUFFER_BYTES = 1U << 20;
    out.SetBufferSize(BUFFER_BYTES);
    if (!code) {
        writer(out);
        out.close();
        code = out.error();
        out.clear_error();
    }
    return code ? llvm::createStringError(code, "write " + path + ": " + code.message())
                : llvm::Error::success();
}

} // namespace laxity::workingset
