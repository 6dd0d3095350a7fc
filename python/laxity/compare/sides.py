# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""Two sides of `laxity compare`: may they be compared, and if so what do they show?"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

from laxity.compare.comparable import Difference, differences, machine_difference
from laxity.compare.comparison import Figure
from laxity.compare.costs import compare_costs, cost_subjects
from laxity.compare.data import Part, Side, doubt_of_misses, named, samples_of, why_no_samples
from laxity.compare.fail_on import QUANTITIES
from laxity.compare.jobs import ComparedQuantity, Drift, Pair, Ranks, compare_quantity
from laxity.compare.regression import Judgement, Subject, TaskMisses
from laxity.core.spec import Overrun
from laxity.errors import EXIT_DONE
from laxity.store.manifest import kind_of_figures

COMPARE_SCHEMA = 1
AnswerVerdict = Literal["violated", "holds", "no_verdict", "compared"]
NOISE = "NOISE"
_MACHINE = "machine"
_NO_NOISE = (
    "how far two runs of one side differ is not known from one run each; name further runs made as "
    "BASE was with --noise RUN"
)


@dataclass(frozen=True, slots=True)
class Comparison:
    """What is compared with the baseline, and what that shows.

    Attributes:
        name: `NEW`, or `NEW1`, `NEW2`, ...
        path: Of it.
        is_compared: False: it differs in other things and nobody said to compare all the same.
        differences: In what else the two differ.
        unmatched: What only one side has.
        figures: Of tasks and costs that both have.
        misses: Of the tasks that both have.
        drifts: Within the runs, as their halves show it.
        ranks: The rank-sum test per task and quantity.
        doctor: What the doctor saw change during the runs, and what it judged otherwise before.
        notes: What limits the answer.
        is_identical: All streams of both are the same to the byte.
        subjects: Tasks of either side and costs of BASE, whether they could be compared or not.
    """

    name: str
    path: str
    is_compared: bool
    differences: tuple[Difference, ...]
    unmatched: tuple[str, ...] = ()
    figures: tuple[Figure, ...] = ()
    misses: tuple[TaskMisses, ...] = ()
    drifts: tuple[Drift, ...] = ()
    ranks: tuple[Ranks, ...] = ()
    doctor: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    subjects: tuple[Subject, ...] = ()
    is_identical: bool = False


@dataclass(frozen=True, slots=True)
class Result:
    """One comparison, and what each `--fail-on` makes of it."""

    comparison: Comparison
    judgements: tuple[Judgement, ...]


@dataclass(frozen=True, slots=True)
class Answer:
    """What `laxity compare --format json` prints; `laxity schema compare` describes it.

    Attributes:
        schema: 1.
        base: Path of the baseline.
        noise: Paths of further runs made as it was.
        verdict: Of all statements; `compared` where none was made.
        results: One per NEW.
    """

    schema: int
    base: str
    noise: tuple[str, ...]
    verdict: AnswerVerdict
    results: tuple[Result, ...]


def compare_sides(
    base: Side, new: Side, noise: Sequence[Side], *, is_different_allowed: bool
) -> Comparison:
    """Compare one side with the baseline.

    Args:
        base: The baseline.
        new: The other side.
        noise: Made as the baseline was.
        is_different_allowed: Compare also what differs in other things.
    """
    found = tuple(differences_of(base, new))
    if found and not is_different_allowed:
        return Comparison(new.name, str(new.path), is_compared=False, differences=found)
    jobs, lacking = _compare_tasks(base, new, noise)
    figures, only = [figure for one in jobs for figure in one.figures], _unmatched_tasks(base, new)
    if base.costs is not None and new.costs is not None:
        models = [one.costs for one in noise if one.costs is not None]
        costs = compare_costs(base.costs, new.costs, models)
        figures += costs.figures
        only += [f"{name}: only BASE has it" for name in costs.only_base]
        only += [f"{name}: only {new.name} has it" for name in costs.only_new]
    return Comparison(
        name=new.name,
        path=str(new.path),
        is_compared=True,
        differences=found,
        unmatched=tuple(only),
        figures=tuple(figures),
        misses=tuple(_misses(base, new)),
        drifts=tuple(drift for one in jobs for drift in one.drifts),
        ranks=tuple(one.ranks for one in jobs if one.ranks is not None),
        doctor=tuple(_doctor_lines(base, new)),
        notes=(*_unlike_lines(base, new), *lacking, *_notes(base, new, noise)),
        subjects=tuple(_subjects(base, new)),
        is_identical=_are_identical(base, new),
    )


def differences_of(base: Side, new: Side) -> list[Difference]:
    """List what else two sides differ in, part by part."""
    found: list[Difference] = []
    if base.costs is not None and new.costs is not None:
        found += machine_difference(base.costs.machine_hash, new.costs.machine_hash)
    for label, part in base.parts.items():
        other = new.parts.get(label)
        if other is None:
            continue
        between = differences(part.manifest, other.manifest, part.spec, other.spec)
        # One machine for all parts and costs: it is told once.
        found += [one for one in between if one.what == _MACHINE and one not in found]
        found += [
            Difference(named(label, one.what), one.base, one.new)
            for one in between
            if one.what != _MACHINE
        ]
    return found


