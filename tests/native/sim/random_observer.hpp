/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
/* An observer of a random case. */
#ifndef LAXITY_RANDOM_OBSERVER_HPP
#define LAXITY_RANDOM_OBSERVER_HPP

#include "case.hpp"

#include <cstdint>

/* One case in three has one. What it draws changes nothing else. */
void add_observer(std::uint64_t seed, Case &made);

#endif
