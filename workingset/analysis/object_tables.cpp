// SPDX-FileCopyrightText: 2026 The laxity authors
// SPDX-License-Identifier: MIT
#include "analysis/object_tables.hpp"

#include "analysis/live_counter.hpp"
#include "analysis/table_file.hpp"

#include <algorithm>
#include <llvm/IR/DebugInfoMetadata.h>
#include <llvm/IR/DebugLoc.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/Support/Format.h>

namespace laxity::workingset {

namespace {

std::string text_of(std::optional<uint64_t> value)
{
    return value ? std::to_string(*value) : "";
}

/* file:line, empty where the compiler names none. */
std::string line_of(const llvm::Instruction *instruction)
{
    const llvm::DILocation *location =
        instruction == nullptr ? nullptr : instruction->getDebugLoc().get();
    return location == nullptr || location->getLine() == 0
               ? ""
               : location->getFilename().str() + ":" + std::to_string(location->getLine());
}

const char *kind_name(ObjectKind kind)
{
    switch (kind) {
    case ObjectKind::Function:
        return "function";
    case ObjectKind::Global:
        return "global";
    case ObjectKind::Alloca:
        return "alloca";
    case ObjectKind::ByvalCopy:
        return "byval";
    case ObjectKind::Varargs:
        return "varargs";
    case ObjectKind::Heap:
        return "heap";
    case ObjectKind::Environment:
        return "environment";
    }
    return "";
}

/* Over the instructions of a function. */
struct FunctionExtremes {
    uint64_t instructions = 0, reached = 0, unbounded = 0;
    std::optional<uint64_t> most, least, bounded; // the last: the most that has a bound, of all
    const llvm::Instruction *largest = nullptr;   // where that is

    void add(const Row &row, const llvm::Instruction &instruction)
    {
        instructions++;
        reached += row.is_reached ? 1 : 0;
        if (!row.is_reached) {
            return;
        }
        if (!bounded || row.most_total > *bounded) {
            bounded = row.most_total;
            largest = &instruction;
        }
        if (!row.most.is_bounded()) {
            unbounded++;
            return;
        }
        most = std::max(most.value_or(0), row.most_total);
        least = std::min(least.value_or(row.most_total), row.most_total);
    }
};

FunctionExtremes extremes_of(const Analysis &analysis, const llvm::Function &function)
{
    FunctionExtremes extremes;
    const ModuleIndex &index = analysis.index();
    const llvm::Instruction &last = *function.back().getTerminator();
    const llvm::Instruction &first = *llvm::find_if(
        llvm::instructions(function),
        [&index](const llvm::Instruction &instruction) { return index.has_number(instruction); }
    );
    for (unsigned number = index.number(first); number <= index.number(last); number++) {
        extremes.add(analysis.rows()[number], index.instruction(number));
    }
    return extremes;
}

/* What any copy of a function may read before it is overwritten; empty: of a function that nothing
 * calls, or without a bound. */
std::string entry_bits(const Analysis &analysis, const llvm::Function &function)
{
    const auto copies = analysis.copies().copies(function);
    if (copies.empty()) {
        return "";
    }
    CellSet live;
    for (const llvm::Function *copy : copies) {
        live |= analysis.solution().summaries.entry(*copy).live;
    }
    const LiveBits bits = bits_of(live, analysis.cells());
    return bits.is_bounded() ? std::to_string(bits.total()) : "";
}

/* Of all objects of a frame; nullopt: one has no known size. */
std::optional<uint64_t> frame_bits(const Analysis &analysis, const llvm::Function &function)
{
    constexpr uint64_t BITS_PER_BYTE = 8;
    uint64_t bits = 0;
    for (unsigned number = 0; number < analysis.objects().size(); number++) {
        const Object &object = analysis.objects()[number];
        if (object.function != &function || object.storage != StorageClass::Stack) {
            continue;
        }
        if (!object.size_bytes) {
            return std::nullopt;
        }
        bits += *object.size_bytes * BITS_PER_BYTE;
    }
    return bits;
}

/* Who touches an object, over the whole program but for what no path leads to. */
struct Uses {
    std::optional<unsigned> first_write, last_read; // in the module's order
    bool is_read = false, is_written = false;

