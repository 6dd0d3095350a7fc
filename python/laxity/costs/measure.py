# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""Run a probe and store what it finds; what is measured, the probe has planned."""

import secrets
import shutil
from dataclasses import dataclass
from pathlib import Path

import msgspec

from laxity.core.cpus import parse_cpus
from laxity.core.signals import Forwarder
from laxity.core.spec import NATIVE_PLATFORM
from laxity.costs import from_rows as measured
from laxity.costs.pace import ProbeDisplay
from laxity.costs.probe import probe_of
from laxity.errors import LaxityError
from laxity.jobs.finish import Finished
from laxity.jobs.run_once import complete, new_manifest, write_diagnosis
from laxity.platform.doctor import Diagnosis
from laxity.platform.plan import ProbePlan
from laxity.platform.platform import THIS_MACHINE, Platform
from laxity.platform.platform_file import platform_in_run
from laxity.store import run_directory
from laxity.store.manifest import Fallback, Manifest
from laxity.store.measurements import Measured
from laxity.store.run_directory import MACHINE, MANIFEST, NewRun

_SEED_BITS = 32


@dataclass(frozen=True, slots=True)
class MeasureRequest:
    """What is measured, where it is stored, and what was typed."""

    measurement: Measured
    fallbacks: tuple[Fallback, ...]
    final: Path
    command_line: list[str]
    seed: int | None = None
    allow_unprivileged: bool = False
    is_quiet: bool = False


def run_measurement(
    request: MeasureRequest, signals: Forwarder, platform: Platform = THIS_MACHINE
) -> Finished:
    """Run a probe and store what it finds.

    Args:
        request: What and where.
        signals: Set up by the caller.
        platform: What is measured.

    Returns:
        Where it is and how it ended; the exit code is in the manifest.

    Raises:
        ConfigError: The directory cannot be created.
        LaxityError: As the runner; then no directory is left.
        KeyboardInterrupt: Interrupted before anything was started; no directory is left.
    """
    run = run_directory.create_run(request.final)
    manifest = None
    try:
        manifest, before = _write_before(run, request, platform)
        if signals.has_received:
            shutil.rmtree(run.tmp)
            raise KeyboardInterrupt
        probe = probe_of(request.measurement.probe)
        pace = probe.pace(request.measurement, is_simulated=platform.name != NATIVE_PLATFORM)
        display = ProbeDisplay(request.measurement.probe, pace, is_quiet=request.is_quiet)
        plan = _plan(request, manifest.seed or 0)
        returncode = platform.execute(plan, run, display, signals)
        return complete(run, before, returncode, platform)
    except LaxityError:
        is_empty = manifest is None or not measured.has_rows(run.tmp, manifest)
        if is_empty and not platform.is_holding:
            shutil.rmtree(run.tmp, ignore_errors=True)
        raise
    finally:
        run.release()


def _write_before(
    run: NewRun, request: MeasureRequest, platform: Platform
) -> tuple[Manifest, Diagnosis]:
    found = platform.examine(parse_cpus(request.measurement.cpus))
    seed = secrets.randbits(_SEED_BITS) if request.seed is None else request.seed
    manifest = msgspec.structs.replace(
        new_manifest(
            "measure", request.measurement.probe, request.command_line, found.machine.hash
        ),
        seed=seed,
        measurement=request.measurement,
        fallbacks=list(request.fallbacks),
        platform=platform_in_run(platform.name),
        on=platform.on,
        board_run_dir=platform.place_of(run.final) or msgspec.UNSET,
    )
    run_directory.write_document(run.tmp / MANIFEST, manifest)
    run_directory.write_document(run.tmp / MACHINE, found.machine)
    write_diagnosis(run.tmp, found.diagnosis, None)
    return manifest, found.diagnosis


def _plan(request: MeasureRequest, seed: int) -> ProbePlan:
    asked = request.measurement
    words = tuple(probe_of(asked.probe).words(asked))
    return ProbePlan(asked, words, seed, request.allow_unprivileged)
