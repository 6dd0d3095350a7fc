# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""Folders in the shape of RT-Bench's suites, built for other instruction sets and emulated."""

import re
from pathlib import Path

import pytest
from tests.cli.laxity_command import ROOT
from tests.cli.test_isas import CROSS_ISAS, Isa
from tests.cli.test_rtbench import started
from tests.cli.test_rtbench_ports import Tree
from tests.cross_builds import cross_build


@pytest.mark.parametrize("isa", CROSS_ISAS)
def test_port_for_another_instruction_set_is_linked_statically_and_runs(
    isa: Isa, tmp_path: Path
) -> None:
    cross_build(isa.name, "native/liblaxity-rtbench.a")
    (compiler,) = re.findall(
        r"^c = '(.*)'$", (ROOT / "cross" / f"{isa.name}.txt").read_text(), re.M
    )
    tree = Tree(tmp_path, ROOT / "rtbench" / "generator", f"LAXITY_BUILD={isa.build}")
    tree.build("c", f"CC={compiler}", "FEAT_GCC_STATIC=y", "total", "levels")
    assert isa.emulator
    emulated = (isa.emulator, "./levels", *isa.launcher)
    # As long a period as an emulator on a loaded machine wants.
    done = tree.run("c", *emulated, "-p", "0.2", "-t", "3", "-l", "2")
    assert done.returncode == 0
    assert [row["root(exp:2.5)"] for row in started(tree.rows("c"))] == ["2.5"] * 3
    limited = (
        isa.emulator,
        "./total",
        *isa.launcher,
        "-p",
        "0.2",
        "-t",
        "3",
        "-m",
        "1K",
        "-b",
        "999",
    )
    done = tree.run("c", *limited)
    assert done.returncode == 1
    assert "exceeds its memory limit of 1KiB" in done.stderr
