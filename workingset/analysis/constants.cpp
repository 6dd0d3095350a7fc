// SPDX-FileCopyrightText: 2026 The laxity authors
// SPDX-License-Identifier: MIT
#include "analysis/constants.hpp"

#include "analysis/faults.hpp"

#include <llvm/ADT/DepthFirstIterator.h>
#include <llvm/ADT/PostOrderIterator.h>
#include <llvm/ADT/STLFunctionalExtras.h>
#include <llvm/Analysis/ConstantFolding.h>
#include <llvm/Analysis/TargetLibraryInfo.h>
#include <llvm/Analysis/ValueLattice.h>
#include <llvm/Analysis/ValueLatticeUtils.h>
#include <llvm/IR/CFG.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/Transforms/Utils/BasicBlockUtils.h>
#include <llvm/Transforms/Utils/SCCPSolver.h>

namespace laxity::workingset {

namespace {

bool is_undefined(const llvm::Value &value)
{
    if (llvm::isa<llvm::UndefValue>(value)) { // poison is one
        return !has_fault(Fault::UndefinedTrusted);
    }
    if (!llvm::isa<llvm::ConstantAggregate, llvm::ConstantExpr>(value)) {
        return false;
    }
    return llvm::any_of(llvm::cast<llvm::Constant>(value).operands(), [](const llvm::Use &part) {
        return is_undefined(*part);
    });
}

bool has_undefined_operand(const llvm::Instruction &instruction)
{
    return llvm::any_of(instruction.operands(), [](const llvm::Use &operand) {
        return is_undefined(*operand);
    });
}

/* What the solver may not compute: its answer would be one of several, or that of another machine.
 */
bool is_unknown(const llvm::Instruction &instruction)
{
    if (instruction.getType()->isStructTy() || has_undefined_operand(instruction)) {
        return true;
    }
    // Is true only if the user's own compiler knows the constant.
    const auto *intrinsic = llvm::dyn_cast<llvm::IntrinsicInst>(&instruction);
    if (intrinsic != nullptr && intrinsic->getIntrinsicID() == llvm::Intrinsic::is_constant) {
        return true;
    }
    return instruction.getType()->isFPOrFPVectorTy() &&
           !llvm::isa<llvm::PHINode, llvm::SelectInst, llvm::LoadInst>(instruction);
}

/* Whether the branch is one that the solver may find to go one way only. */
bool is_understood(const llvm::Instruction &terminator)
{
    return llvm::isa<llvm::BranchInst, llvm::SwitchInst>(terminator) &&
           !has_undefined_operand(terminator);
}

class Propagation {
  public:
    Propagation(ModuleCopies &copies, const llvm::StringSet<> &entries)
        : copies_(copies), module_(copies.module()), entries_(entries),
          library_(without_functions()), library_info_(library_),
          solver_(
              module_.getDataLayout(),
              [this](llvm::Function & /*function*/) -> const llvm::TargetLibraryInfo & {
                  return library_info_;
              },
              module_.getContext()
          )
    {
    }

    void run()
    {
        drop_promises();
        for (llvm::Function &function : module_) {
            if (!function.isDeclaration()) {
                add_function(function);
            }
        }
        for (llvm::GlobalVariable &global : module_.globals()) {
            if (is_tracked(global)) {
                solver_.trackValueOfGlobalVariable(&global);
            }
        }
        do {
            solver_.solveWhileResolvedUndefsIn(module_);
        } while (raise_undefined());
        replace_values();
        restore_promises();
        remove_impossible();
    }

  private:
    /* None is folded: results of the C library may be those of another machine. */
    static llvm::TargetLibraryInfoImpl without_functions()
    {
        llvm::TargetLibraryInfoImpl library;
        library.disableAllFunctions();
        return library;
    }

