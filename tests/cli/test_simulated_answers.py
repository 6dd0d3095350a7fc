# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""Runs of programs that ask the system: each run has the answer of its own time."""

from collections.abc import Iterator
from pathlib import Path

import numpy as np
from tests.cli.laxity_command import Laxity
from tests.cli.test_simulated_isas import Emulator, every_isa, platform_text

# Ways to ask, each a task (tests/native/sim_programs/answers.c), and what is changed for them.
CHANGED = (
    *("readlink", "readlinkat", "stat", "lstat", "fstatat", "statx", "access", "faccessat"),
    *("chdir", "open", "getcwd", "time", "files", "mask", "priority", "memory", "process"),
)
# Asks what a stream is known by, and what the C library asks.
CONSTANT = "nothing"
# `uname` tells the host's name, which no test changes.
UNCHANGED = "uname"
BEFORE, AFTER = "umask 22; ulimit -S -n 500", "umask 27; ulimit -S -n 501; renice -n 3 $$ >&2"


def paths(directory: Path) -> dict[str, Path]:
    """What each way asks about."""
    link, file, absent = (directory / name for name in ("link", "file", "absent"))
    asked = dict.fromkeys((*CHANGED, UNCHANGED, CONSTANT), file)
    asked |= {"readlink": link, "readlinkat": link}
    return asked | {"access": absent, "faccessat": absent, "chdir": absent}


def prepare(directory: Path) -> None:
    (directory / "link").symlink_to("7000")
    (directory / "file").write_text("before")
    (directory / "file").chmod(0o644)


def change(directory: Path) -> None:
    (directory / "link").unlink()
    (directory / "link").symlink_to("1000")
    (directory / "file").write_text("after")
    (directory / "file").chmod(0o600)
    (directory / "absent").mkdir()


def spec(program: Path, directory: Path) -> str:
    tables = (
        f'[[task]]\nname = "{way}"\nworkload = "{program}"\nargs = ["{way}", "{path}"]\n'
        'period = "100ms"\ncpus = "0"\n'
        for way, path in paths(directory).items()
    )
    return "schema = 1\n" + "".join(tables)


def answers(run: Path) -> Iterator[tuple[str, str]]:
    """Tell what each task printed."""
    for part in (run / "output.log").read_text().split("== ")[1:]:
        name, _, printed = part.partition(" ==\n")
        yield name, printed


def kept(laxity: Laxity) -> list[Path]:
    return sorted((laxity.directory / "cache").glob("laxity/streams/*.lxs"))


def run(laxity: Laxity, where: Path, limits: str) -> Path:
    """Run from a directory, with limits of the shell."""
    run_dir = where / "D"
    platform = ("--platform", f"sim:{laxity.directory}/board.toml")
    words = ("run", str(laxity.directory / "tasks.toml"), "-t", "2", "--events", "instructions")
    done = Laxity(where, laxity.tools)(
        *(*words, *platform, "--run-dir", str(run_dir), "--no-report", "--quiet"),
        prefix=("bash", "-c", f'{limits}; exec "$@"', "-"),
        environment={"XDG_CACHE_HOME": str(laxity.directory / "cache")},
    )
    assert done.returncode == 0, done.stderr
    return run_dir


@every_isa
def test_a_run_has_the_answers_of_its_own_time(laxity: Laxity, isa: str):
    program = Emulator(isa).program("answers")
    directory = laxity.directory
    (directory / "board.toml").write_text(platform_text(isa))
    (directory / "tasks.toml").write_text(spec(program, directory))
    first, second = directory / "first", directory / "second-folder"
    first.mkdir()
    second.mkdir()
    prepare(directory)
    old = run(laxity, first, BEFORE)
    # Only the program that asks for nothing but constants is known by what it was.
    (stream,) = kept(laxity)
    written = stream.stat().st_ino
    change(directory)
    new = run(laxity, second, AFTER)
    assert [path.stat().st_ino for path in kept(laxity)] == [written]
    said, now = dict(answers(old)), dict(answers(new))
    assert {way for way in said if said[way] != now[way]} == set(CHANGED)
    jobs = [np.load(path / "jobs.npy") for path in (old, new)]
    for at, way in enumerate(paths(directory)):
        did, does = (rows["instructions"][rows["task"] == at].tolist() for rows in jobs)
        # What a job does follows from the answer.
        assert (did != does) == (way in CHANGED), way
