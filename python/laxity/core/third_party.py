# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""The workloads whose jobs are third-party programs (native/guests, native/programs)."""

# Linked into the workload's process; each job is one call.
GUEST_WORKLOAD = "guest"
# Unchanged; each job is one process.
PROGRAM_WORKLOAD = "program"