    /* That nothing overflows is what the compiler may rely on, while the program may do it. */
    void drop_promises()
    {
        for (llvm::Function &function : module_) {
            for (llvm::Instruction &instruction : llvm::instructions(function)) {
                if (instruction.hasPoisonGeneratingFlags()) {
                    instruction.dropPoisonGeneratingFlags();
                    without_promises_.push_back(&instruction);
                }
            }
        }
    }
    void restore_promises()
    {
        for (llvm::Instruction *instruction : without_promises_) {
            instruction->copyIRFlags(copies_.original(*instruction));
        }
    }

    [[nodiscard]] bool is_entered_from_outside(const llvm::Function &function) const
    {
        return !function.hasLocalLinkage() || function.hasAddressTaken() ||
               entries_.contains(function.getName());
    }

    void add_function(llvm::Function &function)
    {
        const bool is_outside = is_entered_from_outside(function);
        if (is_outside) {
            solver_.markBlockExecutable(&function.front());
        } else {
            solver_.addArgumentTrackedFunction(&function);
        }
        for (llvm::Argument &argument : function.args()) {
            // LLVM takes the original for the copy that a function which only reads was given.
            if (is_outside || argument.getType()->isStructTy() || argument.hasByValAttr()) {
                solver_.markOverdefined(&argument);
            }
        }
        bool is_return_known = llvm::canTrackReturnsInterprocedurally(&function) &&
                               !function.getReturnType()->isStructTy();
        for (llvm::BasicBlock &block : function) {
            for (llvm::Instruction &instruction : block) {
                add_instruction(instruction);
            }
            const bool has_result = llvm::isa<llvm::ReturnInst>(block.getTerminator());
            is_return_known =
                is_return_known && !(has_result && has_undefined_operand(*block.getTerminator()));
            add_ways(*block.getTerminator());
        }
        if (is_return_known) {
            solver_.addTrackedFunction(&function);
        }
    }

    void add_instruction(llvm::Instruction &instruction)
    {
        if (!instruction.getType()->isVoidTy() && is_unknown(instruction)) {
            solver_.markOverdefined(&instruction);
        }
        const auto *call = llvm::dyn_cast<llvm::CallBase>(&instruction);
        llvm::Function *callee = call == nullptr ? nullptr : call->getCalledFunction();
        if (callee == nullptr || callee->isDeclaration()) {
            return;
        }
        for (llvm::Argument &parameter : callee->args()) {
            if (is_undefined(*call->getArgOperand(parameter.getArgNo()))) {
                solver_.markOverdefined(&parameter);
            }
        }
    }

    /* Any way may be taken from where the solver knows none or trusts what is undefined. */
    void add_ways(llvm::Instruction &terminator)
    {
        if (is_understood(terminator)) {
            return;
        }
        for (llvm::BasicBlock *next : llvm::successors(terminator.getParent())) {
            solver_.markBlockExecutable(next);
            for (llvm::PHINode &phi : next->phis()) {
                solver_.markOverdefined(&phi);
            }
        }
    }

    static bool is_tracked(llvm::GlobalVariable &global)
    {
        if (!global.getValueType()->isSingleValueType() ||
            !llvm::canTrackGlobalVariableInterprocedurally(&global) || global.isThreadLocal() ||
            global.hasSection() || // one that nobody initialises, perhaps
            is_undefined(*global.getInitializer())) {
            return false;
        }
        return llvm::none_of(global.users(), [](const llvm::User *user) {
            const auto *store = llvm::dyn_cast<llvm::StoreInst>(user);
            return store != nullptr && is_undefined(*store->getValueOperand());
        });
    }

    /* The solver knows nothing of what is computed where it never comes. */
    void visit_executable(llvm::function_ref<void(llvm::Value &)> visit)
    {
        for (llvm::Function &function : module_) {
            if (function.isDeclaration() || !solver_.isBlockExecutable(&function.front())) {
                continue;
            }
            for (llvm::Argument &argument : function.args()) {
                visit(argument);
            }
            for (llvm::BasicBlock &block : function) {
                if (!solver_.isBlockExecutable(&block)) {
                    continue;
                }
                for (llvm::Instruction &instruction : block) {
                    visit(instruction);
                }
            }
        }
    }

