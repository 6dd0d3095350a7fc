// SPDX-FileCopyrightText: 2026 The laxity authors
// SPDX-License-Identifier: MIT
#include "analysis/loop_kills.hpp"

#include <llvm/IR/CFG.h>

namespace laxity::workingset {

namespace {

// Objects beyond are not gone through byte by byte.
constexpr uint64_t MAX_KILLED_BYTES = uint64_t{1} << 24;

void add_written_objects(
    const LoopBody &body, const ObjectTable &objects, std::map<unsigned, uint64_t> &sizes
)
{
    for (const LoopBody::Step &step : body.steps) {
        if (!step.touch) {
            add_written_objects(*step.inner, objects, sizes);
            continue;
        }
        const std::optional<uint64_t> bytes = objects[step.touch->object].size_bytes;
        if (step.touch->is_write && bytes && *bytes <= MAX_KILLED_BYTES) {
            sizes[step.touch->object] = *bytes;
        }
    }
}

CellSet killed_by(const LoopBody &body, const Cells &cells)
{
    std::map<unsigned, uint64_t> sizes;
    add_written_objects(body, cells.objects(), sizes);
    LoopRun run(sizes);
    run.run(body);
    CellSet killed;
    for (const auto &[object, size_bytes] : sizes) {
        const llvm::BitVector bytes = run.killed_bytes(object);
        for (int first = bytes.find_first(); first >= 0;) {
            const int next = bytes.find_next_unset(static_cast<unsigned>(first));
            const auto end = next < 0 ? size_bytes : static_cast<uint64_t>(next);
            const auto start = static_cast<uint64_t>(first);
            killed |= cells.covered(object, start, end - start);
            first = next < 0 ? -1 : bytes.find_next(static_cast<unsigned>(next));
        }
    }
    return killed;
}

} // namespace

void LoopKills::add(
    const llvm::Function &function,
    const Cells &cells,
    const PointerAnalysis &pointers,
    const ModuleIndex &index,
    FindCallTouches call_touches
)
{
    ScalarFacts facts(function);
    if (facts.loops().empty()) {
        return;
    }
    LoopWriter writer(function, facts, cells, pointers, index, call_touches);
    for (const llvm::Loop *loop : facts.loops().getLoopsInPreorder()) {
        const std::optional<LoopBody> body = writer.write_down(*loop);
        if (!body) {
            continue;
        }
        const CellSet killed = killed_by(*body, cells);
        for (const llvm::BasicBlock *from : llvm::predecessors(loop->getHeader())) {
            if (!killed.empty() && !loop->contains(from)) {
                edges_[{from, loop->getHeader()}] = killed;
            }
        }
    }
}

const CellSet *LoopKills::find(const llvm::BasicBlock &from, const llvm::BasicBlock &to) const
{
    auto found = edges_.find({&from, &to});
    return found == edges_.end() ? nullptr : &found->second;
}

} // namespace laxity::workingset
