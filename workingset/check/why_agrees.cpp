// SPDX-FileCopyrightText: 2026 The laxity authors
// SPDX-License-Identifier: MIT
#include "analysis/live_objects.hpp"
#include "analysis/why.hpp"

#include <algorithm>
#include <deque>
#include <llvm/ADT/StringExtras.h>
#include <llvm/IR/CFG.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/LLVMContext.h>
#include <llvm/IRReader/IRReader.h>
#include <llvm/Support/SourceMgr.h>
#include <llvm/Support/raw_ostream.h>
#include <set>
#include <utility>

/*
 * Test program: for every instruction and every cell there is a path to a read exactly where the
 * analysis calls the cell live, and the path is one; the largest live objects are those of the live
 * sets.
 *
 * What is live comes from the queries by context alone, over all contexts; paths are followed by
 * control flow and the effects of instructions alone.
 */
namespace laxity::workingset {

namespace {

/* What is live before each instruction in any context. */
class LiveAnywhere {
  public:
    explicit LiveAnywhere(const Analysis &analysis)
        : analysis_(analysis), live_(analysis.index().size())
    {
        for (const CallingContext &root : analysis.root_contexts()) {
            add(root);
        }
        while (!pending_.empty()) {
            const CallingContext context = pending_.front();
            pending_.pop_front();
            visit(context);
        }
    }

    [[nodiscard]] bool is_live(unsigned instruction, unsigned cell) const
    {
        return live_[instruction].test(cell);
    }
    [[nodiscard]] size_t contexts() const
    {
        return known_.size();
    }

  private:
    void add(const CallingContext &context)
    {
        if (context.copy == nullptr) {
            return; // in this situation the call does not enter the function
        }
        std::vector<unsigned> key;
        for (const CellSet &cells : context.after) {
            for (const unsigned cell : cells) {
                key.push_back(cell);
            }
            key.push_back(~0U);
        }
        if (known_.emplace(context.copy, key).second) {
            pending_.push_back(context);
        }
    }

    void visit(const CallingContext &context)
    {
        for (const llvm::Instruction &instruction : llvm::instructions(*context.function)) {
            if (!analysis_.index().has_number(instruction) ||
                !analysis_.is_reached(context, instruction)) {
                continue;
            }
            CellSet &live = live_[analysis_.index().number(instruction)];
            live |= cells_of(analysis_.live_before(context, instruction));
            if (const auto *call = llvm::dyn_cast<llvm::CallBase>(&instruction)) {
                for (const llvm::Function *callee : analysis_.graph().callees(*call)) {
                    add(analysis_.enter(context, *call, *callee));
                }
            }
        }
    }

    [[nodiscard]] CellSet cells_of(const LiveSet &live) const
    {
        CellSet cells;
        for (const CellRange &range : live.cells) {
            for (const unsigned cell : analysis_.cells().object_cells(range.object)) {
                const Cell &one = analysis_.cells()[cell];
                const bool is_whole = one.first_byte == one.end_byte; // of unknown size
                if (is_whole ||
                    (range.first_byte <= one.first_byte && one.end_byte <= range.end_byte)) {
                    cells.set(cell);
                }
            }
        }
        return cells;
    }

    const Analysis &analysis_;
    std::vector<CellSet> live_;
    std::set<std::pair<const llvm::Function *, std::vector<unsigned>>> known_;
    std::deque<CallingContext> pending_;
};

/* Follows the steps of a path, through the copies in which it is. */
class Follower {
  public:
    Follower(const Analysis &analysis, unsigned cell)
        : copies_(analysis.copies()), solution_(analysis.solution()), cell_(cell)
    {
    }

    bool follow(const llvm::Instruction &from, const CellPath &path)
    {
        if (copies_.original(*path.from) != &from) {
            return false;
        }
        at_ = path.from;
        for (const Step &step : path.steps) {
            if (!take(step)) {
                return false;
            }
        }
        const StepKind last = path.steps.back().kind;
        return last == StepKind::Read || last == StepKind::Jump || last == StepKind::Environment;
    }

