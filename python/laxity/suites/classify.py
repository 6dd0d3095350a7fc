# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""What the jobs of a program say about it: its classes, and the isolation mode that is right.

Pure: sessions in, words out. The golden result is that of fresh processes. A mode is right if every
job has that result, leaves the state that the first job left, is as much work, and takes nothing
from the process that it does not give back. A class is named only where something proves it.
"""

from collections.abc import Mapping, Sequence
from enum import StrEnum
from itertools import pairwise

import msgspec

from laxity.suites.imports import Unwatched, unwatched
from laxity.suites.jobs import Job, Session
from laxity.suites.observed import (
    Mode,
    Observed,
    agree,
    difference,
    differs_from_timeless,
    first_job,
    is_state_of,
    place_outside,
    prints_time,
    reads_uninitialised,
)
from laxity.suites.program import Convention
from laxity.suites.result import ProgramClass, VettedDetail
from laxity.suites.work import Work, is_as_much, starts_threads, works_of

_EXIT_CODE_MASK = 0xFF
_MODES = tuple(Mode)
# Where a job is tried: here, elsewhere, here again.
_PLACES = 3


# Classes and the reason.
_Refusal = tuple[tuple[ProgramClass, ...], str]


class Kind(StrEnum):
    """In what a mode deviates from fresh processes."""

    END = "end"
    RESULT = "result"
    STATE = "state"
    WORK = "work"
    HEAP = "heap"
    DESCRIPTORS = "descriptors"
    THREADS = "threads"
    HANDLERS = "handlers"
    ATTRIBUTES = "attributes"


# A child takes these with it.
_GONE_WITH_PROCESS = frozenset(
    {Kind.HEAP, Kind.DESCRIPTORS, Kind.THREADS, Kind.HANDLERS, Kind.ATTRIBUTES}
)
# What the program computes, as opposed to what it takes from the process.
_COMPUTED = frozenset({Kind.END, Kind.RESULT, Kind.STATE})


class Deviation(msgspec.Struct, frozen=True):
    """One thing in which a mode's jobs are not those of fresh processes."""

    kind: Kind
    words: str


class Vetted(msgspec.Struct, frozen=True, kw_only=True):
    """The verdict on one program. `mode` None: rejected, no mode is right.

    `expected`: the result of a fresh process as HOW:CODE:CHECK:OUTPUT:FILES; "-": nothing to
    compare. `detail`: what the verdict rests on, job by job; None: not asked for.
    """

    program: str
    classes: tuple[ProgramClass, ...]
    mode: Mode | None
    verdict: str
    evidence: tuple[str, ...]
    expected: str | None = None
    detail: VettedDetail | None = None


def refusal(seen: Observed) -> _Refusal | None:
    """Say why there is no golden result: classes and reason; None if there is one."""
    failed = next((one.failure for one in (*seen.fresh, *seen.timeless) if one.failure), "")
    if failed:
        is_late = any(run.is_late for run in (*seen.fresh, *seen.timeless))
        found = ProgramClass.TIMEOUT if is_late else ProgramClass.CRASH
        return (found,), f"a fresh process {failed}"
    golden = first_job(seen.timeless[0])
    assert golden is not None  # noqa: S101 - no failure above
    if seen.sampled is not None and any(job.input_bytes for job in seen.sampled.jobs):
        return (
            ProgramClass.NEEDS_INPUT,
        ), "it reads standard input; say in a manifest what it is given"
    if golden.init.how != "returned":
        return (ProgramClass.CRASH,), f"its init does not return: {golden.init.words}"
    if golden.end is None or golden.end.how == "signalled":
        words = golden.end.words if golden.end else "it did not run"
        return (ProgramClass.CRASH,), f"a fresh process ends by {words}"
    if not agree(seen.timeless):
        found = (
            ProgramClass.UNINITIALISED if reads_uninitialised(seen) else ProgramClass.NOT_REPEATABLE
        )
        return (found,), _disagreement(seen.timeless) + _kept_outside(seen)
    if differs_from_timeless(seen) and not prints_time(seen):
        words = "fresh processes have different results, and not because of their clocks"
        return (ProgramClass.NOT_REPEATABLE,), words + _kept_outside(seen)
    return _own_refusal(seen, golden)


