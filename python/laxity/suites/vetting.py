# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""Vet programs: build each, run its jobs fresh and in every isolation mode, judge what was seen."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from laxity.suites.classify import Mode, Observed, Vetted, classify, first_job, refusal
from laxity.suites.discover import parallel
from laxity.suites.jobs import Guest, How, Session, run_own, run_session
from laxity.suites.program import Convention, Program
from laxity.suites.regions import regions_of, write_wrappers
from laxity.suites.sanitize import find, with_findings
from laxity.suites.toolchain import Layout, Outcome, Toolchain

# Bytes that memory held before: neither 0 nor each other's, and no small number as a whole word.
_FILLS = (0x55, 0xAA)
# Two results that agree are no proof that the third does; more cost time.
_FRESH_RUNS = 2
# A first job may take so long; the others as long as it took, many times over.
_FIRST_TIMEOUT_S = 20.0
_LEAST_TIMEOUT_S = 10.0
_TIMEOUT_FACTOR = 20
_NS_PER_S = 10**9
# Standard input that a program can make something of, whether it wants words or numbers.
_SAMPLE_LINE = b"12 7 34 sample\n"
_SAMPLE_LINES = 64
_ORDER = {
    Convention.MAIN: (Mode.NONE, Mode.RESTORE, Mode.FORK, Mode.EXEC),
}
_ORDER_WITH_INIT = (Mode.NONE, Mode.REINIT, Mode.RESTORE, Mode.FORK, Mode.EXEC)
_COUNTED = (Mode.NONE, Mode.REINIT, Mode.RESTORE)


@dataclass(frozen=True, slots=True)
class VetRequest:
    """What is vetted: the checkout, where to build, by what, how many jobs per mode.

    `sanitizes`: one job of each also runs under sanitizers.
    """

    root: Path
    build: Path
    toolchain: Toolchain
    jobs: int
    sanitizes: bool = False


@dataclass(frozen=True, slots=True)
class _Built:
    guest: Path
    other: Path | None
    own: Path | None


def vet_all(
    request: VetRequest, programs: Sequence[Program], on_vetted: Callable[[Vetted], None]
) -> list[Vetted]:
    """Vet programs, several at a time.

    Args:
        request: How.
        programs: As discovered.
        on_vetted: Told each verdict as it comes, from any thread.

    Returns:
        One verdict per program, in their order.

    Raises:
        LaxityError: A tool is missing or refuses.
    """

    def vet_one(item: tuple[int, Program]) -> Vetted:
        number, program = item
        build = request.build / str(number)
        build.mkdir()
        vetted = vet_program(replace(request, build=build), program)
        on_vetted(vetted)
        return vetted

    return parallel(vet_one, enumerate(programs))


def vet_program(request: VetRequest, program: Program) -> Vetted:
    """Vet one program, in a build directory of its own."""
    built = _build(request, program)
    if isinstance(built, str):
        verdict = f"rejected: cannot be built: {built}"
        return Vetted(program=program.name, classes=(), mode=None, verdict=verdict, evidence=())
    seen = _observe(request, program, built)
    order = _ORDER.get(program.convention, _ORDER_WITH_INIT)
    if refusal(seen) is None:
        seen = _observe_modes(request, Guest(program, built.guest), seen, order)
    vetted = classify(program.name, seen, order)
    if request.sanitizes:
        guest = Guest(program, built.guest)
        findings = find(request.toolchain, request.root, request.build, guest, _LEAST_TIMEOUT_S)
        vetted = with_findings(vetted, findings)
    return vetted


def build_guest(request: VetRequest, program: Program) -> Path | str:
    """Build the shared object whose jobs are run; in words: why it cannot be."""
    objects = _compile(request, program, Layout.GUEST)
    if isinstance(objects, str):
        return objects
    to = request.build / "guest.so"
    return _made(_link_guest(request, objects, to), to)


def _link_guest(request: VetRequest, objects: Sequence[Path], to: Path) -> Outcome:
    """Link, with the wrappers of the regions of interest if it has any."""
    tables = [request.toolchain.symbols(one) for one in objects]
    called = frozenset[str]().union(*(one.undefined for one in tables))
    regions = regions_of(called & frozenset[str]().union(*(one.functions for one in tables)))
    if not regions.wrapped:
        return request.toolchain.link_guest(objects, to)
    source, wrappers = to.with_suffix(".regions.c"), to.with_suffix(".regions.o")
    write_wrappers(regions, source)
    outcome = request.toolchain.compile(source, wrappers, [])
    if not outcome.is_done:
        return outcome
    return request.toolchain.link_guest([*objects, wrappers], to, regions.wrapped)


