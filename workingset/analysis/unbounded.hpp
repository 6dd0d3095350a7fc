// SPDX-FileCopyrightText: 2026 The laxity authors
// SPDX-License-Identifier: MIT
#pragma once

#include "analysis/live_objects.hpp"

#include <string>
#include <vector>

namespace laxity::workingset {

/* Functions that call each other in a circle, in alphabetical order. */
struct Recursion {
    std::vector<std::string> functions;
    // Functions that the program does not define and nobody knows: each may call back what it has
    // been given, so some of the circle may be none once they are part of the program.
    std::vector<std::string> missing;
};

/* What keeps a program from having bounds, and annotations can say. */
struct Unbounded {
    std::vector<Recursion> recursions; // the largest first, where the depth of one is not annotated
    // Objects that are live somewhere, of which there may be any number or whose size nobody knows;
    // but for frames of recursive functions.
    std::vector<std::string> objects;
};

/* Empty if every instruction has a bound. */
[[nodiscard]] Unbounded find_unbounded(const Analysis &analysis, const LiveObjects &live);

/* For the user: what has no bound, and which annotations would give it one. */
[[nodiscard]] std::vector<std::string> words_of(const Unbounded &unbounded);

} // namespace laxity::workingset
