# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""Which programs of a suite a simulated platform can run as jobs: those that need no kernel."""

from collections.abc import Set as AbstractSet

from laxity.suites.observed import Mode
from laxity.suites.program import Program
from laxity.suites.vetting_file import VettedProgram
from laxity.suites.work import starts_threads

_MAKE_PROCESSES = frozenset({"fork", "vfork", "posix_spawn", "posix_spawnp", "popen", "system"})

# Of no files, as native/guests has it (fnv.h).
_NO_FILES = f"{14695981039346656037:016x}"
_NOT_COMPARED = "-"
# What mode restore takes back beside memory, each by a class of vetting.
_OF_PROCESS = ("fd leak", "thread left", "signal handler left", "process attributes left")


def why_not_portable(program: Program, vetted: VettedProgram) -> str:
    """Say in one sentence why a program cannot run on a simulated platform; "": it can.

    Args:
        program: What it is, and what it is given.
        vetted: Its verdict; it has a mode.
    """
    if vetted.mode in {Mode.FORK, Mode.EXEC}:
        return f"mode {vetted.mode}: processes are not simulated; no cheaper mode is right"
    if program.given.stdin is not None or program.given.inputs:
        return "it reads files, which are not simulated"
    files = (vetted.expected or "").rpartition(":")[2]
    if files not in {_NO_FILES, _NOT_COMPARED}:
        return "it writes files, which are not simulated"
    if program.given.roi or program.given.roi_check:
        return "its region of interest is not seen in a static link"
    left = [one for one in _OF_PROCESS if one in vetted.classes]
    if vetted.mode is Mode.RESTORE and left:
        return f"{left[0]}: outside of memory nothing is taken back on a simulated platform"
    return ""


def why_asks_kernel(imports: AbstractSet[str]) -> str:
    """Say what a program that calls such functions wants and a simulated platform lacks; "": none.

    Args:
        imports: What it calls and does not define.
    """
    if starts_threads(imports):
        return "it makes threads, which are not simulated"
    return "it makes processes, which are not simulated" if imports & _MAKE_PROCESSES else ""
