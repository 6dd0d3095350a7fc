# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""One run from a resolved spec to a finished directory."""

import dataclasses
import os
import secrets
import shutil
import subprocess
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import msgspec

from laxity import __version__
from laxity.core.progress import RunDisplay
from laxity.core.signals import Forwarder
from laxity.core.spec import Spec, spec_to_toml
from laxity.errors import EXIT_DONE, ConfigError, LaxityError, PlatformError
from laxity.jobs import ends, finish
from laxity.jobs.finish import Finished
from laxity.jobs.kept_guests import keep_guests
from laxity.platform.doctor import Diagnosis, drift
from laxity.platform.groups import GroupWatch, own_group_watch
from laxity.platform.kernel import Kernel
from laxity.platform.placement import place, silent_corunners
from laxity.platform.plan import TaskPlan
from laxity.platform.platform import THIS_MACHINE, Platform
from laxity.platform.platform_file import platform_in_run
from laxity.platform.shield import NO_KNOBS, KnobRequest, used_knobs
from laxity.platform.tools import check_words, source_root
from laxity.store import run_directory
from laxity.store.hindrances import group_lines
from laxity.store.manifest import KnobsUsed, Manifest, RunKind, Tool
from laxity.store.run_directory import DOCTOR, MACHINE, MANIFEST, SPEC, NewRun
from laxity.trace.record import recorded

# Small enough to be typed again.
_SEED_BITS = 32
_GIT_TIMEOUT_S = 5


def _say_nothing(_note: str) -> None:
    pass


@dataclass(frozen=True, slots=True)
class RunRequest:
    """What is to be run, and where it is stored.

    Attributes:
        spec: The experiment; `prepare_spec` has been at it.
        name: Name of the experiment, shown with the progress.
        final: Directory of the finished run.
        command_line: What the user typed.
        allow_unprivileged: Whether tasks may run under OTHER where FIFO is not permitted.
        is_quiet: Whether progress is not shown.
        knobs: Kernel settings to be changed for the run; `check_knobs` has been at them.
        on_note: Told in one sentence what the user should know of them.
        kept: Files that the run needs in its directory, by name.
    """

    spec: Spec
    name: str
    final: Path
    command_line: list[str]
    allow_unprivileged: bool = False
    is_quiet: bool = False
    knobs: KnobRequest = NO_KNOBS
    on_note: Callable[[str], None] = _say_nothing
    kept: Mapping[str, bytes] = field(default_factory=dict)


def prepare_spec(spec: Spec, platform: Platform = THIS_MACHINE) -> Spec:
    """Make explicit what only the machine knows (CPUs, programs) and draw a seed if none is given.

    Raises:
        ConfigError: Unknown workload, words that it does not take, no such CPU.
        PlatformError: A CPU that this process may not use.
        ToolError: A program is missing or of another version.
    """
    platform.require_programs(spec)
    check_words(
        [(one.workload, one.args) for one in spec.tasks]
        + [(one.workload, one.args) for one in spec.interfere]
    )
    if spec.seed is None:
        spec = msgspec.structs.replace(spec, seed=secrets.randbits(_SEED_BITS))
    return place(spec, platform.cpus())


def run_once(
    request: RunRequest, signals: Forwarder, platform: Platform = THIS_MACHINE
) -> Finished:
    """Run an experiment and store it.

    Args:
        request: What and where.
        signals: Set up by the caller, so that a signal between two runs is not lost.
        platform: Where it runs.

    Returns:
        Where it is and how it ended; the exit code is in the manifest.

    Raises:
        ConfigError: The directory cannot be created.
        LaxityError: As the runner; then no directory is left unless jobs were measured.
        KeyboardInterrupt: Interrupted before anything was started; no directory is left.
    """
    if request.spec.regulate is not None and not request.kept:
        msg = "[regulate] is read by laxity run, and not here; remove it"
        raise ConfigError(msg)
    run = run_directory.create_run(request.final)
    try:
        stored, spec = keep_guests(request.spec, run.tmp)
        for name, data in request.kept.items():
            run_directory.write_file(run.tmp / name, data)
        stored = msgspec.structs.replace(stored, platform=platform_in_run(stored.platform))
        request = dataclasses.replace(request, spec=stored)
        with used_knobs(request.knobs, Kernel(), request.on_note) as used:
            before = _write_before(run, request, used, platform)
            if signals.has_received:
                # laxity-run could not yet take the signal; nothing has been measured.
                raise KeyboardInterrupt  # noqa: TRY301 - as platforms do
            display = _display_of(request, run.tmp)
            groups = own_group_watch() if platform is THIS_MACHINE else None
            with recorded(request.spec, run):
                plan = TaskPlan(spec, request.allow_unprivileged)
                returncode = platform.execute(plan, run, display, signals)
            return complete(run, before, returncode, platform, groups)
    except (LaxityError, KeyboardInterrupt):
        if not (run.tmp / "jobs.npy").exists() and not platform.is_holding:
            shutil.rmtree(run.tmp, ignore_errors=True)
        raise
    finally:
        run.release()


