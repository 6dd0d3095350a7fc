# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""The language of `--fail-on`: one statement of what counts as a regression. docs/compare.md.

::

    EXPR      = SUBJECT ("<" | ">") VALUE
    SUBJECT   = [TASK "."] QUANTITY "." STATISTIC | [TASK "."] "misses" | COST "." STATISTIC
    COST      = NAME ["@" AXIS {"," AXIS}]
    AXIS      = SIZE | KEY "=" WORD
    VALUE     = ["+" | "-"] (DURATION | PERCENT | COUNT)

A value with a sign is a difference against the baseline; without one it is the new figure itself.
"""

import re
from dataclasses import dataclass
from enum import Enum

from laxity.core.percent import parse_percent
from laxity.core.units import parse_duration_ns, parse_size_bytes
from laxity.costs.model import COST_NAMES
from laxity.errors import ConfigError, located, suggestion

RESPONSE = "response"
RELEASE_LATENCY = "release_latency"
EXECUTION = "execution"
QUANTITIES = (RESPONSE, RELEASE_LATENCY, EXECUTION)
MISSES = "misses"
MEDIAN = "median"
MAX = "max"
# Statistic: quantile; that of the maximum is not estimated but taken.
QUANTILES = {MEDIAN: 0.5, "p90": 0.9, "p99": 0.99, "p99.9": 0.999}
STATISTICS = (*QUANTILES, MAX)
COST_STATISTICS = (MEDIAN, MAX)
# Axes of a cost that an expression may name; `working_set` is written as a size alone.
AXES = ("cpu", "cpu_to", "node", "case", "evict")

_EXAMPLE = "write for example response.p99 > +5%"
_COMPARISON = re.compile(r"(.*?)([<>]=?|[=!]=)(.*)", re.DOTALL)
_SIZE = re.compile(r"[0-9].*")
_COUNT = re.compile(r"[0-9]{1,18}", re.ASCII)


class Unit(Enum):
    """What a threshold counts."""

    NS = "ns"
    PPM = "ppm"
    COUNT = "count"


@dataclass(frozen=True, slots=True)
class Threshold:
    """The right side; `is_shift`: a difference against the baseline, else the new figure."""

    value: int
    unit: Unit
    is_shift: bool


@dataclass(frozen=True, slots=True)
class FailOn:
    """One statement.

    Attributes:
        text: As the user wrote it.
        task: Name of a task; None: every task.
        name: A quantity of `QUANTITIES`, `misses`, or the name of a cost.
        axes: Of a cost: (name of the axis, its value), those that were stated.
        statistic: Of `STATISTICS`; None of misses.
        is_above: Whether figures above the threshold are the violation, else those below.
        threshold: The right side.
    """

    text: str
    task: str | None
    name: str
    axes: tuple[tuple[str, int | str], ...]
    statistic: str | None
    is_above: bool
    threshold: Threshold

    @property
    def is_of_cost(self) -> bool:
        """Whether it is about an entry of a cost model."""
        return self.name not in {*QUANTITIES, MISSES}


def parse_fail_on(text: str) -> FailOn:
    """Read one statement.

    Raises:
        ConfigError: It is none; the message says what to write.
    """
    with located(f'--fail-on "{text}"'):
        match = _COMPARISON.fullmatch(text)
        if match is None:
            msg = f"compares nothing; {_EXAMPLE}"
            raise ConfigError(msg)
        left, operator, right = (part.strip() for part in match.groups())
        if operator not in {"<", ">"}:
            msg = f'"{operator}" is no comparison of figures with noise; use > or <'
            raise ConfigError(msg)
        task, name, axes, statistic = _subject(left)
        threshold = _threshold(right, is_of_misses=name == MISSES)
        return FailOn(text, task, name, axes, statistic, operator == ">", threshold)


def _subject(
    text: str,
) -> tuple[str | None, str, tuple[tuple[str, int | str], ...], str | None]:
    """Split the left side into task, name, axes and statistic."""
    if not text:
        msg = f"nothing stands left of the comparison; {_EXAMPLE}"
        raise ConfigError(msg)
    if text.startswith("."):
        msg = f'"{text}": no task stands left of the first dot; name one, or leave out the dot'
        raise ConfigError(msg)
    if text == MISSES or text.endswith(f".{MISSES}"):
        task = text.removesuffix(MISSES).removesuffix(".")
        return task or None, MISSES, (), None
    statistic = next((one for one in STATISTICS if text.endswith(f".{one}")), None)
    if statistic is None:
        raise ConfigError(_no_statistic(text))
    rest = text.removesuffix(f".{statistic}")
    quantity = next((one for one in QUANTITIES if rest == one or rest.endswith(f".{one}")), None)
    if quantity is not None:
        return rest.removesuffix(quantity).removesuffix(".") or None, quantity, (), statistic
    name, has_axes, stated = rest.partition("@")
    if name not in COST_NAMES:
        known = (*QUANTITIES, MISSES, *COST_NAMES)
        advice = suggestion(name.rpartition(".")[2], known, f"use {', '.join(QUANTITIES)}")
        msg = f'"{name}" is neither a quantity of jobs nor a cost; {advice}'
        raise ConfigError(msg)
    if statistic not in COST_STATISTICS:
        msg = f'"{text}": a cost is compared by its {_or(COST_STATISTICS)}; use one of these'
        raise ConfigError(msg)
    axes = tuple(_axis(one.strip()) for one in stated.split(",")) if has_axes else ()
    if len({key for key, _ in axes}) < len(axes):
        msg = f'"@{stated}" states an axis twice; state each once'
        raise ConfigError(msg)
    return None, name, axes, statistic


def _no_statistic(text: str) -> str:
    """Say that a subject does not end in a statistic."""
    last = text.rpartition(".")[2]
    if text.partition("@")[0] in COST_NAMES:
        return f'"{text}" names no statistic; add .{" or .".join(COST_STATISTICS)}'
    if last in QUANTITIES:
        return f'"{text}" names no statistic; add .{", .".join(STATISTICS)}'
    if "." not in text:
        advice = suggestion(text, (MISSES, *QUANTITIES), _EXAMPLE)
        return f'"{text}" is no figure; {advice}'
    return f'"{last}" is no statistic; {suggestion(last, STATISTICS, f"use {_or(STATISTICS)}")}'


def _axis(text: str) -> tuple[str, int | str]:
    if _SIZE.fullmatch(text):
        return "working_set_bytes", parse_size_bytes(text)
    key, has_value, value = text.partition("=")
    if not has_value or key not in AXES:
        advice = suggestion(key, AXES, f"write a size such as 256KiB, or {_or(AXES)}=VALUE")
        msg = f'axis "{text}": unknown; {advice}'
        raise ConfigError(msg)
    if key in {"case", "evict"}:
        return key, value
    if not _COUNT.fullmatch(value):
        msg = f'axis "{text}": "{value}" is no number; write for example {key}=1'
        raise ConfigError(msg)
    return key, int(value)


def _threshold(text: str, *, is_of_misses: bool) -> Threshold:
    sign, magnitude = (text[:1], text[1:].strip()) if text[:1] in {"+", "-"} else ("", text)
    is_shift, factor = bool(sign), -1 if sign == "-" else 1
    if magnitude.endswith("%"):
        if not is_shift and not is_of_misses:
            msg = f'"{text}" is a share of what? For a change against the baseline write "+{text}"'
            raise ConfigError(msg)
        if is_shift and is_of_misses:
            msg = f'"{text}": a change of misses is counted; write for example +2'
            raise ConfigError(msg)
        return Threshold(factor * parse_percent(magnitude), Unit.PPM, is_shift)
    if is_of_misses:
        if not _COUNT.fullmatch(magnitude):
            msg = f'"{text}" is no count of jobs; write for example misses > 0'
            raise ConfigError(msg)
        return Threshold(factor * int(magnitude), Unit.COUNT, is_shift)
    if not magnitude:
        msg = f"nothing stands right of the comparison; {_EXAMPLE}"
        raise ConfigError(msg)
    return Threshold(factor * parse_duration_ns(magnitude), Unit.NS, is_shift)


def _or(words: tuple[str, ...]) -> str:
    return f"{', '.join(words[:-1])} or {words[-1]}"
