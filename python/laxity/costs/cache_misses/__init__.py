# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""Whether the counters of cache misses count what generated code misses, and what a miss takes."""
