# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""What programs do in jobs, alone and interfered with, in processes of their own."""
