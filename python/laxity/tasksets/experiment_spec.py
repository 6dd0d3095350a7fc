# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""FILE.toml of `laxity experiment`: which task sets are drawn, and how they are tested."""

from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

import msgspec

from laxity.core.percent import format_percent, parse_percent
from laxity.core.schedulers import Fit, SetTest
from laxity.core.spec import SPEC_SCHEMA
from laxity.core.spec_tables import check_keys, read_choice, read_document, read_duration_ns
from laxity.core.units import exact_duration, exact_size, parse_size_bytes
from laxity.core.wording import plain_words
from laxity.errors import ConfigError, located

_TABLE = "experiment"
_MANUAL = "docs/experiments.md"
_PPM = 1_000_000
MAX_TASKS = 1000
MAX_SETS = 1_000_000
MAX_CPUS = 1024
MAX_POINTS = 1000
# Of a machine's memory; beyond it only slips.
_MAX_WORKING_SET_BYTES = 1 << 40
_MAX_SEED = (1 << 63) - 1
# Twenty points up to all of the processors.
_DEFAULT_POINTS = 20


class Generator(StrEnum):
    """How a utilisation is split among tasks; both are uniform over what is possible."""

    UUNIFAST_DISCARD = "uunifast-discard"
    RAND_FIXED_SUM = "randfixedsum"


class Periods(StrEnum):
    """Log-uniform within a range, or those of engine control software."""

    LOG_UNIFORM = "log-uniform"
    AUTOMOTIVE = "automotive"


class Deadlines(StrEnum):
    """Implicit: D = T. Constrained: uniform from C to T."""

    IMPLICIT = "implicit"
    CONSTRAINED = "constrained"


@dataclass(frozen=True, slots=True)
class LogUniform:
    """As many periods between 1 and 10 ms as between 10 and 100 ms.

    Attributes:
        low_ns: Shortest period.
        high_ns: Longest period, at least the shortest one.
        step_ns: All are multiples of it; so are the bounds.
    """

    low_ns: int
    high_ns: int
    step_ns: int


@dataclass(frozen=True, slots=True)
class Automotive:
    """The periods of engine control software, with the shares that they have there."""


class ExperimentTable(msgspec.Struct, frozen=True, kw_only=True):
    """`[experiment]` as the user wrote it; None: not given."""

    tasks: int = 10
    sets: int = 1000
    utilisations: list[str] | None = None
    generator: str = Generator.UUNIFAST_DISCARD.value
    periods: str = Periods.LOG_UNIFORM.value
    period_range: list[str] | None = None
    period_step: str | None = None
    deadlines: str = Deadlines.IMPLICIT.value
    working_set: list[str] | str | None = None
    tests: list[str] | None = None
    cpus: int = 1
    fit: str | None = None
    seed: int = 1


@dataclass(frozen=True, slots=True, kw_only=True)
class Experiment:
    """A resolved experiment.

    Attributes:
        tasks: Of each set.
        sets: Of each utilisation.
        utilisations_ppm: Of all tasks together, parts per million of one CPU; ascending.
        working_set_bytes: Smallest and largest; None: not known.
        fit: None: there is one CPU.
    """

    tasks: int
    sets: int
    utilisations_ppm: tuple[int, ...]
    generator: Generator
    periods: LogUniform | Automotive
    deadlines: Deadlines
    working_set_bytes: tuple[int, int] | None
    tests: tuple[SetTest, ...]
    cpus: int
    fit: Fit | None
    seed: int


def read_experiment(data: bytes) -> Experiment:
    """Read FILE.toml.

    Args:
        data: Content of the file.

    Raises:
        ConfigError: Not TOML, unknown key, or a value that cannot be.
    """
    document = read_document(data, (_TABLE,), _MANUAL)
    table = document.get(_TABLE, {})
    if not isinstance(table, dict):
        msg = f"{_TABLE} is not a table; write [{_TABLE}]"
        raise ConfigError(msg)
    where = f"[{_TABLE}]"
    check_keys(table, ExperimentTable.__struct_fields__, where)
    try:
        stated = msgspec.convert(table, ExperimentTable, strict=True)
    except msgspec.ValidationError as error:
        msg = f"{where}: {plain_words(error)}; correct it"
        raise ConfigError(msg) from error
    with located(where):
        return _resolve(stated)


def experiment_to_toml(experiment: Experiment) -> str:
    """Write an experiment, every default written out, as the TOML that reads back to it."""
    import tomli_w  # noqa: PLC0415 - needed only by commands that write a run

    periods, span_ns, step_ns = Periods.AUTOMOTIVE, None, None
    if isinstance(experiment.periods, LogUniform):
        periods, step_ns = Periods.LOG_UNIFORM, experiment.periods.step_ns
        span_ns = (experiment.periods.low_ns, experiment.periods.high_ns)
    table: dict[str, Any] = {
        "tasks": experiment.tasks,
        "sets": experiment.sets,
        "utilisations": [format_percent(one) for one in experiment.utilisations_ppm],
        "generator": experiment.generator.value,
        "periods": periods.value,
        "period_range": _texts(span_ns, exact_duration),
        "period_step": None if step_ns is None else exact_duration(step_ns),
        "deadlines": experiment.deadlines.value,
        "working_set": _texts(experiment.working_set_bytes, exact_size),
        "tests": [one.value for one in experiment.tests],
        "cpus": experiment.cpus,
        "fit": None if experiment.fit is None else experiment.fit.value,
        "seed": experiment.seed,
    }
    stated = {key: value for key, value in table.items() if value is not None}
    return tomli_w.dumps({"schema": SPEC_SCHEMA, _TABLE: stated})


