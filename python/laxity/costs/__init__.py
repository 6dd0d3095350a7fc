# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""What the platform takes from a job: one package per probe, and the cost model."""
