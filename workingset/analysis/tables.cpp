// SPDX-FileCopyrightText: 2026 The laxity authors
// SPDX-License-Identifier: MIT
#include "analysis/tables.hpp"

#include "analysis/live_objects.hpp"
#include "analysis/object_tables.hpp"
#include "analysis/table_file.hpp"
#include "analysis/unbounded.hpp"

#include <algorithm>
#include <llvm/ADT/StringExtras.h>
#include <llvm/IR/DebugInfoMetadata.h>
#include <llvm/IR/DebugLoc.h>
#include <llvm/Support/FileSystem.h>
#include <llvm/Support/JSON.h>
#include <llvm/Support/raw_ostream.h>

namespace laxity::workingset {

namespace {

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

/* A field that is often the same as before. The texts must stay where they are. */
class RepeatedField {
  public:
    const std::string &of(llvm::StringRef text)
    {
        if (text.data() != text_.data() || text.size() != text_.size()) {
            text_ = text;
            field_ = csv_field(text);
        }
        return field_;
    }

  private:
    llvm::StringRef text_;
    std::string field_;
};

/* file, line, column, and the places that the instruction was inlined at, innermost first:
 * "file:line:column line:column other:line:column". A place without a file is in that of the one
 * before: deep chains through one file are the largest part of the table. */
class Places {
  public:
    void write(llvm::raw_ostream &out, const llvm::Instruction &instruction)
    {
        const llvm::DILocation *location = instruction.getDebugLoc();
        if (location == nullptr) {
            out << ",,,,";
            return;
        }
        out << ',' << file_.of(location->getFilename()) << ',' << location->getLine() << ','
            << location->getColumn() << ',' << chain(location->getInlinedAt());
    }

  private:
    /* All that was inlined at one place has the same. */
    const std::string &chain(const llvm::DILocation *innermost)
    {
        auto [place, is_new] = chains_.try_emplace(innermost);
        if (is_new) {
            std::string chain;
            llvm::StringRef file;
            for (const llvm::DILocation *at = innermost; at != nullptr; at = at->getInlinedAt()) {
                chain += chain.empty() ? "" : " ";
                if (at == innermost || at->getFilename() != file) {
                    file = at->getFilename();
                    chain += file.str() + ":";
                }
                chain += std::to_string(at->getLine()) + ":" + std::to_string(at->getColumn());
            }
            place->second = csv_field(chain);
        }
        return place->second;
    }

    RepeatedField file_;
    llvm::DenseMap<const llvm::DILocation *, std::string> chains_;
};

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

/* "table:4096;main:0:buffer:128", the largest first; bits are empty of one whose size nobody knows.
 */
std::string text_of(const LiveObjects::Largest &largest, const ObjectTable &objects)
{
    std::string text;
    for (const LiveObject &live : largest) {
        const Object &object = objects[live.object];
        text += (text.empty() ? "" : ";") + object.name + ":" +
                (object.size_bytes ? std::to_string(live.bits) : "");
    }
    return text;
}

void write_instructions(
    llvm::raw_ostream &out,
    const Analysis &analysis,
    const LiveObjects &live,
    const std::string &form
)
{
    out << "function,block,index,opcode,file,line,column,inlined_at,form";
    for (const char *suffix : {"", "_min"}) {
        for (const char *name : CLASS_NAMES) {
            out << ",live_" << name << "_bits" << suffix;
        }
        out << ",live_total_bits" << suffix;
    }
    out << ",bounded_total_bits,level_bits,contexts,status,objects\n";
    Places places;
    std::string name;
    const std::string form_field = csv_field(form);
    for (unsigned number = 0; number < analysis.index().size(); number++) {
        const llvm::Instruction &instruction = analysis.index().instruction(number);
        const ModuleIndex::Place place = analysis.index().place(number);
        const Row row = analysis.rows()[number];
        if (place.index == 0) { // the only instruction of a block that is asked for its function
            name = csv_field(instruction.getFunction()->getName());
        }
        out << name << ',' << place.block << ',' << place.index << ','
            << instruction.getOpcodeName();
        places.write(out, instruction);
        out << ',' << form_field;
        write_bits(out, row, row.most, row.most_total);
        write_bits(out, row, row.least, row.least_total);
        out << ',' << (row.is_reached ? std::to_string(row.most_total) : "");
        uint64_t level_bits = 0;
        for (uint64_t bits : row.most.bits_per_level) {
            level_bits += bits;
        }
        out << ',' << (row.is_reached && !row.most.is_bounded() ? std::to_string(level_bits) : "");
        out << ',' << (row.is_reached && row.contexts ? std::to_string(*row.contexts) : "") << ','
            << status_of(row) << ','
            << (row.is_reached ? csv_field(text_of(live.largest(number), analysis.objects())) : "")
            << '\n';
    }
}

/* The last columns of a situation. */
void write_totals(llvm::raw_ostream &out, const Row &row)
{
    out << ',';
    if (row.most.is_bounded()) {
        out << row.most_total;
    }
    out << ',';
    if (row.least.is_bounded()) {
        out << row.least_total;
    }
    out << ',' << row.most_total << ',';
    if (row.contexts) {
        out << *row.contexts;
    }
    out << '\n';
}

/* Each instruction once per body of its function: what inlining would make rows of their own. */
void write_situations(llvm::raw_ostream &out, const Analysis &analysis)
{
    out << "function,situation,block,index,live_total_bits,live_total_bits_min,bounded_total_bits,"
           "contexts\n";
    std::string name;
    llvm::ArrayRef<llvm::Function *> copies;
    for (unsigned number = 0; number < analysis.index().size(); number++) {
        const ModuleIndex::Place place = analysis.index().place(number);
        if (place.index == 0) {
            const llvm::Function &function = *analysis.index().instruction(number).getFunction();
            name = csv_field(function.getName());
            copies = analysis.copies().copies(function);
        }
        unsigned situation = 0;
        for (const llvm::Function *copy : copies) {
            const std::optional<Row> row =
                copies.size() == 1 ? analysis.rows()[number] : analysis.row_of(*copy, number);
            if (row && row->is_reached) {
                out << name << ',' << situation << ',' << place.block << ',' << place.index;
                write_totals(out, *row);
            }
            situation++;
        }
    }
}

/* Over all instructions of the module. */
struct ModuleExtremes {
    uint64_t instructions = 0, reached = 0, unbounded = 0;
    std::optional<uint64_t> most, least;
    std::vector<uint64_t> bounded; // of each that is reached, what has a bound
    std::array<std::optional<uint64_t>, STORAGE_CLASSES> most_per_class;

