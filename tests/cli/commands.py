# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""Whole commands that are disturbed while they run, and what they left behind."""

import os
import subprocess
import sys
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from tests.cli.command_server import server
from tests.cli.laxity_command import PATIENCE_S, make_laxity

from laxity.core.streams import Status
from laxity.platform.doctor import fifo_permitted
from laxity.platform.facts import collect_facts
from laxity.store import run_directory
from laxity.store.manifest import Manifest
from laxity.store.npy import read_stream

BUILT = make_laxity(Path.cwd())
FAULT = BUILT.fault
LAXITY = [sys.executable, "-P", "-m", "laxity"]
# The last one, so that on a machine of several the first stays free for everything else.
CPU = max(os.sched_getaffinity(0))

needs_fifo = pytest.mark.skipif(
    not fifo_permitted(collect_facts())[0], reason="needs permission for SCHED_FIFO"
)
needs_root = pytest.mark.skipif(os.geteuid() != 0, reason="needs root")
needs_two_cpus = pytest.mark.skipif(len(os.sched_getaffinity(0)) < 2, reason="needs two CPUs")


@dataclass(frozen=True)
class Outcome:
    code: int
    out: str
    err: str


def is_alive(pid: int) -> bool:
    try:
        stat = Path(f"/proc/{pid}/stat").read_text()
    except OSError:
        return False
    return stat.rpartition(")")[2].split()[0] != "Z"


def environment() -> dict[str, str]:
    return BUILT.environment()


def start(
    *words: str | Path, is_own_session: bool = False, prefix: tuple[str | Path, ...] = ()
) -> "subprocess.Popen[str]":
    return subprocess.Popen(
        [*map(str, prefix), *LAXITY, *map(str, words)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env=environment(),
        start_new_session=is_own_session,
    )


def finish(process: "subprocess.Popen[str]") -> Outcome:
    try:
        out, err = process.communicate(timeout=PATIENCE_S)
    except subprocess.TimeoutExpired:
        process.kill()
        out, err = process.communicate()
        pytest.fail(f"still running after {PATIENCE_S} s: {err}")
    return Outcome(process.returncode, out, err)


def laxity(*words: str | Path) -> Outcome:
    return Outcome(*server().call([*map(str, words)], Path.cwd(), environment(), PATIENCE_S))


def processes_naming(text: str) -> list[int]:
    """Find the processes whose command line holds a text, ourselves left out."""
    found = []
    for path in Path("/proc").glob("[0-9]*/cmdline"):
        with suppress(OSError):
            if text.encode() in path.read_bytes():
                found.append(int(path.parent.name))
    return [pid for pid in found if pid != os.getpid()]


def children_of(parent: int, pattern: str) -> list[int]:
    found = subprocess.run(
        ["pgrep", "-P", str(parent), "-f", pattern], capture_output=True, text=True, check=False
    )
    return [int(word) for word in found.stdout.split()]


def fault_spec(path: Path, mode: str, *numbers: int | Path | None, **keys: str) -> Path:
    """Write a spec of the workload with faults and its words; keys of [[task]] as TOML values."""
    words = [mode, *(str(number) for number in numbers if number is not None)]
    run = {key: keys.pop(key) for key in ("jobs", "duration", "keep") if key in keys}
    task = {"period": '"1ms"', "cpus": f'"{CPU}"', **keys}
    lines = ["schema = 1", "[run]", *(f"{key} = {value}" for key, value in run.items())]
    lines += ["[[task]]", 'name = "fault"', f'workload = "{FAULT}"', f"args = {words}"]
    lines += [f"{key} = {value}" for key, value in task.items()]
    path.write_text("\n".join(lines) + "\n")
    return path


def aborted_job(directory: Path) -> int:
    """Return the number of the only job that was aborted.

    A job has the number of its release. Where a loaded machine was late, releases before it were
    skipped, and the n-th job that runs has a larger one.
    """
    jobs = jobs_of(directory)
    (job,) = jobs["job"][jobs["status"] == Status.ABORTED]
    return int(job)


def manifest_of(directory: Path) -> Manifest:
    return run_directory.read_manifest(directory)


def jobs_of(directory: Path) -> Any:  # noqa: ANN401 - columns have types that mypy does not know
    return read_stream(directory / "jobs.npy")
