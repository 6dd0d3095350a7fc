# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""What a simulated platform executes: workloads built for its processor, and QEMU's plugin."""

import fcntl
import os
import re
import shutil
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from functools import lru_cache
from pathlib import Path
from typing import IO

import msgspec

from laxity.core.spec import Spec, TaskSpec
from laxity.core.third_party import GUEST_WORKLOAD
from laxity.core.wording import last_line, plain_words
from laxity.errors import ConfigError, PlatformError, ToolError
from laxity.platform.native import workload_words
from laxity.platform.tools import find_in_build, list_workloads

# What to run where something is missing.
SIM_SET = "run laxity setup --with sim"
_NAME_QEMU = "name a program of QEMU as the platform file's emulator, or leave it out"
# In each program that has the harness of simulated platforms (sim/target/main.c), in no other.
_OF_HARNESS = b"a program of a simulated platform: started by laxity-sim"
_FOLDERS, _FOLDER_PREFIX = "/tmp", "laxity-sim-"  # noqa: S108 - made by mkdtemp; of one length
# So long nobody needs between making one and locking it, nor does what a killed command started.
_LEFT_AFTER_S = 600.0
# e_machine of <elf.h>
_MACHINES = {20: "powerpc", 40: "armhf", 62: "x86_64", 183: "aarch64", 243: "riscv64"}
_ELF = b"\x7fELF"
# Within ELF's header: 1 = little endian; e_machine, two bytes.
_ORDER_AT, _LITTLE, _MACHINE_AT = 5, 1, 18
# The first that has version 3 of the interface of plugins (sim/frontend/qemu_plugin.h).
_COPIES_CODE = (9, 1)
_VERSION_TIMEOUT_S = 10
_LONGEST_TEXT = 4096


@contextmanager
def program_folder() -> Iterator[Path]:
    """Make a folder that programs are executed in, and remove those that killed commands have left.

    At a path of one length: what a program is called lies in its memory, and moves the rest.
    """
    _remove_left()
    with (
        tempfile.TemporaryDirectory(
            prefix=_FOLDER_PREFIX, dir=_FOLDERS, ignore_cleanup_errors=True
        ) as folder,
        _locked(Path(folder), fcntl.LOCK_SH),
    ):
        yield Path(folder)


def message_of(output: IO[bytes]) -> str:
    """Return the last message of laxity-sim in the file to which it printed; empty: none."""
    output.seek(0)
    return last_line(output.read(_LONGEST_TEXT)).removeprefix("laxity-sim: ")


def _remove_left() -> None:
    left_before_s = time.time() - _LEFT_AFTER_S
    for path in Path(_FOLDERS).glob(f"{_FOLDER_PREFIX}*"):
        with suppress(OSError):
            status = path.lstat()
            if status.st_uid == os.geteuid() and status.st_mtime < left_before_s:
                # Whoever uses one holds a lock on it, which ends with its process.
                with _locked(path, fcntl.LOCK_EX | fcntl.LOCK_NB):
                    shutil.rmtree(path)


@contextmanager
def _locked(folder: Path, how: int) -> Iterator[None]:
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC)
    try:
        fcntl.flock(descriptor, how)
        yield
    finally:
        os.close(descriptor)


def find_built(name: str) -> Path:
    """Find what the build makes for simulated platforms.

    Raises:
        ToolError: It is not built.
    """
    path = find_in_build(f"sim/{name}")
    if path is None:
        msg = f"{name}: not built; {SIM_SET}"
        raise ToolError(msg)
    return path


def emulator_version(emulator: str) -> str:
    """Ask an emulator for its version: the first line that it prints.

    Raises:
        PlatformError: It does not tell.
    """
    try:
        status = Path(emulator).stat()
    except OSError as error:
        raise _tells_no_version(emulator, error) from error
    return _asked_once(emulator, status.st_mtime_ns, status.st_size)


@lru_cache
def _asked_once(emulator: str, _changed_ns: int, _size_bytes: int) -> str:
    """Ask; the same file need not be asked again."""
    try:
        done = subprocess.run(
            [emulator, "--version"],
            capture_output=True,
            text=True,
            errors="replace",
            timeout=_VERSION_TIMEOUT_S,
            check=True,
            # What a terminal sends is for us: an emulator that dies of it has no version.
            process_group=0,
        )
    except (OSError, subprocess.SubprocessError) as error:
        raise _tells_no_version(emulator, error) from error
    return done.stdout.partition("\n")[0]


def _tells_no_version(emulator: str, error: Exception) -> PlatformError:
    msg = f"{emulator}: does not tell its version ({plain_words(error)}); {_NAME_QEMU}"
    return PlatformError(msg)