def _build(request: VetRequest, program: Program) -> _Built | str:
    guest = build_guest(request, program)
    if isinstance(guest, str):
        return guest
    other: Path | None = None
    objects = _compile(request, program, Layout.OTHER)
    if not isinstance(objects, str):
        to = request.build / "other.so"
        outcome = _link_guest(request, objects[::-1], to)
        other = to if outcome.is_done else None
    return _Built(guest, other, _build_own(request, program))


def _build_own(request: VetRequest, program: Program) -> Path | None:
    if not program.has_main:
        return None
    objects = _compile(request, program, Layout.OWN)
    to = request.build / "own"
    if isinstance(objects, str) or not request.toolchain.link_own(objects, to).is_done:
        return None
    return to


def _compile(request: VetRequest, program: Program, layout: Layout) -> list[Path] | str:
    objects: list[Path] = []
    includes = [request.root / path for path in program.includes]
    for number, source in enumerate(program.sources):
        to = request.build / f"{layout}-{number}.o"
        outcome = request.toolchain.compile(request.root / source, to, includes, layout)
        if not outcome.is_done:
            return outcome.first_error
        objects.append(to)
    return objects


def _made(outcome: Outcome, to: Path) -> Path | str:
    return to if outcome.is_done else outcome.first_error


def _observe(request: VetRequest, program: Program, built: _Built) -> Observed:
    """Run what fresh processes tell; it decides whether there is a golden result."""
    guest = Guest(program, built.guest)
    other = Guest(program, built.other) if built.other else None
    natural = run_session(guest, How(has_fixed_clock=False, timeout_s=_FIRST_TIMEOUT_S))
    timeout_s = _timeout_s(natural.jobs[0].duration_ns if first_job(natural) else 0)
    how = How(timeout_s=timeout_s)
    if natural.failure:
        # Once is enough: what does not end is not waited for again and again.
        return Observed(program.convention, (natural,), (natural,), (), (), None, None, None)
    sample = request.build / "sample"
    sample.write_bytes(_SAMPLE_LINE * _SAMPLE_LINES)
    has_check = natural.jobs[0].check is not None
    return Observed(
        convention=program.convention,
        fresh=(natural, run_session(guest, replace(how, has_fixed_clock=False))),
        timeless=tuple(run_session(guest, how) for _ in range(_FRESH_RUNS)),
        filled=tuple(
            (
                run_session(guest, replace(how, fill=byte)),
                run_session(guest, replace(how, fill=byte)),
            )
            for byte in _FILLS
        ),
        other_layout=tuple(run_session(other, how) for _ in range(_FRESH_RUNS)) if other else (),
        sampled=run_session(replace(guest, input=sample), how),
        checked_only=_check_only(guest, how) if has_check else None,
        own=run_own(built.own, guest, timeout_s) if built.own else None,
    )


def _check_only(guest: Guest, how: How) -> Session:
    """Check without the job, twice: a check that compares what the job returned gets two values."""
    return run_session(guest, replace(how, leaves_job_out=True, jobs=2, isolation="restore"))


def _observe_modes(
    request: VetRequest, guest: Guest, seen: Observed, order: Sequence[Mode]
) -> Observed:
    timeout_s = _timeout_s(seen.timeless[0].jobs[0].duration_ns * request.jobs)
    inside = [mode for mode in order if mode is not Mode.EXEC]
    how = {
        mode: How(isolation=mode.value, jobs=request.jobs, timeout_s=timeout_s) for mode in inside
    }
    modes: dict[Mode, Session] = {mode: run_session(guest, how[mode]) for mode in inside}
    works: dict[Mode, Session] = {
        mode: run_session(guest, replace(how[mode], counts_work=True))
        for mode in inside
        if mode in _COUNTED and not modes[mode].failure
    }
    return replace(seen, modes=modes, works=works)


def _timeout_s(duration_ns: int) -> float:
    return max(_LEAST_TIMEOUT_S, _TIMEOUT_FACTOR * duration_ns / _NS_PER_S)
