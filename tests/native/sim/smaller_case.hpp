/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
#ifndef LAXITY_SMALLER_CASE_HPP
#define LAXITY_SMALLER_CASE_HPP

#include "case.hpp"

#include <functional>

/* Removes tasks, executions of blocks and features of the platform from a case while it still
 * fails. The same for a case everywhere. */
Case smaller_case(Case failing, const std::function<bool(const Case &)> &fails);

#endif
