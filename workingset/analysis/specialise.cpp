// SPDX-FileCopyrightText: 2026 The laxity authors
// SPDX-License-Identifier: MIT
#include "analysis/specialise.hpp"

#include "analysis/call_graph.hpp"
#include "analysis/constants.hpp"
#include "analysis/external_models.hpp"
#include "analysis/faults.hpp"

#include <llvm/IR/Constants.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/Support/MathExtras.h>
#include <map>

namespace laxity::workingset {

namespace {

// Copies of one function: beyond, numbers are no longer told apart; then nothing is.
constexpr size_t MAX_COPIES = 32;
// Instructions of all copies together, as a multiple of the module's, so that no analysis takes
// much longer; small programs may always grow by that many.
constexpr size_t MAX_GROWTH = 4;
constexpr size_t FREE_INSTRUCTIONS = 4096;

/* What a call site tells of one argument. */
struct Given {
    enum class Kind : uint8_t {
        Unknown,
        Place,
        Number
    };
    Kind kind = Kind::Unknown;
    unsigned object = 0;
    int64_t value = 0; // byte of the object, resp. the number
    friend auto operator<=>(const Given &, const Given &) = default;
};
using Situation = std::vector<Given>; // by argument
using Groups = std::map<Situation, std::vector<llvm::CallBase *>>;

/* May enter a function that this call does not name. */
bool may_call_anyone(const llvm::CallBase &call)
{
    if (llvm::isa<llvm::IntrinsicInst>(call)) {
        return false;
    }
    const auto *callee =
        llvm::dyn_cast<llvm::Function>(call.getCalledOperand()->stripPointerCastsAndAliases());
    if (callee == nullptr) {
        return true;
    }
    if (!callee->isDeclaration()) {
        return false;
    }
    const ExternalModel *model = find_external_model(*callee);
    return model == nullptr || model->effect == ExternalEffect::Calls || !holds_for(*model, call);
}

/* exit(), which enters exit functions while whoever calls it is still on the stack; else nullptr.
 */
const llvm::Function *find_called_exit(const llvm::CallBase &call)
{
    const auto *callee =
        llvm::dyn_cast<llvm::Function>(call.getCalledOperand()->stripPointerCastsAndAliases());
    const ExternalModel *model = callee == nullptr ? nullptr : find_external_model(*callee);
    return model != nullptr && model->effect == ExternalEffect::Exits ? callee : nullptr;
}

/* All that may call each other, in whatever way: nullptr stands for calls that name no function. */
FunctionSets find_possible_components(const llvm::Module &module)
{
    Calls calls;
    std::vector<const llvm::Function *> functions;
    llvm::SetVector<const llvm::Function *> exits;
    for (const llvm::Function &function : module) {
        if (function.isDeclaration()) {
            continue;
        }
        functions.push_back(&function);
        if (!function.hasLocalLinkage() || function.hasAddressTaken()) {
            calls[nullptr].insert(&function);
        }
        for (const llvm::Instruction &instruction : llvm::instructions(function)) {
            const auto *call = llvm::dyn_cast<llvm::CallBase>(&instruction);
            if (call == nullptr) {
                continue;
            }
            if (const llvm::Function *exit = find_called_exit(*call)) {
                calls[&function].insert(exit);
                exits.insert(exit);
            } else if (may_call_anyone(*call)) {
                calls[&function].insert(nullptr);
            } else if (const auto *callee = llvm::dyn_cast<llvm::Function>(
                           call->getCalledOperand()->stripPointerCastsAndAliases()
                       );
                       callee != nullptr && !callee->isDeclaration()) {
                calls[&function].insert(callee);
            }
        }
    }
    const auto has_address = [](const llvm::Function *function) {
        return function->hasAddressTaken();
    };
    for (const llvm::Function *exit : exits) {
        const auto handlers = llvm::make_filter_range(functions, has_address);
        calls[exit].insert(handlers.begin(), handlers.end());
    }
    return find_components(functions, calls);
}

class Specialiser {
  public:
    Specialiser(ModuleCopies &copies, const ObjectTable &objects, const llvm::StringSet<> &entries)
        : copies_(copies), objects_(objects), entries_(entries),
          layout_(copies.module().getDataLayout())
    {
    }

    unsigned run()
    {
        const FunctionSets components = find_possible_components(copies_.module());
        size_t size = 0;
        for (const llvm::Function &function : copies_.module()) {
            size += function.getInstructionCount();
        }
        budget_ = (MAX_GROWTH - 1) * size + FREE_INSTRUCTIONS;
        for (const auto &component : llvm::reverse(components)) { // callers first
            const llvm::Function *member = component.front();
            if (component.size() == 1 && member != nullptr && !member->isDeclaration()) {
                llvm::Function &function = *copies_.copies(copies_.original(*member)).front();
                if (may_be_copied(function)) {
                    split(function);
                }
            }
        }
        return joined_;
    }

