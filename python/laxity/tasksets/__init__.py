# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""Task sets that are drawn at random, or taken over from another tool."""
