# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""A made-up suite run and a made-up vetting, written as the contract says."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

import msgspec
import numpy as np
from tests.report.run_builder import Made, jobs_table, ordinary_rows, write_run

from laxity.store.manifest import Isolating, Manifest, encode_document
from laxity.store.run_directory import SUITE, VETTING, VETTING_SEEN, hash_files, read_manifest
from laxity.suites.result import (
    NotPlaced,
    ProgramClass,
    SuiteDocument,
    SuiteProgram,
    VettedDetail,
    VettedJob,
    VettedMode,
    VettingDocument,
)
from laxity.suites.stored_results import write_results

ISOLATING = Isolating(n=40, mean_ns=20_000, max_ns=90_000)


def with_right(made: Made, wrong_jobs: Sequence[int]) -> Made:
    """Add the column that the workload `guest` logs; 0 in the jobs named."""
    rows = made.rows
    right = np.ones(len(rows), dtype="f4")
    right[list(wrong_jobs)] = 0
    named = np.zeros(len(rows), dtype=[*rows.dtype.descr, ("right", "f4")])
    for name in rows.dtype.names or ():
        named[name] = rows[name]
    named["right"] = right
    return replace(made, rows=named)


def write_suite(
    directory: Path,
    programs: Mapping[str, tuple[Made, Sequence[int]]],
    sources: str = "0" * 64,
    inputs: str | None = None,
) -> Path:
    """Write a suite run.

    Args:
        directory: Of the run.
        programs: By name: a run, and which of its jobs were wrong.
        sources: Hash of the sources of every program.
        inputs: Of its input files; None: it has none.
    """
    rows = []
    for name, (made, wrong) in programs.items():
        path = write_run(directory / "runs" / name, with_right(replace(made, name=name), wrong))
        manifest = read_manifest(path)
        task = msgspec.structs.replace(manifest.tasks[0], isolating=ISOLATING)
        _write_manifest(path, msgspec.structs.replace(manifest, tasks=[task]))
        rows.append(_program(name, "restore", run=name))
    rows.append(_program("broken", None, left_out="rejected: its <check> fails", left_out_code=4))
    rows = [
        msgspec.structs.replace(one, sources_sha256=sources, inputs_sha256=inputs) for one in rows
    ]
    document = SuiteDocument(checkout="/home/x/suite", vetting="V", cc="cc", programs=rows)
    (directory / SUITE).write_bytes(encode_document(document))
    write_results(directory)
    first = read_manifest(directory / "runs" / next(iter(programs)))
    for name in ("machine.json", "doctor.json"):
        source = directory / "runs" / next(iter(programs)) / name
        (directory / name).write_bytes(source.read_bytes())
    whole = msgspec.structs.replace(
        first, kind="suite", name="suite", command_line=["laxity", "suite", "run", "suite"],
        runs=list(programs), tasks=[], tables={}, clock=None, snapshots=None, exit_code=4,
        message="1 program was left out", files=hash_files(directory),
    )  # fmt: skip
    _write_manifest(directory, whole)
    return directory


def ordinary_suite(directory: Path) -> Path:
    """Write a suite run of a program that is always right, a wrong one, and one without a job."""
    return write_suite(
        directory,
        {
            "adpcm": (Made(ordinary_rows(40)), ()),
            "bsort": (Made(ordinary_rows(400, 2)), (3, 4, 5)),
            "never": (Made(jobs_table(0)), ()),
        },
    )


def _program(
    name: str,
    mode: str | None,
    run: str | None = None,
    left_out: str | None = None,
    left_out_code: int | None = None,
) -> SuiteProgram:
    return SuiteProgram(
        program=name, convention="main", classes=["stale state"], mode=mode,
        sources_sha256=None, run=run, left_out=left_out, left_out_code=left_out_code,
    )  # fmt: skip


def _write_manifest(directory: Path, manifest: Manifest) -> None:
    (directory / "manifest.json").write_bytes(encode_document(manifest))


def vetted_job(job: int, instructions: int | None, *, is_right: bool = True) -> VettedJob:
    """One job; a right one returns 0."""
    return VettedJob(
        job=job, outcome="returned 0" if is_right else "returned 7", is_right=is_right,
        is_state_first=is_right, output_bytes=0, duration_ns=5_000, isolating_ns=20_000,
        instructions=instructions, heap_bytes=24 * job, descriptors=0, threads=0, handlers=0,
    )  # fmt: skip


def made_up_vetting() -> VettingDocument:
    """A program that is right in mode reinit, and one that is rejected."""
    shrinks = [vetted_job(0, 72_000), *(vetted_job(job, 1_000) for job in (1, 2))]
    alike = [vetted_job(job, 72_000) for job in range(3)]
    words = "job 1 is 1000 instructions, with fresh state 72000 (2 of 3 jobs)"
    good = VettedDetail(
        program="bsort", convention="init-main-return",
        classes=[ProgramClass.SHRINKING_WORK], mode="reinit",
        verdict="right in mode reinit",
        evidence=[f"shrinking work: {words}", f"mode none is wrong: {words}"],
        golden="returned 0", reference_instructions=72_000,
        modes=[
            VettedMode(mode="none", failure="", deviations=[words], jobs=shrinks),
            VettedMode(mode="reinit", failure="", deviations=[], jobs=alike),
            VettedMode(mode="fork", failure="", deviations=[],
                       jobs=[vetted_job(job, None) for job in range(3)]),
        ],
    )  # fmt: skip
    bad = VettedDetail(
        program="never_alike", convention="main", classes=[], mode=None,
        verdict="rejected: two fresh <processes> differ", evidence=[], golden=None,
        reference_instructions=None, modes=[],
    )  # fmt: skip
    return VettingDocument(
        checkout="/home/x/suite", cc="cc", jobs_per_mode=3, programs_asked=2,
        programs=[good, bad], unplaced=[NotPlaced(path="lib", reason="no entry")],
    )  # fmt: skip


def write_vetting(directory: Path, document: VettingDocument) -> Path:
    """Write the run of a vetting."""
    made = write_run(directory, Made(jobs_table(0)))
    for path in made.iterdir():
        if path.name not in {"machine.json", "manifest.json"}:
            path.unlink()
    (made / VETTING).write_text("schema = 1\n")
    (made / VETTING_SEEN).write_bytes(encode_document(document))
    manifest = msgspec.structs.replace(
        read_manifest(made), kind="vetting", name="vet", tasks=[], tables={}, clock=None,
        snapshots=None, exit_code=1, message="1 of 2 programs have no right mode",
        command_line=["laxity", "suite", "vet", "suite"], files=hash_files(made),
    )  # fmt: skip
    _write_manifest(made, manifest)
    return made
