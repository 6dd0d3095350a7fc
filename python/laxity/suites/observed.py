# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""Everything that was seen of a program, and in what two of its jobs differ. Pure."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum

from laxity.suites.difference import first_difference
from laxity.suites.jobs import Job, OwnRun, Session
from laxity.suites.program import Program


class Mode(StrEnum):
    """Isolation modes, the cheapest first."""

    NONE = "none"
    REINIT = "reinit"
    RESTORE = "restore"
    FORK = "fork"
    EXEC = "exec"


@dataclass(frozen=True, slots=True)
class Observed:
    """Everything that was seen of a program.

    Attributes:
        program: It, and what is right by its manifest.
        fresh: One job each, in processes of their own, with the machine's clocks.
        timeless: The same with clocks that do not depend on the machine: what all else has.
        filled: The same with memory that held one byte before; several for each byte.
        other_layout: The same, the program's data laid out otherwise.
        sampled: One job whose standard input is not empty; None: the user gives the input.
        checked_only: Init and check without the job; None: there is no check.
        own: The program's own executable; None: it has no main.
        modes: N jobs in each mode.
        states: The same where memory that nobody has written holds the same in each job: what
            differs there from job to job a job has written. Empty: as in `modes`.
        works: The same with its work counted, all in one unit; empty: nothing counts it.
        elsewhere: One job each at one place, at another one, and at the first again: what differs
            is clock, process number, addresses of heap and stack. Empty: nobody tried.
        compares_places: Their states compare.
        work_elsewhere: The job at the other place with its work counted.
        imports: Functions that it calls and does not define.
        instructions: Those that it executes and that are not known to change nothing else.
    """

    program: Program
    fresh: tuple[Session, ...]
    timeless: tuple[Session, ...]
    filled: tuple[tuple[Session, ...], ...]
    other_layout: tuple[Session, ...]
    sampled: Session | None
    checked_only: Session | None
    own: OwnRun | None
    modes: Mapping[Mode, Session] = field(default_factory=dict)
    states: Mapping[Mode, Session] = field(default_factory=dict)
    works: Mapping[Mode, Session] = field(default_factory=dict)
    elsewhere: tuple[Session, ...] = ()
    compares_places: bool = False
    work_elsewhere: Session | None = None
    imports: frozenset[str] = frozenset()
    instructions: tuple[str, ...] = ()

    def state(self, mode: Mode) -> Session:
        """Return the jobs of a mode whose state compares."""
        return self.states.get(mode, self.modes[mode])


def first_job(session: Session) -> Job | None:
    """Return the only job of a fresh process, if it came to its end."""
    return session.jobs[0] if session.jobs and not session.failure else None


def differs_from_timeless(seen: Observed) -> bool:
    """Tell whether the machine's clocks may be why results differ."""
    return not agree((seen.timeless[0], *seen.fresh))


def prints_time(seen: Observed) -> bool:
    """Whether clocks are why results differ: others by other clocks, and the same by the same."""
    if not differs_from_timeless(seen) or not seen.elsewhere:
        return differs_from_timeless(seen)
    here, there, again = seen.elsewhere
    return agree((here, again)) and not agree((here, there))


def place_outside(seen: Observed) -> str:
    """Name a file that it works on outside of its working directory; "": none."""
    sessions = (*seen.elsewhere, *seen.states.values())
    return next((job.outside for one in sessions for job in one.jobs if job.outside), "")


def agree(sessions: Sequence[Session]) -> bool:
    """Tell whether first jobs have the same result."""
    results = [one.jobs[0].result if one.jobs else one.failure for one in sessions]
    return all(one == results[0] for one in results)


def reads_uninitialised(seen: Observed) -> bool:
    """What memory held before makes a difference, and the same bytes make the same one."""
    if not seen.filled or not all(agree(alike) for alike in seen.filled):
        return False
    return not agree([seen.timeless[0], *(alike[0] for alike in seen.filled)])


def is_state_of(job: Job, first: Job) -> bool:
    """Tell whether a job leaves the state that another one of its session has left."""
    return (job.state, job.heap) == (first.state, first.heap)


def difference(got: tuple[Session, int], expected: tuple[Session, int], other: str) -> str:
    """Say in what a job of a session is not like another one, which is called `other`."""
    (session, place), (golden_session, golden_place) = got, expected
    job, golden = session.jobs[place], golden_session.jobs[golden_place]
    if job.end != golden.end and job.end is not None and golden.end is not None:
        return f"{job.end.words}, {other} {golden.end.words}"
    if job.check != golden.check:
        checked = job.check.words if job.check else "not reached"
        return f"its check {checked}, {other} {golden.check.words if golden.check else 'none'}"
    if (job.output, job.output_bytes) != (golden.output, golden.output_bytes):
        sizes = f"writes other output ({job.output_bytes} B, {other} {golden.output_bytes} B)"
        return sizes + _where(_nth(session.outputs, place), _nth(golden_session.outputs, 0), other)
    return _difference_in_files(got, expected, other)


def _nth(outputs: Sequence[bytes], place: int) -> bytes | None:
    return outputs[place] if place < len(outputs) else None


def _where(got: bytes | None, expected: bytes | None, other: str) -> str:
    """Say where contents differ, as far as they were kept."""
    if got is None or expected is None or got == expected:
        return ""
    return f": {first_difference(got, expected, other)}"


def _difference_in_files(
    got: tuple[Session, int], expected: tuple[Session, int], other: str
) -> str:
    """Name the first file that differs; many files have no names here."""
    (session, place), (golden_session, golden_place) = got, expected
    its = {one.path: one for one in session.jobs[place].files}
    golden = {one.path: one for one in golden_session.jobs[golden_place].files}
    for path in sorted(golden.keys() | its.keys()):
        if path not in its:
            return f"does not leave the file {path}, which is there {other}"
        if path not in golden:
            return f"leaves a file {path}, which is not there {other}"
        if its[path] != golden[path]:
            sizes = f"({its[path].bytes} B, {other} {golden[path].bytes} B)"
            pair = session.contents.get(path), golden_session.contents.get(path)
            return f"its file {path} has other contents {sizes}{_where(*pair, other)}"
    return "leaves other files than a fresh process"
