# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""Analyse programs and store what was found as a run of kind `workingset`."""

import shutil
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import msgspec
import numpy as np
from numpy.typing import NDArray

from laxity.core.executor import parallel
from laxity.errors import EXIT_DONE, EXIT_NO_VERDICT, EXIT_VIOLATED, ConfigError, LaxityError
from laxity.jobs import ends, finish
from laxity.jobs.finish import Finished
from laxity.jobs.run_once import new_manifest
from laxity.store import run_directory
from laxity.store.run_directory import WORKING_SET
from laxity.workingset import analyse as working_set
from laxity.workingset.analyse import Analysed
from laxity.workingset.annotations import Annotations
from laxity.workingset.bitcode import BitcodeToolchain
from laxity.workingset.bitcode_programs import BitcodeProgram, Prepared
from laxity.workingset.document import (
    BITS_PER_BYTE,
    CLASSES,
    LeftOut,
    Limit,
    Occurrence,
    Place,
    ProgramAnswer,
    Sizes,
    TracedRun,
    Violation,
    Weight,
    WorkingSetAnswer,
)
from laxity.workingset.migration_points_document import MigrationPoints, RunWindows
from laxity.workingset.occurrence import extent
from laxity.workingset.points import PointsAsked, migration_points, write_points
from laxity.workingset.runs import RunsWanted, run_programs
from laxity.workingset.tables import (
    BOUNDED,
    INSTRUCTIONS,
    OBJECTS,
    SITUATIONS,
    TABLES,
    TOTAL,
    Table,
    join_tables,
    read_table,
)
from laxity.workingset.times import BlockTimes
from laxity.workingset.weights import Subject, occurrence_of, stated_bounds
from laxity.workingset.windows import WindowAsked, run_windows, write_windows

_MOST_VIOLATIONS = 1000
_FAILED = "failed"
# Roots that the conventions name.
_MAIN, _JOB = "main", "benchmark_execution"
_UNREACHED, _EXACT = "unreached", "exact"
_WORSE = ("unbounded", "merged")
_OF_CODE_ALONE = ("static", "situation")


def _ignore() -> None:
    pass


@dataclass(frozen=True, slots=True)
class WorkingSetRequest:
    """What is analysed, and how it is answered.

    Attributes:
        prepared: Programs as bitcode, and what could not be made.
        toolchain: That made them.
        job: The function that is a job; None: whole programs.
        outputs: Globals that somebody outside reads after each job.
        weights: How instructions count, a heat map each.
        runs: What is run, and for what.
        times: Of blocks, for the weight `time`; None: nobody stated any.
        limit_bits: More than that must be live nowhere; None: no limit.
        compile_ns: What making the bitcode took; None: it was given.
        annotations: What the user knows beyond the code; None: nothing.
        patience_s: The analysis of one program may take so long.
        scratch: Empty directory for what the analysis writes.
        points: What migration points are asked for; None: none.
        on_answered: Told of each program as it is analysed, from any thread.
    """

    prepared: Prepared
    toolchain: BitcodeToolchain
    job: str | None
    outputs: tuple[str, ...]
    weights: tuple[Weight, ...]
    runs: RunsWanted
    times: BlockTimes | None
    limit_bits: int | None
    compile_ns: int | None
    annotations: Annotations | None
    patience_s: float
    scratch: Path
    points: PointsAsked | None = None
    on_answered: Callable[[], None] = _ignore


@dataclass(frozen=True, slots=True)
class Found:
    """The answer, and where the tables of each program lie."""

    answer: WorkingSetAnswer
    directories: dict[str, Path]


