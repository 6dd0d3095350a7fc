# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""Programs and plugins of simulated platforms: which one is taken, and what is refused."""

import os
import time
from pathlib import Path

import pytest

from laxity.errors import ConfigError, PlatformError, ToolError
from laxity.platform import simulated_programs
from laxity.platform.simulated_programs import (
    find_plugin,
    find_simulated_workload,
    program_folder,
)

HARNESS = b"a program of a simulated platform: started by laxity-sim\n"
# Class, byte order, e_type and e_machine of <elf.h>: ARM is 40, PowerPC 20, SPARC 2.
LITTLE, BIG = b"\x7fELF\x01\x01\x01" + bytes(9), b"\x7fELF\x01\x02\x01" + bytes(9)
ARM, POWERPC, SPARC = LITTLE + b"\x02\0\x28\0", BIG + b"\0\x02\0\x14", BIG + b"\0\x02\0\x02"


@pytest.fixture
def built(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """What a build makes, empty files."""
    folder = tmp_path / "sim"
    folder.mkdir()
    for name in ("laxity-stream.so", "laxity-stream-3.so", "armhf-empty", "armhf-mem", "armhf-x.o"):
        (folder / name).touch()
    monkeypatch.setenv("LAXITY_TOOLS", str(tmp_path))
    return folder


@pytest.mark.parametrize(
    ("version", "plugin"),
    [
        ("qemu-arm version 7.2.19 (Debian 1:7.2+dfsg-7)", "laxity-stream.so"),
        ("qemu-arm version 9.0.9", "laxity-stream.so"),
        ("qemu-arm version 9.1.0", "laxity-stream-3.so"),
        ("qemu-arm version 10.0.2 (Debian 1:10.0.2)", "laxity-stream-3.so"),
    ],
)
def test_plugin_is_that_of_the_emulators_version(built: Path, version: str, plugin: str):
    emulator = built / "qemu-arm"
    emulator.write_text(f"#!/bin/sh\necho '{version}'\n")
    emulator.chmod(0o755)
    assert find_plugin(str(emulator)) == built / plugin


def test_emulator_without_a_version_is_none(built: Path):
    with pytest.raises(PlatformError, match="does not tell its version"):
        find_plugin("/bin/true")
    with pytest.raises(PlatformError, match="does not tell its version"):
        find_plugin(str(built / "nothing"))


def test_folders_that_killed_commands_have_left_are_removed_by_the_next_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(simulated_programs, "_FOLDERS", str(tmp_path))
    (tmp_path / "other").mkdir()
    for name in ("laxity-sim-left", "laxity-sim-new"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "0000").touch()
    (tmp_path / "laxity-sim-link").symlink_to(tmp_path / "other")
    with program_folder() as used:
        # Made 601 s ago, but for one; what is used stays.
        for name in (used.name, "laxity-sim-left", "laxity-sim-link", "other"):
            then_s = time.time() - 601
            os.utime(tmp_path / name, (then_s, then_s), follow_symlinks=False)
        with program_folder() as another:
            assert {path.name for path in tmp_path.iterdir()} == {
                *(used.name, another.name, "laxity-sim-new", "laxity-sim-link", "other")
            }
    assert not used.exists()


def test_workload_of_the_processor_is_found_by_its_name(built: Path):
    assert find_simulated_workload("mem", "armhf") == built / "armhf-mem"


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("zlib", 'workload "zlib": needs libraries of this machine.*; use one of empty mem$'),
        ("nothing", 'workload "nothing": not simulated yet'),
    ],
)
@pytest.mark.usefixtures("built")
def test_workload_that_cannot_be_simulated_says_why(name: str, said: str):
    with pytest.raises(ConfigError, match=said):
        find_simulated_workload(name, "armhf")


@pytest.mark.usefixtures("built")
def test_workload_that_could_be_simulated_and_is_not_built_says_so():
    with pytest.raises(ToolError, match='workload "sort": not built for armhf; run laxity setup'):
        find_simulated_workload("sort", "armhf")


@pytest.mark.usefixtures("built")
def test_workload_with_threads_is_what_the_platform_lacks():
    with pytest.raises(PlatformError, match="has threads of its own"):
        find_simulated_workload("parallel", "armhf")


def test_own_workload_with_the_harness_is_taken_as_it_is(tmp_path: Path):
    (tmp_path / "mine").write_bytes(ARM + HARNESS)
    assert find_simulated_workload(str(tmp_path / "mine"), "armhf") == tmp_path / "mine"
    (tmp_path / "mine").write_bytes(POWERPC + HARNESS)
    assert find_simulated_workload(str(tmp_path / "mine"), "powerpc") == tmp_path / "mine"


@pytest.mark.parametrize(
    ("data", "said"),
    [
        (POWERPC + HARNESS, "is for powerpc, and the platform executes armhf"),
        (SPARC + HARNESS, "is for processor 2 of ELF, and the platform executes armhf"),
        (ARM, "its main is not that of simulated platforms"),
        (b"\x7fELF", "is for processor 0 of ELF"),
        (b"#!/bin/sh\n", "is no program"),
        (b"", "is no program"),
    ],
)
def test_own_workload_that_the_platform_cannot_execute_is_refused(
    tmp_path: Path, data: bytes, said: str
):
    (tmp_path / "mine").write_bytes(data)
    with pytest.raises(ConfigError, match=said):
        find_simulated_workload(str(tmp_path / "mine"), "armhf")


def test_own_workload_that_is_not_there_is_named(tmp_path: Path):
    with pytest.raises(ConfigError, match="cannot be read"):
        find_simulated_workload(str(tmp_path / "mine"), "armhf")
