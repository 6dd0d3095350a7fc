# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""suite.json, what a suite run was and what came of each program; vetting.json, what vetting saw.

Both are whole at every instant of the run: what a kill leaves is what had ended until then.
"""

from enum import StrEnum

from laxity.store.manifest import Record

SUITE_SCHEMA = 1
VETTING_SCHEMA = 1


class ProgramClass(StrEnum):
    """What vetting says of a program: these words, and no others.

    From `BUILD_FAILURE` on they are reasons to reject it.
    """

    CLEAN = "clean"
    STALE_STATE = "stale state"
    SHRINKING_WORK = "shrinking work"
    CHANGING_WORK = "changing work"
    UNEXPLAINED = "unexplained difference"
    EXIT = "exit"
    HEAP_LEAK = "heap leak"
    FD_LEAK = "fd leak"
    THREAD_LEFT = "thread left"
    HANDLER_LEFT = "signal handler left"
    ATTRIBUTES_LEFT = "process attributes left"
    PLACE = "depends on time or randomness"
    UNWATCHED = "unwatched"
    VACUOUS_CHECK = "vacuous check"
    UNINITIALISED = "reads uninitialised memory"
    LAYOUT = "layout dependent"
    PRINTS_TIME = "prints time"
    MEMORY_ERROR = "memory error"
    UNDEFINED = "undefined behaviour"
    BUILD_FAILURE = "build failure"
    MISSING = "missing"
    CRASH = "crash"
    TIMEOUT = "timeout"
    NEEDS_INPUT = "needs input"
    NOT_REPEATABLE = "not repeatable"
    WRONG_RESULT = "wrong result"


class Spread(Record, frozen=True, kw_only=True):
    """One quantity of the finished jobs of a program.

    A quantile is null where `n` does not support it (95 %). `is_exact` false: values are the upper
    ends of buckets, `min` a lower one, since not every row was kept.
    """

    quantity: str
    kind: str
    unit: str
    n: int
    is_exact: bool
    min: int
    median: int
    p99: int | None
    p999: int | None
    max: int


class IsolatingCost(Record, frozen=True, kw_only=True):
    """What isolating jobs from one another took, between them and off their own time."""

    kind: str
    unit: str
    n: int
    mean: int
    max: int


class SuiteResult(Record, frozen=True, kw_only=True):
    """What the run of one program came to.

    A job is `calls` calls of the program, and its times are of all of them together.
    `right` and `wrong` count finished jobs by whether end, check and output are those of a fresh
    process; null: not every row was kept, and none that was is wrong. `has_deadline`: jobs could
    miss one. `message`: why it did not end well; empty: it did.
    """

    status: str
    exit_code: int | None
    message: str
    released: int
    started: int
    finished: int
    calls: int
    right: int | None
    wrong: int | None
    missed: int
    not_met: int
    times: list[Spread]
    isolating: IsolatingCost | None
    has_deadline: bool = True

    @property
    def cut_off(self) -> int:
        """Jobs that began and did not end: they died, or took longer than they may."""
        return self.started - self.finished


class SuiteProgram(Record, frozen=True, kw_only=True):
    """One program of a suite run.

    `run`: name below runs/, null: it was not to be run. `left_out`: why there is no result, null:
    there is one, or it was not its turn yet. `convention` null: it cannot be
    had. `left_out_code`: of the run that was tried. `inputs_sha256` null: no input files.
    """

    program: str
    convention: str | None
    classes: list[str]
    mode: str | None
    sources_sha256: str | None
    inputs_sha256: str | None = None
    run: str | None = None
    left_out: str | None = None
    left_out_code: int | None = None
    result: SuiteResult | None = None


class SuiteDocument(Record, frozen=True, kw_only=True):
    """suite.json; `checkout` and `vetting`: as they were given; `link`: dynamic, static."""

    schema: int = SUITE_SCHEMA
    checkout: str
    vetting: str
    cc: str
    link: str = "dynamic"
    programs: list[SuiteProgram]


class VettedJob(Record, frozen=True, kw_only=True):
    """One job of one mode against fresh processes.

    `outcome`: how it ended, what its check returned, in words. `is_state_first`: it leaves the
    state that the first job of its process left. `instructions`, `heap_bytes` null: not counted.
    `library_instructions`: those of them outside of the program itself; null: not told apart.
    Descriptors, threads and handlers are those beyond what was before the first job.
    """

    job: int
    outcome: str
    is_right: bool
    is_state_first: bool
    output_bytes: int
    duration_ns: int
    isolating_ns: int
    instructions: int | None
    library_instructions: int | None = None
    heap_bytes: int | None
    descriptors: int
    threads: int
    handlers: int


class VettedMode(Record, frozen=True, kw_only=True):
    """One mode that was tried; no `deviations`: it is right."""

    mode: str
    failure: str
    deviations: list[str]
    jobs: list[VettedJob]


class VettedDetail(Record, frozen=True, kw_only=True):
    """A program's verdict and what it rests on.

    `golden`: what a fresh process came to, in words; null: processes do not agree or none ended.
    `reference_instructions`: of a job with fresh state, `reference_library_instructions`: those of
    them outside of the program itself; null: not counted. `starts_threads`: where the library's
    are not known, jobs may differ by what waiting for threads takes there.
    """

    program: str
    convention: str
    classes: list[ProgramClass]
    mode: str | None
    verdict: str
    evidence: list[str]
    golden: str | None
    reference_instructions: int | None
    reference_library_instructions: int | None = None
    starts_threads: bool = False
    modes: list[VettedMode]


class NotPlaced(Record, frozen=True, kw_only=True):
    """What discovery could not place, and why."""

    path: str
    reason: str


class VettingDocument(Record, frozen=True, kw_only=True):
    """vetting.json; `programs_asked`: how many were to be vetted, also where a signal ended it."""

    schema: int = VETTING_SCHEMA
    checkout: str
    cc: str
    jobs_per_mode: int
    programs_asked: int
    programs: list[VettedDetail]
    unplaced: list[NotPlaced]
