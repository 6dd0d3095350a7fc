# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""Experiments of papers, made again on simulated platforms, each value beside the paper's."""
