// SPDX-FileCopyrightText: 2026 The laxity authors
// SPDX-License-Identifier: MIT
#include "analysis/tables.hpp"

#include "analysis/table_file.hpp"

#include <algorithm>
#include <llvm/ADT/StringExtras.h>
#include <llvm/IR/DebugInfoMetadata.h>
#include <llvm/IR/DebugLoc.h>
#include <llvm/Support/FileSystem.h>
#include <llvm/Support/JSON.h>
#include <llvm/Support/raw_ostream.h>

namespace laxity::workingset {

namespace {

constexpr const char *CLASS_NAMES[STORAGE_CLASSES] = {
    "ssa", "stack", "global", "const", "heap", "volatile"
};

const char *status_of(const Row &row)
{
    if (!row.is_reached) {
        return "unreached";
    }
    if (!row.most.is_bounded()) {
        return "unbounded";
    }
    return row.is_merged ? "merged" : "exact";
}

/* file, line, column, and the places that the instruction was inlined at, innermost first:
 * "file:line:column file:line:column" */
class Chains {
  public:
    const std::string &field(const llvm::DILocation *innermost)
    {
        auto [place, is_new] = fields_.try_emplace(innermost);
        if (is_new) {
            std::string chain;
            for (const llvm::DILocation *at = innermost; at != nullptr; at = at->getInlinedAt()) {
                chain += (chain.empty() ? "" : " ") + at->getFilename().str() + ":" +
                         std::to_string(at->getLine()) + ":" + std::to_string(at->getColumn());
            }
            place->second = csv_field(chain);
        }
        return place->second;
    }

