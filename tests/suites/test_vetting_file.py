# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""What a vetting is of."""

from pathlib import Path

import pytest

from laxity.suites.program import Convention, Program
from laxity.suites.vetting_file import sources_hash


@pytest.mark.parametrize("header", ["p/table.h", "common/extra.inc"])
def test_header_that_has_changed_makes_it_another_program(tmp_path: Path, header: str):
    for name in ("p/p.c", "p/table.h", "common/extra.inc", "other/other.h"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text("int t[4];\n")
    program = Program(
        name="p",
        directory="p",
        convention=Convention.INIT_MAIN_RETURN,
        sources=("p/p.c",),
        includes=("common",),
    )
    vetted = sources_hash(tmp_path, program)
    # What it does not look at is another's.
    (tmp_path / "other" / "other.h").write_text("int t[400];\n")
    assert sources_hash(tmp_path, program) == vetted
    (tmp_path / header).write_text("int t[400];\n")
    assert sources_hash(tmp_path, program) != vetted
