// SPDX-FileCopyrightText: 2026 The laxity authors
// SPDX-License-Identifier: MIT
#include "analysis/unbounded.hpp"

#include "analysis/external_models.hpp"

#include <algorithm>
#include <llvm/ADT/STLExtras.h>
#include <llvm/ADT/Sequence.h>
#include <llvm/IR/InstrTypes.h>
#include <set>

namespace laxity::workingset {

namespace {

// Named in a message; summary.json has all of them.
constexpr size_t NAMED = 5;

/* No path may lead to a function. */
bool is_reached(const Analysis &analysis, const llvm::Function &function)
{
    const llvm::Instruction &first = *function.getEntryBlock().getFirstNonPHIOrDbg();
    return analysis.rows()[analysis.index().number(first)].is_reached;
}

std::string join(const std::vector<std::string> &names)
{
    std::string text;
    for (size_t i = 0; i < std::min(names.size(), NAMED); i++) {
        text += (i == 0 ? "" : ", ") + names[i];
    }
    return names.size() > NAMED
               ? text + " and " + std::to_string(names.size() - NAMED) + " more (summary.json)"
               : text;
}

} // namespace

/* No number of bytes, by itself: what lies in the frame of a recursion has one per level. */
static bool has_no_size(const Analysis &analysis, const Object &object)
{
    if (!object.size_bytes) {
        return true;
    }
    const bool is_in_recursion = object.storage == StorageClass::Stack &&
                                 object.function != nullptr &&
                                 analysis.graph().is_recursive(*object.function);
    return object.has_many_instances && !object.most_instances && !is_in_recursion;
}

/* Functions outside by which a function may come back to one that it is in a circle with. */
static void add_missing(
    const Analysis &analysis, const llvm::Function &function, std::set<std::string> &missing
)
{
    for (const llvm::Instruction *site : analysis.index().calls_and_allocas(function)) {
        const auto *call = llvm::dyn_cast<llvm::CallBase>(site);
        const auto *callee = call == nullptr
                                 ? nullptr
                                 : llvm::dyn_cast<llvm::Function>(
                                       call->getCalledOperand()->stripPointerCastsAndAliases()
                                   );
        if (callee == nullptr || !callee->isDeclaration() || callee->isIntrinsic() ||
            find_external_model(*callee) != nullptr) {
            continue;
        }
        const auto entered = analysis.graph().callees(*call);
        if (llvm::any_of(entered, [&](const llvm::Function *other) {
                return analysis.graph().is_same_component(function, *other);
            })) {
            missing.insert(callee->getName().str());
        }
    }
}

Unbounded find_unbounded(const Analysis &analysis, const LiveObjects &live)
{
    Unbounded unbounded;
    const Rows &rows = analysis.rows();
    if (llvm::all_of(llvm::seq(0U, rows.size()), [&rows](unsigned number) {
            return !rows[number].is_reached || rows[number].most.is_bounded();
        })) {
        return unbounded;
    }
    const Annotations &annotations = analysis.solution().annotations;
    for (const auto &component : analysis.graph().bottom_up()) {
        std::vector<std::string> names;
        std::set<std::string> missing;
        bool is_annotated = true;
        for (const llvm::Function *function : component) {
            if (analysis.graph().is_recursive(*function) && is_reached(analysis, *function)) {
                names.push_back(function->getName().str());
                add_missing(analysis, *function, missing);
                is_annotated = is_annotated && annotations.recursion.contains(names.back());
            }
        }
        if (!is_annotated) {
            std::ranges::sort(names);
            unbounded.recursions.push_back(
                {.functions = std::move(names), .missing = {missing.begin(), missing.end()}}
            );
        }
    }
    std::ranges::sort(unbounded.recursions, [](const auto &a, const auto &b) {
        const size_t left = a.functions.size();
        const size_t right = b.functions.size();
        return left != right ? left > right : a.functions < b.functions;
    });
    for (unsigned number = 0; number < analysis.objects().size(); number++) {
        const Object &object = analysis.objects()[number];
        if (has_no_size(analysis, object) && live.instructions_live(number) > 0) {
            unbounded.objects.push_back(object.name);
        }
    }
    return unbounded;
}

std::vector<std::string> words_of(const Unbounded &unbounded)
{
    std::vector<std::string> words;
    for (size_t i = 0; i < std::min(unbounded.recursions.size(), NAMED); i++) {
        const auto &[names, missing] = unbounded.recursions[i];
        const std::string way =
            missing.empty() ? ""
                            : ", by way of " + join(missing) +
                                  ", which the program does not define: add the source if you can";
        words.push_back(
            "no bound: " + (names.size() == 1 ? names.front() + " calls itself" : "") +
            (names.size() == 1 ? ""
                               : std::to_string(names.size()) +
                                     " functions call each other in a circle: " + join(names)) +
            way + "; an annotation [recursion] says how deep"
        );
    }
    if (unbounded.recursions.size() > NAMED) {
        words.push_back(
            "no bound: " + std::to_string(unbounded.recursions.size() - NAMED) +
            " more recursions; summary.json names them"
        );
    }
    if (!unbounded.objects.empty()) {
        words.push_back(
            "no bound: how many there are, or how large, is not known of " +
            join(unbounded.objects) + "; an annotation [objects] says it"
        );
    }
    return words;
}

} // namespace laxity::workingset