    void add(const Row &row)
    {
        instructions++;
        if (!row.is_reached) {
            return;
        }
        reached++;
        bounded.push_back(row.most_total);
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

llvm::json::Array array_of(const std::vector<std::string> &words)
{
    llvm::json::Array array;
    for (const std::string &word : words) {
        array.push_back(word);
    }
    return array;
}

llvm::json::Array array_of(const std::vector<Misapplied> &annotations)
{
    llvm::json::Array array;
    for (const Misapplied &one : annotations) {
        array.push_back(llvm::json::Object{{"name", one.name}, {"reason", one.reason}});
    }
    return array;
}

void write_summary(
    llvm::raw_ostream &out,
    const Analysis &analysis,
    const LiveObjects &live,
    const std::string &form
)
{
    ModuleExtremes extremes;
    std::vector<uint64_t> totals;
    for (unsigned number = 0; number < analysis.rows().size(); number++) {
        const Row row = analysis.rows()[number];
        extremes.add(row);
        if (row.is_reached && row.most.is_bounded()) {
            totals.push_back(row.most_total);
        }
    }
    std::ranges::sort(totals);
    std::ranges::sort(extremes.bounded);
    const auto number = [](std::optional<uint64_t> value) {
        return value ? llvm::json::Value(*value) : llvm::json::Value(nullptr);
    };
    // Of numbers in order; the lower one of two in the middle is one that occurs, too.
    const auto at = [](const std::vector<uint64_t> &sizes, size_t place) {
        return sizes.empty() ? llvm::json::Value(nullptr) : llvm::json::Value(sizes[place]);
    };
    const std::vector<uint64_t> &bounded = extremes.bounded;
    llvm::json::Object classes;
    for (size_t i = 0; i < STORAGE_CLASSES; i++) {
        classes[CLASS_NAMES[i]] = number(extremes.most_per_class[i]);
    }
    const Unbounded unbounded = find_unbounded(analysis, live);
    llvm::json::Array notes = array_of(analysis.notes());
    for (const std::string &note : words_of(unbounded)) {
        notes.push_back(note);
    }
    llvm::json::Array recursions;
    for (const Recursion &recursion : unbounded.recursions) {
        recursions.push_back(array_of(recursion.functions));
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
        {"bounded_most_bits", at(bounded, bounded.size() - 1)},
        {"bounded_median_bits", at(bounded, bounded.size() / 2)},
        {"bounded_least_bits", at(bounded, 0)},
        {"most_bits_per_class", std::move(classes)},
        {"assumptions", std::move(notes)},
        {"unbounded_recursions", std::move(recursions)},
        {"unbounded_objects", array_of(unbounded.objects)},
        {"unmatched_annotations", array_of(analysis.unmatched_annotations())},
        {"misapplied_annotations", array_of(analysis.misapplied_annotations())}
    };
    out << llvm::formatv("{0:2}", llvm::json::Value(std::move(summary))) << '\n';
}

} // namespace

llvm::Error
write_tables(const Analysis &analysis, const std::string &form, const std::string &folder)
{
    const LiveObjects live(analysis);
    if (llvm::Error error = write_table(folder + "/workingset.csv", [&](auto &out) {
            write_instructions(out, analysis, live, form);
        })) {
        return error;
    }
    if (llvm::Error error = write_table(folder + "/situations.csv", [&](auto &out) {
            write_situations(out, analysis);
        })) {
        return error;
    }
    if (llvm::Error error = write_table(folder + "/functions.csv", [&](auto &out) {
            write_functions(out, analysis);
        })) {
        return error;
    }
    if (llvm::Error error = write_table(folder + "/objects.csv", [&](auto &out) {
            write_objects(out, analysis, live);
        })) {
        return error;
    }
    return write_table(folder + "/summary.json", [&](auto &out) {
        write_summary(out, analysis, live, form);
    });
}

} // namespace laxity::workingset
