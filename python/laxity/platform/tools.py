# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""Where our own programs are: one function finds them, and refuses another version."""

import os
import re
import shutil
import subprocess
import tomllib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from functools import cache, lru_cache
from pathlib import Path
from typing import Any, Literal

import msgspec

from laxity import __version__
from laxity.core.spec import NATIVE_PLATFORM
from laxity.core.spec_reader import parse_interfere_option
from laxity.core.units import parse_size_bytes
from laxity.core.wording import plain_words
from laxity.errors import ConfigError, ToolError, located, suggestion

_PACKAGE = Path(__file__).resolve().parent.parent
# In each executable that is linked with the harness (native/harness/job_process.c), in no other.
_OF_HARNESS = b"--harness=job,"
# In each program that says by laxity/job.h where its jobs are: the name of a variable.
_OF_OWN_LOOP = b"LAXITY_JOB_COLLECTOR\0"
# How programs that somebody built begin, and scripts that name who reads them.
ELF, SCRIPT = b"\x7fELF", b"#!"
# Of a file, to tell what it is.
_LINE_BYTES = 64
# Optional sets: builds of their own below the directory of the rest (tools/bootstrap.sh).
_SETS, _SET_STAMP = ("workingset", "sim"), ".stamp-set"
# Printing a version takes a millisecond; a program that needs longer is not ours.
_VERSION_TIMEOUT_S = 10


class Workload(msgspec.Struct, forbid_unknown_fields=True, frozen=True, kw_only=True):
    """What `list` says about one bundled workload."""

    name: str
    summary: str
    kind: Literal["portable", "host"] = msgspec.field(name="class")
    args: str = ""
    example: list[str] = []
    memory: str = ""
    # Those of its example, its main one included.
    threads: int = 1


class KnownEvent(msgspec.Struct, forbid_unknown_fields=True, frozen=True, kw_only=True):
    """What `list events` says about one: what counts it here, or why nothing does."""

    name: str
    platform_event: str | None = None
    reason: str | None = None


class EventList(msgspec.Struct, forbid_unknown_fields=True, frozen=True, kw_only=True):
    """The events with names of their own, and the library that knows more, if it is built in."""

    library: str | None = None
    events: list[KnownEvent]


class _WorkloadManifest(msgspec.Struct, forbid_unknown_fields=True, frozen=True):
    workload: list[Workload]
    schema: int = 1


def source_root() -> Path | None:
    """The checkout that this code runs from: `$LAXITY_ROOT`, else seen from the package."""
    named = os.environ.get("LAXITY_ROOT")
    if named:
        return Path(named)
    root = _PACKAGE.parent.parent
    return root if (root / "meson.build").is_file() else None


def find_tool(name: str) -> Path:
    """Find one of our programs, such as `laxity-run`.

    `$LAXITY_TOOLS`, the package's `_tools/`, the checkout's `build/`, PATH, in this order.

    Raises:
        ToolError: None there, or the first one is of another version.
    """
    found = find_in_build(*(f"{folder}{name}" for folder in ("", "native/", "workingset/", "sim/")))
    if found is not None and _is_program(found):
        return _checked(found, name)
    on_path = shutil.which(name)
    if on_path:
        return _checked(Path(on_path), name)
    msg = f"{name}: not found in {_searched()} or PATH; build it with ninja -C build"
    raise ToolError(msg)


def find_in_build(*places: str) -> Path | None:
    """Find a file of the build, the first that one of the roots has at one of some places.

    A set of the checkout's build is brought up to date first, as `./laxity` does with the rest.

    Raises:
        ToolError: The set cannot be built from its sources as they are now.
    """
    for root in tool_roots():
        for place in places:
            if (root / place).is_file():
                _refresh(root)
                return root / place
    return None


@cache
def _refresh(root: Path) -> None:
    """Build what has changed of a set of the checkout, once per process."""
    source = source_root()
    # Tools that the user names are used as they are.
    is_named = bool(os.environ.get("LAXITY_TOOLS"))
    if is_named or source is None or root.parent != source / "build" / "sets":
        return
    script = source / "tools" / "setup-set"
    if subprocess.run([script, "--refresh", root.name], stdout=2, check=False).returncode:
        msg = f'set "{root.name}": not up to date; run laxity setup --with {root.name}'
        raise ToolError(msg)


