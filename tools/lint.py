# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""Run every linter, one line each with its time; show the output of those that fail.

The slow ones, mypy and clang-tidy, look at what changed since the default branch of `origin`.

Started by tools/lint in the root of the repository, which has installed what is called here.
Exit codes: 0 clean, 1 findings, 2 usage, 3 no git checkout.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import re
import shutil
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
CACHES = (TIDY_CACHE, Path(".mypy_cache"), Path(".ruff_cache"), Path(".import_linter_cache"))
# Of a source that goes into two objects clang-tidy would look at both: here each stands once.
TIDY_COMMANDS = BUILD / "tidy-commands"
CLANG_FORMAT, CLANG_TIDY = "clang-format-19", VENV_BIN / "clang-tidy"

# The build is gcc's; clang must not stumble over options that only gcc has.
FOREIGN_OPTIONS = "-Wno-unknown-warning-option"


@dataclass(frozen=True, slots=True)
class Files:
    """The files to look at: all of them, by kind, and those that changed.

    `changed` is None where nobody knows what they changed from, or all are to be looked at.
    """

    all: frozenset[str]
    changed: frozenset[str] | None
    c: tuple[str, ...]
    python: tuple[str, ...]
    shell: tuple[str, ...]
    man: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Report:
    """What one linter says: `is_clean`, its output if it is not, and what it has not looked at."""

    is_clean: bool
    output: str = ""
    left_out: str = ""


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


def list_files(*arguments: str) -> frozenset[str] | None:
    """List what a command of git names with -z; None if it fails."""
    listed = run_tool(["git", *arguments])
    return frozenset(filter(None, listed.output.split("\0"))) if listed.is_clean else None


def changed_files() -> frozenset[str] | None:
    """List the files that differ from where this work left the default branch of `origin`.

    Returns:
        Their names, committed or not; None where there is no such branch.
    """
    base = run_tool(["git", "merge-base", "HEAD", "refs/remotes/origin/HEAD"])
    if not base.is_clean:
        return None
    changed = list_files("diff", "--name-only", "-z", base.output.strip())
    added = list_files("ls-files", "--others", "--exclude-standard", "-z")
    return None if changed is None or added is None else changed | added


