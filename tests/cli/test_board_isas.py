# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""A board of another instruction set: its bundle, emulated, behind an sshd on this machine."""

import json
import shutil
import tarfile
from pathlib import Path

import pytest
from tests.cli.commands import jobs_of, manifest_of
from tests.cli.laxity_command import Laxity
from tests.cli.ssh_board import SshBoard, link_tools, ssh_board
from tests.cross_builds import cross_build, isa_marks

from laxity.platform import bundle
from laxity.store.run_directory import open_run

# This kernel cannot start the programs by itself: a script of the same name calls the emulator. It
# is the only thing on the board that is not in the bundle.
MEASURE = ["--run-dir", "C", "--sizes", "4KiB", "--evict", "write", "--evict-size", "4KiB"]
MEASURE += ["--case", "synchronous", "--pattern", "chase", "--repetitions", "6"]
MEASURE += ["--allow-unprivileged", "--quiet"]
WRAPPER = '#!/bin/sh\nexec {emulator} {program} {options} "$@"\n'


def emulate(board: SshBoard, archive: Path, emulator: str) -> None:
    """Unpack a bundle on the board, its programs behind an emulator."""
    with tarfile.open(archive) as members:
        members.extractall(board.directory)  # noqa: S202 - the test has made it
    for name, options in (
        ("laxity-run", f"--launcher {emulator}"),
        ("laxity-facts", ""),
        ("laxity-probe", ""),
    ):
        program = board.directory / name
        real = board.root / f"real-{name}"
        shutil.move(program, real)
        program.write_text(WRAPPER.format(emulator=emulator, program=real, options=options))
        program.chmod(0o755)


@pytest.mark.parametrize(
    ("arch", "emulator", "machine", "byte_order"),
    [
        pytest.param("aarch64", "qemu-aarch64", "aarch64", "<", marks=isa_marks("aarch64")),
        pytest.param("powerpc", "qemu-ppc", "ppc", ">", marks=isa_marks("powerpc")),
    ],
)
def test_run_on_a_board_of_another_instruction_set(
    tmp_path: Path, laxity: Laxity, arch: str, emulator: str, machine: str, byte_order: str
) -> None:
    strip = f"{arch}-linux-gnu-strip"
    build = cross_build(arch)
    archive = tmp_path / "bundle.tar.gz"
    bundle.pack(build, arch, strip, archive)
    tools = link_tools(tmp_path / "tools", laxity.tools)
    words = ["crc32", "-b", "small", "--period", "50ms", "--jobs", "5", "--policy", "other"]
    words += ["--deadline", "none", "--job-timeout", "110s", "--seed", "7", "--quiet"]
    with ssh_board(tmp_path) as board:
        emulate(board, archive, emulator)
        environment = board.environment(tools)
        doctor = laxity("doctor", "--format", "json", "--on", board.url, environment=environment)
        on = ["--run-dir", "D", "--on", board.url]
        done = laxity("run", *words, *on, environment=environment)
        measured = laxity("measure", "crpd", *MEASURE, "--on", board.url, environment=environment)
        left = board.runs()
    assert doctor.returncode == 0, doctor.stderr
    assert done.returncode == 0, done.stderr
    # What an emulator loses in a preemption is no figure; here it is whole and in our byte order.
    assert measured.returncode == 0, measured.stderr
    rows = open_run(laxity.directory / "C").stream("crpd")
    assert len(rows) == 18
    assert set(rows["working_set_bytes"].tolist()) == {4096}
    assert left == []
    directory = laxity.directory / "D"
    stored = json.loads((directory / "machine.json").read_text())
    assert stored["stable"]["architecture"] == machine
    assert manifest_of(directory).tasks[0].started == 5
    assert len(jobs_of(directory)) == manifest_of(directory).tasks[0].released
    header = (directory / "jobs.npy").read_bytes()[:200]
    assert f"('release_ns', '{byte_order}i8')".encode() in header
    assert (directory / "report.html").is_file()
    # The same digest as on this machine.
    assert laxity("run", *words, "--run-dir", "here", "--no-report").returncode == 0
    logs = [(laxity.directory / name / "output.log").read_text() for name in ("D", "here")]
    digests = [log.partition("digest=")[2].split()[0] for log in logs]
    assert digests[0] == digests[1]
