// SPDX-FileCopyrightText: 2026 The laxity authors
// SPDX-License-Identifier: MIT
#include "analysis/flow_tables.hpp"

#include "analysis/table_file.hpp"

#include <functional>
#include <llvm/ADT/SmallString.h>
#include <llvm/Analysis/LoopInfo.h>
#include <llvm/IR/DebugInfoMetadata.h>
#include <llvm/IR/Dominators.h>
#include <llvm/Support/FileSystem.h>
#include <llvm/Support/Path.h>
#include <llvm/Support/raw_ostream.h>

namespace laxity::workingset {

namespace {

using BlockNumbers = llvm::DenseMap<const llvm::BasicBlock *, unsigned>;
using Visit =
    std::function<void(const llvm::Function &, const BlockNumbers &, const llvm::LoopInfo &)>;

/* Call `visit` for each function that has a body. */
void for_each_function(const llvm::Module &module, const Visit &visit)
{
    for (const llvm::Function &function : module) {
        if (function.isDeclaration()) {
            continue;
        }
        BlockNumbers numbers;
        for (const llvm::BasicBlock &block : function) {
            numbers[&block] = static_cast<unsigned>(numbers.size());
        }
        // The tree is not changed; LLVM's constructor lacks the const.
        llvm::DominatorTree tree(const_cast<llvm::Function &>(function)
        ); // NOLINT(cppcoreguidelines-pro-type-const-cast)
        const llvm::LoopInfo loops(tree);
        visit(function, numbers, loops);
    }
}

/* file, line, column of the source of a loop; empty where the compiler names none. */
void write_start(llvm::raw_ostream &out, const llvm::Loop &loop)
{
    const llvm::DebugLoc start = loop.getStartLoc();
    if (!start) {
        out << ",,";
        return;
    }
    llvm::SmallString<128> path(start->getFilename());
    if (!llvm::sys::path::is_absolute(path)) {
        path = start->getDirectory();
        llvm::sys::path::append(path, start->getFilename());
    }
    out << csv_field(path) << ',' << start->getLine() << ',' << start->getColumn();
}

void write_loops(llvm::raw_ostream &out, const llvm::Module &module)
{
    out << "function,header,parent,file,line,column\n";
    for_each_function(module, [&](const auto &function, const auto &numbers, const auto &loops) {
        for (const llvm::Loop *loop : loops.getLoopsInPreorder()) {
            out << csv_field(function.getName()) << ',' << numbers.lookup(loop->getHeader()) << ',';
            if (const llvm::Loop *parent = loop->getParentLoop()) {
                out << numbers.lookup(parent->getHeader());
            }
            out << ',';
            write_start(out, *loop);
            out << '\n';
        }
    });
}

void write_blocks(llvm::raw_ostream &out, const llvm::Module &module)
{
    out << "function,block,loop\n";
    for_each_function(module, [&](const auto &function, const auto &numbers, const auto &loops) {
        for (const llvm::BasicBlock &block : function) {
            if (const llvm::Loop *loop = loops.getLoopFor(&block)) {
                out << csv_field(function.getName()) << ',' << numbers.lookup(&block) << ','
                    << numbers.lookup(loop->getHeader()) << '\n';
            }
        }
    });
}

void write_calls(llvm::raw_ostream &out, const Analysis &analysis)
{
    out << "function,block,index,callee\n";
    for (unsigned number = 0; number < analysis.index().size(); number++) {
        const auto *call = llvm::dyn_cast<llvm::CallBase>(&analysis.index().instruction(number));
        if (call == nullptr) {
            continue;
        }
        const ModuleIndex::Place place = analysis.index().place(number);
        for (const llvm::Function *callee : analysis.graph().callees(*call)) {
            out << csv_field(call->getFunction()->getName()) << ',' << place.block << ','
                << place.index << ',' << csv_field(callee->getName()) << '\n';
        }
    }
}

} // namespace

llvm::Error write_flow_tables(const Analysis &analysis, const std::string &folder)
{
    if (llvm::Error error = write_table(folder + "/loops.csv", [&](auto &out) {
            write_loops(out, analysis.module());
        })) {
        return error;
    }
    if (llvm::Error error = write_table(folder + "/blocks.csv", [&](auto &out) {
            write_blocks(out, analysis.module());
        })) {
        return error;
    }
    return write_table(folder + "/calls.csv", [&](auto &out) { write_calls(out, analysis); });
}

} // namespace laxity::workingset