def _disagreement(sessions: Sequence[Session]) -> str:
    """Say in what two fresh processes are not alike."""
    first = sessions[0]
    other = next(one for one in sessions if one.jobs[0].result != first.jobs[0].result)
    words = difference((first, 0), (other, 0), "in the next one")
    return f"two fresh processes have different results: one {words}"


def _own_refusal(seen: Observed, golden: Job) -> _Refusal | None:
    """Ask the second witness: the program itself, or the value that is called right."""
    assert golden.end is not None  # noqa: S101 - by refusal
    convention, given = seen.program.convention, seen.program.given
    if convention is not Convention.MAIN and given.check is not None:
        return _refusal_by_check(golden, given.check)
    if convention is Convention.MAIN:
        # What a parent sees of it.
        if golden.end.code & _EXIT_CODE_MASK != given.exit_code:
            complaint = f" ({golden.complaint})" if golden.complaint else ""
            right = f", and {given.exit_code} is right" if given.exit_code else ""
            return (
                ProgramClass.WRONG_RESULT,
            ), f"a fresh process ends with {golden.end.words}{complaint}{right}"
        if seen.own is not None and seen.own.failure:
            return (ProgramClass.WRONG_RESULT,), f"its own executable {seen.own.failure}"
        return _refusal_by_check(golden, 1)
    if seen.own is not None:
        if seen.own.failure:
            return (ProgramClass.WRONG_RESULT,), f"its own executable {seen.own.failure}"
        if seen.own.exit_code:
            return (
                ProgramClass.WRONG_RESULT,
            ), f"its own main ends with exit code {seen.own.exit_code}: its check fails"
        return None
    return _refusal_by_embench(golden) if _is_embench(seen) else _refusal_by_check(golden, 0)


def _is_embench(seen: Observed) -> bool:
    return seen.program.convention is Convention.EMBENCH


def _refusal_by_embench(golden: Job) -> _Refusal | None:
    """Ask verify_benchmark: what is not 0 is right to its callers, -1 means that it has no check.

    Source:
        BEEBS, support/support.h and support/main.c; Embench-IoT, support/main.c.
    """
    if golden.check is not None and (golden.check.how != "returned" or golden.check.code == 0):
        return (ProgramClass.WRONG_RESULT,), f"its check {golden.check.words}, and 0 is wrong"
    return None


def _refusal_by_check(golden: Job, right: int) -> _Refusal | None:
    """Ask the check: that of the convention, or of a main the check functions that it calls."""
    if golden.check is not None and (golden.check.how, golden.check.code) != ("returned", right):
        return (ProgramClass.WRONG_RESULT,), f"its check {golden.check.words}, and {right} is right"
    return None


def _kept_outside(seen: Observed) -> str:
    """Name what is kept outside of the process, as a sentence ends; "": nothing that was seen."""
    outside = place_outside(seen)
    return f"; it works on {outside}, outside of its working directory" if outside else ""


def deviations(seen: Observed, mode: Mode) -> tuple[Deviation, ...]:
    """Compare the jobs of a mode with those of fresh processes.

    Returns:
        Empty if the mode is right.
    """
    session = seen.modes[mode]
    found: list[Deviation] = []
    if session.failure:
        words = f"job {len(session.jobs)}: {session.failure}"
        found.append(Deviation(Kind.END, words))
    if session.jobs:
        found += _in_results(seen, session)
        found += _in_state(seen.state(mode))
        found += _in_leftovers(session)
        found += _in_attributes((*session.jobs, *seen.state(mode).jobs))
        found += _in_work(seen, mode)
    if mode is Mode.FORK:
        found = [one for one in found if one.kind not in _GONE_WITH_PROCESS]
    return tuple(found)


