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

/* What a device does with memory that it knows. */
enum class DeviceUse : uint8_t {
    Reads,
    Writes, // and reads nothing of it
    Both
};

/*
 * What somebody knows and code does not say. Annotations shrink live sets, but for registers and
 * buffers that the code does not show to be any; a wrong one makes them too small, so each that was
 * used is listed in the result.
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
    // What a device does with this memory, whether the code gives it away or not. It is live
    // always, or, where the device only writes, when the program needs it.
    std::map<std::string, DeviceUse> buffers;
};

/*
 * Read {"recursion": {FUNCTION: N}, "objects": {OBJECT: {"instances": N, "bytes": N}}, "shared":
 * [OBJECT], "registers": [OBJECT], "buffers": {OBJECT: "reads", "writes" or "both"}}; what is
 * absent says nothing. Fails, naming the path, on everything else.
 */
[[nodiscard]] llvm::Expected<Annotations> read_annotations(const std::string &path);

} // namespace laxity::workingset