    void add(unsigned instruction, bool reads, bool writes)
    {
        is_read = is_read || reads;
        is_written = is_written || writes;
        if (reads) {
            last_read = std::max(last_read.value_or(instruction), instruction);
        }
        if (writes) {
            first_write = std::min(first_write.value_or(instruction), instruction);
        }
    }
    [[nodiscard]] const char *word() const
    {
        if (is_read && is_written) {
            return "read-write";
        }
        if (is_read) {
            return "read-only";
        }
        return is_written ? "never-read" : "untouched";
    }
};

std::string line_of(const Analysis &analysis, std::optional<unsigned> instruction)
{
    return instruction ? line_of(&analysis.index().instruction(*instruction)) : "";
}

std::vector<Uses> find_uses(const Analysis &analysis)
{
    const Solution solution = analysis.solution();
    std::vector<Uses> uses(analysis.objects().size());
    for (unsigned number = 0; number < solution.index.size(); number++) {
        const unsigned origin = solution.origins[number];
        const auto found = find_accesses(solution.index.instruction(number), analysis.pointers());
        for (const Access &access : found.accesses) {
            for (const Location &place : access.places) {
                uses[place.object].add(origin, access.is_read, access.is_write);
            }
        }
        if (!found.touches_escaped) {
            continue;
        }
        for (const Location &place : analysis.pointers().escaped()) {
            uses[place.object].add(origin, true, true);
        }
    }
    for (unsigned number = 0; number < analysis.objects().size(); number++) {
        const Object &object = analysis.objects()[number];
        uses[number].is_read = uses[number].is_read || object.is_device_read;
        uses[number].is_written = uses[number].is_written || object.is_device_written;
    }
    return uses;
}

} // namespace

void write_functions(llvm::raw_ostream &out, const Analysis &analysis)
{
    out << "function,instructions,reached,unbounded,most_bits,least_bits,recursive,entry_bits,"
           "frame_bits,bounded_most_bits,most_block,most_index,most_at\n";
    for (const llvm::Function &function : analysis.module()) {
        if (function.isDeclaration()) {
            continue;
        }
        const FunctionExtremes extremes = extremes_of(analysis, function);
        out << csv_field(function.getName()) << ',' << extremes.instructions << ','
            << extremes.reached << ',' << extremes.unbounded << ',' << text_of(extremes.most) << ','
            << text_of(extremes.least) << ','
            << (analysis.graph().is_recursive(function) ? "yes" : "no") << ','
            << entry_bits(analysis, function) << ',' << text_of(frame_bits(analysis, function))
            << ',' << text_of(extremes.bounded);
        if (extremes.largest == nullptr) {
            out << ",,,\n";
            continue;
        }
        const auto place = analysis.index().place(analysis.index().number(*extremes.largest));
        out << ',' << place.block << ',' << place.index << ','
            << csv_field(line_of(extremes.largest)) << '\n';
    }
}

std::string instances_of(const Object &object)
{
    if (!object.has_many_instances) {
        return "one";
    }
    return object.most_instances ? std::to_string(*object.most_instances) : "many";
}

void write_objects(llvm::raw_ostream &out, const Analysis &analysis, const LiveObjects &live)
{
    const std::vector<Uses> uses = find_uses(analysis);
    uint64_t reached = 0;
    for (unsigned number = 0; number < analysis.rows().size(); number++) {
        reached += analysis.rows()[number].is_reached ? 1 : 0;
    }
    out << "object,name,kind,class,function,size_bytes,instances,use,first_def,last_use,"
           "live_instructions,live_ratio\n";
    for (unsigned number = 0; number < analysis.objects().size(); number++) {
        const Object &object = analysis.objects()[number];
        if (object.kind == ObjectKind::Function || object.kind == ObjectKind::Environment) {
            continue;
        }
        const StorageClass storage = object.is_volatile ? StorageClass::Volatile : object.storage;
        const uint64_t live_count = live.instructions_live(number);
        out << number << ',' << csv_field(object.name) << ',' << kind_name(object.kind) << ','
            << CLASS_NAMES[static_cast<size_t>(storage)] << ','
            << (object.function == nullptr ? "" : csv_field(object.function->getName())) << ','
            << text_of(object.size_bytes) << ',' << instances_of(object) << ','
            << uses[number].word() << ',' << csv_field(line_of(analysis, uses[number].first_write))
            << ',' << csv_field(line_of(analysis, uses[number].last_read)) << ',' << live_count
            << ',';
        if (reached > 0) {
            out << llvm::format(
                "%.4f", static_cast<double>(live_count) / static_cast<double>(reached)
            );
        }
        out << '\n';
    }
}

} // namespace laxity::workingset