def _in_results(seen: Observed, session: Session) -> list[Deviation]:
    golden = seen.timeless[0].jobs[0]
    found: list[Deviation] = []
    wrong = [job for job in session.jobs if job.result != golden.result]
    if wrong:
        place = session.jobs.index(wrong[0])
        text = difference((session, place), (seen.timeless[0], 0), "in a fresh process")
        words = f"job {wrong[0].job}: {text}"
        found.append(Deviation(Kind.RESULT, f"{words} ({len(wrong)} of {len(session.jobs)} jobs)"))
    return found


def _in_state(session: Session) -> list[Deviation]:
    """Compare what jobs leave in static data and in heap that is reached from there."""
    if session.failure:
        words = f"with memory filled before, job {len(session.jobs)}: {session.failure}"
        return [Deviation(Kind.END, words)]
    drifted = [job for job in session.jobs if not is_state_of(job, session.jobs[0])]
    if not drifted:
        return []
    where = "state" if drifted[0].state != session.jobs[0].state else "contents of its heap"
    words = f"job {drifted[0].job} leaves other {where} than job 0"
    return [Deviation(Kind.STATE, f"{words} ({len(drifted)} of {len(session.jobs)} jobs)")]


def _in_leftovers(session: Session) -> list[Deviation]:
    first, last = session.jobs[0], session.jobs[-1]
    found: list[Deviation] = []
    held = [job.heap_bytes for job in session.jobs if job.heap_bytes is not None]
    steps = [after - before for before, after in pairwise(held)]
    if len(held) == len(session.jobs) and steps and min(steps) > 0:
        words = f"{steps[-1]} B of heap more after each job ({len(steps)} jobs)"
        found.append(Deviation(Kind.HEAP, words))
    if last.descriptors > first.descriptors:
        n = last.descriptors - first.descriptors
        words = f"{n} descriptors more after {len(session.jobs) - 1} jobs"
        found.append(Deviation(Kind.DESCRIPTORS, words))
    if last.threads:
        words = f"{last.threads} threads still run after {len(session.jobs)} jobs"
        found.append(Deviation(Kind.THREADS, words))
    if last.handlers:
        signals = ", ".join(map(str, last.handlers))
        found.append(Deviation(Kind.HANDLERS, f"its answers to signals stay: {signals}"))
    return found


def _in_attributes(jobs: Sequence[Job]) -> list[Deviation]:
    """Look at how each job leaves its process, for it may be what another job of it undoes."""
    changed = dict.fromkeys(name for job in jobs for name in job.attributes)
    if not changed:
        return []
    return [Deviation(Kind.ATTRIBUTES, f"changed after a job: {', '.join(changed)}")]


def reference_work(seen: Observed) -> Work | None:
    """Tell what work a job is, whatever the number of jobs.

    A first job also warms the C library up, so it is that of the second job with restored state;
    without restored jobs, the program's own of the first one.
    """
    restored, fresh = seen.works.get(Mode.RESTORE), seen.works.get(Mode.NONE)
    later = works_of(restored)[1:] if restored else []
    if later:
        return later[0]
    jobs = works_of(fresh) if fresh else []
    if restored is None and len(jobs) > 1 and jobs[0].library and jobs[1].library:
        # What is never restored (C++) has only its first job; its library warms up there.
        return Work(jobs[0].total - jobs[0].library + jobs[1].library, jobs[1].library)
    return jobs[0] if jobs else None


def _is_alike(seen: Observed, work: Work, reference: Work, *, is_first: bool = False) -> bool:
    """Tell whether jobs of a program are as much work; all of them are counted in one unit.

    A first job also warms the library up: only its own work is compared, where that is known.
    """
    unit = next(iter(seen.works.values())).work_unit
    if is_first and (work.library is None or reference.library is None):
        return True
    if is_first:
        work, reference = Work(work.own), Work(reference.own)
    return is_as_much(work, reference, unit, has_threads=starts_threads(seen.imports))


