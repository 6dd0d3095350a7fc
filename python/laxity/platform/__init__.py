# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""Where runs happen: this machine or a board, its facts, its settings, its programs."""
