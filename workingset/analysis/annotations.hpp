// SPDX-FileCopyrightText: 2026 The laxity authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <llvm/Support/Error.h>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace laxity::workingset {

/* How much of an object exists at once. */
struct ObjectBound {
    std::optional<uint64_t> instances;
    std::optional<uint64_t> bytes; // of one instance whose size the code does not say
};

/*
 * What somebody knows and code does not say. Every annotation can only shrink live sets; a wrong
 * one makes them too small, so each that was used is listed in the result.
 */
struct Annotations {
    // Activations of a recursive function that are on the stack at once, at most.
    std::map<std::string, uint64_t> recursion;
    std::map<std::string, ObjectBound> objects; // by their names in objects.csv
    // The only objects that more than one thread or signal handler touches.
    std::optional<std::vector<std::string>> shared;
    // The only volatile objects that are registers of a device; the others are memory as any. These
    // are so even where the code shows that nobody else can touch them (outside.hpp).
    std::optional<std::vector<std::string>> registers;
};

/*
 * Read {"recursion": {FUNCTION: N}, "objects": {OBJECT: {"instances": N, "bytes": N}}, "shared":
 * [OBJECT], "registers": [OBJECT]}; what is absent says nothing. Fails, naming the path, on
 * everything else.
 */
[[nodiscard]] llvm::Expected<Annotations> read_annotations(const std::string &path);

} // namespace laxity::workingset
