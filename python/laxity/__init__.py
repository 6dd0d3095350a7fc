# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""Laxity: measure, model and bound what a real-time job loses before its deadline."""

__version__ = "0.1.0"
