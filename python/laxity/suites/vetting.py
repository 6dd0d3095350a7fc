# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""Vet programs: build each, run its jobs fresh and in every isolation mode, judge what was seen."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import msgspec

from laxity.core.executor import parallel
from laxity.suites.classify import Vetted, classify, refusal
from laxity.suites.detail import detail_of
from laxity.suites.instructions import unlisted_instructions
from laxity.suites.jobs import Guest, How, Session, has_fixed_layout, run_own, run_session
from laxity.suites.observed import Mode, Observed, first_job
from laxity.suites.program import Convention, Program, entries_of, has_cxx, libraries_of
from laxity.suites.regions import regions_of, write_wrappers
from laxity.suites.result import ProgramClass
from laxity.suites.sanitize import find, with_findings
from laxity.suites.target import Link
from laxity.suites.toolchain import Extra, Harness, Layout, Toolchain

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
# native/guests/isolation.c calls it: a process that ends writes these buffers, too.
_FLUSH = "laxity_guest_flush"
_FLUSH_SOURCE = f"""\
#include <iostream>
extern "C" void {_FLUSH}(void);
extern "C" void {_FLUSH}(void)
{{
    std::cout.flush();
    std::clog.flush();
    std::wcout.flush();
    std::wclog.flush();
}}
"""
_ORDER = {
    Convention.MAIN: (Mode.NONE, Mode.RESTORE, Mode.FORK, Mode.EXEC),
}
_ORDER_WITH_INIT = (Mode.NONE, Mode.REINIT, Mode.RESTORE, Mode.FORK, Mode.EXEC)
_COUNTED = (Mode.NONE, Mode.REINIT, Mode.RESTORE)


def _never() -> bool:
    return False


class EndedError(Exception):
    """The user wants an end; what was seen of a program until then is no evidence."""


@dataclass(frozen=True, slots=True)
class VetRequest:
    """What is vetted: the checkout, where to build, by what, how many jobs per mode.

    `sanitizes`: one job of each also runs under sanitizers. `is_ended` says whether the user wants
    an end: then what is under way is given up.
    """

    root: Path
    build: Path
    toolchain: Toolchain
    jobs: int
    sanitizes: bool = False
    is_ended: Callable[[], bool] = _never


