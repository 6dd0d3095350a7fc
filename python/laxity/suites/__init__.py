# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""Third-party code as jobs: found in a checkout, vetted in every isolation mode."""