  private:
    bool take(const Step &step)
    {
        switch (step.kind) {
        case StepKind::Block:
            return reach(*step.at);
        case StepKind::Through:
            return calls(step) && reach(*step.at) && !is_killed(*step.at);
        case StepKind::Enter:
            if (!calls(step) || !reach(*step.at) || is_killed(*step.at)) {
                return false;
            }
            stack_.push_back(step.at);
            at_ = &*step.function->getEntryBlock().begin();
            return true;
        case StepKind::Leave:
            if (at_->getFunction() != step.function || !can_leave(step.exit) || !calls(step)) {
                return false;
            }
            at_ = step.at;
            return true;
        case StepKind::Root:
            at_ = &*step.function->getEntryBlock().begin();
            return true;
        case StepKind::Environment:
            return true;
        case StepKind::Read:
            return reach(*step.at) && reads(*step.at);
        case StepKind::Jump:
            return reach(*step.at);
        case StepKind::Overwrite:
        case StepKind::LoopOverwrites:
            return false;
        }
        return false;
    }

    [[nodiscard]] const Effect *effect(const llvm::Instruction &instruction) const
    {
        return solution_.index.has_number(instruction)
                   ? solution_.cells.effect(solution_.index.number(instruction))
                   : nullptr;
    }
    [[nodiscard]] bool is_killed(const llvm::Instruction &instruction) const
    {
        const Effect *found = effect(instruction);
        return found != nullptr && found->kills.test(cell_);
    }
    [[nodiscard]] bool reads(const llvm::Instruction &instruction) const
    {
        const Effect *found = effect(instruction);
        return found != nullptr && found->reads.test(cell_);
    }
    [[nodiscard]] bool calls(const Step &step) const
    {
        const auto callees = solution_.graph.callees(*llvm::cast<llvm::CallBase>(step.at));
        return llvm::is_contained(callees, step.function);
    }

    /* The instructions that follow without an overwriting, this one first. */
    [[nodiscard]] std::set<const llvm::Instruction *> reachable() const
    {
        std::set<const llvm::Instruction *> found = {at_};
        std::deque<const llvm::Instruction *> pending = {at_};
        while (!pending.empty()) {
            const llvm::Instruction &instruction = *pending.front();
            pending.pop_front();
            if (is_killed(instruction)) {
                continue;
            }
            const auto add = [&](const llvm::Instruction &next) {
                if (found.insert(&next).second) {
                    pending.push_back(&next);
                }
            };
            if (!instruction.isTerminator()) {
                add(*instruction.getNextNode());
                continue;
            }
            for (const llvm::BasicBlock *next : llvm::successors(&instruction)) {
                add(next->front());
            }
        }
        return found;
    }
    bool reach(const llvm::Instruction &to)
    {
        if (to.getFunction() != at_->getFunction() || !reachable().contains(&to)) {
            return false;
        }
        at_ = &to;
        return true;
    }
    [[nodiscard]] bool can_leave(Exit exit) const
    {
        return llvm::any_of(reachable(), [&](const llvm::Instruction *instruction) {
            return llvm::isa<llvm::CallBase>(instruction) ||
                   (exit == Exit::Return && llvm::isa<llvm::ReturnInst>(instruction)) ||
                   (exit == Exit::Unwind && llvm::isa<llvm::ResumeInst>(instruction));
        });
    }

    const ModuleCopies &copies_;
    Solution solution_;
    unsigned cell_;
    const llvm::Instruction *at_ = nullptr;
    std::vector<const llvm::Instruction *> stack_;
};

/* Inverted bits and an object: the largest sorts first. */
using Ranked = std::vector<std::pair<uint64_t, unsigned>>;

Ranked rank_live(const Analysis &analysis, const LiveAnywhere &anywhere, unsigned number)
{
    Ranked ranked;
    for (unsigned object = 0; object < analysis.objects().size(); object++) {
        uint64_t bits = 0;
        bool is_live = false;
        for (const unsigned cell : analysis.cells().object_cells(object)) {
            if (anywhere.is_live(number, cell)) {
                is_live = true; // also where the size, and so the bits, are unknown
                bits += analysis.cells()[cell].bits;
            }
        }
        if (is_live) {
            ranked.emplace_back(~bits, object);
        }
    }
    std::ranges::sort(ranked);
    return ranked;
}

bool is_largest(const LiveObjects &objects, unsigned number, Ranked expected)
{
    expected.resize(std::min(expected.size(), LiveObjects::MOST));
    Ranked found;
    for (const LiveObject &live : objects.largest(number)) {
        found.emplace_back(~live.bits, live.object);
    }
    return found == expected;
}

/* The largest live objects of each instruction are those of its live set. */
unsigned long count_wrong_objects(const Analysis &analysis, const LiveAnywhere &anywhere)
{
    const LiveObjects objects(analysis);
    std::vector<uint64_t> instructions(analysis.objects().size());
    unsigned long wrong = 0;
    for (unsigned number = 0; number < analysis.index().size(); number++) {
        if (!analysis.rows()[number].is_reached) {
            continue;
        }
        Ranked expected = rank_live(analysis, anywhere, number);
        for (const auto &[bits, object] : expected) {
            instructions[object]++;
        }
        if (!is_largest(objects, number, std::move(expected))) {
            wrong++;
            llvm::errs() << "instruction " << number << ": other largest objects\n";
        }
    }
    for (unsigned object = 0; object < analysis.objects().size(); object++) {
        if (objects.instructions_live(object) != instructions[object]) {
            wrong++;
            llvm::errs() << analysis.objects()[object].name << ": live elsewhere\n";
        }
    }
    return wrong;
}

struct Counts {
    unsigned long points = 0, live = 0, wrong = 0;
};

/* Compares the explanation of each cell before each instruction with what is live there. */
class WhyChecker {
  public:
    WhyChecker(const Analysis &analysis, const LiveAnywhere &anywhere, Counts &counts)
        : analysis_(analysis), anywhere_(anywhere), finder_(analysis), counts_(counts)
    {
    }

