# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""From a run directory to one offline HTML file and the figures it shows."""
