// SPDX-FileCopyrightText: 2026 The laxity authors
// SPDX-License-Identifier: MIT
//
// What annotations say of recursions, objects, threads and devices, as the analysis takes it, and
// what devices know of the program's memory without being annotated.

#include "analysis/analysis.hpp"
#include "analysis/entries.hpp"

#include <llvm/ADT/STLExtras.h>
#include <llvm/ADT/StringExtras.h>
#include <llvm/IR/Instructions.h>
#include <set>
#include <utility>

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

/* The objects with bytes that have this name; none: the annotation of it cannot be right. */
std::vector<Object *> Analysis::find_memory(const std::string &name)
{
    std::vector<Object *> found;
    bool is_known = false;
    for (unsigned number = 0; number < objects_->size(); number++) {
        Object &object = objects_->at(number);
        is_known = is_known || object.name == name;
        if (object.name == name && object.is_memory()) {
            found.push_back(&object);
        }
    }
    if (!is_known) {
        unmatched_annotations_.push_back(name);
    } else if (found.empty()) {
        misapply(name, "it is no memory of the program; objects.csv names what is");
    }
    return found;
}

void Analysis::misapply(const std::string &name, const std::string &reason)
{
    misapplied_annotations_.push_back({.name = name, .reason = reason});
}

void Analysis::annotate_objects()
{
    for (const auto &[name, bound] : annotations_.objects) {
        for (Object *object : find_memory(name)) {
            annotate_object(*object, bound);
        }
    }
}

void Analysis::annotate_object(Object &object, const ObjectBound &bound)
{
    if (bound.instances && object.has_many_instances) {
        object.most_instances = bound.instances;
        notes_.push_back(
            "annotated: at most " + std::to_string(*bound.instances) + " of " + object.name
        );
    } else if (bound.instances.value_or(1) > 1) {
        misapply(object.name, "there is one of it; leave out instances");
    } else if (bound.instances) {
        notes_.push_back("annotated: at most 1 of " + object.name + "; this changes no figure");
    }
    if (bound.bytes && !object.size_bytes) {
        object.size_bytes = bound.bytes;
        notes_.push_back(
            "annotated: " + object.name + " has at most " + std::to_string(*bound.bytes) + " bytes"
        );
    } else if (bound.bytes && *bound.bytes != *object.size_bytes) {
        misapply(
            object.name,
            "the code says that it has " + std::to_string(*object.size_bytes) +
                " bytes; leave out bytes"
        );
    }
}

/* Only what any other thread or handler can find is shared: the rest needs no word. */
void Analysis::annotate_sharing()
{
    if (!annotations_.shared) {
        return;
    }
    std::set<const Object *> reached;
    for (const auto &places : {pointers_->escaped(), pointers_->shared()}) {
        for (const Location &place : places) {
            reached.insert(&(*objects_)[place.object]);
        }
    }
    const auto may_be_shared = [&](const Object &object) {
        return pointers_->is_concurrent() && object.is_memory() &&
               object.storage != StorageClass::Constant &&
               (object.kind == ObjectKind::Global || reached.contains(&object));
    };
    for (const std::string &name : *annotations_.shared) {
        const std::vector<Object *> found = find_memory(name);
        if (!found.empty() &&
            llvm::none_of(found, [&](const Object *object) { return may_be_shared(*object); })) {
            misapply(
                name,
                pointers_->is_concurrent()
                    ? "no other thread or signal handler can find it, or change it; leave it out "
                      "of [threads] shared"
                    : "the program has no thread or signal handler that is known, so [threads] "
                      "shared has no effect; [devices] buffers is for memory of devices"
            );
        }
    }
    bool changes_any = false;
    for (unsigned number = 0; number < objects_->size(); number++) {
        const Object &object = (*objects_)[number];
        changes_any = changes_any || (may_be_shared(object) &&
                                      !llvm::is_contained(*annotations_.shared, object.name));
    }
    const std::string names = llvm::join(*annotations_.shared, ", ");
    notes_.push_back(
        "annotated: threads and signals share " + (names.empty() ? "nothing" : "only " + names) +
        (changes_any ? "" : "; this changes no figure")
    );
}

/* Registers are volatile: of other memory the word says nothing. */
void Analysis::annotate_registers()
{
    const bool is_annotated = annotations_.registers.has_value();
    bool changes_any = false;
    for (const auto &[number, is_touched] : volatile_) {
        const Object &object = (*objects_)[number];
        changes_any = changes_any || (object.is_memory() && object.is_volatile != is_touched);
        if (!is_annotated && !is_touched && object.kind == ObjectKind::Global) {
            notes_.push_back(
                "volatile: nobody but the program can touch " + object.name + ", so it is memory"
            );
        }
    }
    if (!is_annotated) {
        return;
    }
    for (const std::string &name : *annotations_.registers) {
        const std::vector<Object *> found = find_memory(name);
        if (!found.empty() &&
            llvm::none_of(found, [](const Object *object) { return object->is_volatile; })) {
            misapply(
                name,
                "nothing accesses it as volatile, so it is no register; [devices] buffers is for "
                "memory that a device reads or writes"
            );
        }
    }
    const std::string names = llvm::join(*annotations_.registers, ", ");
    notes_.push_back(
        "annotated: registers of devices are " + (names.empty() ? "none" : "only " + names) +
        "; other volatile objects are memory" + (changes_any ? "" : "; this changes no figure")
    );
}

