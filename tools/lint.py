# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""Run every linter, one line each with its time; show the output of those that fail.

Started by tools/lint in the root of the repository, which has installed what is called here.
Exit codes: 0 clean, 1 findings, 2 usage, 3 no git checkout.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import re
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

VENV_BIN = Path(".venv/bin")
BUILD = Path("build")
TIDY_CACHE = BUILD / "tidy-cache"
# Of a source that goes into two objects clang-tidy would look at both: here each stands once.
TIDY_COMMANDS = BUILD / "tidy-commands"
CLANG_FORMAT, CLANG_TIDY = "clang-format-19", VENV_BIN / "clang-tidy"

# The build is gcc's; clang must not stumble over options that only gcc has.
FOREIGN_OPTIONS = "-Wno-unknown-warning-option"


@dataclass(frozen=True, slots=True)
class Files:
    """The files to look at: all of them, and by kind."""

    all: frozenset[str]
    c: tuple[str, ...]
    python: tuple[str, ...]
    shell: tuple[str, ...]
    man: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Report:
    """What one linter says: `is_clean`, and its output if it is not."""

    is_clean: bool
    output: str = ""


def run_tool(arguments: Sequence[str | Path]) -> Report:
    """Run one program and keep what it prints.

    Args:
        arguments: program and arguments; relative paths count from the root of the repository.

    Returns:
        Clean if the program exited with 0.
    """
    done = subprocess.run(
        arguments,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    )
    return Report(done.returncode == 0, done.stdout)


def is_shell(path: Path) -> bool:
    """Tell whether a file is a shell script, by its name or its first line."""
    if path.suffix:
        return path.suffix == ".sh"
    with path.open("rb") as file:
        return re.match(rb"#!.*\b(ba|da)?sh\b", file.readline(200)) is not None


def find_files() -> Files:
    """List the files that git tracks or would offer to add.

    Returns:
        Files that exist, sorted, by kind.

    Raises:
        SystemExit: this is not a git checkout; code 3.
    """
    listed = run_tool(["git", "ls-files", "--cached", "--others", "--exclude-standard", "-z"])
    if not listed.is_clean:
        print(
            "tools/lint: list files: this is not a git checkout; clone the repository",
            file=sys.stderr,
        )
        raise SystemExit(3)
    paths = [Path(name) for name in sorted(set(listed.output.split("\0"))) if name]
    paths = [path for path in paths if path.is_file() and not path.is_symlink()]

    def pick(*suffixes: str) -> tuple[str, ...]:
        return tuple(str(path) for path in paths if path.suffix in suffixes)

    return Files(
        all=frozenset(str(path) for path in paths),
        c=pick(".c", ".h", ".cpp", ".hpp"),
        python=pick(".py"),
        shell=tuple(str(path) for path in paths if is_shell(path)),
        man=pick(".1"),
    )


def includes_of_objects() -> dict[str, list[str]]:
    """What each object of the build was compiled from, by the names that ninja gives both.

    Asked of the build, which knows it: to preprocess once more takes a second where LLVM's headers
    are included.
    """
    log = run_tool(["ninja", "-C", BUILD, "-t", "deps"])
    found: dict[str, list[str]] = {}
    names: list[str] = []
    for line in log.output.splitlines() if log.is_clean else ():
        if line.startswith("    "):
            names.append(line.strip())
        elif ": #deps " in line:
            names = found.setdefault(line.partition(":")[0], [])
    return found


def tidy_key(entry: dict[str, str], settings: bytes, includes: dict[str, list[str]]) -> str | None:
    """Name the state of one translation unit: its command, clang-tidy's settings, all it includes.

    Args:
        entry: one entry of compile_commands.json.
        settings: version and configuration of clang-tidy.
        includes: of `includes_of_objects`.

    Returns:
        A checksum; None if it has not been compiled yet (then there is nothing to look up).
    """
    directory, names = Path(entry["directory"]), includes.get(entry["output"])
    if names is None:
        return None
    state = hashlib.sha256(settings + entry["command"].encode())
    for name in [entry["file"], *names]:
        try:
            state.update(name.encode() + (directory / name).read_bytes())
        except FileNotFoundError:
            return None
    return state.hexdigest()


def tidy_entry(entry: dict[str, str], key: str | None) -> Report:
    """Run clang-tidy on one translation unit, unless it was clean in exactly this state before."""
    if key and (TIDY_CACHE / key).exists():
        return Report(is_clean=True)
    source = Path(os.path.normpath(Path(entry["directory"]) / entry["file"]))
    report = run_tool(
        [CLANG_TIDY, "--quiet", "-p", TIDY_COMMANDS, f"--extra-arg={FOREIGN_OPTIONS}", source]
    )
    if report.is_clean and key:
        (TIDY_CACHE / key).touch()
    return report


