# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""Run every linter, one line each with its time; show the output of those that fail.

clang-tidy, the slow one, reads what has changed since it last read everything, and every user of a
changed header. docs/checks.md names that commit, in the newest row of stage `tidy`. Its analyzer,
which takes most of the time, reads only sources that changed themselves. Two linters run at a time.

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
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from pathlib import Path

VENV_BIN = Path(".venv/bin")
BUILD = Path("build")
TIDY_CACHE = BUILD / "tidy-cache"
# Of a source that goes into two objects clang-tidy would look at both: here each stands once.
TIDY_COMMANDS = BUILD / "tidy-commands"
CLANG_FORMAT, CLANG_TIDY = "clang-format-19", VENV_BIN / "clang-tidy"
WORDS = (VENV_BIN / "python", "-P", "tools/words.py")
LEDGER = Path("docs/checks.md")
# Where the ledger names no commit of this history. The default branch lands work in series of up to
# about 100 commits; origin/HEAD is no base, because a fresh clone lacks it or has it equal to HEAD.
RECENT_COMMITS = 150
# Pins the version of clang-tidy.
PINS = "deps/python/check.in"

# The analyzer follows the paths through each function, and takes longer than all other checks.
NO_ANALYZER = "--checks=-clang-analyzer-*"
# The build is gcc's; clang must not stumble over options that only gcc has.
FOREIGN_OPTIONS = "-Wno-unknown-warning-option"


@dataclass(frozen=True, slots=True)
class Files:
    """The files to look at: all of them, by kind, and those that changed recently.

    `recent` is None where clang-tidy is to read every file.
    """

    all: frozenset[str]
    recent: frozenset[str] | None
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


def tidied_commit() -> str | None:
    """Find the newest commit of this history that stage `tidy` of ./check has passed on."""
    rows = LEDGER.read_text(encoding="utf-8") if LEDGER.exists() else ""
    commits = re.findall(r"^\| tidy \| \w+ \| (\w+) \|.*\| ok \|", rows, re.MULTILINE)
    for commit in reversed(commits):
        if run_tool(["git", "merge-base", "--is-ancestor", commit, "HEAD"]).is_clean:
            return str(commit)
    return None


def recent_files() -> frozenset[str] | None:
    """List the files that changed since clang-tidy read everything, uncommitted changes too.

    The oldest commit of a short history counts as one that adds all its files.

    Returns:
        Names of files, deleted ones too; None where a command of git fails.
    """
    base = tidied_commit()
    if base:
        committed = list_files("diff", "--name-only", "-z", base, "HEAD")
    else:
        # --cc: of a merge the files that differ from every parent.
        log = ("log", f"-{RECENT_COMMITS}", "--cc", "--root", "--name-only", "--format=", "-z")
        committed = list_files(*log)
    uncommitted = list_files("diff", "--name-only", "-z", "HEAD")
    added = list_files("ls-files", "--others", "--exclude-standard", "-z")
    if committed is None or uncommitted is None or added is None:
        return None
    return committed | uncommitted | added


