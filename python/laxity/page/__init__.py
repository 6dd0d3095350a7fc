# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""Pages and terminals: what a section consists of, and how it is drawn."""
