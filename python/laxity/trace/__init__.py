# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""The scheduling trace: recorded, read, and what it says of jobs and of observed programs."""
