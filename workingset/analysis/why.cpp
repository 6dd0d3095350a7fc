// SPDX-FileCopyrightText: 2026 The laxity authors
// SPDX-License-Identifier: MIT
#include "analysis/why.hpp"

#include <algorithm>

namespace laxity::workingset {

namespace {

/* What the analysis says about one instruction and one object, before any path is looked for: in
 * all situations in which the function is called. */
class Place {
  public:
    Place(
        const Analysis &analysis,
        const PathFinder &finder,
        const llvm::Instruction &at,
        const CellSet &cells
    )
        : finder_(finder), cells_(cells)
    {
        const ModuleCopies &copies = analysis.copies();
        for (const llvm::Function *function : copies.copies(*at.getFunction())) {
            const llvm::Instruction *copy = copies.find(*function, at);
            if (copy != nullptr && finder.solution().defined.block_start(*copy->getParent())) {
                points_.push_back({copy, defined_before(*copy)});
            }
        }
    }

    [[nodiscard]] bool is_reached() const
    {
        return !points_.empty();
    }

    /* May anything have been written to it? */
    [[nodiscard]] bool is_defined() const
    {
        return llvm::any_of(points_, [this](const Point &point) {
            return cells_.intersects(point.defined);
        });
    }

    /* The shortest path of a cell of the object that holds something, or of one that does not. */
    [[nodiscard]] std::optional<CellPath> shortest(Goal goal, bool is_defined) const
    {
        std::optional<CellPath> best;
        for (const Point &point : points_) {
            for (const unsigned cell : cells_) {
                if (point.defined.test(cell) != is_defined) {
                    continue;
                }
                std::optional<CellPath> path = finder_.find(*point.copy, cell, goal);
                if (path && (!best || path->length < best->length)) {
                    best = std::move(path);
                }
            }
        }
        return best;
    }

  private:
    struct Point {
        const llvm::Instruction *copy;
        CellSet defined; // before it
    };

    [[nodiscard]] CellSet defined_before(const llvm::Instruction &copy) const
    {
        const MayDefined &all = finder_.solution().defined;
        CellSet defined = *all.block_start(*copy.getParent());
        for (const llvm::Instruction &before : *copy.getParent()) {
            if (&before == &copy) {
                break;
            }
            all.step(before, defined);
        }
        return defined;
    }

    const PathFinder &finder_;
    CellSet cells_;
    std::vector<Point> points_; // the copies of the instruction that some path leads to
};

bool is_read(const Solution &solution, const CellSet &cells)
{
    for (unsigned number = 0; number < solution.index.size(); number++) {
        const Effect *effect = solution.cells.effect(number);
        if (effect != nullptr && effect->reads.intersects(cells)) {
            return true;
        }
    }
    return false;
}

/* What is live of the object in the context of the path. */
std::vector<CellRange> live_ranges(const Analysis &analysis, const CellPath &path, const Why &why)
{
    const ModuleCopies &copies = analysis.copies();
    CallingContext context = path.root;
    for (size_t i = 0; i < path.calls.size(); i++) {
        const llvm::Instruction &next = i + 1 < path.calls.size() ? *path.calls[i + 1] : *path.from;
        context = analysis.enter(
            context,
            *llvm::cast<llvm::CallBase>(copies.original(*path.calls[i])),
            copies.original(*next.getFunction())
        );
    }
    std::vector<CellRange> live = analysis.live_before(context, *why.at).cells;
    std::erase_if(live, [&](const CellRange &range) { return range.object != why.object; });
    return live;
}

/* Why the object is not live at one instruction. */
void explain_dead(const PathFinder &finder, const Place &place, Why &why)
{
    const Object &object = finder.solution().objects[why.object];
    const bool is_in_frame = object.storage == StorageClass::Stack && object.function != nullptr;
    if (!place.is_reached()) {
        why.verdict = Verdict::Unreached;
    } else if (is_in_frame && !finder.may_run_below(*object.function, *why.at->getFunction())) {
        why.verdict = Verdict::NotResident;
    } else if (!place.is_defined() || place.shortest(Goal::Read, false)) {
        why.verdict = Verdict::Undefined;
    } else {
        why.path = place.shortest(Goal::Overwrite, true);
    }
}

Why explain_cells(
    const Analysis &analysis,
    const PathFinder &finder,
    const CellSet &cells,
    unsigned object,
    llvm::ArrayRef<const llvm::Instruction *> places
)
{
    Why why{
        .verdict = Verdict::Dead,
        .at = places.front(),
        .object = object,
        .path = std::nullopt,
        .live = {},
        .is_ever_read = is_read(finder.solution(), cells)
    };
    if (cells.intersects(analysis.cells().pinned())) {
        why.verdict = Verdict::Pinned;
        return why;
    }
    for (const llvm::Instruction *at : places) {
        const Place place(analysis, finder, *at, cells);
        std::optional<CellPath> path = place.shortest(Goal::Read, true);
        if (path) {
            why.verdict = Verdict::Live;
            why.at = at;
            why.live = live_ranges(analysis, *path, why);
            why.path = std::move(path);
            return why;
        }
    }
    explain_dead(finder, Place(analysis, finder, *why.at, cells), why);
    return why;
}

} // namespace

Why explain(
    const Analysis &analysis,
    const PathFinder &finder,
    unsigned object,
    llvm::ArrayRef<const llvm::Instruction *> places
)
{
    return explain_cells(analysis, finder, analysis.cells().object_cells(object), object, places);
}

Why explain_cell(
    const Analysis &analysis, const PathFinder &finder, unsigned cell, const llvm::Instruction &at
)
{
    CellSet cells;
    cells.set(cell);
    return explain_cells(analysis, finder, cells, analysis.cells()[cell].object, {&at});
}

} // namespace laxity::workingset
