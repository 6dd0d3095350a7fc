# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""The sections of a report, one module each; `build` makes what `blocks.py` describes."""
