# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""Many simulated experiments: a grid over keys of a spec and its platform, a row for each."""
