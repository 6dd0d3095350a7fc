// SPDX-FileCopyrightText: 2026 The laxity authors
// SPDX-License-Identifier: MIT
#include "report.hpp"

#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/Support/JSON.h"

#include <algorithm>
#include <ranges>

namespace laxity::workingset::oracle {

namespace {

// More of them say nothing that these do not.
constexpr size_t SHOWN_VIOLATIONS = 100;
constexpr size_t SHOWN_OBJECTS = 20;

class VerdictPrinter {
  public:
    VerdictPrinter(
        llvm::raw_ostream &out,
        const Resolved &resolved,
        const Numbering &numbering,
        const StaticSets &sets
    )
        : json_(out, 2), resolved_(resolved), numbering_(numbering), sets_(sets)
    {
    }

    void print(const Verdict &verdict, const std::optional<Attribution> &attribution);

  private:
    void print_counts(const Verdict &verdict);
    void print_violations(const Verdict &verdict);
    void print_violation(const Violation &violation);
    void print_wrong_values(const Verdict &verdict);
    void print_instruction(uint32_t number);
    void print_context(uint32_t context);
    void print_impossible(const Verdict &verdict);
    void print_unknown(const Verdict &verdict);
    void print_precision(const Verdict &verdict);
    void print_attribution(const Attribution &attribution);
    void print_worst(const std::vector<ObjectAttribution> &objects);
    void print_object(const ObjectAttribution &row);
    void print_causes(const std::array<uint64_t, CAUSES> &lost_bytes);
    void print_ratios(uint64_t dynamic_bytes, uint64_t static_bytes, uint64_t best_bytes);