def analyse_programs(request: WorkingSetRequest) -> Found:
    """Analyse all programs, those of one job function in one process.

    Raises:
        ToolError: The analysis is not in this build.
        NoVerdict: It gave no answer at all.
        ConfigError: An annotation fits none of the programs.
    """
    started_ns = time.monotonic_ns()
    analysed: dict[str, Analysed] = {}
    jobs = {one.name: request.job or one.job for one in request.prepared.programs}
    words = ["--form", request.toolchain.form.value]
    words += working_set.annotation_words(request.annotations, request.scratch)
    words += working_set.output_words(request.outputs)
    for number, job in enumerate(dict.fromkeys(jobs.values())):
        to = request.scratch / str(number)
        to.mkdir()
        named = [
            (one.name, one.bitcode) for one in request.prepared.programs if jobs[one.name] == job
        ]
        parts = working_set.analyse(named, to, job, request.patience_s, words, request.on_answered)
        analysed |= {one.program: one for one in parts}
    _refuse_unmatched([*analysed.values()])
    took_ns = time.monotonic_ns() - started_ns
    runs = run_programs(
        request.runs,
        request.outputs,
        [(one, jobs[one.name]) for one in request.prepared.programs],
        analysed,
        request.toolchain.triple,
    )
    # What takes time in both is DuckDB's and clang's work, which goes on beside Python's.
    tables = dict(zip(analysed, parallel(_rows_of, analysed.values()), strict=True))
    programs = parallel(
        lambda one: _answer_of(
            request, one, analysed[one.name], tables[one.name], runs.get(one.name)
        ),
        request.prepared.programs,
    )
    answer = WorkingSetAnswer(
        form=request.toolchain.form.value,
        target=request.toolchain.triple,
        weights=list(request.weights),
        flags=list(request.toolchain.flags),
        annotations=request.annotations,
        programs=programs,
        left_out=[*request.prepared.left_out, *_failed(programs)],
        limit=_judge(request.limit_bits, tables),
        files=_hashes(tables),
        compile_ns=request.compile_ns,
        analysis_ns=took_ns,
    )
    return Found(answer, {name: one.directory for name, one in analysed.items()})


def exit_code(answer: WorkingSetAnswer) -> int:
    """Say how the command ends: a violated limit outweighs what has no answer.

    A largest distance between migration points that no choice keeps is violated.
    """
    if answer.limit is not None and answer.limit.instructions:
        return EXIT_VIOLATED
    is_decided = answer.limit is None or not answer.limit.undecided
    points = [one.migration for one in answer.programs if one.migration is not None]
    if any(one.distance is not None and one.placed is None for one in points):
        return EXIT_VIOLATED
    has_verdict = bool(answer.programs) and not answer.left_out
    # Runs, times and loop bounds were asked for.
    has_weights = all(
        one.counts or one.weight in _OF_CODE_ALONE or one.weight not in answer.weights
        for program in answer.programs
        for one in program.occurrences
    )
    has_progressions = not any(
        one.run is not None and one.run.progression_reason for one in answer.programs
    )
    has_points = not any(
        one.reason or one.cost_missing or (one.run is not None and one.run.reason) for one in points
    )
    is_done = has_verdict and is_decided and has_weights and has_progressions and has_points
    return EXIT_DONE if is_done else EXIT_NO_VERDICT


def store_working_set(found: Found, final: Path, name: str, command_line: list[str]) -> Finished:
    """Store an answer with its tables as one run.

    Raises:
        ConfigError: The directory cannot be created.
        PlatformError: The output is full.
    """
    run = run_directory.create_run(final)
    try:
        # Of some programs as long as that of the instructions: kept where figures come from it.
        more = (SITUATIONS,) if "situation" in found.answer.weights else ()
        tables = (*TABLES, *more)
        counts = parallel(lambda table: join_tables(found.directories, table, run.tmp), tables)
        rows = dict(zip(tables, counts, strict=True))
        run_directory.write_document(run.tmp / WORKING_SET, found.answer)
        manifest = new_manifest("workingset", name, command_line, None)
        finish.write_final_manifest(
            run.tmp,
            msgspec.structs.replace(
                manifest,
                status="complete",
                exit_code=exit_code(found.answer),
                finished_at=ends.now(),
            ),
            {table: count for table, count in rows.items() if count},
        )
        return finish.finish_run(run.tmp, has_survived=True)
    except (LaxityError, KeyboardInterrupt):
        shutil.rmtree(run.tmp, ignore_errors=True)
        raise
    finally:
        run.release()


