// SPDX-FileCopyrightText: 2026 The laxity authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <llvm/ADT/SmallVector.h>
#include <llvm/ADT/StringRef.h>
#include <llvm/IR/Function.h>
#include <llvm/IR/InstrTypes.h>
#include <optional>
#include <string>
#include <vector>

namespace laxity::workingset {

/* How many bytes an external function touches through a pointer. */
struct Extent {
    enum class Kind : uint8_t {
        Constant,
        Arguments,
        Pointer,
        TypeInfo, // of C++, with its name and its bases
        Whole
    };
    Kind kind = Kind::Whole;
    uint64_t bytes = 0;                       // Constant
    llvm::SmallVector<unsigned, 2> arguments; // Arguments: the product of their values
};

struct ModelAccess {
    static constexpr unsigned VARIADIC = ~0U;   // every argument that has no parameter
    static constexpr unsigned RESULT = ~0U - 1; // what the call returns
    unsigned argument = 0;
    Extent extent;
    bool is_certain = false;
};

enum class ExternalEffect : uint8_t {
    None,
    Exits,
    Aborts,
    Throws,
    Unwinds,
    Setjmp,
    Longjmp,
    Atexit,
    Calls,
    Concurrent,
    Stores,
    Formats,
};

/* One row of external_models.def, which says what the fields mean. */
struct ExternalModel {
    static constexpr unsigned ANY = ~0U;
    llvm::SmallVector<ModelAccess, 2> reads;
    llvm::SmallVector<ModelAccess, 2> writes;
    llvm::SmallVector<unsigned, 2> size_arguments; // of new(…)
    llvm::SmallVector<unsigned, 2> escapes;        // may hold ModelAccess::VARIADIC
    std::optional<unsigned> returned_argument;
    bool returns_new = false;
    bool returns_environment = false;
    bool touches_kept = false; // memory that functions which nobody knows have been given
    ExternalEffect effect = ExternalEffect::None;
    unsigned effect_arguments[2] = {ANY, ANY};
};

/* The model of a function that the module only declares; nullptr if the table has none. */
[[nodiscard]] const ExternalModel *find_external_model(const llvm::Function &function);

/* The table says that this function may do anything. */
[[nodiscard]] bool is_known_to_do_anything(const llvm::Function &function);

/* The function may return memory of unknown origin, or leave its address in memory that it is
 * passed: each function without a row, and each row without a model that returns a pointer. */
[[nodiscard]] bool may_hand_out_memory(const llvm::Function &function);

/* It may do anything, and what it has been given runs beside the caller after its return. */
[[nodiscard]] bool goes_on_beside_caller(const llvm::Function &function);

/* Argument `number` is one of those that "..." of the table stands for. */
[[nodiscard]] bool
is_unnamed(const llvm::CallBase &call, unsigned number, const ExternalModel &model);

/* Whether a call is one that the model speaks of. Not if its format is no constant, or stores
 * through its arguments what the model does not say (printf's %n, scanf's %p and %m); nor if it
 * passes fewer arguments than the model names, so that it is another function of this name. */
[[nodiscard]] bool holds_for(const ExternalModel &model, const llvm::CallBase &call);

/* Functions that are only declared and in no row of the model table, and may hand out memory: what
 * they return is an address, or their names say it. */
[[nodiscard]] std::vector<std::string> find_unknown_allocators(const llvm::Module &module);

} // namespace laxity::workingset
