# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""A run of periodic tasks: run, finished, read, and shown."""