def check_emulator(emulator: str, emulated_cpu: str, architecture: str) -> None:
    """Check that an emulator executes programs of a processor.

    Raises:
        ConfigError: It does not.
        ToolError: No program is built.
    """
    # Without words this one only says what it is.
    program = find_built(f"{architecture}-empty")
    try:
        done = subprocess.run(
            [emulator, "-cpu", emulated_cpu, str(program)],
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=_VERSION_TIMEOUT_S,
            check=False,
            process_group=0,
        )
        printed = done.stderr
    except subprocess.TimeoutExpired:
        printed = b"it does not end"
    if _OF_HARNESS not in printed:
        said = printed.decode("utf-8", "replace").strip().rpartition("\n")[2]
        msg = (
            f'emulator "{emulator}", emulated_cpu "{emulated_cpu}": does not execute a program for '
            f"{architecture} ({said or 'it says nothing'}); correct these keys of the platform file"
        )
        raise ConfigError(msg)


def find_plugin(emulator: str) -> Path:
    """Find the plugin for an emulator, whose interface depends on its version.

    Raises:
        PlatformError: The emulator does not tell its version.
        ToolError: The plugin is not built.
    """
    found = re.search(r"version (\d+)\.(\d+)", emulator_version(emulator))
    if found is None:
        msg = f"{emulator}: does not tell its version; {_NAME_QEMU}"
        raise PlatformError(msg)
    is_newer = (int(found[1]), int(found[2])) >= _COPIES_CODE
    return find_built("laxity-stream-3.so" if is_newer else "laxity-stream.so")


def find_simulated_workload(name: str, architecture: str) -> Path:
    """Find a workload for a processor: a name of ours, or the path of one with our harness.

    Raises:
        ConfigError: There is none, or it is for another processor.
        PlatformError: It has threads.
        ToolError: It is not built, or none is.
    """
    if "/" in name:
        return _own_workload(Path(name), architecture)
    # The one that does nothing is built where any is.
    folder = find_built(f"{architecture}-empty").parent
    path = folder / f"{architecture}-{name}"
    if path.is_file():
        return path
    known = {workload.name: workload for workload in list_workloads()}
    # Others are objects, or of tests.
    names = " ".join(one for one in known if (folder / f"{architecture}-{one}").is_file())
    if name in known and known[name].threads > 1:
        why = "has threads of its own, which are not simulated"
        msg = f'workload "{name}": {why}; use one of {names}'
        raise PlatformError(msg)
    why = "not simulated yet"
    if name in known and known[name].kind == "portable":
        msg = f'workload "{name}": not built for {architecture}; {SIM_SET}, or use one of {names}'
        raise ToolError(msg)
    if name in known and known[name].kind == "host":
        why = "needs libraries of this machine, which are not simulated"
    msg = f'workload "{name}": {why}; use one of {names}'
    raise ConfigError(msg)


def as_simulated(spec: Spec) -> Spec:
    """Name each program of a suite by the executable that it is linked into, with its own words."""
    tasks = (_linked(task) if _is_guest(task) else task for task in spec.tasks)
    return msgspec.structs.replace(spec, tasks=tuple(tasks))


def _is_guest(task: TaskSpec) -> bool:
    return task.workload == GUEST_WORKLOAD and bool(task.args)


def _linked(task: TaskSpec) -> TaskSpec:
    executable, *words = workload_words(task)
    return msgspec.structs.replace(task, workload=executable, args=tuple(words), isolation=None)


def _own_workload(path: Path, architecture: str) -> Path:
    try:
        data = path.read_bytes()
    except OSError as error:
        msg = f'workload "{path}": cannot be read ({error.strerror}); correct the path'
        raise ConfigError(msg) from error
    is_little = data[_ORDER_AT : _ORDER_AT + 1] == bytes([_LITTLE])
    machine = data[_MACHINE_AT : _MACHINE_AT + 2]
    number = int.from_bytes(machine, "little" if is_little else "big")
    if not data.startswith(_ELF):
        msg = f'workload "{path}": is no program; name one that is linked with sim/target/main.c'
        raise ConfigError(msg)
    isa = _MACHINES.get(number, f"processor {number} of ELF")
    if isa != architecture:
        msg = (
            f'workload "{path}": is for {isa}, and the platform executes {architecture}; build it '
            f"for {architecture}, or name a platform of {isa}"
        )
        raise ConfigError(msg)
    if _OF_HARNESS not in data:
        msg = (
            f'workload "{path}": its main is not that of simulated platforms; link it with '
            "sim/target/main.c"
        )
        raise ConfigError(msg)
    return path
