# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""What all rooms share: words, units, CPUs, streams, specs, executors. Knows no other room."""
