# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""Builds for other instruction sets, in build-cross/."""

from pathlib import Path

import pytest
from tests.cli.laxity_command import ROOT

# ./check builds all programs for powerpc, which is big-endian with 32 bits; those of other
# instruction sets are built whole only with --all.
WHOLE_ISA = "powerpc"


def isa_marks(name: str) -> list[pytest.MarkDecorator]:
    """Return the marks of a test that needs all programs of an instruction set."""
    return [] if name == WHOLE_ISA else [pytest.mark.slow]


def cross_build(name: str, program: str = "native/laxity-run") -> Path:
    """Return the build directory of an instruction set, or skip where it lacks a program."""
    build = ROOT / "build-cross" / name
    if not (build / program).exists():
        pytest.skip(f"no cross build for {name}; ./check --all cross-rest makes it")
    return build