def _refuse_unmatched(analysed: Sequence[Analysed]) -> None:
    """Refuse an annotation that is about none of the programs; a mistyped one would be no bound."""
    summaries = [one.summary for one in analysed if not one.message]
    reasons = {one.name: one.reason for each in summaries for one in each.misapplied_annotations}
    useless = [
        {*each.unmatched_annotations, *(one.name for one in each.misapplied_annotations)}
        for each in summaries
    ]
    for name in sorted(set.intersection(*useless)) if useless else []:
        reason = reasons.get(
            name,
            "no program has such a recursive function or object; functions.csv and objects.csv of "
            "a run name them",
        )
        msg = f'annotation of "{name}": {reason}'
        raise ConfigError(msg)


def _rows_of(one: Analysed) -> Table | None:
    """Read the instructions of a program that can be reached; None: there is no table."""
    path = one.directory / INSTRUCTIONS
    if not path.is_file():
        return None
    table = read_table(path)
    is_reached = np.array([one != _UNREACHED for one in table.texts("status")], dtype=bool)
    return table.chosen(is_reached)


def _resident_bits(one: Analysed) -> tuple[int | None, int | None]:
    """Sum up the sizes of all objects, and of those of known size and number.

    Returns:
        The first is None if one has no size, or there may be many of it; both without a table.
    """
    path = one.directory / OBJECTS
    if not path.is_file():
        return None, None
    table = read_table(path)
    sizes = zip(table.optional_integers("size_bytes"), table.texts("instances"), strict=True)
    known = [
        size * (1 if instances == "one" else int(instances))
        for size, instances in sizes
        if size is not None and instances != "many"
    ]
    bounded = sum(known) * BITS_PER_BYTE
    return bounded if len(known) == len(table) else None, bounded


def _status(table: Table) -> str:
    """Return the word that holds for all instructions: that of the least certain one."""
    found = set(table.texts("status"))
    return next((word for word in (*_WORSE, _EXACT) if word in found), _EXACT)


def _answer_of(
    request: WorkingSetRequest,
    program: BitcodeProgram,
    one: Analysed,
    table: Table | None,
    run: TracedRun | None,
) -> ProgramAnswer:
    summary = one.summary
    answer = ProgramAnswer(
        program=program.name,
        sources=[str(path) for path in program.sources],
        status=_FAILED,
        message=one.message,
        mode=summary.mode,
        job=_root_of(request, program, one) if summary.mode == "job" else None,
        triple=summary.triple,
        data_layout=summary.data_layout,
        process_ns=one.process_ns,
        assumptions=summary.assumptions,
        run=run,
    )
    if table is None or not len(table):
        return answer
    live, bounded = table.bits(TOTAL), table.bits(BOUNDED)
    resident, resident_bounded = _resident_bits(one)
    return msgspec.structs.replace(
        answer,
        status=_status(table),
        resident_bits=resident,
        resident_bounded_bits=resident_bounded,
        instructions=len(table),
        unbounded=int(np.isinf(live).sum()),
        live=_sizes(live),
        bounded=_sizes(bounded),
        unbounded_objects=summary.unbounded_objects,
        unbounded_recursions=summary.unbounded_recursions,
        classes=_classes(table),
        largest=_place(table.row(int(bounded.argmax()))),
        occurrences=_occurrences(request, program, one, table, run),
        migration=_migration(request, program, one, table),
    )


def _sizes(bits: NDArray[np.float64]) -> Sizes:
    least, median, most = extent(bits)
    return Sizes(min=least, median=median, max=most)


def _root_of(request: WorkingSetRequest, program: BitcodeProgram, one: Analysed) -> str:
    """Name the function of which one call is a run."""
    return request.job or program.job or _JOB if one.summary.mode == "job" else _MAIN


def _migration(
    request: WorkingSetRequest, program: BitcodeProgram, one: Analysed, table: Table
) -> MigrationPoints | None:
    if request.points is None:
        return None
    root = _root_of(request, program, one)
    bounds = stated_bounds(request.toolchain, program, one).most
    found = migration_points(request.points, one.directory, table, bounds, root)
    if request.points.run_window is not None:
        run = _run_windows(request, request.points.run_window, program, table, found)
        found = msgspec.structs.replace(found, run=run)
    write_points(one.directory, found)
    write_windows(one.directory, found)
    return found


