// SPDX-FileCopyrightText: 2026 The laxity authors
// SPDX-License-Identifier: MIT
#include "segments.hpp"

#include "analysis/module_index.hpp"
#include "analysis/table_file.hpp"

#include <llvm/IR/DerivedTypes.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/IntrinsicInst.h>

namespace laxity::workingset {

namespace {

bool is_call(const llvm::Instruction &instruction)
{
    return llvm::isa<llvm::CallBase>(instruction) && !llvm::isa<llvm::IntrinsicInst>(instruction);
}

/* Whether a segment begins before an instruction: the first that is no phi, and what is behind a
 * call. */
bool begins_segment(const llvm::Instruction &instruction)
{
    if (llvm::isa<llvm::PHINode>(instruction) || instruction.isEHPad()) {
        return false;
    }
    const llvm::Instruction *before = instruction.getPrevNonDebugInstruction();
    return before == nullptr || llvm::isa<llvm::PHINode>(before) || before->isEHPad() ||
           is_call(*before);
}

} // namespace

void trace_segments(llvm::Module &module, llvm::raw_ostream &table)
{
    const ModuleIndex index(module);
    std::vector<const llvm::Instruction *> starts;
    table << "segment,function,block,index\n";
    for (unsigned number = 0; number < index.size(); number++) {
        const llvm::Instruction &instruction = index.instruction(number);
        if (begins_segment(instruction)) {
            const ModuleIndex::Place place = index.place(number);
            table << starts.size() << ',' << csv_field(instruction.getFunction()->getName()) << ','
                  << place.block << ',' << place.index << '\n';
            starts.push_back(&instruction);
        }
    }
    llvm::LLVMContext &context = module.getContext();
    llvm::Type *word = llvm::Type::getInt32Ty(context);
    const llvm::FunctionCallee told =
        module.getOrInsertFunction("laxity_segment", llvm::Type::getVoidTy(context), word);
    for (size_t number = 0; number < starts.size(); number++) {
        // The index gives const instructions of our own module.
        // NOLINTNEXTLINE(cppcoreguidelines-pro-type-const-cast)
        llvm::IRBuilder<> builder(const_cast<llvm::Instruction *>(starts[number]));
        builder.SetCurrentDebugLocation(
            starts[number]->getFunction()->getSubprogram()
                ? llvm::DebugLoc(llvm::DILocation::get(
                      context, 0, 0, starts[number]->getFunction()->getSubprogram()
                  ))
                : llvm::DebugLoc()
        );
        builder.CreateCall(told, llvm::ConstantInt::get(word, number));
    }
}

} // namespace laxity::workingset