def find_files(*, is_fresh: bool) -> Files:
    """List the files that git tracks or would offer to add.

    Args:
        is_fresh: All of them count as changed.

    Returns:
        Files that exist, sorted, by kind.

    Raises:
        SystemExit: this is not a git checkout; code 3.
    """
    listed = list_files("ls-files", "--cached", "--others", "--exclude-standard", "-z")
    if listed is None:
        print(
            "tools/lint: list files: this is not a git checkout; clone the repository",
            file=sys.stderr,
        )
        raise SystemExit(3)
    paths = [Path(name) for name in sorted(listed)]
    paths = [path for path in paths if path.is_file() and not path.is_symlink()]

    def pick(*suffixes: str) -> tuple[str, ...]:
        return tuple(str(path) for path in paths if path.suffix in suffixes)

    return Files(
        all=frozenset(str(path) for path in paths),
        changed=None if is_fresh else changed_files(),
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


def tidy_unit(unit: dict[str, str], key: str | None) -> Report:
    """Run clang-tidy on one translation unit, unless it was clean in exactly this state before."""
    if key and (TIDY_CACHE / key).exists():
        return Report(is_clean=True)
    source = Path(os.path.normpath(Path(unit["directory"]) / unit["file"]))
    report = run_tool(
        [CLANG_TIDY, "--quiet", "-p", TIDY_COMMANDS, f"--extra-arg={FOREIGN_OPTIONS}", source]
    )
    if report.is_clean and key:
        (TIDY_CACHE / key).touch()
    return report


def sources_of(entry: dict[str, str]) -> Iterator[dict[str, str]]:
    """Name each source of an object: meson joins some into one unit, the analyzer does not."""
    unit = Path(entry["directory"], entry["file"])
    if "-unity" not in unit.name:
        yield entry
        return
    joined = unit.read_text(encoding="utf-8")
    for name in re.findall(r'^#include\s*[<"](.+)[>"]', joined, re.MULTILINE):
        command = entry["command"].replace(f"-c {entry['file']}", f"-c {name}")
        yield {**entry, "file": name, "command": command}


def units_of_build(files: Files) -> dict[str, dict[str, str]]:
    """Return the entry of compile_commands.json of each of our sources, by its name in the tree."""
    root, known = Path.cwd(), set(files.c)
    units: dict[str, dict[str, str]] = {}
    for entry in json.loads((BUILD / "compile_commands.json").read_text(encoding="utf-8")):
        for unit in sources_of(entry):
            source = os.path.relpath(os.path.normpath(Path(unit["directory"], unit["file"])), root)
            if source in known:
                units[source] = unit
    return units


def changed_units(
    units: dict[str, dict[str, str]],
    includes: dict[str, list[str]],
    changed: frozenset[str],
) -> set[str]:
    """Choose the units in which every changed source and header is looked at.

    Args:
        units: of `units_of_build`.
        includes: of `includes_of_objects`.
        changed: Names of files in the tree.

    Returns:
        The changed sources; and for a header one unit that includes it, of its own name if there is
        one. All units if the settings of clang-tidy have changed.
    """
    if any(Path(name).name == ".clang-tidy" for name in changed):
        return set(units)
    chosen = set(changed & units.keys())
    for header in sorted(name for name in changed if Path(name).suffix in {".h", ".hpp"}):
        users = {
            source
            for source, unit in units.items()
            if f"{os.pardir}/{header}" in includes.get(unit["output"], ())
        }
        if users and not users & chosen:
            chosen |= {min(users, key=lambda name: (Path(name).stem != Path(header).stem, name))}
    return chosen


def run_clang_tidy(files: Files) -> Report:
    """Run clang-tidy on the C sources that the build compiles and that changed, in parallel."""
    units, includes = units_of_build(files), includes_of_objects()
    chosen = set(units)
    if files.changed is not None:
        chosen = changed_units(units, includes, files.changed)
    TIDY_COMMANDS.mkdir(exist_ok=True)
    (TIDY_COMMANDS / "compile_commands.json").write_text(
        json.dumps(list(units.values())), encoding="utf-8"
    )
    version = run_tool([CLANG_TIDY, "--version"]).output
    configurations = sorted(name for name in files.all if Path(name).name == ".clang-tidy")
    settings = version.encode() + b"".join(Path(name).read_bytes() for name in configurations)
    TIDY_CACHE.mkdir(exist_ok=True)
    with ThreadPoolExecutor(len(os.sched_getaffinity(0))) as pool:
        reports = list(
            pool.map(
                lambda unit: tidy_unit(unit, tidy_key(unit, settings, includes)),
                (units[name] for name in sorted(chosen)),
            )
        )
    return Report(
        all(report.is_clean for report in reports),
        "".join(report.output for report in reports if not report.is_clean),
        f"{len(units) - len(chosen)} of {len(units)} files that did not change"
        if len(chosen) < len(units)
        else "",
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


def run_mypy(files: Files) -> Report:
    """Check the types of everything: what changed may break what uses it."""
    suffixes = {".py", ".pyi", ".toml", ".lock"}
    if files.changed is not None and not any(
        Path(name).suffix in suffixes for name in files.changed
    ):
        return Report(is_clean=True, left_out="all files, of which none changed")
    return run_over(files.python, VENV_BIN / "mypy")


def linters(*, is_fast: bool) -> Iterator[tuple[str, Callable[[Files], Report]]]:
    """Name every linter, the quick ones first."""
    ruff = VENV_BIN / "ruff"
    yield "clang-format", run_clang_format
    yield "ruff format", lambda f: run_over(f.python, ruff, "format", "--check", "--diff", "-q")
    yield "ruff check", lambda f: run_over(f.python, ruff, "check", "--quiet")
    yield "shellcheck", lambda f: run_over(f.shell, "shellcheck", "-x")
    yield "mandoc", lambda f: run_over(f.man, "mandoc", "-T", "lint", "-W", "warning")
    yield "reuse", run_reuse
    yield "import-linter", lambda _: run_tool([VENV_BIN / "lint-imports"])
    yield "mypy", run_mypy
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
    parser.add_argument(
        "--fresh",
        action="store_true",
        help="let mypy and clang-tidy look at what did not change, too; believe no earlier result",
    )
    options = parser.parse_args(arguments)

    # The tree may belong to somebody else (a container); git and reuse are to read it all the same.
    os.environ |= {
        "GIT_CONFIG_COUNT": "1",
        "GIT_CONFIG_KEY_0": "safe.directory",
        "GIT_CONFIG_VALUE_0": "*",
    }
    files = find_files(is_fresh=options.fresh)
    for cache in CACHES if options.fresh else ():
        shutil.rmtree(cache, ignore_errors=True)
    if options.fix:
        fix(files)
    is_clean = True
    for name, lint in linters(is_fast=options.fast):
        start_s = time.monotonic()
        report = lint(files)
        is_clean = is_clean and report.is_clean
        outcome = "ok" if report.is_clean else "FINDINGS"
        left_out = f"; left out: {report.left_out}" if report.left_out else ""
        took_s = time.monotonic() - start_s
        print(f"{name:<14} {outcome:<9} {took_s:6.1f} s{left_out}", flush=True)
        if not report.is_clean:
            print(report.output.rstrip(), flush=True)
    return 0 if is_clean else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