def find_workload(name: str) -> Path:
    """Find the executable of a workload.

    Args:
        name: Name of a bundled workload, or a path (with a `/`) to one that is linked with the
            harness.

    Raises:
        ConfigError: There is no such workload.
        ToolError: It is listed and not built.
    """
    if "/" in name:
        path = Path(name)
        if not _is_program(path):
            msg = f'workload "{name}": no executable file; build it or correct the path'
            raise ConfigError(msg)
        _require_harness(path.resolve())
        return path.resolve()
    for root in tool_roots():
        candidate = root / "workloads" / name
        if _is_program(candidate):
            return candidate
    kinds = {workload.name: workload.kind for workload in list_workloads()}
    known = list(kinds)
    if name in known:
        cure = "laxity setup --with host" if kinds[name] == "host" else "ninja -C build"
        msg = f'workload "{name}": not built (searched {_searched()}); run {cure}'
        raise ToolError(msg)
    usual = "laxity list shows what there is"
    if (Path(name) / "spec.toml").is_file():
        usual = f"a run of this name is here: laxity run {name}/spec.toml repeats it"
    if found := shutil.which(name):
        usual = _any_program(name, found)
    if Path(name).is_file():
        usual = _any_program(f"./{name}", f"./{name}")
        if not os.access(name, os.X_OK):
            usual = "the file of this name is no program; build it, or name a spec file, NAME.toml"
    advice = suggestion(name, known, usual)
    msg = f'workload "{name}": unknown; {advice}'
    raise ConfigError(msg)


def _any_program(name: str, path: str) -> str:
    return (
        f"a program has this name: laxity run --exec {name} starts it for each job, "
        f"--interfere '{path}@CPUS' as a co-runner"
    )


def is_linked_with_harness(path: Path) -> bool:
    """Whether a program is a workload; it is read, not started."""
    return _OF_HARNESS in path.read_bytes()


def _require_harness(path: Path) -> None:
    """Check that a file is a workload before it is executed, as root perhaps.

    Raises:
        ConfigError: It is none, or cannot be read.
    """
    try:
        is_workload = is_linked_with_harness(path)
    except OSError as error:
        msg = f'workload "{path}": cannot be read ({error.strerror}); correct the path'
        raise ConfigError(msg) from error
    if not is_workload:
        msg = (
            f'workload "{path}": is no workload, its main is not the harness\'s; link it with '
            "the harness, or run it as it is: exec in a spec, or laxity run --exec"
        )
        raise ConfigError(msg)


def is_run_here(run: Mapping[str, Any]) -> bool:
    """Whether a run with this table `[run]` takes place on this machine."""
    return run.get("on") is None and run.get("platform") in {None, NATIVE_PLATFORM}


def read_corunner(text: str, run: Mapping[str, Any]) -> dict[str, Any]:
    """Read the option `--interfere` into an `[[interfere]]` table.

    Args:
        text: As the user wrote it. On this machine a path may also name any program.
        run: The table `[run]`.

    Raises:
        ConfigError: It is not NAME ARG...@CPUS, or the program cannot be started.
    """
    table = parse_interfere_option(text)
    name = table["workload"]
    if not (is_run_here(run) and "/" in name and _is_program(Path(name))):
        return table
    # A program that this user may not read is no workload of ours.
    with suppress(OSError):
        if is_linked_with_harness(Path(name)):
            return table
    return {"exec": [str(find_program(name)), *table["args"]], "cpus": table["cpus"]}


def require_process_per_job(command: Sequence[str], label: str) -> None:
    """Refuse an `exec` whose program makes its jobs itself, unless its spec states the isolation.

    Before there was `program`, a spec said `exec` of such a program.

    Args:
        command: The program, as a whole path or along PATH, and its arguments.
        label: Names the task.

    Raises:
        ConfigError: It is built with laxity/job.h, or cannot be started.
    """
    is_own_loop = False
    # A program that may be executed may be unreadable.
    with suppress(OSError):
        is_own_loop = _OF_OWN_LOOP in find_program(command[0]).read_bytes()
    if is_own_loop:
        name = Path(command[0]).name
        msg = (
            f"{label}: exec starts a process for each job, and {name} makes its jobs itself "
            '(laxity/job.h); write program in place of exec, or add isolation = "exec"'
        )
        raise ConfigError(msg)


def find_program(name: str) -> Path:
    """Find a program of the user's own (`exec`, `program`): a path, or a name along PATH.

    Raises:
        ConfigError: There is no such program.
    """
    found = name if "/" in name else shutil.which(name)
    if found is None or not _is_program(Path(found)):
        where = "" if "/" in name else " along PATH"
        advice = "build it or correct the path"
        if Path(name).is_file():
            advice = f"write ./{name}" if _is_program(Path(name)) else f"chmod +x {name}"
        msg = f'program "{name}": no executable file{where}; {advice}'
        raise ConfigError(msg)
    # Whoever may execute a program need not be allowed to read it.
    with suppress(OSError), Path(found).open("rb") as file:
        start = file.read(_LINE_BYTES)
        if start.isascii() and not start.startswith((ELF, SCRIPT)):
            msg = f'program "{name}": a script that names no interpreter; begin it with #!/bin/sh'
            raise ConfigError(msg)
    return Path(found).absolute()


def require_stdin(path: str) -> None:
    """Check that a file can be the standard input of a program; "" is an empty one.

    Raises:
        ConfigError: It is none, or cannot be read.
    """
    if path and (Path(path).is_dir() or not os.access(path, os.R_OK)):
        msg = f'stdin "{path}": no file that can be read; correct the path'
        raise ConfigError(msg)


@lru_cache
def _workloads_of(manifest: bytes) -> tuple[Workload, ...]:
    document = tomllib.loads(manifest.decode())
    return tuple(msgspec.convert(document, _WorkloadManifest).workload)


