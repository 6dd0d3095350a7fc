// SPDX-FileCopyrightText: 2026 The laxity authors
// SPDX-License-Identifier: MIT
#include "analysis/flow_tables.hpp"

#include "analysis/entries.hpp"
#include "analysis/table_file.hpp"

#include <functional>
#include <llvm/ADT/SmallSet.h>
#include <llvm/ADT/SmallString.h>
#include <llvm/Analysis/AssumptionCache.h>
#include <llvm/Analysis/LoopInfo.h>
#include <llvm/Analysis/ScalarEvolution.h>
#include <llvm/Analysis/TargetLibraryInfo.h>
#include <llvm/IR/CFG.h>
#include <llvm/IR/DebugInfoMetadata.h>
#include <llvm/IR/Dominators.h>
#include <llvm/Support/FileSystem.h>
#include <llvm/Support/Path.h>
#include <llvm/Support/raw_ostream.h>
#include <llvm/TargetParser/Triple.h>

namespace laxity::workingset {

namespace {

using BlockNumbers = llvm::DenseMap<const llvm::BasicBlock *, unsigned>;

/* A function as the tables see it. */
struct Flow {
    const llvm::Function &function;
    const BlockNumbers &numbers;
    const llvm::LoopInfo &loops;
    llvm::ScalarEvolution &evolution;
};

using Visit = std::function<void(const Flow &)>;

/* Call `visit` for each function that has a body. */
void for_each_function(const llvm::Module &module, const Visit &visit)
{
    const llvm::TargetLibraryInfoImpl library(llvm::Triple(module.getTargetTriple()));
    for (const llvm::Function &function : module) {
        if (function.isDeclaration()) {
            continue;
        }
        BlockNumbers numbers;
        for (const llvm::BasicBlock &block : function) {
            numbers[&block] = static_cast<unsigned>(numbers.size());
        }
        // Nothing is changed; LLVM's constructors lack the const.
        // NOLINTNEXTLINE(cppcoreguidelines-pro-type-const-cast)
        auto &changeable = const_cast<llvm::Function &>(function);
        llvm::DominatorTree tree(changeable);
        llvm::LoopInfo loops(tree);
        llvm::TargetLibraryInfo library_info(library, &function);
        llvm::AssumptionCache assumptions(changeable);
        llvm::ScalarEvolution evolution(changeable, library_info, assumptions, tree, loops);
        visit({.function = function, .numbers = numbers, .loops = loops, .evolution = evolution});
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

/* most_back_edges: so often the loop goes back to its header at most each time that it is entered,
 * proven from the code alone; empty where that is not known. back_edges: exactly, unless the loop
 * is left by a call that does not return. */
void write_loops(llvm::raw_ostream &out, const llvm::Module &module)
{
    out << "function,header,parent,file,line,column,most_back_edges,back_edges\n";
    for_each_function(module, [&](const Flow &flow) {
        for (const llvm::Loop *loop : flow.loops.getLoopsInPreorder()) {
            out << csv_field(flow.function.getName()) << ','
                << flow.numbers.lookup(loop->getHeader()) << ',';
            if (const llvm::Loop *parent = loop->getParentLoop()) {
                out << flow.numbers.lookup(parent->getHeader());
            }
            out << ',';
            write_start(out, *loop);
            // 0: not known, or too many for 32 bits.
            const unsigned trips = flow.evolution.getSmallConstantMaxTripCount(loop);
            const unsigned exact = flow.evolution.getSmallConstantTripCount(loop);
            out << ',' << (trips == 0 ? "" : std::to_string(trips - 1)) << ','
                << (exact == 0 ? "" : std::to_string(exact - 1)) << '\n';
        }
    });
}

void write_blocks(llvm::raw_ostream &out, const llvm::Module &module)
{
    out << "function,block,loop\n";
    for_each_function(module, [&](const Flow &flow) {
        for (const llvm::BasicBlock &block : flow.function) {
            if (const llvm::Loop *loop = flow.loops.getLoopFor(&block)) {
                out << csv_field(flow.function.getName()) << ',' << flow.numbers.lookup(&block)
                    << ',' << flow.numbers.lookup(loop->getHeader()) << '\n';
            }
        }
    });
}

/* Several cases of a switch may go to one block: it is written once. */
void write_successors(llvm::raw_ostream &out, const Flow &flow, const llvm::BasicBlock &block)
{
    llvm::SmallSet<unsigned, 4> written;
    for (const llvm::BasicBlock *successor : llvm::successors(&block)) {
        const unsigned number = flow.numbers.lookup(successor);
        if (written.insert(number).second) {
            out << csv_field(flow.function.getName()) << ',' << flow.numbers.lookup(&block) << ','
                << number << '\n';
        }
    }
}

void write_edges(llvm::raw_ostream &out, const llvm::Module &module)
{
    out << "function,block,successor\n";
    for_each_function(module, [&](const Flow &flow) {
        for (const llvm::BasicBlock &block : flow.function) {
            write_successors(out, flow, block);
        }
    });
}

/* How a call comes to `callee`. */
const char *way_of(const llvm::CallBase &call, const llvm::Function &callee)
{
    const auto *named =
        llvm::dyn_cast<llvm::Function>(call.getCalledOperand()->stripPointerCastsAndAliases());
    if (named == nullptr) {
        return "pointer";
    }
    // A function outside the program that was given a pointer to ours calls it any number of times.
    return named == &callee ? "name" : "callback";
}

void write_calls(llvm::raw_ostream &out, const Analysis &analysis)
{
    out << "function,block,index,callee,way\n";
    for (unsigned number = 0; number < analysis.index().size(); number++) {
        const auto *call = llvm::dyn_cast<llvm::CallBase>(&analysis.index().instruction(number));
        if (call == nullptr) {
            continue;
        }
        const ModuleIndex::Place place = analysis.index().place(number);
        const auto write = [&](const llvm::Function &callee, const char *way) {
            out << csv_field(call->getFunction()->getName()) << ',' << place.block << ','
                << place.index << ',' << csv_field(callee.getName()) << ',' << way << '\n';
        };
        for (const llvm::Function *callee : analysis.graph().callees(*call)) {
            write(*callee, way_of(*call, *callee));
        }
        // setjmp: control may come back to here from anywhere.
        if (returns_twice(*call) && call->getCalledFunction()) {
            write(*call->getCalledFunction(), "returns twice");
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
    if (llvm::Error error = write_table(folder + "/edges.csv", [&](auto &out) {
            write_edges(out, analysis.module());
        })) {
        return error;
    }
    return write_table(folder + "/calls.csv", [&](auto &out) { write_calls(out, analysis); });
}

} // namespace laxity::workingset