    llvm::json::OStream json_;
    const Resolved &resolved_;
    const Numbering &numbering_;
    const StaticSets &sets_;
};

void VerdictPrinter::print_instruction(uint32_t number)
{
    const llvm::Instruction &instruction = *numbering_.instructions[number];
    json_.attribute("instruction", number);
    json_.attribute("function", instruction.getFunction()->getName());
    json_.attribute("opcode", instruction.getOpcodeName());
    if (const llvm::DebugLoc &place = instruction.getDebugLoc()) {
        json_.attribute("file", place->getFilename());
        json_.attribute("line", place.getLine());
        json_.attribute("column", place.getCol());
    }
}

// Functions from the entry inwards.
void VerdictPrinter::print_context(uint32_t context)
{
    std::vector<llvm::StringRef> names;
    for (; context != 0; context = resolved_.contexts[context].parent) {
        names.push_back(numbering_.functions[resolved_.contexts[context].function]->getName());
    }
    json_.attributeArray("context", [&] {
        for (llvm::StringRef name : std::ranges::reverse_view(names)) {
            json_.value(name);
        }
    });
}

void VerdictPrinter::print_violation(const Violation &violation)
{
    const StaticCell &cell = sets_.cell(violation.cell);
    json_.object([&] {
        print_instruction(violation.instruction);
        print_context(violation.context);
        json_.attribute("object", sets_.object(cell.object).name);
        json_.attribute("offset_bytes", violation.offset);
        json_.attribute("cell_first_byte", cell.first_byte);
        if (cell.end_byte != UINT64_MAX) {
            json_.attribute("cell_end_byte", cell.end_byte);
        }
    });
}

void VerdictPrinter::print_impossible(const Verdict &verdict)
{
    json_.attributeArray("impossible_calls", [&] {
        for (uint32_t context : verdict.impossible_contexts | std::views::take(SHOWN_VIOLATIONS)) {
            json_.object([&] { print_context(context); });
        }
    });
    json_.attribute("impossible_point_count", verdict.impossible_points.size());
    json_.attributeArray("impossible_points", [&] {
        for (const ImpossiblePoint &point :
             verdict.impossible_points | std::views::take(SHOWN_VIOLATIONS)) {
            json_.object([&] {
                print_instruction(point.instruction);
                print_context(point.context);
            });
        }
    });
}

// A ratio of nothing is absent.
void VerdictPrinter::print_ratios(
    uint64_t dynamic_bytes, uint64_t static_bytes, uint64_t best_bytes
)
{
    json_.attribute("dynamic_byte_points", dynamic_bytes);
    json_.attribute("static_byte_points", static_bytes);
    json_.attribute("best_byte_points", best_bytes);
    if (static_bytes > 0) {
        json_.attribute(
            "precision_ratio",
            static_cast<double>(dynamic_bytes) / static_cast<double>(static_bytes)
        );
    }
    if (best_bytes > 0) {
        json_.attribute(
            "ceiling_ratio", static_cast<double>(dynamic_bytes) / static_cast<double>(best_bytes)
        );
    }
}

void VerdictPrinter::print_precision(const Verdict &verdict)
{
    std::array<uint64_t, 3> sums = {};
    for (unsigned i = 0; i < MEMORY_CLASSES; i++) {
        sums[0] += verdict.dynamic_bytes[i];
        sums[1] += verdict.static_bytes[i];
        sums[2] += verdict.best_bytes[i];
    }
    print_ratios(sums[0], sums[1], sums[2]);
    json_.attributeObject("classes", [&] {
        for (unsigned i = 0; i < MEMORY_CLASSES; i++) {
            json_.attributeObject(memory_class_name(static_cast<MemoryClass>(i)), [&] {
                print_ratios(
                    verdict.dynamic_bytes[i], verdict.static_bytes[i], verdict.best_bytes[i]
                );
            });
        }
    });
}

void VerdictPrinter::print_causes(const std::array<uint64_t, CAUSES> &lost_bytes)
{
    for (size_t i = 0; i < CAUSES; i++) {
        json_.attribute(cause_name(static_cast<Cause>(i)), lost_bytes[i]);
    }
}

void VerdictPrinter::print_object(const ObjectAttribution &row)
{
    const StaticObject &object = sets_.object(row.object);
    json_.attribute("object", object.name);
    json_.attribute("class", memory_class_name(object.memory_class));
    json_.attribute("static_byte_points", row.static_bytes);
    json_.attribute("best_byte_points", row.best_bytes);
    json_.attribute("dynamic_byte_points", row.dynamic_bytes);
    json_.attributeObject("lost", [&] { print_causes(row.lost_bytes); });
}

void VerdictPrinter::print_worst(const std::vector<ObjectAttribution> &objects)
{
    for (const ObjectAttribution &row : objects | std::views::take(SHOWN_OBJECTS)) {
        if (row.static_bytes > row.dynamic_bytes) {
            json_.object([&] { print_object(row); });
        }
    }
}

// Byte-points; a cause that took nothing is a zero, since all were looked for.
void VerdictPrinter::print_attribution(const Attribution &attribution)
{
    json_.attributeObject("attribution", [&] { print_causes(attribution.lost_bytes); });
    json_.attributeArray("worst_objects", [&] { print_worst(attribution.objects); });
}

void VerdictPrinter::print_counts(const Verdict &verdict)
{
    json_.attribute(
        "status",
        verdict.is_covered()  ? "covered"
        : verdict.points == 0 ? "nothing checked"
                              : "violated"
    );
    json_.attribute("points", verdict.points);
    json_.attribute("points_outside", verdict.points_outside);
    json_.attribute("contexts", resolved_.contexts.size() - 1);
    json_.attribute("undefined_read_bytes", resolved_.undefined_bytes);
    json_.attribute("foreign_accesses", resolved_.foreign_accesses);
}

void VerdictPrinter::print_violations(const Verdict &verdict)
{
    json_.attribute("violation_count", verdict.violations.size());
    json_.attributeArray("violations", [&] {
        for (const Violation &violation : verdict.violations | std::views::take(SHOWN_VIOLATIONS)) {
            print_violation(violation);
        }
    });
}

void VerdictPrinter::print_wrong_values(const Verdict &verdict)
{
    json_.attribute("value_points", verdict.value_points);
    json_.attribute("wrong_value_count", verdict.wrong_values.size());
    json_.attributeArray("wrong_values", [&] {
        for (const WrongValues &wrong : verdict.wrong_values | std::views::take(SHOWN_VIOLATIONS)) {
            json_.object([&] {
                print_instruction(wrong.instruction);
                json_.attribute("where", wrong.is_across ? "across" : "before");
                json_.attribute("reported_bits", wrong.reported_bits);
                json_.attribute("live_bits", wrong.live_bits);
            });
        }
    });
}

void VerdictPrinter::print_unknown(const Verdict &verdict)
{
    json_.attributeArray("unknown_allocations", [&] {
        for (uint32_t site : verdict.unknown_allocations) {
            json_.object([&] { print_instruction(site); });
        }
    });
    json_.attributeArray("externals_without_model", [&] {
        for (const std::string &name : verdict.externals_without_model) {
            json_.value(name);
        }
    });
}

void VerdictPrinter::print(const Verdict &verdict, const std::optional<Attribution> &attribution)
{
    json_.object([&] {
        json_.attribute("schema", 1);
        print_counts(verdict);
        print_violations(verdict);
        print_wrong_values(verdict);
        print_impossible(verdict);
        print_unknown(verdict);
        print_precision(verdict);
        if (attribution) {
            print_attribution(*attribution);
        }
    });
}

} // namespace

const char *memory_class_name(MemoryClass memory_class)
{
    switch (memory_class) {
    case MemoryClass::Stack:
        return "stack";
    case MemoryClass::Global:
        return "global";
    case MemoryClass::Constant:
        return "const";
    case MemoryClass::Heap:
        return "heap";
    default:
        return "other";
    }
}

void print_verdict(
    llvm::raw_ostream &out,
    const Verdict &verdict,
    const std::optional<Attribution> &attribution,
    const Resolved &resolved,
    const Numbering &numbering,
    const StaticSets &sets
)
{
    VerdictPrinter(out, resolved, numbering, sets).print(verdict, attribution);
    out << '\n';
}

} // namespace laxity::workingset::oracle