def _compare_tasks(
    base: Side, new: Side, noise: Sequence[Side]
) -> tuple[list[ComparedQuantity], list[str]]:
    """Compare the tasks that both sides have; second, what could not be for want of figures."""
    found, lacking = [], []
    for name, part, task in base.tasks():
        other = new.task(name)
        if other is None:
            continue
        likes = [like for one in noise if (like := one.task(name)) is not None]
        for quantity in QUANTITIES:
            samples = samples_of(base.name, part, task, quantity)
            others = samples_of(new.name, *other, quantity)
            if samples is None or others is None:
                ends = ((base.name, samples, task), (new.name, others, other[1]))
                sides: dict[str, list[str]] = {}
                for side, values, of in ends:
                    if values is None:
                        sides.setdefault(why_no_samples(of, quantity), []).append(side)
                why = "; ".join(f"{one} {' and '.join(names)}" for one, names in sides.items())
                lacking.append(f"{name} {quantity}: {why}")
                continue
            noises = [samples_of(NOISE, *like, quantity) for like in likes]
            known = tuple(one for one in noises if one is not None)
            is_exact = _is_exact(part) and _is_exact(other[0])
            compared = compare_quantity(Pair(name, quantity, samples, others, known, is_exact))
            found.append(compared)
            if compared.left_out is not None:
                lacking.append(compared.left_out)
    return found, lacking


def _misses(base: Side, new: Side) -> Iterator[TaskMisses]:
    for name, part, task in base.tasks():
        other = new.task(name)
        if other is None:
            continue
        old, one = task.result, other[1].result
        yield TaskMisses(
            task=name,
            base_not_met=old.counts.not_met,
            base_released=old.released,
            new_not_met=one.counts.not_met,
            new_released=one.released,
            doubt=_joined(
                (base.name, doubt_of_misses(part, task)), (new.name, doubt_of_misses(*other))
            ),
            can_be_missed=one.deadline_ns is not None or one.overrun == Overrun.SKIP,
        )


def _joined(*doubts: tuple[str, str | None]) -> str | None:
    return "; ".join(f"{side}: {doubt}" for side, doubt in doubts if doubt is not None) or None


def _subjects(base: Side, new: Side) -> Iterator[Subject]:
    """Return what statements speak of, compared or not: tasks of either side, costs of BASE."""
    names = dict.fromkeys(name for side in (base, new) for name, _, _ in side.tasks())
    yield from (Subject(name) for name in names)
    if base.costs is not None:
        yield from cost_subjects(base.costs)


def _unmatched_tasks(base: Side, new: Side) -> list[str]:
    found = []
    for one, other in ((base, new), (new, base)):
        names = [name for name, _, _ in one.tasks() if other.task(name) is None]
        found += [f'task "{name}": only {one.name} has it' for name in names]
        if one.costs is not None and other.costs is None:
            found.append(f"costs: only {one.name} has them")
    return found


def _doctor_lines(base: Side, new: Side) -> Iterator[str]:
    """Say what the doctor saw: changes during each run, and what it judged otherwise before."""
    for side in (base, new):
        for label, part in side.parts.items():
            for change in part.manifest.doctor_drift:
                yield f"{_of(side, label)}: changed during the run: {change}"
    for label, part in base.parts.items():
        other = new.parts.get(label)
        for check, state in part.checks.items() if other is not None else ():
            now = other.checks.get(check, "not checked") if other is not None else ""
            if now != state:
                yield f"{named(label, check)}: {state} before BASE, {now} before {new.name}"


def _notes(base: Side, new: Side, noise: Sequence[Side]) -> Iterator[str]:
    for side in (base, new):
        for label, part in side.parts.items():
            yield from _part_notes(_of(side, label), part)
    tools = [sorted({_tool(part) for part in one.parts.values()}) for one in (base, new)]
    if tools[0] and tools[1] and tools[0] != tools[1]:
        yield f"BASE was made by laxity {', '.join(tools[0])}, {new.name} by {', '.join(tools[1])}"
    if not noise and not all(_is_exact(part) for part in base.parts.values()):
        yield _NO_NOISE


def _unlike_lines(base: Side, new: Side) -> Iterator[str]:
    """Say which simulated runs are not the same to the byte."""
    for label, (one, other) in _hashes(base, new).items():
        if one != other:
            yield f"{_of(base, label)} and {_of(new, label)} are not identical"


def _are_identical(base: Side, new: Side) -> bool:
    """Tell whether all runs of both sides are simulated, and the same to the byte."""
    hashes = _hashes(base, new)
    is_whole = bool(hashes) and len(hashes) == len(base.parts) == len(new.parts)
    return is_whole and all(one == other for one, other in hashes.values())


def _hashes(base: Side, new: Side) -> dict[str, tuple[str | None, str | None]]:
    """Return the hashes of the streams of runs that both sides have, where both have one."""
    return {
        label: (part.manifest.result_hash, other.manifest.result_hash)
        for label, part in base.parts.items()
        if (other := new.parts.get(label)) is not None
        and None not in (part.manifest.result_hash, other.manifest.result_hash)
    }


def _is_exact(part: Part) -> bool:
    """Tell whether a run made again would give the same figures: no job asked for what varies."""
    is_repeatable = not any(task.result.asked_calls for task in part.tasks)
    return kind_of_figures(part.manifest) == "simulated" and is_repeatable


def _of(side: Side, label: str) -> str:
    return f"{side.name} {label}" if label else side.name


def _part_notes(name: str, part: Part) -> Iterator[str]:
    manifest = part.manifest
    if manifest.status != "complete" or manifest.exit_code != EXIT_DONE:
        ended = f"{name}: {manifest.status}, exit code {manifest.exit_code}"
        yield f"{ended}: {manifest.message}" if manifest.message else ended
    for task in part.tasks:
        if task.has_modelled_releases:
            yield f"{name}: the releases of {task.result.name} are estimated"


def _tool(part: Part) -> str:
    tool = part.manifest.tool
    return f"{tool.version} {tool.commit}" if tool.commit else tool.version
