// SPDX-FileCopyrightText: 2026 The laxity authors
// SPDX-License-Identifier: MIT
// laxity-workingset-mark: writes a copy of a program that has a table of its migration points.
#include "analysis/table_file.hpp"
#include "mark.hpp"
#include "segments.hpp"

#include <llvm/Bitcode/BitcodeWriter.h>
#include <llvm/IR/LLVMContext.h>
#include <llvm/IRReader/IRReader.h>
#include <llvm/Support/FileSystem.h>
#include <llvm/Support/MemoryBuffer.h>
#include <llvm/Support/SourceMgr.h>
#include <llvm/Support/raw_ostream.h>

namespace {

constexpr int EXIT_USAGE = 2, EXIT_LACKS = 3;

constexpr const char *USAGE = R"(usage: laxity-workingset-mark PROGRAM.bc POINTS.csv OUT.bc
       laxity-workingset-mark PROGRAM.bc --segments SEGMENTS.csv OUT.bc
Write a copy of a program whose object file has a section laxity_hints: one record per migration point.

  POINTS.csv  rows "number,function,block,index,live_bits,cost_ns" under a header; blocks and indices
              are those of workingset.csv, cost_ns may be empty
  --segments  the copy tells which segments it executes (laxity_segment); SEGMENTS.csv says what
              they are
)";

int fail(int code, const llvm::Twine &message)
{
    llvm::errs() << "laxity-workingset-mark: " << message << '\n';
    return code;
}

int write_program(const llvm::Module &module, const char *out)
{
    std::error_code code;
    llvm::raw_fd_ostream file(out, code);
    if (!code) {
        llvm::WriteBitcodeToFile(module, file);
        file.close();
        code = file.error();
        file.clear_error();
    }
    if (code) {
        return fail(
            EXIT_LACKS, llvm::Twine("write ") + out + ": " + code.message() + "; make room"
        );
    }
    return 0;
}

std::unique_ptr<llvm::Module> read_program(const char *program, llvm::LLVMContext &context)
{
    llvm::SMDiagnostic diagnostic;
    std::unique_ptr<llvm::Module> module = llvm::parseIRFile(program, diagnostic, context);
    if (!module) {
        fail(
            EXIT_USAGE,
            llvm::Twine("read ") + program + ": " + diagnostic.getMessage() +
                "; give bitcode of LLVM 19"
        );
    }
    return module;
}

int mark(const char *program, const char *points, const char *out)
{
    llvm::LLVMContext context;
    const std::unique_ptr<llvm::Module> module = read_program(program, context);
    if (!module) {
        return EXIT_USAGE;
    }
    auto text = llvm::MemoryBuffer::getFile(points);
    if (!text) {
        return fail(
            EXIT_USAGE,
            llvm::Twine("read ") + points + ": " + text.getError().message() + "; correct the path"
        );
    }
    if (llvm::Error error = laxity::workingset::mark_points(*module, (*text)->getBuffer())) {
        return fail(
            EXIT_USAGE, llvm::Twine("mark ") + program + ": " + llvm::toString(std::move(error))
        );
    }
    return write_program(*module, out);
}

int trace(const char *program, const char *segments, const char *out)
{
    llvm::LLVMContext context;
    const std::unique_ptr<llvm::Module> module = read_program(program, context);
    if (!module) {
        return EXIT_USAGE;
    }
    if (llvm::Error error = laxity::workingset::write_table(segments, [&](auto &table) {
            laxity::workingset::trace_segments(*module, table);
        })) {
        return fail(EXIT_LACKS, llvm::toString(std::move(error)) + "; make room");
    }
    return write_program(*module, out);
}

} // namespace

int main(int argc, char **argv)
{
    const llvm::ArrayRef<const char *> words(
        argv + 1, static_cast<size_t>(argc > 0 ? argc - 1 : 0)
    );
    if (words.size() == 1 && llvm::StringRef(words[0]) == "--version") {
        llvm::outs() << "laxity-workingset-mark " << LAXITY_VERSION << '\n';
        return 0;
    }
    if (words.size() == 1 && llvm::StringRef(words[0]) == "--help") {
        llvm::outs() << USAGE;
        return 0;
    }
    if (words.size() == 4 && llvm::StringRef(words[1]) == "--segments") {
        return trace(words[0], words[2], words[3]);
    }
    return words.size() == 3 ? mark(words[0], words[1], words[2])
                             : fail(EXIT_USAGE, "read options: three files are needed; see --help");
}