def find_files(*, is_whole: bool) -> Files:
    """List the files that git tracks or would offer to add.

    Args:
        is_whole: clang-tidy is to read every file.

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
        recent=None if is_whole else recent_files(),
        c=pick(".c", ".h", ".cpp", ".hpp"),
        python=pick(".py"),
        shell=tuple(str(path) for path in paths if is_shell(path)),
        man=pick(".1"),
    )


@dataclass(frozen=True, slots=True)
class Unit:
    """One of our sources as one build compiles it.

    `entry` is of compile_commands.json. `includes` are absolute names of all that the source
    includes; None if the build has not compiled the source yet.
    """

    entry: dict[str, str]
    includes: frozenset[str] | None


def absolute(directory: str, name: str) -> str:
    """Return the normalised absolute name of a file that a build calls `name`."""
    return os.path.normpath(Path(directory, name))


def includes_of_objects(build: Path) -> dict[str, frozenset[str]]:
    """Return what each object of a build was compiled from, by the name that ninja gives it.

    The build knows these names: to preprocess again takes a second where LLVM's headers are
    included.
    """
    log = run_tool(["ninja", "-C", build, "-t", "deps"])
    directory = str(build.absolute())
    found: dict[str, list[str]] = {}
    names: list[str] = []
    for line in log.output.splitlines() if log.is_clean else ():
        if line.startswith("    "):
            names.append(absolute(directory, line.strip()))
        elif ": #deps " in line:
            names = found.setdefault(line.partition(":")[0], [])
    return {output: frozenset(names) for output, names in found.items()}


def tidy_key(unit: Unit, settings: bytes) -> str | None:
    """Name the state of one translation unit: its command, clang-tidy's settings, all it includes.

    Args:
        unit: of `units_of_builds`.
        settings: version and configuration of clang-tidy.

    Returns:
        A checksum; None if the unit has not been compiled yet (then there is nothing to look up).
    """
    if unit.includes is None:
        return None
    entry = unit.entry
    state = hashlib.sha256(settings + entry["command"].encode())
    for name in [absolute(entry["directory"], entry["file"]), *sorted(unit.includes)]:
        try:
            state.update(name.encode() + Path(name).read_bytes())
        except FileNotFoundError:
            return None
    return state.hexdigest()


def tidy_unit(entry: dict[str, str], key: str | None, *, is_analyzed: bool) -> Report:
    """Run clang-tidy on one translation unit, unless it was clean in exactly this state before.

    Args:
        entry: of compile_commands.json.
        key: of `tidy_key`.
        is_analyzed: with the analyzer; what was clean with it is clean without it, too.
    """
    if key:
        analyzed, checked = TIDY_CACHE / key, TIDY_CACHE / f"{key}-not-analyzed"
        if analyzed.exists() or (checked.exists() and not is_analyzed):
            return Report(is_clean=True)
    source = absolute(entry["directory"], entry["file"])
    words: list[str | Path] = ["--quiet", "-p", TIDY_COMMANDS, f"--extra-arg={FOREIGN_OPTIONS}"]
    if not is_analyzed:
        words.append(NO_ANALYZER)
    report = run_tool([CLANG_TIDY, *words, source])
    if report.is_clean and key:
        (analyzed if is_analyzed else checked).touch()
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


def units_of_builds(files: Files) -> dict[str, Unit]:
    """Return how each of our sources is compiled, by its name in the tree.

    Of several builds that compile a source, one that has done so comes first.
    """
    root, known = Path.cwd(), set(files.c)
    units: dict[str, Unit] = {}
    for build in [BUILD, *sorted((BUILD / "sets").glob("*"))]:
        commands = build / "compile_commands.json"
        if not commands.exists():
            continue
        includes = includes_of_objects(build)
        for entry in json.loads(commands.read_text(encoding="utf-8")):
            unit = Unit(entry, includes.get(entry["output"]))
            for one in sources_of(entry):
                source = os.path.relpath(absolute(one["directory"], one["file"]), root)
                if source in known and (source not in units or units[source].includes is None):
                    units[source] = replace(unit, entry=one)
    return units


def changed_units(units: Mapping[str, Unit], recent: frozenset[str]) -> set[str]:
    """Choose the sources that have changed, and those below a folder whose settings have.

    Args:
        units: of `units_of_builds`.
        recent: Names of files in the tree.

    Returns:
        All sources if the version of clang-tidy may have changed.
    """
    if PINS in recent:
        return set(units)
    folders = {Path(name).parent for name in recent if Path(name).name == ".clang-tidy"}
    return {source for source in units if source in recent or folders & set(Path(source).parents)}


def recent_units(units: Mapping[str, Unit], recent: frozenset[str]) -> set[str]:
    """Choose the units that recent changes can have given a finding.

    Args:
        units: of `units_of_builds`.
        recent: Names of files in the tree.

    Returns:
        The changed units, every user of a changed header, and units whose headers are unknown
        because no build has compiled them.
    """
    changed = {str(Path(name).absolute()) for name in recent}
    return changed_units(units, recent) | {
        source for source, unit in units.items() if unit.includes is None or changed & unit.includes
    }


def run_clang_tidy(files: Files) -> Report:
    """Run clang-tidy in parallel on the sources that recent changes can have given a finding."""
    units = units_of_builds(files)
    if files.recent is None:
        chosen = analyzed = set(units)
    else:
        chosen = recent_units(units, files.recent)
        analyzed = changed_units(units, files.recent)
    TIDY_COMMANDS.mkdir(exist_ok=True)
    (TIDY_COMMANDS / "compile_commands.json").write_text(
        json.dumps([unit.entry for unit in units.values()]), encoding="utf-8"
    )
    version = run_tool([CLANG_TIDY, "--version"]).output
    configurations = sorted(name for name in files.all if Path(name).name == ".clang-tidy")
    settings = version.encode() + b"".join(Path(name).read_bytes() for name in configurations)
    TIDY_CACHE.mkdir(exist_ok=True)
    with ThreadPoolExecutor(len(os.sched_getaffinity(0))) as pool:
        reports = list(
            pool.map(
                lambda name: tidy_unit(
                    units[name].entry,
                    tidy_key(units[name], settings),
                    is_analyzed=name in analyzed,
                ),
                # The long ones first.
                sorted(chosen, key=lambda name: (name not in analyzed, name)),
            )
        )
    return Report(
        all(report.is_clean for report in reports),
        "".join(report.output for report in reports if not report.is_clean),
        f"{len(units) - len(chosen)} of {len(units)} files, and the "
        f"analyzer in {len(units) - len(analyzed)} (tools/lint --all reads them)"
        if len(analyzed) < len(units)
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


def linters(*, is_fast: bool) -> Iterator[tuple[str, Callable[[Files], Report]]]:
    """Name every linter, the quick ones first."""
    ruff = VENV_BIN / "ruff"
    yield "clang-format", run_clang_format
    yield "ruff format", lambda f: run_over(f.python, ruff, "format", "--check", "--diff", "-q")
    yield "ruff check", lambda f: run_over(f.python, ruff, "check", "--quiet")
    yield "shellcheck", lambda f: run_over(f.shell, "shellcheck", "-x")
    yield "mandoc", lambda f: run_over(f.man, "mandoc", "-T", "lint", "-W", "warning")
    yield "reuse", run_reuse
    yield "words", lambda _: run_tool(WORDS)
    yield "import-linter", lambda _: run_tool([VENV_BIN / "lint-imports"])
    # All of it: what changed may break what uses it.
    yield "mypy", lambda f: run_over(f.python, VENV_BIN / "mypy")
    if not is_fast:
        yield "clang-tidy", run_clang_tidy


def fix(files: Files) -> None:
    """Format everything and apply ruff's safe corrections."""
    ruff = VENV_BIN / "ruff"
    run_over(files.c, CLANG_FORMAT, "-i")
    run_over(files.python, ruff, "check", "--quiet", "--fix")
    run_over(files.python, ruff, "format", "-q")
    run_tool([*WORDS, "--fix"])