  private:
    llvm::DenseMap<const llvm::DILocation *, std::string> fields_;
};

void write_location(llvm::raw_ostream &out, const llvm::Instruction &instruction, Chains &chains)
{
    const llvm::DILocation *location = instruction.getDebugLoc();
    if (location == nullptr) {
        out << ",,,,";
        return;
    }
    out << ',' << csv_field(location->getFilename()) << ',' << location->getLine() << ','
        << location->getColumn() << ',' << chains.field(location->getInlinedAt());
}

void write_bits(llvm::raw_ostream &out, const Row &row, const LiveBits &live, uint64_t total)
{
    for (size_t i = 0; i < STORAGE_CLASSES; i++) {
        out << ',';
        if (row.is_reached && !live.is_unbounded[i]) {
            out << live.bits[i];
        }
    }
    out << ',';
    if (row.is_reached && live.is_bounded()) {
        out << total;
    }
}

void write_instructions(llvm::raw_ostream &out, const Analysis &analysis, const std::string &form)
{
    out << "function,block,index,opcode,file,line,column,inlined_at,form";
    for (const char *suffix : {"", "_min"}) {
        for (const char *name : CLASS_NAMES) {
            out << ",live_" << name << "_bits" << suffix;
        }
        out << ",live_total_bits" << suffix;
    }
    out << ",level_bits,contexts,status\n";
    Chains chains; // all that was inlined at one place has the same
    for (unsigned number = 0; number < analysis.index().size(); number++) {
        const llvm::Instruction &instruction = analysis.index().instruction(number);
        const ModuleIndex::Place place = analysis.index().place(number);
        const Row &row = analysis.rows()[number];
        out << csv_field(instruction.getFunction()->getName()) << ',' << place.block << ','
            << place.index << ',' << instruction.getOpcodeName();
        write_location(out, instruction, chains);
        out << ',' << csv_field(form);
        write_bits(out, row, row.most, row.most_total);
        write_bits(out, row, row.least, row.least_total);
        uint64_t level_bits = 0;
        for (uint64_t bits : row.most.bits_per_level) {
            level_bits += bits;
        }
        out << ',' << (row.is_reached && !row.most.is_bounded() ? std::to_string(level_bits) : "");
        out << ',' << (row.is_reached && row.contexts ? std::to_string(*row.contexts) : "") << ','
            << status_of(row) << '\n';
    }
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

void write_objects(llvm::raw_ostream &out, const Analysis &analysis)
{
    out << "object,name,kind,class,function,size_bytes,instances\n";
    for (unsigned number = 0; number < analysis.objects().size(); number++) {
        const Object &object = analysis.objects()[number];
        if (object.kind == ObjectKind::Function || object.kind == ObjectKind::Environment) {
            continue;
        }
        const StorageClass storage = object.is_volatile ? StorageClass::Volatile : object.storage;
        out << number << ',' << csv_field(object.name) << ',' << kind_name(object.kind) << ','
            << CLASS_NAMES[static_cast<size_t>(storage)] << ','
            << (object.function == nullptr ? "" : csv_field(object.function->getName())) << ','
            << (object.size_bytes ? std::to_string(*object.size_bytes) : "") << ','
            << (object.has_many_instances ? "many" : "one") << '\n';
    }
}

/* Over the instructions of a function, or of all. */
struct Extremes {
    uint64_t instructions = 0, reached = 0, unbounded = 0;
    std::optional<uint64_t> most, least;
    std::array<std::optional<uint64_t>, STORAGE_CLASSES> most_per_class;

    void add(const Row &row)
    {
        instructions++;
        if (!row.is_reached) {
            return;
        }
        reached++;
        for (size_t i = 0; i < STORAGE_CLASSES; i++) {
            if (!row.most.is_unbounded[i]) {
                most_per_class[i] = std::max(most_per_class[i].value_or(0), row.most.bits[i]);
            }
        }
        if (!row.most.is_bounded()) {
            unbounded++;
            return;
        }
        most = std::max(most.value_or(0), row.most_total);
        least = std::min(least.value_or(row.most_total), row.most_total);
    }
    [[nodiscard]] static std::string text(std::optional<uint64_t> value)
    {
        return value ? std::to_string(*value) : "";
    }
};

Extremes extremes_of(const Analysis &analysis, const llvm::Function &function)
{
    Extremes extremes;
    for (const llvm::BasicBlock &block : function) {
        for (const llvm::Instruction &instruction : block) {
            if (analysis.index().has_number(instruction)) {
                extremes.add(analysis.rows()[analysis.index().number(instruction)]);
            }
        }
    }
    return extremes;
}

void write_functions(llvm::raw_ostream &out, const Analysis &analysis)
{
    out << "function,instructions,reached,unbounded,most_bits,least_bits,recursive\n";
    for (const llvm::Function &function : analysis.module()) {
        if (function.isDeclaration()) {
            continue;
        }
        const Extremes extremes = extremes_of(analysis, function);
        out << csv_field(function.getName()) << ',' << extremes.instructions << ','
            << extremes.reached << ',' << extremes.unbounded << ',' << Extremes::text(extremes.most)
            << ',' << Extremes::text(extremes.least) << ','
            << (analysis.graph().is_recursive(function) ? "yes" : "no") << '\n';
    }
}

void write_summary(llvm::raw_ostream &out, const Analysis &analysis, const std::string &form)
{
    Extremes extremes;
    std::vector<uint64_t> totals;
    for (const Row &row : analysis.rows()) {
        extremes.add(row);
        if (row.is_reached && row.most.is_bounded()) {
            totals.push_back(row.most_total);
        }
    }
    std::ranges::sort(totals);
    const auto number = [](std::optional<uint64_t> value) {
        return value ? llvm::json::Value(*value) : llvm::json::Value(nullptr);
    };
    llvm::json::Object classes;
    for (size_t i = 0; i < STORAGE_CLASSES; i++) {
        classes[CLASS_NAMES[i]] = number(extremes.most_per_class[i]);
    }
    llvm::json::Array notes;
    for (const std::string &note : analysis.notes()) {
        notes.push_back(note);
    }
    llvm::json::Object summary{
        {"form", form},
        {"triple", analysis.module().getTargetTriple()},
        {"data_layout", analysis.module().getDataLayoutStr()},
        {"mode", analysis.is_job_mode() ? "job" : "program"},
        {"kind", "proven"},
        {"instructions", extremes.instructions},
        {"reached_instructions", extremes.reached},
        {"unbounded_instructions", extremes.unbounded},
        {"most_bits", number(extremes.most)},
        {"median_bits",
         number(totals.empty() ? std::nullopt : std::optional(totals[totals.size() / 2]))},
        {"least_bits", number(extremes.least)},
        {"most_bits_per_class", std::move(classes)},
        {"assumptions", std::move(notes)}
    };
    out << llvm::formatv("{0:2}", llvm::json::Value(std::move(summary))) << '\n';
}

} // namespace

llvm::Error
write_tables(const Analysis &analysis, const std::string &form, const std::string &folder)
{
    if (llvm::Error error = write_table(folder + "/workingset.csv", [&](auto &out) {
            write_instructions(out, analysis, form);
        })) {
        return error;
    }
    if (llvm::Error error = write_table(folder + "/functions.csv", [&](auto &out) {
            write_functions(out, analysis);
        })) {
        return error;
    }
    if (llvm::Error error = write_table(folder + "/objects.csv", [&](auto &out) {
            write_objects(out, analysis);
        })) {
        return error;
    }
    return write_table(folder + "/summary.json", [&](auto &out) {
        write_summary(out, analysis, form);
    });
}

} // namespace laxity::workingset