def _in_work(seen: Observed, mode: Mode) -> list[Deviation]:
    """Compare work; a fork's child begins as a fresh process does and is not counted."""
    counted, reference = seen.works.get(mode), reference_work(seen)
    if counted is None or reference is None:
        return []
    if len(counted.work) < len(counted.jobs) or counted.failure:
        return [Deviation(Kind.WORK, f"its {counted.work_unit} could not be counted")]
    other = [
        (job, one)
        for job, one in enumerate(works_of(counted))
        if not _is_alike(seen, one, reference, is_first=job == 0)
    ]
    if not other:
        return []
    job, work = other[0]
    words = f"job {job} is {work.total} {counted.work_unit}, with fresh state {reference.total}"
    return [Deviation(Kind.WORK, f"{words} ({len(other)} of {len(counted.work)} jobs)")]


def classify(name: str, seen: Observed, order: Sequence[Mode]) -> Vetted:
    """Judge a program.

    Args:
        name: Its name.
        seen: Everything; `modes` holds those of `order` but exec.
        order: Modes that there are for its convention, the cheapest first.
    """
    refused = refusal(seen)
    if refused is not None:
        classes, reason = refused
        return Vetted(
            program=name, classes=classes, mode=None, verdict=f"rejected: {reason}", evidence=()
        )
    wrong = {mode: deviations(seen, mode) for mode in order if mode in seen.modes}
    least = _least_mode(seen)
    enough = [mode for mode in order if _MODES.index(mode) >= _MODES.index(least)]
    right = next((mode for mode in enough if not wrong.get(mode)), None)
    proven = _proven(seen, wrong)
    evidence = [f"{one}: {words}" for one, words in proven]
    evidence += [
        f"mode {mode} is wrong: {'; '.join(one.words for one in found)}"
        for mode, found in wrong.items()
        if found and (right is None or order.index(mode) < order.index(right))
    ]
    if not seen.works:
        evidence.append("its work was not counted: a job that does less than the first goes unseen")
    verdict = f"right in mode {right}" if right else "rejected: no mode has the fresh result"
    classes = tuple(dict.fromkeys(one for one, _ in proven))
    if not classes and not wrong[order[0]]:
        classes = (ProgramClass.CLEAN,)
        evidence.append(_looked_at(seen))
    elif not classes:
        only_work = all(fault.kind is Kind.WORK for fault in wrong[order[0]])
        classes = (ProgramClass.CHANGING_WORK if only_work else ProgramClass.UNEXPLAINED,)
        evidence.insert(0, f"{classes[0]}: {'; '.join(fault.words for fault in wrong[order[0]])}")
    return Vetted(
        program=name,
        classes=classes,
        mode=right,
        verdict=verdict,
        evidence=tuple(evidence),
        expected=_expected(seen) if right else None,
    )


def _least_mode(seen: Observed) -> Mode:
    """Return the cheapest mode that takes back what vetting does not compare."""
    found = _unwatched(seen)
    if not found:
        return Mode.NONE
    return Mode.RESTORE if all(call.is_restored for call in found) else Mode.FORK


def _unwatched(seen: Observed) -> tuple[Unwatched, ...]:
    """List what a program keeps or learns that vetting does not compare."""
    outside = place_outside(seen)
    words = f"program works on {outside}, outside of its working directory"
    return (
        *((Unwatched(words, is_restored=True),) if outside else ()),
        *unwatched(seen.imports, seen.program.build.libraries),
        *(Unwatched(f"program executes {name}") for name in seen.instructions),
    )