  private:
    [[nodiscard]] bool may_be_copied(const llvm::Function &function) const
    {
        bool is_named = function.hasLocalLinkage() && !function.hasAddressTaken() &&
                        !function.use_empty() && !function.arg_empty() &&
                        !entries_.contains(function.getName());
        for (const llvm::User *user : function.users()) {
            const auto *call = llvm::dyn_cast<llvm::CallBase>(user);
            is_named = is_named && call != nullptr && call->getCalledFunction() == &function &&
                       call->getFunction() != &function;
        }
        // Addresses of blocks are of those of one body.
        return is_named && llvm::none_of(function, [](const llvm::BasicBlock &block) {
                   return block.hasAddressTaken();
               });
    }

    [[nodiscard]] Given place_of(const llvm::Value &pointer) const
    {
        llvm::APInt offset(layout_.getIndexTypeSizeInBits(pointer.getType()), 0);
        const llvm::Value &base = *pointer.stripAndAccumulateConstantOffsets(layout_, offset, true);
        const llvm::Value *original = copies_.original(base);
        if (original == nullptr) {
            return {};
        }
        const std::optional<int64_t> moved = offset.trySExtValue();
        if (!moved) {
            return {};
        }
        if (const std::optional<unsigned> object = objects_.find(*original)) {
            return {Given::Kind::Place, *object, *moved};
        }
        const auto *argument = llvm::dyn_cast<llvm::Argument>(&base);
        auto known =
            argument == nullptr ? situations_.end() : situations_.find(argument->getParent());
        if (known == situations_.end()) {
            return {};
        }
        Given given = known->second[argument->getArgNo()];
        const bool is_place = given.kind == Given::Kind::Place;
        return is_place && llvm::AddOverflow(given.value, *moved, given.value) ? Given{} : given;
    }

    [[nodiscard]] Given given_by(const llvm::CallBase &call, const llvm::Argument &parameter) const
    {
        const llvm::Value &value = *call.getArgOperand(parameter.getArgNo());
        if (parameter.use_empty() || parameter.hasByValAttr()) {
            return {}; // the copy that the callee gets is one object, whatever it is made from
        }
        if (const auto *number = llvm::dyn_cast<llvm::ConstantInt>(&value)) {
            if (number->getBitWidth() > 64) {
                return {};
            }
            return {Given::Kind::Number, 0, number->getSExtValue()};
        }
        return value.getType()->isPointerTy() ? place_of(value) : Given{};
    }

    Groups group_calls(llvm::Function &function, bool with_numbers) const
    {
        Groups groups;
        for (llvm::User *user : function.users()) {
            auto *call = llvm::cast<llvm::CallBase>(user);
            Situation situation;
            for (const llvm::Argument &parameter : function.args()) {
                const Given given = given_by(*call, parameter);
                const bool is_told = with_numbers || given.kind == Given::Kind::Place;
                situation.push_back(is_told ? given : Given{});
            }
            if (has_fault(Fault::SituationsMixed) && !groups.empty()) {
                situation = groups.begin()->first;
            }
            groups[situation].push_back(call);
        }
        return groups;
    }

    /* As many copies as there are situations, or else fewer. */
    Groups choose_groups(llvm::Function &function)
    {
        const size_t size = function.getInstructionCount();
        for (const bool with_numbers : {true, false}) {
            Groups groups = group_calls(function, with_numbers);
            const size_t growth = (groups.size() - 1) * size;
            if (groups.size() <= MAX_COPIES && growth <= budget_) {
                budget_ -= growth;
                joined_ += with_numbers ? 0 : 1;
                return groups;
            }
        }
        joined_++;
        return {};
    }

    void split(llvm::Function &function)
    {
        const Groups groups = choose_groups(function);
        std::vector<llvm::Function *> bodies;
        bodies.reserve(groups.size());
        for (size_t i = 0; i < groups.size(); i++) {
            bodies.push_back(i == 0 ? &function : &copies_.add_copy(function));
        }
        auto body = bodies.begin();
        for (const auto &[situation, calls] : groups) {
            for (llvm::CallBase *call : calls) {
                call->setCalledFunction(*body);
            }
            situations_[*body] = situation;
            put_numbers(**body, situation);
            ++body;
        }
    }

    void put_numbers(llvm::Function &function, const Situation &situation) const
    {
        for (llvm::Argument &parameter : function.args()) {
            const Given &given = situation[parameter.getArgNo()];
            if (given.kind == Given::Kind::Number) {
                parameter.replaceAllUsesWith(llvm::ConstantInt::get(
                    parameter.getType(), static_cast<uint64_t>(given.value), true
                ));
            }
        }
        fold_arithmetic(function);
    }

    ModuleCopies &copies_;
    const ObjectTable &objects_;
    const llvm::StringSet<> &entries_;
    const llvm::DataLayout &layout_;
    size_t budget_ = 0;   // instructions that copies may still add
    unsigned joined_ = 0; // functions with fewer bodies than situations
    llvm::DenseMap<const llvm::Function *, Situation> situations_;
};

} // namespace

unsigned
specialise(ModuleCopies &copies, const ObjectTable &objects, const llvm::StringSet<> &entries)
{
    return Specialiser(copies, objects, entries).run();
}

} // namespace laxity::workingset
