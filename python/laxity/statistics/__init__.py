# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""Distributions, tails, tests and intervals: pure functions of samples."""
