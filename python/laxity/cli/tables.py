# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""Documents on stdout."""

import sys

import msgspec


def print_json(document: object) -> None:
    """Write a document to stdout as indented JSON."""
    data = msgspec.json.format(msgspec.json.encode(document), indent=2)
    sys.stdout.write(data.decode() + "\n")