def main(arguments: Sequence[str]) -> int:
    """Run the linters.

    Args:
        arguments: command line without the program's name.

    Returns:
        Exit code.
    """
    parser = argparse.ArgumentParser(prog="tools/lint", description="run every linter")
    parser.add_argument(
        "--fix", action="store_true", help="format first, and lower the counts of words"
    )
    parser.add_argument("--fast", action="store_true", help="leave clang-tidy out")
    parser.add_argument(
        "--all",
        action="store_true",
        help="let clang-tidy read what has not changed since it last read everything, too",
    )
    parser.add_argument("linters", nargs="*", help="their names; all of them without one")
    options = parser.parse_args(arguments)
    known = dict(linters(is_fast=options.fast))
    for name in options.linters:
        if name not in known:
            parser.error(f'unknown linter "{name}"; choose from: {", ".join(known)}')

    # The tree may belong to somebody else (a container); git and reuse are to read it all the same.
    os.environ |= {
        "GIT_CONFIG_COUNT": "1",
        "GIT_CONFIG_KEY_0": "safe.directory",
        "GIT_CONFIG_VALUE_0": "*",
    }
    files = find_files(is_whole=options.all)
    if options.fix:
        fix(files)

    def run(name: str) -> bool:
        start_s = time.monotonic()
        report = known[name](files)
        took_s = time.monotonic() - start_s
        outcome = "ok" if report.is_clean else "FINDINGS"
        left_out = f"; left out: {report.left_out}" if report.left_out else ""
        lines = f"{name:<14} {outcome:<9} {took_s:6.1f} s{left_out}\n"
        # One call: what linters print at the same time does not mix.
        sys.stdout.write(lines if report.is_clean else f"{lines}{report.output.rstrip()}\n")
        sys.stdout.flush()
        return report.is_clean

    # clang-tidy has a thread for each CPU, mypy a single thread: neither waits for the other.
    with ThreadPoolExecutor(2) as pool:
        outcomes = list(pool.map(run, options.linters or known))
    return 0 if all(outcomes) else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
