# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""Stored runs in the formats of other tools: one module per format, all write to a binary file."""