    void check(unsigned number)
    {
        for (unsigned object = 0; object < analysis_.objects().size(); object++) {
            for (const unsigned cell : analysis_.cells().object_cells(object)) {
                check_cell(number, object, cell);
            }
        }
    }

  private:
    void check_cell(unsigned number, unsigned object, unsigned cell)
    {
        const llvm::Instruction &at = analysis_.index().instruction(number);
        const bool is_live = anywhere_.is_live(number, cell);
        const Why why = explain_cell(analysis_, finder_, cell, at);
        counts_.points++;
        counts_.live += is_live ? 1 : 0;
        if (is_right(why, is_live, cell, at)) {
            return;
        }
        counts_.wrong++;
        llvm::errs() << at.getFunction()->getName() << ": instruction " << number << ", "
                     << analysis_.objects()[object].name << ", byte "
                     << analysis_.cells()[cell].first_byte << ": " << (is_live ? "live" : "dead")
                     << " for the analysis, verdict " << static_cast<unsigned>(why.verdict) << '\n';
    }

    [[nodiscard]] bool
    is_right(const Why &why, bool is_live, unsigned cell, const llvm::Instruction &at) const
    {
        if (why.verdict != Verdict::Live) {
            return is_live == (why.verdict == Verdict::Pinned);
        }
        const Cell &one = analysis_.cells()[cell];
        return is_live && why.path && Follower(analysis_, cell).follow(at, *why.path) &&
               llvm::any_of(why.live, [&](const CellRange &range) {
                   return range.first_byte <= one.first_byte && one.end_byte <= range.end_byte;
               });
    }

    const Analysis &analysis_;
    const LiveAnywhere &anywhere_;
    PathFinder finder_;
    Counts &counts_;
};

void check(const Analysis &analysis, Counts &counts)
{
    const LiveAnywhere anywhere(analysis);
    counts.wrong += count_wrong_objects(analysis, anywhere);
    WhyChecker checker(analysis, anywhere, counts);
    for (unsigned number = 0; number < analysis.index().size(); number++) {
        if (analysis.rows()[number].is_reached) {
            checker.check(number);
        }
    }
}

} // namespace

} // namespace laxity::workingset

int main(int argc, char **argv)
{
    if (argc != 2) {
        llvm::errs() << "usage: workingset-why-agrees PROGRAM.bc\n";
        return 2;
    }
    llvm::LLVMContext context;
    llvm::SMDiagnostic diagnostic;
    const std::unique_ptr<llvm::Module> module = llvm::parseIRFile(argv[1], diagnostic, context);
    if (!module) {
        llvm::errs() << argv[1] << ": " << diagnostic.getMessage() << '\n';
        return 2;
    }
    auto analysis = laxity::workingset::Analysis::run(*module, {});
    if (!analysis) {
        llvm::errs() << llvm::toString(analysis.takeError()) << '\n';
        return 2;
    }
    laxity::workingset::Counts counts;
    laxity::workingset::check(**analysis, counts);
    llvm::outs() << counts.points << ' ' << counts.live << ' ' << counts.wrong << '\n';
    return counts.wrong == 0 ? 0 : 1;
}
