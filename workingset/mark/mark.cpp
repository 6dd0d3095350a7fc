// SPDX-FileCopyrightText: 2026 The laxity authors
// SPDX-License-Identifier: MIT
#include "mark.hpp"

#include "analysis/module_index.hpp"

#include <llvm/ADT/SmallVector.h>
#include <llvm/IR/DerivedTypes.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InlineAsm.h>
#include <llvm/TargetParser/Triple.h>
#include <map>
#include <tuple>

namespace laxity::workingset {

namespace {

constexpr unsigned HINTS_SCHEMA = 1;
constexpr size_t COLUMNS = 6;

struct Point {
    uint32_t number = 0;
    uint64_t live_bits = 0;
    uint64_t cost_ns = ~uint64_t{0}; // all ones: absent
};

using Place = std::tuple<std::string, unsigned, unsigned>;

llvm::Expected<std::map<Place, Point>> read_points(llvm::StringRef text)
{
    std::map<Place, Point> points;
    llvm::SmallVector<llvm::StringRef> lines;
    text.split(lines, '\n', -1, false);
    for (const llvm::StringRef line : llvm::drop_begin(lines)) {
        llvm::SmallVector<llvm::StringRef> cells;
        line.trim('\r').split(cells, ',');
        Point point;
        unsigned block = 0, index = 0;
        const bool is_read = cells.size() == COLUMNS && !cells[0].getAsInteger(10, point.number) &&
                             !cells[2].getAsInteger(10, block) &&
                             !cells[3].getAsInteger(10, index) &&
                             !cells[4].getAsInteger(10, point.live_bits) &&
                             (cells[5].empty() || !cells[5].getAsInteger(10, point.cost_ns));
        if (!is_read) {
            return llvm::createStringError("\"" + line + "\" is no point; see --help");
        }
        points[{cells[1].str(), block, index}] = point;
    }
    return points;
}

/* The record, then the label that it is about: 0 is local to each copy of the text. */
std::string record_of(const Point &point)
{
    const std::string numbers[] = {
        ".long " + std::to_string(HINTS_SCHEMA),
        ".long 0b-.",
        ".long " + std::to_string(point.number),
        ".long 0",
        ".quad " + std::to_string(point.live_bits),
        ".quad " + std::to_string(point.cost_ns),
    };
    std::string text = "0:\n.pushsection laxity_hints,\"a\"\n.balign 8\n";
    for (const std::string &number : numbers) {
        text += number + "\n";
    }
    return text + ".popsection";
}

/* Have the program's debug information written so that every linker of its machine can read it.
 *
 * In version 5 LLVM writes lengths of RISC-V code as relocations of LEB128 numbers, since the
 * linker may yet shorten the code. GNU ld knows them since 2.41; before that (Debian 12 has 2.40)
 * it ends by a segmentation fault. Version 4 has no such numbers. */
void make_linkable(llvm::Module &module)
{
    constexpr uint32_t DWARF_WITHOUT_LEB128 = 4;
    if (llvm::Triple(module.getTargetTriple()).isRISCV() &&
        module.getDwarfVersion() > DWARF_WITHOUT_LEB128) {
        module.setModuleFlag(llvm::Module::Max, "Dwarf Version", DWARF_WITHOUT_LEB128);
    }
}

} // namespace

llvm::Error mark_points(llvm::Module &module, llvm::StringRef points)
{
    auto read = read_points(points);
    if (!read) {
        return read.takeError();
    }
    std::vector<std::pair<const llvm::Instruction *, Point>> found;
    const ModuleIndex index(module);
    for (unsigned number = 0; number < index.size(); number++) {
        const llvm::Instruction &instruction = index.instruction(number);
        const ModuleIndex::Place place = index.place(number);
        auto point =
            read->find({instruction.getFunction()->getName().str(), place.block, place.index});
        if (point != read->end()) {
            found.emplace_back(&instruction, point->second);
        }
    }
    if (found.size() != read->size()) {
        return llvm::createStringError(
            "it lacks an instruction that a point stands at; give the bitcode that was analysed"
        );
    }
    llvm::FunctionType *type =
        llvm::FunctionType::get(llvm::Type::getVoidTy(module.getContext()), false);
    for (const auto &[before, point] : found) {
        // The index gives const instructions of our own module.
        // NOLINTNEXTLINE(cppcoreguidelines-pro-type-const-cast)
        llvm::IRBuilder<> builder(const_cast<llvm::Instruction *>(before));
        builder.CreateCall(
            type, llvm::InlineAsm::get(type, record_of(point), "~{memory}", /*hasSideEffects=*/true)
        );
    }
    make_linkable(module);
    return llvm::Error::success();
}

} // namespace laxity::workingset