namespace {

std::string note_of_buffer(const std::string &name, DeviceUse use, bool changes_any)
{
    const std::string unchanged = changes_any ? "" : "; this changes no figure";
    switch (use) {
    case DeviceUse::Reads:
        return "annotated: a device reads " + name + ": always live" + unchanged;
    case DeviceUse::Writes:
        return "annotated: a device only writes " + name + unchanged;
    case DeviceUse::Both:
        break;
    }
    return "annotated: a device reads and writes " + name + ": always live" + unchanged;
}

} // namespace

void Analysis::annotate_buffers()
{
    for (const auto &[name, use] : annotations_.buffers) {
        const std::vector<Object *> found = find_memory(name);
        const bool is_read = use != DeviceUse::Writes;
        bool changes_any = false;
        for (Object *object : found) {
            if (!is_read && object->storage == StorageClass::Constant) {
                misapply(name, "it is constant, so no device writes it; say that one reads it");
                continue;
            }
            const auto number = static_cast<unsigned>(object - &objects_->at(0));
            changes_any = changes_any || !is_read || !llvm::is_contained(given_by_code_, number);
            object->is_device_read = is_read;
            object->is_device_written =
                use != DeviceUse::Reads && object->storage != StorageClass::Constant;
        }
        if (!found.empty()) {
            notes_.push_back(note_of_buffer(name, use, changes_any));
        }
    }
}

/*
 * A device changes what it knows, and what is volatile there are registers, through which it may be
 * told of more.
 */
void Analysis::find_known_to_devices(const Options &options)
{
    std::vector<unsigned> annotated;
    for (unsigned number = 0; number < objects_->size(); number++) {
        if ((*objects_)[number].is_memory() &&
            annotations_.buffers.contains((*objects_)[number].name)) {
            annotated.push_back(number);
        }
    }
    while (!pointers_->is_fallback()) {
        std::vector<unsigned> known = ask_for_devices(options, annotated);
        if (known == known_to_devices_) {
            break;
        }
        known_to_devices_ = std::move(known);
        solve_pointers(options, {.known = known_to_devices_});
    }
    given_by_code_ = annotated.empty() ? known_to_devices_ : ask_for_devices(options, {});
}

/* Which objects devices know, beside those of which that was said. */
std::vector<unsigned>
Analysis::ask_for_devices(const Options &options, std::vector<unsigned> annotated) const
{
    if (annotated.empty() && !pointers_->may_address_devices()) {
        return {};
    }
    return ask_pointers(options, std::move(annotated), PointerAnalysis::Question::Devices)
        .known_to_devices();
}

PointerAnalysis Analysis::ask_pointers(
    const Options &options, std::vector<unsigned> known, PointerAnalysis::Question question
) const
{
    std::vector<unsigned> registers;
    for (const auto &[number, is_touched] : volatile_) {
        if ((*objects_)[number].is_volatile) {
            registers.push_back(number);
        }
    }
    return {
        copies_->module(),
        *objects_,
        options.pointer_budget,
        {.known = std::move(known), .registers = std::move(registers), .question = question}
    };
}

void Analysis::mark_known_to_devices()
{
    std::vector<std::string> names;
    for (const unsigned number : known_to_devices_) {
        Object &object = objects_->at(number);
        object.is_device_written = object.storage != StorageClass::Constant;
        object.is_device_read = true;
        if (!annotations_.buffers.contains(object.name)) {
            names.push_back(object.name);
        }
    }
    if (!names.empty()) {
        notes_.push_back(
            "devices: by a volatile or atomic store, a store to memory that may be a device's, "
            "assembly" +
            std::string(annotations_.buffers.empty() ? "" : ", or what is annotated") +
            ", a device may learn where " + llvm::join(names, ", ") +
            " is, which it may read and write at any time: always live"
        );
    }
}

/* Branches are not followed: an address that is sent by them, bit after bit, is named. */
void Analysis::doubt_branches(const Options &options)
{
    if (pointers_->is_fallback() || !pointers_->may_address_devices()) {
        return;
    }
    const PointerAnalysis asked =
        ask_pointers(options, known_to_devices_, PointerAnalysis::Question::DevicesByBranches);
    if (asked.is_fallback()) {
        notes_.emplace_back(
            "devices: too many branches to follow; whether they send an address is unknown"
        );
        return;
    }
    std::vector<std::string> names;
    for (const unsigned number : asked.known_to_devices()) {
        const Object &object = (*objects_)[number];
        if (!object.is_device_read && !annotations_.buffers.contains(object.name)) {
            names.push_back(object.name);
        }
    }
    if (!names.empty()) {
        notes_.push_back(
            "devices: branches on an address decide about stores to a device; such a flow is not "
            "followed. If the program sends the address bit by bit, list in [devices] buffers: " +
            join_first(names)
        );
    }
}

} // namespace laxity::workingset
