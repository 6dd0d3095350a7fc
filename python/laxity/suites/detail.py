# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""What a verdict rests on, job by job: what a run of `suite vet` stores and its report shows. Pure.

A job is told in words and counts, never by its hashes alone: those compare within one vetting only.
"""

from collections.abc import Sequence

from laxity.suites.classify import Vetted, deviations, reference_work, refusal
from laxity.suites.jobs import INSTRUCTIONS, Job
from laxity.suites.observed import Mode, Observed, first_job, is_state_of
from laxity.suites.program import Program
from laxity.suites.result import VettedDetail, VettedJob, VettedMode
from laxity.suites.work import Work, starts_threads, works_of


def detail_of(program: Program, vetted: Vetted, seen: Observed | None) -> VettedDetail:
    """Tell what was seen of a program.

    Args:
        program: Which one.
        vetted: Its verdict.
        seen: What the verdict is made of; None: it could not be built.
    """
    reference = None if seen is None else _reference(seen)
    return VettedDetail(
        program=program.name,
        convention=program.convention.value,
        classes=list(vetted.classes),
        mode=None if vetted.mode is None else vetted.mode.value,
        verdict=vetted.verdict,
        evidence=list(vetted.evidence),
        golden=None if seen is None else _golden(seen),
        reference_instructions=None if reference is None else reference.total,
        reference_library_instructions=None if reference is None else reference.library,
        starts_threads=seen is not None and starts_threads(seen.imports),
        modes=[] if seen is None else [_mode(seen, mode) for mode in seen.modes],
    )


def _reference(seen: Observed) -> Work | None:
    counted = seen.works.get(Mode.NONE)
    return reference_work(seen) if counted and counted.work_unit == INSTRUCTIONS else None


def _golden(seen: Observed) -> str | None:
    job = first_job(seen.timeless[0]) if seen.timeless else None
    return None if job is None or refusal(seen) is not None else outcome_words(job)


def outcome_words(job: Job) -> str:
    """Write what a job came to: how it ended, what its check returned, how much it wrote."""
    parts = ["left out" if job.end is None else job.end.words]
    if job.check is not None:
        parts.append(f"its check {job.check.words}")
    if job.output_bytes:
        parts.append(f"{job.output_bytes} B of output")
    return ", ".join(parts)


def _mode(seen: Observed, mode: Mode) -> VettedMode:
    session = seen.modes[mode]
    counted = seen.works.get(mode)
    # Fewer than there are jobs: nobody knows which of them were counted.
    work: Sequence[Work] = ()
    if counted and len(counted.work) == len(counted.jobs) and counted.work_unit == INSTRUCTIONS:
        work = works_of(counted)
    return VettedMode(
        mode=mode.value,
        failure=session.failure,
        deviations=[one.words for one in deviations(seen, mode)],
        jobs=_jobs(seen, mode, work),
    )


def _jobs(seen: Observed, mode: Mode, work: Sequence[Work]) -> list[VettedJob]:
    golden, session = seen.timeless[0].jobs[0], seen.modes[mode]
    states = seen.state(mode).jobs
    return [
        VettedJob(
            job=one.job,
            outcome=outcome_words(one),
            is_right=one.result == golden.result,
            is_state_first=place < len(states) and is_state_of(states[place], states[0]),
            output_bytes=one.output_bytes,
            duration_ns=one.duration_ns,
            isolating_ns=one.isolating_ns,
            instructions=work[place].total if place < len(work) else None,
            library_instructions=work[place].library if place < len(work) else None,
            heap_bytes=one.heap_bytes,
            descriptors=one.descriptors,
            threads=one.threads,
            handlers=len(one.handlers),
        )
        for place, one in enumerate(session.jobs)
    ]
