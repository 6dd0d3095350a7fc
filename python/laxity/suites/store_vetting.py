# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""A vetting stored as a run: verdicts, and for every mode what each job did.

The files are written anew after each program, so that an end at any time keeps what was vetted.
"""

import shlex
import shutil
import tempfile
import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import msgspec
import numpy as np

from laxity.core.signals import Forwarder
from laxity.core.streams import absent_value, dtype_of
from laxity.errors import EXIT_DONE, EXIT_INTERRUPTED, EXIT_NO_VERDICT, EXIT_VIOLATED, LaxityError
from laxity.jobs import ends, finish
from laxity.jobs.finish import Finished
from laxity.jobs.run_once import new_manifest
from laxity.platform.facts import collect_facts
from laxity.platform.machine import describe_machine
from laxity.store import run_directory
from laxity.store.manifest import Manifest
from laxity.store.npy_writer import write_stream
from laxity.store.run_directory import MACHINE, MANIFEST, VETTING, VETTING_SEEN, NewRun
from laxity.suites.classify import Vetted
from laxity.suites.observed import Mode
from laxity.suites.program import Discovery, Unplaced
from laxity.suites.result import (
    NotPlaced,
    ProgramClass,
    VettedDetail,
    VettedMode,
    VettingDocument,
)
from laxity.suites.toolchain import Toolchain
from laxity.suites.vetting import VetRequest, vet_all
from laxity.suites.vetting_file import vetting_to_toml

STREAM = "vetted.npy"
_NAME = "vet"
_MODES = {mode.value: number for number, mode in enumerate(Mode)}


@dataclass(frozen=True, slots=True)
class VettingRequest:
    """What is vetted, where it is stored, and what was typed.

    Attributes:
        root: The checkout.
        found: What it holds.
        manifest_sha256: Of the manifest that says what programs are given; None: there is none.
        jobs: Jobs per mode.
        sanitizes: One job of each also runs under sanitizers.
        on_vetted: Told each verdict as it comes, from any thread.
    """

    root: Path
    toolchain: Toolchain
    found: Discovery
    manifest_sha256: str | None
    jobs: int
    sanitizes: bool
    final: Path
    command_line: list[str]
    on_vetted: Callable[[Vetted], None]


@dataclass(slots=True)
class _Store:
    """The files of the run while programs are vetted, several at a time."""

    asked: VettingRequest
    request: VetRequest
    tmp: Path
    verdicts: dict[str, Vetted] = field(default_factory=dict)
    lock: threading.Lock = field(default_factory=threading.Lock)

    def add(self, vetted: Vetted) -> None:
        """Store one verdict more.

        Raises:
            PlatformError: The output is full.
        """
        with self.lock:
            self.verdicts[vetted.program] = vetted
            self._write()
        self.asked.on_vetted(vetted)

    def _write(self) -> None:
        programs = [one for one in self.asked.found.programs if one.name in self.verdicts]
        verdicts = [self.verdicts[one.name] for one in programs]
        details = [one.detail for one in verdicts if one.detail is not None]
        seen = VettingDocument(
            checkout=str(self.asked.root),
            cc=shlex.join(self.asked.toolchain.cc),
            jobs_per_mode=self.asked.jobs,
            programs_asked=len(self.asked.found.programs),
            programs=details,
            unplaced=[
                NotPlaced(path=one.path, reason=one.reason)
                for one in (*self.asked.found.left_out, *self.asked.found.unplaced)
            ],
        )
        write_stream(self.tmp / STREAM, vetted_rows(details))
        run_directory.write_document(self.tmp / VETTING_SEEN, seen)
        # Last: a run that has it has the others.
        text = vetting_to_toml(self.request, programs, verdicts, self.asked.manifest_sha256)
        run_directory.write_file(self.tmp / VETTING, text.encode())


def run_vetting(asked: VettingRequest, signals: Forwarder) -> tuple[Finished, list[Vetted]]:
    """Vet programs and store the verdicts as one run.

    Returns:
        How it ended (its path is None if no program was vetted), and the verdicts in order.

    Raises:
        ConfigError: The directory cannot be created.
        LaxityError: A tool is missing or refuses, or the output is full; what was vetted stays.
    """
    run = run_directory.create_run(asked.final)
    try:
        manifest = _write_before(run, asked)
        with tempfile.TemporaryDirectory(prefix="laxity-suite-") as build:
            request = VetRequest(
                root=asked.root,
                build=Path(build),
                toolchain=asked.toolchain,
                jobs=asked.jobs,
                sanitizes=asked.sanitizes,
                is_ended=lambda: signals.has_received,
            )
            verdicts = vet_all(request, asked.found.programs, _Store(asked, request, run.tmp).add)
        manifest = _ended(manifest, asked, verdicts)
        if not verdicts:
            shutil.rmtree(run.tmp)
            return Finished(None, manifest), verdicts
        finish.write_final_manifest(run.tmp, manifest)
        return finish.finish_run(run.tmp, has_survived=True), verdicts
    except LaxityError:
        if not (run.tmp / VETTING).exists():
            shutil.rmtree(run.tmp, ignore_errors=True)
        raise
    finally:
        run.release()


def _write_before(run: NewRun, asked: VettingRequest) -> Manifest:
    machine = describe_machine(collect_facts())
    manifest = new_manifest("vetting", _NAME, asked.command_line, machine.hash)
    run_directory.write_document(run.tmp / MANIFEST, manifest)
    run_directory.write_document(run.tmp / MACHINE, machine)
    return manifest


def _ended(manifest: Manifest, asked: VettingRequest, verdicts: Sequence[Vetted]) -> Manifest:
    rejected = [one for one in verdicts if one.mode is None]
    is_whole = len(verdicts) == len(asked.found.programs)
    code, message = EXIT_DONE, ""
    absent = ", ".join(f"{one.path} ({one.reason})" for one in asked.found.left_out)
    if absent:
        code = EXIT_NO_VERDICT
        message = f"of the manifest cannot be had: {absent}"
    if rejected:
        code = EXIT_VIOLATED
        message = f"{len(rejected)} of {len(verdicts)} programs have no right mode" + (
            f"; {message}" if message else ""
        )
    if not is_whole:
        code = EXIT_INTERRUPTED
        message = (
            f"interrupted, {len(verdicts)} of {len(asked.found.programs)} programs were vetted"
        )
    return msgspec.structs.replace(
        manifest,
        status="complete" if is_whole else "interrupted",
        exit_code=code,
        message=message,
        finished_at=ends.now(),
    )


def left_out_verdict(one: Unplaced) -> Vetted:
    """Return a program that cannot be had the shape of a verdict."""
    verdict = f"left out: {one.reason}"
    return Vetted(
        program=one.path,
        classes=(ProgramClass.MISSING,),
        mode=None,
        verdict=verdict,
        evidence=(),
    )


def vetted_rows(details: Sequence[VettedDetail]) -> "np.ndarray[tuple[int], np.dtype[np.void]]":
    """Make the rows of vetted.npy: one per program, mode and job."""
    rows = [
        row
        for number, detail in enumerate(details)
        for mode in detail.modes
        for row in _rows_of(number, mode)
    ]
    return np.array(rows, dtype=dtype_of("vetted"))


def _rows_of(program: int, mode: VettedMode) -> list[tuple[int | None, ...]]:
    absent = absent_value("i8")

    def known(value: int | None) -> int | None:
        return absent if value is None else value

    return [
        (
            program,
            _MODES[mode.mode],
            one.job,
            one.is_right,
            one.is_state_first,
            known(one.instructions),
            one.duration_ns,
            one.isolating_ns,
            known(one.heap_bytes),
            one.descriptors,
            one.threads,
            one.handlers,
            one.output_bytes,
        )
        for one in mode.jobs
    ]