    /* What turned out to be undefined by folding is unknown, too; false: there was none. */
    bool raise_undefined()
    {
        bool has_changed = false;
        visit_executable([&](llvm::Value &value) {
            if (!value.getType()->isVoidTy() && !value.getType()->isStructTy() &&
                is_uncertain(solver_.getLatticeValueFor(&value))) {
                solver_.markOverdefined(&value);
                has_changed = true;
            }
        });
        return has_changed;
    }
    static bool is_uncertain(const llvm::ValueLatticeElement &found)
    {
        return found.isUnknownOrUndef() ||
               (found.isConstantRangeIncludingUndef() && !has_fault(Fault::UndefinedTrusted));
    }

    void replace(llvm::Value &value)
    {
        if (value.use_empty() || value.getType()->isVoidTy() || value.getType()->isStructTy()) {
            return;
        }
        const llvm::ValueLatticeElement &found = solver_.getLatticeValueFor(&value);
        if (!is_uncertain(found) && llvm::SCCPSolver::isConstant(found)) {
            llvm::Constant *constant = solver_.getConstant(found, value.getType());
            if (constant != nullptr && !is_undefined(*constant)) {
                value.replaceAllUsesWith(constant);
            }
        }
    }
    void replace_values()
    {
        visit_executable([this](llvm::Value &value) { replace(value); });
    }

    void remove_impossible()
    {
        std::vector<llvm::Function *> never_called;
        for (llvm::Function &function : module_) {
            if (function.isDeclaration()) {
                continue;
            }
            if (!solver_.isBlockExecutable(&function.front())) {
                never_called.push_back(&function);
                continue;
            }
            for (llvm::BasicBlock &block : function) {
                if (solver_.isBlockExecutable(&block) && is_understood(*block.getTerminator())) {
                    narrow(block);
                }
            }
            remove_unreachable(function);
        }
        keep_used(never_called);
        copies_.remove(never_called);
    }

    /* Whether something other than the bodies of `functions` holds the address of one of them. */
    static bool is_used_elsewhere(
        const llvm::Value &value, const llvm::SmallPtrSetImpl<llvm::Function *> &functions
    )
    {
        return llvm::any_of(value.users(), [&functions](const llvm::User *user) {
            const auto *instruction = llvm::dyn_cast<llvm::Instruction>(user);
            return instruction != nullptr
                       ? !functions.contains(instruction->getFunction())
                       : llvm::isa<llvm::GlobalValue>(user) || is_used_elsewhere(*user, functions);
        });
    }

    /* A function that is never called may still be named: its address is cast and nothing more, or
     * its lifetime is marked. What its own body names then stays, too. */
    static void keep_used(std::vector<llvm::Function *> &functions)
    {
        llvm::SmallPtrSet<llvm::Function *, 16> removed(functions.begin(), functions.end());
        size_t before = 0;
        do {
            before = functions.size();
            llvm::erase_if(functions, [&removed](llvm::Function *function) {
                return is_used_elsewhere(*function, removed) && removed.erase(function);
            });
        } while (functions.size() != before);
    }

    using Ways = llvm::SmallSetVector<llvm::BasicBlock *, 4>;

    Ways possible_ways(llvm::BasicBlock &block)
    {
        Ways ways;
        for (llvm::BasicBlock *next : llvm::successors(&block)) {
            if (solver_.isEdgeFeasible(&block, next)) {
                ways.insert(next);
            }
        }
        if (has_fault(Fault::EdgeDropped) && ways.size() == 2) {
            const auto *branch = llvm::dyn_cast<llvm::BranchInst>(block.getTerminator());
            if (branch != nullptr && llvm::isa<llvm::ICmpInst>(branch->getCondition())) {
                ways.remove(branch->getSuccessor(0));
            }
        }
        return ways;
    }

