// SPDX-FileCopyrightText: 2026 The laxity authors
// SPDX-License-Identifier: MIT
//
// What annotations say of recursions, objects and threads, as the analysis takes it.

#include "analysis/analysis.hpp"
#include "analysis/entries.hpp"

#include <llvm/ADT/STLExtras.h>
#include <llvm/ADT/Sequence.h>
#include <llvm/IR/Instructions.h>

namespace laxity::workingset {

void Analysis::annotate_recursion()
{
    for (const auto &[name, activations] : annotations_.recursion) {
        const llvm::Function *function = find_defined(module_, name);
        // Also where no path leads there, of which there is no copy.
        if (function == nullptr || !original_graph_->is_recursive(*function)) {
            unmatched_annotations_.push_back(name);
            continue;
        }
        for (unsigned number = 0; number < objects_->size(); number++) {
            Object &object = objects_->at(number);
            // A variable of run-time size may be made in a loop, too.
            const auto *alloca = llvm::dyn_cast_if_present<llvm::AllocaInst>(object.value);
            const bool is_per_activation = alloca == nullptr || alloca->isStaticAlloca();
            if (object.function == function && object.storage == StorageClass::Stack &&
                object.kind != ObjectKind::Varargs && is_per_activation) {
                object.most_instances = activations;
            }
        }
        notes_.push_back(
            "annotated: at most " + std::to_string(activations) + " activations of " + name +
            " at once"
        );
    }
}

void Analysis::annotate_objects()
{
    for (const auto &[name, bound] : annotations_.objects) {
        bool is_known = false;
        for (unsigned number = 0; number < objects_->size(); number++) {
            Object &object = objects_->at(number);
            if (object.name != name || object.kind == ObjectKind::Function ||
                object.kind == ObjectKind::Environment) {
                continue;
            }
            is_known = true;
            if (bound.instances && object.has_many_instances) {
                object.most_instances = bound.instances;
                notes_.push_back(
                    "annotated: at most " + std::to_string(*bound.instances) + " of " + name
                );
            }
            if (bound.bytes && !object.size_bytes) {
                object.size_bytes = bound.bytes;
                notes_.push_back(
                    "annotated: " + name + " has at most " + std::to_string(*bound.bytes) + " bytes"
                );
            }
        }
        if (!is_known) {
            unmatched_annotations_.push_back(name);
        }
    }
}

/* Names as one text; those that the program has no object for are noted. */
std::string Analysis::match_objects(const std::vector<std::string> &names)
{
    std::string text;
    for (const std::string &name : names) {
        const bool is_known = llvm::any_of(llvm::seq(0U, objects_->size()), [&](unsigned number) {
            return (*objects_)[number].name == name;
        });
        if (!is_known) {
            unmatched_annotations_.push_back(name);
        }
        text += (text.empty() ? "" : ", ") + name;
    }
    return text;
}

void Analysis::annotate_sharing()
{
    if (annotations_.shared) {
        const std::string names = match_objects(*annotations_.shared);
        if (pointers_->is_concurrent()) {
            notes_.push_back(
                "annotated: threads and signals share " +
                (names.empty() ? "nothing" : "only " + names)
            );
        }
    }
    if (annotations_.registers) {
        const std::string names = match_objects(*annotations_.registers);
        notes_.push_back(
            "annotated: registers of devices are " + (names.empty() ? "none" : "only " + names) +
            "; other volatile objects are memory"
        );
    }
}

} // namespace laxity::workingset