def _looked_at(seen: Observed) -> str:
    """Say what a clean program was found clean in."""
    last = seen.state(Mode.NONE).jobs[-1]
    parts = ["results", "files of its directory", "static data"]
    blocks = "heap block" if last.compared_blocks == 1 else "heap blocks"
    parts.append(f"{last.compared_blocks} {blocks} ({last.compared_bytes} B)")
    parts.append("what it leaves in the process")
    if Mode.NONE in seen.works:
        parts.append(f"{seen.works[Mode.NONE].work_unit} of all threads")
    parts += ["clock", "process number", "addresses"] if seen.elsewhere else []
    return f"looked at: {', '.join(parts)}"


def _expected(seen: Observed) -> str:
    """Write the golden result as the workload `guest` wants it; times are nobody's result."""
    golden = seen.timeless[0].jobs[0]
    assert golden.end is not None  # noqa: S101 - by refusal
    timed = [one.jobs[0] for one in seen.fresh]
    check = "-" if golden.check is None else golden.check.code
    output = "-" if any(one.output != golden.output for one in timed) else golden.output
    is_timed = any(one.files_hash != golden.files_hash for one in timed)
    files = "-" if is_timed or not golden.files_hash else golden.files_hash
    return f"{golden.end.how}:{golden.end.code}:{check}:{output}:{files}"


def _proven(
    seen: Observed, wrong: Mapping[Mode, tuple[Deviation, ...]]
) -> list[tuple[ProgramClass, str]]:
    """List classes, each with what proves it."""
    golden = seen.timeless[0].jobs[0]
    found: list[tuple[ProgramClass, str]] = []
    if golden.end is not None and golden.end.how == "exited":
        found.append((ProgramClass.EXIT, f"a job ends by exit({golden.end.code})"))
    if prints_time(seen):
        words = "output differs from process to process, and not with clocks that stand"
        found.append((ProgramClass.PRINTS_TIME, words))
    if reads_uninitialised(seen):
        words = "its result depends on what memory held before"
        found.append((ProgramClass.UNINITIALISED, words))
    elif not agree((seen.timeless[0], *seen.other_layout)) and agree(seen.other_layout):
        words = "its result depends on the order in which its data lie"
        found.append((ProgramClass.LAYOUT, words))
    checks = [job.check for job in seen.checked_only.jobs] if seen.checked_only else []
    if golden.check is not None and checks and all(one == golden.check for one in checks):
        words = f"its check {golden.check.words} also without the job"
        if _is_embench(seen) and golden.check.code == -1:
            words = "its check returned -1, which says that it checks nothing"
        found.append((ProgramClass.VACUOUS_CHECK, words))
    is_alone = all(one.kind is not Kind.THREADS for one in wrong.get(Mode.NONE, ()))
    differing = _difference_of_places(seen, counts_work=is_alone)
    if differing:
        found.append((ProgramClass.PLACE, differing))
    found += [(ProgramClass.UNWATCHED, call.words) for call in _unwatched(seen)]
    return found + _of_repetition(seen, wrong)


def _difference_of_places(seen: Observed, *, counts_work: bool) -> str:
    """Say in what a job differs at another place; "": in nothing, or what memory held decides.

    Args:
        seen: What was observed.
        counts_work: Its instructions compare; not beside a thread that is left, which runs as it
            pleases.
    """
    if len(seen.elsewhere) < _PLACES or reads_uninitialised(seen):
        return ""
    here, there, again = (one.jobs[0] if one.jobs else None for one in seen.elsewhere)
    if here is None or there is None or again is None:
        return "it does not end in each process"
    is_state_alike = is_state_of(here, again) or not seen.compares_places
    if here.result != again.result or not (is_state_alike or _has_state_of_process(seen)):
        return "a job differs from process to process"
    where = "with another clock, process number, heap and stack"
    if here.result != there.result and not prints_time(seen):
        pair = (seen.elsewhere[1], 0), (seen.elsewhere[0], 0)
        return f"{where} a job {difference(*pair, 'else')}"
    if seen.compares_places and is_state_alike and not is_state_of(here, there):
        return f"{where} a job leaves other state"
    counted, other = seen.works.get(Mode.NONE), seen.work_elsewhere
    if not counts_work or counted is None or not counted.work or other is None:
        return ""
    if prints_time(seen):
        return ""
    if not other.work:
        return f"{where} a job does not end"
    work, usual = works_of(other)[0], works_of(counted)[0]
    if _is_alike(seen, work, usual):
        return ""
    return f"{where} a job is {work.total} {counted.work_unit}, else {usual.total}"