    /* Leave only the ways that may be taken. */
    void narrow(llvm::BasicBlock &block)
    {
        const Ways ways = possible_ways(block);
        const Ways all(llvm::succ_begin(&block), llvm::succ_end(&block));
        if (ways.empty() || ways.size() == all.size()) {
            return;
        }
        llvm::Instruction &old = *block.getTerminator();
        std::vector<llvm::BasicBlock *> gone(llvm::succ_begin(&block), llvm::succ_end(&block));
        llvm::Instruction &narrowed = make_terminator(old, ways);
        for (llvm::BasicBlock *next : llvm::successors(&narrowed)) {
            gone.erase(llvm::find(gone, next));
        }
        copies_.replace(old, narrowed);
        old.eraseFromParent();
        for (llvm::BasicBlock *next : gone) {
            next->removePredecessor(&block, /*KeepOneInputPHIs=*/true);
        }
    }

    /* Before `old`, which it stands for. */
    static llvm::Instruction &make_terminator(llvm::Instruction &old, const Ways &ways)
    {
        auto *choice = llvm::dyn_cast<llvm::SwitchInst>(&old);
        if (choice == nullptr || ways.size() == 1) {
            return *llvm::BranchInst::Create(ways.front(), old.getIterator());
        }
        const bool is_default_possible = ways.contains(choice->getDefaultDest());
        llvm::BasicBlock *otherwise = is_default_possible ? choice->getDefaultDest() : ways.front();
        auto *narrowed = llvm::SwitchInst::Create(
            choice->getCondition(), otherwise, choice->getNumCases(), old.getIterator()
        );
        for (const auto one : choice->cases()) {
            llvm::BasicBlock *next = one.getCaseSuccessor();
            if (ways.contains(next) && (is_default_possible || next != otherwise)) {
                narrowed->addCase(one.getCaseValue(), next);
            }
        }
        return *narrowed;
    }

    void remove_unreachable(llvm::Function &function)
    {
        llvm::df_iterator_default_set<llvm::BasicBlock *> reachable;
        for (llvm::BasicBlock *block : llvm::depth_first_ext(&function, reachable)) {
            (void)block; // the walk is what fills the set
        }
        llvm::SmallVector<llvm::BasicBlock *, 8> dead;
        for (llvm::BasicBlock &block : function) {
            if (!reachable.contains(&block)) {
                dead.push_back(&block);
                for (const llvm::Instruction &instruction : block) {
                    copies_.forget(instruction);
                }
            }
        }
        llvm::DeleteDeadBlocks(dead, nullptr, /*KeepOneInputPHIs=*/true);
    }

    ModuleCopies &copies_;
    llvm::Module &module_;
    const llvm::StringSet<> &entries_;
    llvm::TargetLibraryInfoImpl library_;
    llvm::TargetLibraryInfo library_info_;
    llvm::SCCPSolver solver_;
    std::vector<llvm::Instruction *> without_promises_;
};

} // namespace

void fold_arithmetic(llvm::Function &function)
{
    const llvm::DataLayout &layout = function.getParent()->getDataLayout();
    for (llvm::BasicBlock *block : llvm::ReversePostOrderTraversal<llvm::Function *>(&function)) {
        for (llvm::Instruction &instruction : *block) {
            const bool is_arithmetic =
                llvm::isa<llvm::BinaryOperator, llvm::CastInst, llvm::CmpInst, llvm::SelectInst>(
                    instruction
                ) &&
                instruction.getType()->isIntegerTy();
            if (!is_arithmetic || has_undefined_operand(instruction)) {
                continue;
            }
            llvm::Constant *constant = llvm::ConstantFoldInstruction(&instruction, layout);
            if (constant != nullptr && !is_undefined(*constant)) {
                instruction.replaceAllUsesWith(constant);
            }
        }
    }
}

void propagate_constants(ModuleCopies &copies, const llvm::StringSet<> &entries)
{
    Propagation(copies, entries).run();
}

} // namespace laxity::workingset