def list_workloads() -> list[Workload]:
    """List the bundled workloads.

    Raises:
        ToolError: Their manifest is missing or unreadable.
    """
    path = _workload_manifest()
    try:
        return list(_workloads_of(path.read_bytes()))
    except OSError as error:
        msg = f"{path}: cannot be read ({error.strerror}); the installation is incomplete"
        raise ToolError(msg) from error
    except (tomllib.TOMLDecodeError, UnicodeDecodeError, msgspec.ValidationError) as error:
        msg = f"{path}: {plain_words(error)}; the installation is of another version"
        raise ToolError(msg) from error


def check_words(named: Iterable[tuple[str, tuple[str, ...]]]) -> None:
    """Compare words of bundled workloads with what they take, before anything is started.

    What the words mean (is a size too small?) is the workload's to judge, and so is all of one
    that is not bundled.

    Args:
        named: Workloads, each with its words.

    Raises:
        ConfigError: One takes others.
    """
    bundled = {one.name: one for one in list_workloads()}
    for name, words in dict.fromkeys(named):
        if name in bundled:
            with located(f'workload "{name}"'):
                _check_words(bundled[name], words)


def _check_words(workload: Workload, words: tuple[str, ...]) -> None:
    found = _words_taken(workload.args).fullmatch("".join(f"{word}\0" for word in words))
    if found is None:
        takes = f"takes {workload.args or 'no words'}"
        got = f'"{" ".join(words)}"' if words else "none"
        example = (
            f"write for example {' '.join(workload.example)}" if workload.args else "remove them"
        )
        msg = f"{takes}, got {got}; {example}"
        raise ConfigError(msg)
    size = found.groupdict().get("SIZE")
    if size is not None:
        with located("SIZE"):
            parse_size_bytes(size)


def _words_taken(args: str) -> re.Pattern[str]:
    """Make a pattern of `small|large [THREADS]`, for words that each have a zero behind them."""
    if "=" in args:
        # In any order.
        keys = re.findall(r"(\w+)=", args)
        return re.compile(rf"((?:{'|'.join(keys)})=[^\0]*\0)*")
    parts = []
    for word in re.findall(r"[][]|[^][\s]+", args):
        if word in "[]":
            parts.append("(?:" if word == "[" else ")?")
        elif word.isupper():
            parts.append(rf"(?P<{word}>[^\0]*)\0")
        else:
            parts.append(rf"(?:{word})\0")
    return re.compile("".join(parts))


def list_events() -> EventList:
    """Ask laxity-run what it can count on this machine.

    Raises:
        ToolError: It is not built, or of another version.
    """
    tool = find_tool("laxity-run")
    done = subprocess.run(
        [tool, "--list-events"], capture_output=True, check=False, process_group=0
    )
    try:
        return msgspec.json.decode(done.stdout, type=EventList)
    except msgspec.DecodeError as error:
        msg = f"{tool}: its list of events is unreadable; rebuild it with ninja -C build"
        raise ToolError(msg) from error


def _workload_manifest() -> Path:
    root = source_root()
    candidates = [directory / "workloads" / "manifest.toml" for directory in tool_roots()]
    if root is not None:
        candidates.append(root / "workloads" / "manifest.toml")
    return next((path for path in candidates if path.is_file()), candidates[-1])


def tool_roots() -> Iterator[Path]:
    """List the directories that may hold what was built, the first to be looked at first.

    The installed sets of a root follow it.
    """
    named = os.environ.get("LAXITY_TOOLS")
    source = source_root()
    roots = [Path(named)] if named else []
    roots.append(_PACKAGE / "_tools")
    if source is not None:
        roots.append(source / "build")
    for root in roots:
        yield root
        sets = (root / "sets" / name for name in _SETS)
        yield from (directory for directory in sets if (directory / _SET_STAMP).is_file())


def _searched() -> str:
    return ", ".join(str(root) for root in tool_roots())


def _is_program(path: Path) -> bool:
    return path.is_file() and os.access(path, os.X_OK)


def _checked(path: Path, name: str) -> Path:
    status = path.stat()
    return _asked_once(path, name, status.st_mtime_ns, status.st_size)


@lru_cache
def _asked_once(path: Path, name: str, _changed_ns: int, _size_bytes: int) -> Path:
    """Ask a program for its version; the same file need not be asked again."""
    expected = f"{name} {__version__}"
    try:
        done = subprocess.run(
            [path, "--version"],
            capture_output=True,
            text=True,
            errors="replace",
            timeout=_VERSION_TIMEOUT_S,
            check=False,
            # What a terminal sends is for us: a tool that dies of it has no version.
            process_group=0,
        )
        found = done.stdout.partition("\n")[0].strip() or f"exit code {done.returncode}"
    except (OSError, subprocess.TimeoutExpired) as error:
        found = str(error)
    if found != expected:
        msg = f"{path}: is not {expected} ({found}); rebuild it with ninja -C build"
        raise ToolError(msg)
    return path
