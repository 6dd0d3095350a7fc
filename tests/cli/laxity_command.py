# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""`laxity` as a user calls it: a process of its own, with the real laxity-run."""

import json
import os
import pty
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

import pytest
from tests.cli.command_server import server

from laxity.platform.tools import find_in_build
from laxity.store.manifest import Manifest
from laxity.store.run_directory import Run, open_run, read_manifest

ROOT = Path(__file__).resolve().parent.parent.parent
PROGRAMS = ROOT / "tests" / "suites" / "programs"
# No test waits so long; a loaded machine must not fail them.
PATIENCE_S = 300


NOTHING: Mapping[str, str] = {}
# Variables that an interpreter or the dynamic linker reads when it starts, or click for completion.
READ_AT_START = ("PYTHON", "LD_", "LC_", "LANG", "_")
# The user's own stays as it is.
CACHE = tempfile.TemporaryDirectory(prefix="laxity-tests-")


@dataclass(frozen=True, slots=True)
class Laxity:
    """Calls laxity in a directory; `tools` is the build that it uses."""

    directory: Path
    tools: Path

    def __call__(
        self,
        *words: str,
        prefix: Sequence[str] = (),
        environment: Mapping[str, str] = NOTHING,
        patience_s: float = PATIENCE_S,
    ) -> "subprocess.CompletedProcess[str]":
        """Call it and wait for its end; in a Python of its own only where the start matters."""
        arguments = [*prefix, sys.executable, "-P", "-m", "laxity", *words]
        if not prefix and not any(name.startswith(READ_AT_START) for name in environment):
            surroundings = {**self.environment(), **environment}
            done = server().call([*words], self.directory, surroundings, patience_s)
            return subprocess.CompletedProcess(arguments, *done)
        return subprocess.run(
            arguments,
            cwd=self.directory,
            env={**self.environment(), **environment},
            capture_output=True,
            text=True,
            timeout=patience_s,
            check=False,
        )

    def run(self, *words: str, prefix: Sequence[str] = (), told: str = "") -> Run:
        """Call `laxity run`, which has to end well, and open what it wrote to D.

        Args:
            words: Its words.
            prefix: Command that starts it.
            told: Part of what it says on stderr; nothing may be said if empty.
        """
        done = self("run", *words, "--run-dir", "D", "--no-report", "--quiet", prefix=prefix)
        assert done.returncode == 0, done.stderr
        assert told in done.stderr
        assert bool(told) == bool(done.stderr)
        return open_run(self.directory / "D")

    def spec(self, **task: object) -> str:
        """Write a spec of one task with a faulty workload; give its name."""
        table = {"workload": str(self.fault), "period": "5ms", "cpus": "0"} | task
        lines = [f"{key} = {json.dumps(value)}" for key, value in table.items()]
        text = "schema = 1\n[[task]]\n" + "\n".join(lines) + "\n"
        (self.directory / "fault.toml").write_text(text)
        return "fault.toml"

    @property
    def fault(self) -> Path:
        """The workload with a fault of one's choice."""
        return self.tools / "tests" / "native" / "fault"

    def environment(self) -> dict[str, str]:
        """The environment of a user who has set nothing but where runs go."""
        names = ("PATH", "HOME", "LANG", "ASAN_OPTIONS", "TSAN_OPTIONS", "UBSAN_OPTIONS")
        kept = {name: os.environ[name] for name in names if name in os.environ}
        return {
            **kept,
            "PYTHONPATH": str(ROOT / "python"),
            "LAXITY_TOOLS": str(self.tools),
            "LAXITY_RUNS": str(self.directory / "runs"),
            "XDG_CACHE_HOME": CACHE.name,
            "COLUMNS": "100",
        }

    def names(self) -> set[str]:
        """What lies in the directory, but for the spec."""
        return {path.name for path in self.directory.iterdir()} - {"fault.toml"}

    def manifest(self) -> Manifest:
        """The manifest of D."""
        return read_manifest(self.directory / "D")


def make_laxity(directory: Path) -> Laxity:
    """Find the build; tests fail, not skip, if there is none."""
    tools = Path(os.environ.get("LAXITY_TOOLS") or ROOT / "build")
    if not (tools / "native" / "laxity-run").exists():
        pytest.fail(f"no laxity-run in {tools}; build it with ninja -C build")
    return Laxity(directory, tools)


def of_simulator(name: str) -> Path:
    """Find a file built for simulated platforms; a path without a file where it is not built."""
    return find_in_build(f"sim/{name}") or ROOT / "build" / "sets" / "sim" / "sim" / name


def on_terminal(laxity: Laxity, command: list[str]) -> str:
    """Call a program with a terminal as its stdout and stderr; give what that gets."""
    ours, theirs = pty.openpty()
    environment = {**laxity.environment(), "PYTHONUTF8": "1", "TERM": "xterm"}
    process = subprocess.Popen(
        command, cwd=laxity.directory, env=environment, stdin=theirs, stdout=theirs, stderr=theirs
    )
    os.close(theirs)
    told = b""
    # An error tells that the last process has closed it.
    with suppress(OSError):
        while part := os.read(ours, 4096):
            told += part
    os.close(ours)
    process.wait(PATIENCE_S)
    return told.decode()


def checkout(laxity: Laxity, *names: str) -> str:
    """Make a checkout of some mini-programs; give its name."""
    for name in names:
        shutil.copytree(PROGRAMS / name, laxity.directory / "suite" / name, dirs_exist_ok=True)
    return "suite"


_vetted: dict[tuple[object, ...], tuple["subprocess.CompletedProcess[str]", str]] = {}


def vet_once(laxity: Laxity, *words: str) -> "subprocess.CompletedProcess[str]":
    """Vet the checkout `suite` into vetting.toml; equal files once in a process of pytest.

    Args:
        laxity: Whose directory holds the checkout.
        words: Further arguments of the command.
    """
    suite, verdicts = laxity.directory / "suite", laxity.directory / "vetting.toml"
    files = sorted(path for path in suite.rglob("*") if path.is_file())
    key = (words, *((path.relative_to(suite), path.read_bytes()) for path in files))
    if key not in _vetted:
        done = laxity("suite", "vet", "suite", "--jobs", "3", "--quiet", *words)
        if not verdicts.exists():
            return done
        _vetted[key] = done, verdicts.read_text()
    done, text = _vetted[key]
    verdicts.write_text(text)
    return done


def vet_programs(directory: Path, names: tuple[str, ...], code: int) -> Laxity:
    """Vet mini-programs in a checkout `suite`: run V and vetting.toml; the exit code is known."""
    laxity = make_laxity(directory)
    words = ("--jobs", "3", "--quiet", "--no-report", "-o", "vetting.toml", "--run-dir", "V")
    done = laxity("suite", "vet", checkout(laxity, *names), *words)
    assert done.returncode == code, done.stderr
    return laxity


def take_vetted(once: Laxity, laxity: Laxity) -> Laxity:
    """Copy what was vetted into another directory."""
    for name in ("suite", "V"):
        shutil.copytree(once.directory / name, laxity.directory / name)
    shutil.copy(once.directory / "vetting.toml", laxity.directory)
    return laxity