def _texts(values: tuple[int, int] | None, write: Callable[[int], str]) -> list[str] | None:
    return None if values is None else [write(one) for one in values]


def _resolve(stated: ExperimentTable) -> Experiment:
    tasks = _count(stated.tasks, "tasks", MAX_TASKS)
    cpus = _count(stated.cpus, "cpus", MAX_CPUS)
    periods = _periods(stated)
    deadlines = read_choice(stated.deadlines, Deadlines, "deadlines")
    if not 0 <= stated.seed <= _MAX_SEED:
        msg = f"seed {stated.seed} is not within 0 to {_MAX_SEED}; write what is"
        raise ConfigError(msg)
    return Experiment(
        tasks=tasks,
        sets=_count(stated.sets, "sets", MAX_SETS),
        utilisations_ppm=_utilisations(stated.utilisations, min(tasks, cpus)),
        generator=read_choice(stated.generator, Generator, "generator"),
        periods=periods,
        deadlines=deadlines,
        working_set_bytes=_working_set(stated.working_set),
        tests=_tests(stated.tests, deadlines),
        cpus=cpus,
        fit=_fit(stated.fit, cpus),
        seed=stated.seed,
    )


def _count(value: int, key: str, most: int) -> int:
    if not 1 <= value <= most:
        msg = f"{key} {value} is not within 1 to {most}; write what is"
        raise ConfigError(msg)
    return value


def _utilisations(stated: list[str] | None, most: int) -> tuple[int, ...]:
    """Read what the sets are to use; `most` CPUs could be used up by tasks that run on one each."""
    if stated is None:
        points = range(1, _DEFAULT_POINTS + 1)
        return tuple(most * point * _PPM // _DEFAULT_POINTS for point in points)
    if not 1 <= len(stated) <= MAX_POINTS:
        msg = f"utilisations: {len(stated)} of them; write 1 to {MAX_POINTS}"
        raise ConfigError(msg)
    found = []
    for text in stated:
        with located("utilisations"):
            value = parse_percent(text)
        if not 0 < value <= most * _PPM:
            limit = format_percent(most * _PPM)
            msg = f"utilisations: {text} is not above 0% and up to {limit}; write what is"
            raise ConfigError(msg)
        if value in found:
            msg = f"utilisations: {text} stands there twice; write each once"
            raise ConfigError(msg)
        found.append(value)
    return tuple(sorted(found))


def _periods(stated: ExperimentTable) -> LogUniform | Automotive:
    if read_choice(stated.periods, Periods, "periods") is Periods.AUTOMOTIVE:
        for key, value in (("range", stated.period_range), ("step", stated.period_step)):
            if value is not None:
                msg = f"period_{key}: automotive periods are given; remove it"
                raise ConfigError(msg)
        return Automotive()
    texts = ["10ms", "1s"] if stated.period_range is None else stated.period_range
    low_ns, high_ns = _range(texts, "period_range", read_duration_ns)
    # The shortest period in tenths, so that few periods are harmonic by rounding alone.
    step_ns = max(1, low_ns // 10)
    if stated.period_step is not None:
        step_ns = read_duration_ns(stated.period_step, "period_step")
    for bound_ns in (low_ns, high_ns):
        if step_ns == 0 or bound_ns % step_ns:
            msg = (
                f"period_range: {exact_duration(bound_ns)} is no multiple of period_step, "
                f"{exact_duration(step_ns)}; change one of them"
            )
            raise ConfigError(msg)
    return LogUniform(low_ns, high_ns, step_ns)


def _working_set(stated: list[str] | str | None) -> tuple[int, int] | None:
    if stated is None:
        return None
    texts = [stated, stated] if isinstance(stated, str) else stated
    low, high = _range(texts, "working_set", _size)
    if high > _MAX_WORKING_SET_BYTES:
        limit = exact_size(_MAX_WORKING_SET_BYTES)
        msg = f"working_set: {exact_size(high)} is more than {limit}; write less"
        raise ConfigError(msg)
    return low, high


def _size(text: str, key: str) -> int:
    with located(key):
        return parse_size_bytes(text)


def _range(texts: list[str], key: str, parse: Callable[[str, str], int]) -> tuple[int, int]:
    if len(texts) != 2:  # noqa: PLR2004 - from and to
        msg = f"{key}: {len(texts)} values; write two, the least and the largest"
        raise ConfigError(msg)
    low, high = parse(texts[0], key), parse(texts[1], key)
    if low > high:
        msg = f"{key}: {texts[0]} is more than {texts[1]}; swap them"
        raise ConfigError(msg)
    if low == 0:
        msg = f"{key}: {texts[0]} is not above 0; write more"
        raise ConfigError(msg)
    return low, high


def _tests(stated: list[str] | None, deadlines: Deadlines) -> tuple[SetTest, ...]:
    """Read which tests; left out: the best fixed priorities, and EDF."""
    if stated is None:
        is_implicit = deadlines is Deadlines.IMPLICIT
        return (SetTest.RATE_MONOTONIC if is_implicit else SetTest.DEADLINE_MONOTONIC, SetTest.EDF)
    if not stated:
        msg = f"tests: none; write some of {' '.join(SetTest)}"
        raise ConfigError(msg)
    found = [read_choice(one, SetTest, "tests:") for one in stated]
    if len(set(found)) < len(found):
        msg = "tests: one stands there twice; write each once"
        raise ConfigError(msg)
    return tuple(found)


def _fit(stated: str | None, cpus: int) -> Fit | None:
    if cpus == 1:
        if stated is not None:
            msg = "fit: there is one CPU, so nothing is to be shared out; add cpus or remove it"
            raise ConfigError(msg)
        return None
    return Fit.FIRST if stated is None else read_choice(stated, Fit, "fit")
