// SPDX-FileCopyrightText: 2026 The laxity authors
// SPDX-License-Identifier: MIT
#pragma once

#include "analysis/live_objects.hpp"

#include <string>
#include <vector>

namespace laxity::workingset {

/* What keeps a program from having bounds, and annotations can say. */
struct Unbounded {
    // Functions that call each other in a circle, the most first, where the depth of one is not
    // annotated; names in alphabetical order.
    std::vector<std::vector<std::string>> recursions;
    // Objects that are live somewhere, of which there may be any number or whose size nobody knows;
    // but for frames of recursive functions.
    std::vector<std::string> objects;
};

/* Empty if every instruction has a bound. */
[[nodiscard]] Unbounded find_unbounded(const Analysis &analysis, const LiveObjects &live);

/* For the user: what has no bound, and which annotations would give it one. */
[[nodiscard]] std::vector<std::string> words_of(const Unbounded &unbounded);

} // namespace laxity::workingset