@dataclass(frozen=True, slots=True)
class _Built:
    guest: Path
    imports: frozenset[str]
    instructions: tuple[str, ...]
    other: Path | None
    counted: Path | None
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
        One verdict per program, in their order; fewer if the user wanted an end before.

    Raises:
        LaxityError: A tool is missing or refuses.
    """

    def vet_one(item: tuple[int, Program]) -> Vetted | None:
        number, program = item
        build = request.build / str(number)
        build.mkdir()
        try:
            vetted = vet_program(replace(request, build=build), program)
        except EndedError:
            return None
        on_vetted(vetted)
        return vetted

    return [one for one in parallel(vet_one, enumerate(programs)) if one is not None]


def vet_program(request: VetRequest, program: Program) -> Vetted:
    """Vet one program, in a build directory of its own.

    Raises:
        EndedError: The user wants an end.
    """
    _refuse_end(request)
    built = _build(request, program)
    if isinstance(built, str):
        _refuse_end(request)
        verdict = f"rejected: cannot be built: {built}"
        vetted = Vetted(
            program=program.name,
            classes=(ProgramClass.BUILD_FAILURE,),
            mode=None,
            verdict=verdict,
            evidence=(),
        )
        return _with_detail(program, vetted, None)
    seen = _observe(request, program, built)
    guest = _guest(request, program, built.guest)
    order = _order_of(program)
    _refuse_end(request)
    if refusal(seen) is None:
        counted = _guest(request, program, built.counted) if built.counted else None
        seen = _observe_modes(request, (guest, counted), seen, order)
    # A terminal's signal ends the jobs as well: what they came to says nothing of the program.
    _refuse_end(request)
    vetted = classify(program.name, seen, order)
    if request.sanitizes:
        findings = find(request.toolchain, request.root, request.build, guest, _LEAST_TIMEOUT_S)
        vetted = with_findings(vetted, findings)
    return _with_detail(program, vetted, seen)


def _order_of(program: Program) -> tuple[Mode, ...]:
    """List the modes that there are for a program.

    What constructors of C++ and its library keep on the heap nobody can put back: no restoring.
    """
    order = _ORDER.get(program.convention, _ORDER_WITH_INIT)
    is_restored = not has_cxx(program.sources)
    return tuple(mode for mode in order if is_restored or mode is not Mode.RESTORE)


def _refuse_end(request: VetRequest) -> None:
    if request.is_ended():
        raise EndedError


def _with_detail(program: Program, vetted: Vetted, seen: Observed | None) -> Vetted:
    return msgspec.structs.replace(vetted, detail=detail_of(program, vetted, seen))


def build_guest(request: VetRequest, program: Program) -> Path | str:
    """Build what the workload `guest` runs the jobs of; in words: why it cannot be."""
    return _link_guest(request, program, Layout.GUEST, Harness.RUN)


def _link_guest(
    request: VetRequest, program: Program, layout: Layout, harness: Harness = Harness.VET
) -> Path | str:
    objects = _compile(request, program, layout)
    entries = entries_of(program)
    if not isinstance(objects, str) and has_cxx(program.sources):
        flush = _flush(request, layout)
        objects = flush if isinstance(flush, str) else [*objects, flush]
        entries = {**entries, "flush": _FLUSH}
    if isinstance(objects, str):
        return objects
    to = request.build / f"{layout}.so"
    ordered = objects[::-1] if layout is Layout.OTHER else objects
    made = _wrappers(request, program, objects, to)
    if isinstance(made, str):
        return made
    more, wrapped = made
    outcome = request.toolchain.link_guest(
        [*ordered, *more],
        to,
        entries,
        layout,
        harness,
        Extra(libraries_of(program), wrapped),
    )
    return to if outcome.is_done else outcome.first_error


def _flush(request: VetRequest, layout: Layout) -> Path | str:
    """Compile what writes out the streams of C++ after a job; in words: why it cannot be."""
    source, to = (request.build / f"{layout}.flush{end}" for end in (".cc", ".o"))
    source.write_text(_FLUSH_SOURCE, encoding="ascii")
    outcome = request.toolchain.compile(source, to, [], layout)
    return to if outcome.is_done else outcome.first_error


def _wrappers(
    request: VetRequest, program: Program, objects: Sequence[Path], to: Path
) -> tuple[tuple[Path, ...], tuple[str, ...]] | str:
    """Make the wrappers of the regions of interest; in words: why those asked for cannot be."""
    given = program.given
    wanted = {name for pair in given.roi for name in pair}
    wanted |= {given.roi_check} if given.roi_check else set()
    tables = [request.toolchain.symbols(one) for one in objects]
    called = frozenset[str]().union(*(one.undefined for one in tables))
    defined = frozenset[str]().union(*(one.functions for one in tables))
    regions = regions_of(called & defined, given.roi, given.roi_check)
    if missing := sorted(wanted - (called & defined)):
        return f"roi: {missing[0]} is not called by one of its files and defined by another"
    if request.toolchain.target.link is Link.STATIC:
        if wanted or regions.checks:
            # Rather no mode than jobs called right whose own check nobody has heard.
            named = sorted(wanted)[0] if wanted else regions.checks[0]
            return f"roi: {named} is not seen in a static link; use --link dynamic"
        return (), ()
    if not regions.wrapped:
        return (), ()
    source, wrappers = to.with_suffix(".regions.c"), to.with_suffix(".regions.o")
    write_wrappers(regions, source)
    outcome = request.toolchain.compile(source, wrappers, [])
    return ((wrappers,), regions.wrapped) if outcome.is_done else outcome.first_error


def _build(request: VetRequest, program: Program) -> _Built | str:
    guest = _link_guest(request, program, Layout.GUEST)
    if isinstance(guest, str):
        return guest
    other = _link_guest(request, program, Layout.OTHER)
    counted: Path | str = ""
    if request.toolchain.target.is_emulated:
        counted = _link_guest(request, program, Layout.COUNTED)
    return _Built(
        guest,
        imports_of(request, program),
        unlisted_instructions(request.toolchain.disassembly(_objects(request, program))),
        other if isinstance(other, Path) else None,
        counted if isinstance(counted, Path) else None,
        _build_own(request, program),
    )


def imports_of(request: VetRequest, program: Program) -> frozenset[str]:
    """Name what the program calls and does not define, as its guest has been compiled."""
    tables = [request.toolchain.symbols(one) for one in _objects(request, program)]
    called = frozenset[str]().union(*(one.undefined | one.weak_undefined for one in tables))
    return called.difference(*(one.defined for one in tables))


def _objects(request: VetRequest, program: Program) -> list[Path]:
    return [request.build / f"{Layout.GUEST}-{n}.o" for n in range(len(program.sources))]


def _guest(request: VetRequest, program: Program, built: Path) -> Guest:
    return Guest(program, built, runner=request.toolchain.target.runner(built))


def _build_own(request: VetRequest, program: Program) -> Path | None:
    if not program.has_main:
        return None
    objects = _compile(request, program, Layout.OWN)
    to = request.build / "own"
    if isinstance(objects, str):
        return None
    outcome = request.toolchain.link_own(objects, to, libraries_of(program))
    return to if outcome.is_done else None


def _compile(request: VetRequest, program: Program, layout: Layout) -> list[Path] | str:
    objects: list[Path] = []
    includes = [request.root / path for path in program.includes]
    for number, source in enumerate(program.sources):
        to = request.build / f"{layout}-{number}.o"
        outcome = request.toolchain.compile(
            request.root / source, to, includes, layout, program.build.flags
        )
        if not outcome.is_done:
            return outcome.first_error
        objects.append(to)
    return objects


def _observe(request: VetRequest, program: Program, built: _Built) -> Observed:
    """Run what fresh processes tell; it decides whether there is a golden result."""
    guest = _guest(request, program, built.guest)
    other = _guest(request, program, built.other) if built.other else None
    emulator = request.toolchain.target.emulator
    natural = run_session(guest, How(has_fixed_clock=False, timeout_s=_FIRST_TIMEOUT_S))
    timeout_s = _timeout_s(natural.jobs[0].duration_ns if first_job(natural) else 0)
    how = How(timeout_s=timeout_s)
    if natural.failure:
        # Once is enough: what does not end is not waited for again and again.
        return Observed(program, (natural,), (natural,), (), (), None, None, None)
    sample = request.build / "sample"
    sample.write_bytes(_SAMPLE_LINE * _SAMPLE_LINES)
    has_check = natural.jobs[0].check is not None
    return Observed(
        program=program,
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
        sampled=run_session(replace(guest, input=sample), how) if guest.stdin is None else None,
        checked_only=_check_only(guest, how) if has_check else None,
        own=run_own(built.own, guest, timeout_s, emulator) if built.own else None,
        imports=built.imports,
        instructions=built.instructions,
        elsewhere=_elsewhere(guest, how),
        # Where an emulator puts things is its own affair.
        compares_places=has_fixed_layout() and not emulator,
    )


def _elsewhere(guest: Guest, how: How) -> tuple[Session, ...]:
    """Run a job in two places, and in the first once more: what differs then is no place."""
    places = (1, 2, 1)
    return tuple(
        run_session(guest, replace(how, fill=_FILLS[0], elsewhere=place)) for place in places
    )


def _check_only(guest: Guest, how: How) -> Session:
    """Check without the job, twice: a check that compares what the job returned gets two values."""
    return run_session(guest, replace(how, leaves_job_out=True, jobs=2, isolation="restore"))


def _observe_modes(
    request: VetRequest,
    guests: tuple[Guest, Guest | None],
    seen: Observed,
    order: Sequence[Mode],
) -> Observed:
    """Run the modes: `guests` are the guest, and the one that counts its own basic blocks."""
    guest, counted = guests
    timeout_s = _timeout_s(seen.timeless[0].jobs[0].duration_ns * request.jobs)
    inside = [mode for mode in order if mode is not Mode.EXEC]
    how = {
        mode: How(isolation=mode.value, jobs=request.jobs, timeout_s=timeout_s) for mode in inside
    }
    modes: dict[Mode, Session] = {mode: run_session(guest, how[mode]) for mode in inside}
    states: dict[Mode, Session] = {
        mode: run_session(guest, replace(how[mode], fill=_FILLS[0], elsewhere=1))
        for mode in inside
        if mode in _COUNTED and not modes[mode].failure
    }
    in_turn = [mode for mode in inside if mode in _COUNTED and not modes[mode].failure]
    works: dict[Mode, Session] = {}
    counting = counted or guest
    if counted is not None or not request.toolchain.target.is_emulated:
        counts_work = counted is None
        how = {mode: replace(one, counts_work=counts_work) for mode, one in how.items()}
        works = {mode: run_session(counting, how[mode]) for mode in in_turn}
    work_elsewhere = None
    if Mode.NONE in works:
        work_elsewhere = run_session(counting, replace(how[Mode.NONE], elsewhere=2, jobs=1))
    return replace(seen, modes=modes, states=states, works=works, work_elsewhere=work_elsewhere)


def _timeout_s(duration_ns: int) -> float:
    return max(_LEAST_TIMEOUT_S, _TIMEOUT_FACTOR * duration_ns / _NS_PER_S)