def _run_windows(
    request: WorkingSetRequest,
    asked: WindowAsked,
    program: BitcodeProgram,
    table: Table,
    found: MigrationPoints,
) -> RunWindows:
    if request.toolchain.triple is not None:
        reason = f"compiled for {request.toolchain.triple}, and only programs of this machine run"
        return RunWindows(reason=reason)
    with TemporaryDirectory(dir=request.runs.scratch) as directory:
        to = Path(directory)
        return run_windows(asked, program.name, program.bitcode, table, found, to)


def _classes(table: Table) -> dict[str, int]:
    """Return the largest bounded size of each class; none where it is unbounded everywhere."""
    sizes = {name: table.bits(f"live_{name}_bits") for name in CLASSES}
    bounded = {name: bits[np.isfinite(bits)] for name, bits in sizes.items()}
    return {name: int(bits.max()) for name, bits in bounded.items() if bits.size}


def _occurrences(
    request: WorkingSetRequest,
    program: BitcodeProgram,
    one: Analysed,
    table: Table,
    run: TracedRun | None,
) -> list[Occurrence]:
    """Return a row of each heat map; always one that counts instructions once, to compare with."""
    kinds = dict.fromkeys(("static", *request.weights))
    root = _root_of(request, program, one)
    subject = Subject(request.toolchain, program, one, table, root, run, request.times)
    return [occurrence_of(kind, subject) for kind in kinds]


def _place(row: dict[str, Any]) -> Place:
    def whole(name: str) -> int | None:
        cell = row.get(name)
        return None if cell is None else int(cell)

    return Place(
        function=str(row["function"]),
        block=str(row["block"]),
        index=whole("index") or 0,
        opcode=str(row["opcode"]),
        file=row.get("file"),
        line=whole("line") or None,  # LLVM writes 0 where it names none
        column=whole("column") or None,
    )


def _failed(programs: Sequence[ProgramAnswer]) -> list[LeftOut]:
    return [
        LeftOut(path=one.program, reason=one.message or "the analysis gave no reason")
        for one in programs
        if one.live is None
    ]


def _hashes(tables: dict[str, Table | None]) -> dict[str, str]:
    """Hash the sources that instructions name, so that a later report shows no other text."""
    named = {file for one in tables.values() if one is not None for file in set(one.texts("file"))}
    return {
        file: run_directory.file_sha256(Path(file))
        for file in sorted(named)
        if Path(file).is_file()
    }


def _judge(limit_bits: int | None, tables: dict[str, Table | None]) -> Limit | None:
    """Compare every instruction with the limit; of the instructions of one line tell the worst.

    What has a bound exceeds it or not; what has none keeps no limit, and where the rest does there
    is no verdict.
    """
    if limit_bits is None:
        return None
    worst: dict[tuple[object, ...], Violation] = {}
    undecided: dict[str, int] = {}
    n_violating = 0
    for program, table in tables.items():
        if table is None or not len(table):
            continue
        live, is_partial = table.bits(BOUNDED), np.isinf(table.bits(TOTAL))
        above = (live > limit_bits).nonzero()[0]
        n_violating += len(above)
        if n_undecided := int((is_partial & (live <= limit_bits)).sum()):
            undecided[program] = n_undecided
        # The largest come first, so the first of a line is its worst.
        for row in above[np.argsort(-live[above], kind="stable")]:
            place = _place(table.row(int(row)))
            key = (program, place.file, place.line) if place.line else (program, place)
            if key not in worst:
                worst[key] = Violation(
                    program=program,
                    place=place,
                    live_bits=int(live[row]),
                    is_partial=bool(is_partial[row]),
                )
    ordered = sorted(worst.values(), key=lambda one: -(one.live_bits or 0))
    return Limit(
        limit_bits=limit_bits,
        instructions=n_violating,
        undecided=sum(undecided.values()),
        undecided_programs=list(undecided),
        violations=ordered[:_MOST_VIOLATIONS],
    )