def _display_of(request: RunRequest, tmp: Path) -> RunDisplay:
    if request.is_quiet or not sys.stderr.isatty():
        return RunDisplay(request.spec, request.name, is_quiet=request.is_quiet)
    # Loaded before anything is measured; nobody else needs it.
    from laxity.jobs.live import LiveRun  # noqa: PLC0415

    below = LiveRun(request.spec, tmp).lines
    return RunDisplay(request.spec, request.name, is_quiet=False, below=below)


def new_manifest(
    kind: RunKind,
    name: str,
    command_line: list[str],
    machine_hash: str | None,
) -> Manifest:
    """Start the manifest of a run that this process writes."""
    return Manifest(
        tool=Tool(name="laxity", version=__version__, commit=source_commit()),
        kind=kind,
        name=name,
        command_line=command_line,
        status="running",
        started_at=ends.now(),
        machine_hash=machine_hash,
        writer=ends.this_writer(),
    )


def write_diagnosis(directory: Path, before: Diagnosis, after: Diagnosis | None) -> None:
    """Write doctor.json; `after` None: the run has not ended, or was killed."""
    document: dict[str, Any] = {"before": before, "after": after}
    run_directory.write_document(directory / DOCTOR, document)


def source_commit() -> str | None:
    """Name the commit of the checkout; `-dirty` if files differ from it; None outside one."""
    root = source_root()
    if root is None or not (root / ".git").exists():
        return None
    try:
        done = subprocess.run(
            ["git", "-C", str(root), "describe", "--always", "--dirty", "--abbrev=12"],  # noqa: S607 - the user's own git
            capture_output=True,
            text=True,
            timeout=_GIT_TIMEOUT_S,
            check=False,
            env={**os.environ, "GIT_OPTIONAL_LOCKS": "0"},
        )
    except (OSError, subprocess.TimeoutExpired):
        return None
    return done.stdout.strip() or None


def _measured_cpus(spec: Spec) -> list[int]:
    return sorted({cpu for task in spec.tasks for cpu in task.cpus})


def _write_before(
    run: NewRun, request: RunRequest, used: KnobsUsed | None, platform: Platform
) -> Diagnosis:
    found = platform.examine(_measured_cpus(request.spec))
    manifest = new_manifest("run", request.name, request.command_line, found.machine.hash)
    manifest = msgspec.structs.replace(
        manifest,
        platform=request.spec.platform,
        seed=request.spec.seed,
        notes=[*silent_corunners(request.spec), *platform.notes(request.spec)],
        knobs=used,
        on=platform.on,
        board_run_dir=platform.place_of(run.final) or msgspec.UNSET,
    )
    # First, so that whoever finds the directory learns who writes it.
    run_directory.write_document(run.tmp / MANIFEST, manifest)
    run_directory.write_file(run.tmp / SPEC, spec_to_toml(request.spec).encode())
    run_directory.write_document(run.tmp / MACHINE, found.machine)
    write_diagnosis(run.tmp, found.diagnosis, None)
    return found.diagnosis


def complete(
    run: NewRun,
    before: Diagnosis,
    returncode: int,
    platform: Platform,
    groups: GroupWatch | None = None,
) -> Finished:
    """Store what a platform has executed: diagnose again, finish the run, let go of its copy there.

    Args:
        run: The run.
        before: The diagnosis before it.
        returncode: How laxity-run ended.
        platform: Where it was executed.
        groups: The control groups that were watched; None: none.

    Raises:
        PlatformError: The output is full, or a board has gone.
    """
    try:
        if groups is not None:
            store_groups(run, groups)
        write_after(run, before, lambda: platform.examine(before.cpus).diagnosis)
        finished = finish.finish_run(run.tmp, has_survived=True, returncode=returncode)
    except PlatformError as error:
        # laxity-run ends with a message of its own; another one for the same cause confuses.
        is_told = returncode != EXIT_DONE
        msg = "" if is_told else f"{error}, then laxity show {run.final} completes the run"
        raise PlatformError(msg) from error
    platform.discard()
    return finished


def store_groups(run: NewRun, watch: GroupWatch, more: Sequence[str] = ()) -> None:
    """Note what the control groups of what was measured took from it, and more."""
    watch.look(())
    manifest = run_directory.read_manifest(run.tmp)
    groups = watch.uses()
    lines = group_lines(groups, is_estimated=manifest.observation is not None)
    run_directory.write_document(
        run.tmp / MANIFEST,
        msgspec.structs.replace(manifest, groups=groups, notes=[*manifest.notes, *lines, *more]),
    )


def write_after(run: NewRun, before: Diagnosis, examine: Callable[[], Diagnosis]) -> None:
    """Diagnose again, and note what has changed since before the run."""
    try:
        after = examine()
    except LaxityError as error:
        # A board that has gone now does not spoil what was fetched from it.
        sys.stderr.write(f"laxity: no doctor after the run: {error}\n")
        return
    write_diagnosis(run.tmp, before, after)
    manifest = run_directory.read_manifest(run.tmp)
    run_directory.write_document(
        run.tmp / MANIFEST,
        msgspec.structs.replace(manifest, doctor_drift=list(drift(before, after))),
    )
