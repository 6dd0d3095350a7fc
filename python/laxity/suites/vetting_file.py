# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""vetting.toml: the verdicts of `suite vet`, and of which sources they are."""

import hashlib
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from laxity import __version__
from laxity.suites.classify import Vetted
from laxity.suites.program import Program

VETTING_SCHEMA = 1


def sources_hash(root: Path, program: Program) -> str:
    """Hash the sources of a program: names and contents, in order."""
    digest = hashlib.sha256()
    for source in program.sources:
        data = (root / source).read_bytes()
        digest.update(f"{source}\0{len(data)}\0".encode() + data)
    return digest.hexdigest()


def vetting_to_toml(
    root: Path, programs: Sequence[Program], vetted: Sequence[Vetted], n_jobs: int
) -> str:
    """Write verdicts as TOML.

    Args:
        root: The checkout.
        programs: What was vetted.
        vetted: One verdict per program, in the same order.
        n_jobs: Jobs per isolation mode.
    """
    # tomli_w is needed only by commands that write TOML.
    import tomli_w  # noqa: PLC0415

    document: dict[str, Any] = {
        "schema": VETTING_SCHEMA,
        "tool": f"laxity {__version__}",
        "jobs_per_mode": n_jobs,
        "program": [
            _program_table(root, program, one)
            for program, one in zip(programs, vetted, strict=True)
        ],
    }
    return tomli_w.dumps(document)


def _program_table(root: Path, program: Program, vetted: Vetted) -> dict[str, Any]:
    table: dict[str, Any] = {
        "name": program.name,
        "convention": program.convention.value,
        "sources_sha256": sources_hash(root, program),
        "classes": list(vetted.classes),
        "verdict": vetted.verdict,
        "evidence": list(vetted.evidence),
    }
    return table if vetted.mode is None else table | {"mode": vetted.mode.value}