def _has_state_of_process(seen: Observed) -> bool:
    """Tell whether all jobs of a process leave the same state, though another process another one.

    setjmp() keeps addresses that the C library has made unreadable by a number of the process.
    """
    return Mode.NONE in seen.modes and not _in_state(seen.state(Mode.NONE))


def _of_repetition(
    seen: Observed, wrong: Mapping[Mode, tuple[Deviation, ...]]
) -> list[tuple[ProgramClass, str]]:
    """List what shows only when jobs follow one another in one process."""
    repeated = {one.kind: one.words for one in wrong.get(Mode.NONE, ())}
    found: list[tuple[ProgramClass, str]] = []
    stale = _stale_state(seen, wrong, repeated)
    if stale:
        found.append((ProgramClass.STALE_STATE, stale))
    elif Kind.THREADS not in repeated and _shrinks(seen, wrong, repeated):
        # Beside a thread that is left, which runs as it pleases, work is of no job.
        found.append((ProgramClass.SHRINKING_WORK, repeated[Kind.WORK]))
    if Kind.THREADS in repeated and not _is_cured(wrong, frozenset({Kind.HEAP})):
        # A thread that is left keeps what the C library has allocated for it: no leak of its own.
        repeated.pop(Kind.HEAP, None)
    names = {
        Kind.HEAP: ProgramClass.HEAP_LEAK,
        Kind.DESCRIPTORS: ProgramClass.FD_LEAK,
        Kind.THREADS: ProgramClass.THREAD_LEFT,
        Kind.HANDLERS: ProgramClass.HANDLER_LEFT,
        Kind.ATTRIBUTES: ProgramClass.ATTRIBUTES_LEFT,
    }
    return found + [(names[kind], words) for kind, words in repeated.items() if kind in names]


def _stale_state(
    seen: Observed,
    wrong: Mapping[Mode, tuple[Deviation, ...]],
    repeated: Mapping[Kind, str],
) -> str:
    """Say what proves that a job goes on from where the one before has left the state; "": none."""
    words = [text for kind, text in repeated.items() if kind in _COMPUTED]
    if not words or reads_uninitialised(seen):
        # Restoring clears the stack, too: of what is its own data a cure proves nothing then.
        return ""
    if _is_cured(wrong, _COMPUTED):
        return words[0]
    if not wrong.get(Mode.FORK, (None,)):
        return f"{words[0]}; the state lies outside the program's own data"
    return ""


def _is_cured(wrong: Mapping[Mode, tuple[Deviation, ...]], kinds: frozenset[Kind]) -> bool:
    """Whether fresh state, and nothing else, makes these right."""
    return any(
        mode in wrong and not any(one.kind in kinds for one in wrong[mode])
        for mode in (Mode.REINIT, Mode.RESTORE)
    )


def _shrinks(
    seen: Observed,
    wrong: Mapping[Mode, tuple[Deviation, ...]],
    repeated: Mapping[Kind, str],
) -> bool:
    """Tell whether later jobs are less work, which fresh state makes right."""
    reference, counted = reference_work(seen), seen.works.get(Mode.NONE)
    if reference is None or counted is None or Kind.WORK not in repeated:
        return False
    later = works_of(counted)[1:]
    other = [one for one in later if not _is_alike(seen, one, reference)]
    return (
        _is_cured(wrong, frozenset({Kind.WORK}))
        and bool(other)
        and max(work.total for work in other) < reference.total
    )