def run_clang_tidy(files: Files) -> Report:
    """Run clang-tidy on all C sources that the build compiles, in parallel."""
    root = Path.cwd()
    known = {os.path.normpath(root / name) for name in files.c}
    entries: dict[str, dict[str, str]] = {}
    for entry in json.loads((BUILD / "compile_commands.json").read_text(encoding="utf-8")):
        source = os.path.normpath(Path(entry["directory"]) / entry["file"])
        if source in known:
            entries[source] = entry
    TIDY_COMMANDS.mkdir(exist_ok=True)
    (TIDY_COMMANDS / "compile_commands.json").write_text(
        json.dumps(list(entries.values())), encoding="utf-8"
    )
    version = run_tool([CLANG_TIDY, "--version"]).output
    configurations = sorted(name for name in files.all if Path(name).name == ".clang-tidy")
    settings = version.encode() + b"".join(Path(name).read_bytes() for name in configurations)
    TIDY_CACHE.mkdir(exist_ok=True)
    includes = includes_of_objects()
    with ThreadPoolExecutor(len(os.sched_getaffinity(0))) as pool:
        reports = list(
            pool.map(
                lambda entry: tidy_entry(entry, tidy_key(entry, settings, includes)),
                entries.values(),
            )
        )
    return Report(
        all(report.is_clean for report in reports),
        "".join(report.output for report in reports if not report.is_clean),
    )


def run_over(files: Sequence[str], *arguments: str | Path) -> Report:
    """Run a program with the names of files at its end; no files, no findings."""
    return run_tool([*arguments, *files]) if files else Report(is_clean=True)


def run_clang_format(files: Files) -> Report:
    """Name the C files that clang-format would change; what it would change is of no interest."""
    report = run_over(files.c, CLANG_FORMAT, "--dry-run", "-Werror")
    names = dict.fromkeys(re.findall(r"^([^:\s]+):\d+:\d+: error", report.output, re.MULTILINE))
    if not names:
        return report
    return Report(is_clean=False, output="\n".join([*names, "tools/lint --fix formats them"]))


def run_reuse(files: Files) -> Report:
    """Ask for a licence in every file; reuse also sees ignored files in folders new to git."""
    report = run_tool([VENV_BIN / "reuse", "lint", "--lines"])
    lines = [
        line
        for line in report.output.splitlines()
        if (name := line.split(": ")[0]) in files.all or not Path(name).is_file()
    ]
    return Report(report.is_clean or not lines, "\n".join(lines))


def linters(*, is_fast: bool) -> Iterator[tuple[str, Callable[[Files], Report]]]:
    """Name every linter, the quick ones first."""
    ruff, mypy = VENV_BIN / "ruff", VENV_BIN / "mypy"
    yield "clang-format", run_clang_format
    yield "ruff format", lambda f: run_over(f.python, ruff, "format", "--check", "--diff", "-q")
    yield "ruff check", lambda f: run_over(f.python, ruff, "check", "--quiet")
    yield "shellcheck", lambda f: run_over(f.shell, "shellcheck", "-x")
    yield "mandoc", lambda f: run_over(f.man, "mandoc", "-T", "lint", "-W", "warning")
    yield "reuse", run_reuse
    yield "import-linter", lambda _: run_tool([VENV_BIN / "lint-imports"])
    yield "mypy", lambda f: run_over(f.python, mypy)
    if not is_fast:
        yield "clang-tidy", run_clang_tidy


def fix(files: Files) -> None:
    """Format everything and apply ruff's safe corrections."""
    ruff = VENV_BIN / "ruff"
    run_over(files.c, CLANG_FORMAT, "-i")
    run_over(files.python, ruff, "check", "--quiet", "--fix")
    run_over(files.python, ruff, "format", "-q")


def main(arguments: Sequence[str]) -> int:
    """Run the linters.

    Args:
        arguments: command line without the program's name.

    Returns:
        Exit code.
    """
    parser = argparse.ArgumentParser(prog="tools/lint", description="run every linter")
    parser.add_argument("--fix", action="store_true", help="format first")
    parser.add_argument("--fast", action="store_true", help="leave clang-tidy out")
    options = parser.parse_args(arguments)

    # The tree may belong to somebody else (a container); git and reuse are to read it all the same.
    os.environ |= {
        "GIT_CONFIG_COUNT": "1",
        "GIT_CONFIG_KEY_0": "safe.directory",
        "GIT_CONFIG_VALUE_0": "*",
    }
    files = find_files()
    if options.fix:
        fix(files)
    is_clean = True
    for name, lint in linters(is_fast=options.fast):
        start_s = time.monotonic()
        report = lint(files)
        is_clean = is_clean and report.is_clean
        outcome = "ok" if report.is_clean else "FINDINGS"
        print(f"{name:<14} {outcome:<9} {time.monotonic() - start_s:6.1f} s", flush=True)
        if not report.is_clean:
            print(report.output.rstrip(), flush=True)
    return 0 if is_clean else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
