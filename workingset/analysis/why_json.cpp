// SPDX-FileCopyrightText: 2026 The laxity authors
// SPDX-License-Identifier: MIT
#include "analysis/why_json.hpp"

#include <llvm/IR/DebugInfoMetadata.h>
#include <llvm/IR/DebugLoc.h>

namespace laxity::workingset {

namespace {

constexpr int SCHEMA = 1;

const char *word_of(Verdict verdict)
{
    switch (verdict) {
    case Verdict::Live:
        return "live";
    case Verdict::Pinned:
        return "always_live";
    case Verdict::Unreached:
        return "unreached";
    case Verdict::NotResident:
        return "not_resident";
    case Verdict::Undefined:
        return "never_written";
    case Verdict::Dead:
        return "dead";
    }
    return "";
}

const char *word_of(StepKind kind)
{
    switch (kind) {
    case StepKind::Block:
        return "block";
    case StepKind::Through:
        return "passes";
    case StepKind::Enter:
        return "enters";
    case StepKind::Leave:
        return "leaves";
    case StepKind::Root:
        return "next";
    case StepKind::Read:
        return "reads";
    case StepKind::Jump:
        return "jumps";
    case StepKind::Environment:
        return "outside";
    case StepKind::Overwrite:
        return "overwrites";
    case StepKind::LoopOverwrites:
        return "loop_overwrites";
    }
    return "";
}

const char *word_of(Exit exit)
{
    switch (exit) {
    case Exit::Return:
        return "return";
    case Exit::Unwind:
        return "exception";
    case Exit::Process:
        return "exit";
    }
    return "";
}

llvm::json::Object place_of(const Analysis &analysis, const llvm::Instruction &at)
{
    llvm::json::Object place{
        {"function", at.getFunction()->getName()},
        {"block", nullptr},
        {"index", nullptr},
        {"opcode", at.getOpcodeName()},
        {"file", nullptr},
        {"line", nullptr},
        {"column", nullptr}
    };
    if (analysis.index().has_number(at)) {
        const ModuleIndex::Place where = analysis.index().place(analysis.index().number(at));
        place["block"] = where.block;
        place["index"] = where.index;
    }
    const llvm::DILocation *location = at.getDebugLoc();
    if (location != nullptr && location->getLine() != 0) { // LLVM's 0 is "none"
        place["file"] = location->getFilename();
        place["line"] = location->getLine();
        if (location->getColumn() != 0) {
            place["column"] = location->getColumn();
        }
    }
    return place;
}

llvm::json::Value range_of(uint64_t first, uint64_t end)
{
    return llvm::json::Object{{"first_byte", first}, {"end_byte", end}};
}

/* null: of unknown size. */
llvm::json::Value path_bytes(const Cell &cell)
{
    return cell.first_byte == cell.end_byte ? llvm::json::Value(nullptr)
                                            : range_of(cell.first_byte, cell.end_byte);
}

/* The first from here in its block that the source has a line for: joins of values have none. */
const llvm::Instruction &first_of_source(const llvm::Instruction &at)
{
    const llvm::Instruction *found = &at;
    while (found != nullptr && (!found->getDebugLoc() || found->getDebugLoc().getLine() == 0)) {
        found = found->getNextNode();
    }
    // NOLINTNEXTLINE(bugprone-return-const-ref-from-parameter): no instruction is a temporary
    return found == nullptr ? at : *found;
}

/* The user's instruction that one of a copy stands for. */
const llvm::Instruction &users(const Analysis &analysis, const llvm::Instruction &copy)
{
    return analysis.index().instruction(analysis.copies().origin(copy));
}

llvm::json::Value step_of(const Analysis &analysis, const Step &step)
{
    llvm::json::Object object{
        {"what", word_of(step.kind)}, {"at", nullptr}, {"function", nullptr}, {"by", nullptr}
    };
    if (step.at != nullptr) {
        const llvm::Instruction &at = users(analysis, *step.at);
        object["at"] = place_of(analysis, step.kind == StepKind::Block ? first_of_source(at) : at);
    }
    if (step.function != nullptr) {
        object["function"] = analysis.copies().original(*step.function).getName();
    }
    const bool has_exit = step.kind == StepKind::Leave || step.kind == StepKind::Through ||
                          step.kind == StepKind::Root || step.kind == StepKind::Environment;
    if (has_exit) {
        object["by"] = word_of(step.exit);
    }
    return object;
}

llvm::json::Value path_of(const Analysis &analysis, const CellPath &path)
{
    llvm::json::Array calls;
    for (const llvm::CallBase *call : path.calls) {
        calls.push_back(place_of(analysis, users(analysis, *call)));
    }
    llvm::json::Array steps;
    for (const Step &step : path.steps) {
        steps.push_back(step_of(analysis, step));
    }
    return llvm::json::Object{
        {"bytes", path_bytes(analysis.cells()[path.cell])},
        {"root", path.root.function->getName()},
        {"calls", std::move(calls)},
        {"needs_context", path.needs_context},
        {"length", path.length},
        {"steps", std::move(steps)}
    };
}

llvm::json::Value object_of(const Object &object)
{
    const StorageClass storage = object.is_volatile ? StorageClass::Volatile : object.storage;
    return llvm::json::Object{
        {"name", object.name},
        {"class", CLASS_NAMES[static_cast<size_t>(storage)]},
        {"size_bytes",
         object.size_bytes ? llvm::json::Value(*object.size_bytes) : llvm::json::Value(nullptr)},
        {"function",
         object.function == nullptr ? llvm::json::Value(nullptr)
                                    : llvm::json::Value(object.function->getName())},
        {"is_volatile", object.is_volatile},
        {"is_device_read", object.is_device_read}
    };
}

} // namespace

llvm::json::Value why_document(const Analysis &analysis, const WhyQuery &query, const Why &why)
{
    llvm::json::Array live;
    for (const CellRange &range : why.live) {
        live.push_back(range_of(range.first_byte, range.end_byte));
    }
    return llvm::json::Object{
        {"schema", SCHEMA},
        {"verdict", word_of(why.verdict)},
        {"object", object_of(analysis.objects()[why.object])},
        {"file", query.file},
        {"line", query.line},
        {"instructions_of_line", static_cast<uint64_t>(query.places.size())},
        {"instruction", place_of(analysis, *why.at)},
        {"is_ever_read", why.is_ever_read},
        {"live_bytes", std::move(live)},
        {"path", why.path ? path_of(analysis, *why.path) : llvm::json::Value(nullptr)}
    };
}

} // namespace laxity::workingset
