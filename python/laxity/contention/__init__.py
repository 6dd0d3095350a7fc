# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""Memory contention: tables of what a program loses by traffic, and regulated runs."""
