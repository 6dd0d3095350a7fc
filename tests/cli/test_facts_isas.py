# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""laxity-facts on the instruction sets of boards, emulated."""

import os
import subprocess
from pathlib import Path

import pytest
from tests.cli.laxity_command import PATIENCE_S
from tests.cross_builds import cross_build, isa_marks

from laxity.platform.facts import Facts, collect_facts
from laxity.platform.facts_wire import ask_facts


def ask(*words: str | Path) -> Facts:
    def asked(request: bytes) -> bytes:
        command = [*map(str, words)]
        done = subprocess.run(
            command, input=request, capture_output=True, timeout=PATIENCE_S, check=False
        )
        assert (done.returncode, done.stderr) == (0, b"")
        return done.stdout

    return ask_facts(asked)


@pytest.mark.parametrize(
    ("name", "emulator", "machine"),
    [
        pytest.param("aarch64", "qemu-aarch64", "aarch64", marks=isa_marks("aarch64")),
        pytest.param("armhf", "qemu-arm", "armv7l", marks=isa_marks("armhf")),
        pytest.param("powerpc", "qemu-ppc", "ppc", marks=isa_marks("powerpc")),
        pytest.param("riscv64", "qemu-riscv64", "riscv64", marks=isa_marks("riscv64")),
    ],
)
def test_every_instruction_set_sends_the_same_facts(
    tmp_path: Path, name: str, emulator: str, machine: str
) -> None:
    tool = cross_build(name) / "native" / "laxity-facts"
    (tmp_path / "proc").mkdir()
    # 9000 lines of 8 bytes are more than 64 KiB.
    (tmp_path / "proc" / "interrupts").write_bytes(b"1234567\n" * 9000)
    core_id = tmp_path / "sys/devices/system/cpu/cpu3/topology/core_id"
    core_id.parent.mkdir(parents=True)
    core_id.write_text("3\n")
    assert ask(emulator, tool, "--root", tmp_path) == collect_facts(tmp_path)
    of_process = ask(emulator, tool)
    assert of_process.cpus("@affinity") == tuple(sorted(os.sched_getaffinity(0)))
    assert of_process.text("@hostname") == os.uname().nodename
    assert of_process.text("@uname.machine") == machine
