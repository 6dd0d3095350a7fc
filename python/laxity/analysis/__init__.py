# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""Pure functions from streams to figures: they read no file, print nothing, change no input."""
