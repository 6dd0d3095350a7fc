# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""What there is to say of a paper. It is said once, in papers/NAME.py, as `PAPER`.

A paper has exhibits (a table, a figure, a section); an exhibit has rows, each a value of the paper
and how ours is computed, and names the experiments that its rows are computed from.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from importlib import import_module
from typing import Any, Literal

from laxity.costs.probe import Asked
from laxity.errors import ConfigError
from laxity.store.run_directory import Run

# Every paper, in the order in which they are listed: papers/NAME.py.
NAMES = ("sebek",)

# input: the platform file has it from the paper. fitted: a value of the platform file was chosen so
# that it comes out. predicted: nothing was; only these say something of the model.
Kind = Literal["input", "fitted", "predicted"]
# What the paper says of its value: it was measured, or follows from reasoning (a formula, a sum of
# what is not independent).
Basis = Literal["measured", "reasoned"]
Runs = Mapping[str, Run]


@dataclass(frozen=True, slots=True)
class Experiment:
    """One measurement on a platform.

    Attributes:
        name: Of its run.
        platform: A shipped one, by its name.
        probe: As `laxity measure` names it.
        asked: Of the probe.
        changed: What the platform file has otherwise, TOML; its base is `platform` then.
        change: That in words: `with 2 ways`.
    """

    name: str
    platform: str
    probe: str
    asked: Asked
    changed: str = ""
    change: str = ""

    @property
    def where(self) -> str:
        """The platform as tables name it."""
        return f"sim:{self.platform} {self.change}".rstrip()


@dataclass(frozen=True, slots=True)
class Row:
    """One value of the paper.

    Attributes:
        what: It is.
        paper: Its value there; None: the paper has words only, which `reason` repeats.
        unit: Of both values.
        kind: Of ours.
        ours: Computes it from what the paper's `read` has made of the runs.
        reason: Why the two differ.
        basis: Of the paper's value.
    """

    what: str
    paper: float | None
    unit: str
    kind: Kind
    ours: Callable[[Any], float]
    reason: str
    basis: Basis = "measured"


@dataclass(frozen=True, slots=True)
class Drawing:
    """One figure of an exhibit: `draw(found, prefix, alt)` gives it as SVG."""

    identity: str
    caption: str
    draw: Callable[[Any, str, str], str]


@dataclass(frozen=True, slots=True)
class Exhibit:
    """A table, a figure or a section of a paper.

    Attributes:
        name: As the command takes it: `figure-10`.
        title: What it shows.
        experiments: That its rows are computed from.
        rows: In the order of the table.
        notes: Paragraphs below the table.
        drawings: Below those.
    """

    name: str
    title: str
    experiments: tuple[Experiment, ...]
    rows: tuple[Row, ...]
    notes: tuple[str, ...] = ()
    drawings: tuple[Drawing, ...] = ()


@dataclass(frozen=True, slots=True)
class Paper:
    """A paper.

    Attributes:
        name: As the command takes it.
        title: Of its page.
        reference: Authors, title, year.
        summary: What is reproduced, in a sentence or two.
        missing: What is not, and why.
        exhibits: In the order of the page.
        read: Makes of finished runs, by the names of their experiments, what rows compute from.
    """

    name: str
    title: str
    reference: str
    summary: str
    missing: str
    exhibits: tuple[Exhibit, ...]
    read: Callable[[Runs], Any]

    def chosen(self, figures: Sequence[str]) -> tuple[Exhibit, ...]:
        """Return exhibits by their names, or all.

        Raises:
            ConfigError: There is no such one.
        """
        names = [one.name for one in self.exhibits]
        for figure in figures:
            if figure not in names:
                there = f"there are {', '.join(names)}"
                msg = f'{self.name}: no figure "{figure}" is reproduced; {there}'
                raise ConfigError(msg)
        return self.named(figures or names)

    def named(self, names: Sequence[str]) -> tuple[Exhibit, ...]:
        """Return the exhibits of these names; one that this build does not know is left out."""
        return tuple(one for one in self.exhibits if one.name in names)


def paper_of(name: str) -> Paper:
    """Return a paper.

    Raises:
        ConfigError: None is called so.
    """
    if name not in NAMES:
        msg = f'no paper "{name}" is reproduced; there is {", ".join(NAMES)}'
        raise ConfigError(msg)
    paper: Paper = import_module(f"laxity.papers.{name}").PAPER
    return paper


def experiments_of(exhibits: tuple[Exhibit, ...]) -> tuple[Experiment, ...]:
    """List the experiments of exhibits, each once."""
    found = {one.name: one for exhibit in exhibits for one in exhibit.experiments}
    return tuple(found.values())
