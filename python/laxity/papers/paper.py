# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""What there is to say of a paper. It is said once, in papers/NAME.py, as `PAPER`.

A paper has exhibits (a table, a figure, a section); an exhibit has rows, each a value of the paper
and how ours is computed, and names the experiments that its rows are computed from.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from importlib import import_module
from typing import Any, Literal

from laxity.contention.plan import Policy
from laxity.core.spec import SampleBy
from laxity.costs.probe import Asked
from laxity.errors import ConfigError
from laxity.store.manifest import Fallback
from laxity.store.run_directory import Run
from laxity.workingset.document import Weight

# Every paper, in the order in which they are listed: papers/NAME.py, with _ for -.
NAMES = ("sebek", "raffeck", "rt-bench", "blin")

# input: the platform file has it, from the paper or from another source. fitted: a value of the
# platform file, or the size of a task, was chosen so that it comes out. predicted: nothing was;
# only these say something of the model. measured: of the machine that made it, of no model.
Kind = Literal["input", "fitted", "predicted", "measured"]
# What the paper says of its value: it was measured, or follows from reasoning (a formula, a sum of
# what is not independent).
Basis = Literal["measured", "reasoned"]
Runs = Mapping[str, Run]


@dataclass(frozen=True, slots=True)
class Measurement:
    """What a probe is asked, by its name as `laxity measure` has it."""

    probe: str
    asked: Asked


@dataclass(frozen=True, slots=True, eq=False)
class TaskRun:
    """A run of tasks: tables `[[task]]` of a spec, and how many jobs of each, or how long.

    There are no two of one experiment, so it is itself, whatever its tables hold.

    Attributes:
        interfere: Co-runners, as `--interfere` takes them.
        events: Counted in each job, by the model.
        sample_bucket: How often they are read within jobs; "": not at all.
        sample_by: What reads them.
        duration: Until then jobs are released; "": there are `jobs` of each task.
        is_traced: Whether it keeps who had the cores.
    """

    tasks: tuple[Mapping[str, Any], ...]
    jobs: int
    interfere: tuple[str, ...] = ()
    events: tuple[str, ...] = ()
    sample_bucket: str = ""
    sample_by: str = SampleBy.FREE
    duration: str = ""
    is_traced: bool = False


@dataclass(frozen=True, slots=True)
class SuiteAnalysis:
    """Live working sets of programs of a suite, of which the user names a checkout.

    Attributes:
        form: Of the code, as `laxity workingset` names it.
        weights: How instructions count.
        named: Programs that must be among them.
        is_of_named_alone: No others are analysed.
        progression: Whether those are run for their live bytes along the run.
    """

    form: str
    weights: tuple[Weight, ...]
    named: tuple[str, ...]
    is_of_named_alone: bool = False
    has_progression: bool = False


@dataclass(frozen=True, slots=True)
class LiveAnalysis:
    """Live working sets of programs of ours, papers/live/NAME.c, and where their code lies."""

    programs: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class MigratedRun:
    """A run of one of those programs whose jobs are driven to another core at many instants.

    Attributes:
        program: Its name.
        cpus: From where to where.
        parts: Of a job, of each of which one migrates in the middle, and one where least is live.
        instruction_ns: What an instruction takes on the platform, if it waits for nothing.
    """

    program: str
    cpus: tuple[int, int]
    parts: int
    instruction_ns: Fraction


@dataclass(frozen=True, slots=True)
class LoadGrid:
    """Loads: each number of lines that are read, of ten, with each delay."""

    reads: tuple[int, ...]
    delays: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class ContentionTrial:
    """A contention table of a program, and what regulators make of loads with it.

    Attributes:
        workload: The program, one job on CPU 0, caches cold.
        word: Its argument.
        placements: CPUs with loads, as factors of their delays.
        profiled: Loads of the table.
        tried: Loads that are regulated.
        policies: Rules of regulators, as `laxity contention evaluate` names them.
        theta: Loss that is allowed.
    """

    workload: str
    word: str
    placements: tuple[tuple[int, ...], ...]
    profiled: LoadGrid
    tried: tuple[LoadGrid, ...]
    policies: tuple[Policy, ...]
    theta: str


@dataclass(frozen=True, slots=True)
class Experiment:
    """One measurement or run of tasks on a platform, or an analysis of programs.

    Attributes:
        name: Of its run.
        platform: A shipped one, by its name; "": none is simulated, and tasks run on this machine.
        work: What is done.
        changed: What the platform file has otherwise, TOML; its base is `platform` then.
        change: That in words: `with 2 ways`.
    """

    name: str
    platform: str
    work: Measurement | TaskRun | SuiteAnalysis | LiveAnalysis | MigratedRun | ContentionTrial
    changed: str = ""
    change: str = ""

    @property
    def where(self) -> str:
        """The platform as tables name it."""
        if isinstance(self.work, SuiteAnalysis):
            return f"programs of a suite, form {self.work.form}"
        if isinstance(self.work, LiveAnalysis):
            return "programs of ours, form sroa"
        if self.is_of_machine:
            return "this machine"
        return f"sim:{self.platform} {self.change}".rstrip()

    @property
    def is_of_machine(self) -> bool:
        """Whether it runs on this machine, and comes out otherwise each time."""
        return isinstance(self.work, TaskRun) and not self.platform

    @property
    def kind(self) -> str:
        """Of its figures."""
        is_analysis = isinstance(self.work, SuiteAnalysis | LiveAnalysis)
        if self.is_of_machine:
            return "measured"
        return "proven" if is_analysis else "simulated"


@dataclass(frozen=True, slots=True)
class Row:
    """One value of the paper.

    Attributes:
        what: It is.
        paper: Its value there; None: it has words only.
        unit: Of both values.
        kind: Of ours.
        ours: Computes it from what the paper's `read` has made of the runs.
        reason: Why the two differ.
        basis: Of the paper's value.
        said: What it says in place of a value; "": nothing of this.
        agrees: Whether our value is as it says; None: its words do not decide that.
    """

    what: str
    paper: float | None
    unit: str
    kind: Kind
    ours: Callable[[Any], float]
    reason: str
    basis: Basis = "measured"
    said: str = ""
    agrees: Callable[[float], bool] | None = None


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

    @property
    def needs_suite(self) -> bool:
        """Whether it is of programs that laxity does not bring along."""
        return any(isinstance(one.work, SuiteAnalysis) for one in self.experiments)

    @property
    def is_of_machine(self) -> bool:
        """Whether it is measured; then it is made only if it is named."""
        return any(one.is_of_machine for one in self.experiments)


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
        suite: Whose programs some exhibits are of; the user has it, or has it not.
        presets: Exhibits by how much is simulated for them; the first are `exhibits`. Empty: there
            is one amount.
        preset: That of `exhibits`.
    """

    name: str
    title: str
    reference: str
    summary: str
    missing: str
    exhibits: tuple[Exhibit, ...]
    read: Callable[[Runs], Any]
    suite: str = ""
    presets: Mapping[str, tuple[Exhibit, ...]] = field(default_factory=dict)
    preset: str = ""

    @property
    def command(self) -> str:
        """What makes all of its exhibits."""
        is_first = self.preset == next(iter(self.presets), "")
        return f"laxity reproduce {self.name}{'' if is_first else f' --preset {self.preset}'}"

    def with_preset(self, preset: str) -> "Paper":
        """Take the exhibits of a preset.

        Raises:
            ConfigError: There is none of that name.
        """
        if preset not in self.presets:
            msg = f"--preset {preset}: {self.name} has no presets; leave it out"
            if self.presets:
                msg = f'{self.name}: no preset "{preset}"; there are {", ".join(self.presets)}'
            raise ConfigError(msg)
        return replace(self, exhibits=self.presets[preset], preset=preset)

    def chosen(self, figures: Sequence[str], *, has_suite: bool = False) -> tuple[Exhibit, ...]:
        """Return exhibits by their names, or all of models for which there is what they need.

        Args:
            figures: Their names; empty: all.
            has_suite: Whether the user names a checkout.

        Raises:
            ConfigError: There is no such one, or it needs a suite, or none does and one is named.
        """
        names = [one.name for one in self.exhibits]
        for figure in figures:
            if figure not in names:
                there = f"there are {', '.join(names)}"
                msg = f'{self.name}: no figure "{figure}" is reproduced; {there}'
                raise ConfigError(msg)
        found = self.named(figures or [one.name for one in self.exhibits if not one.is_of_machine])
        needy = [one.name for one in found if one.needs_suite]
        if has_suite and not needy:
            msg = f"--suite: {self.name} {' '.join(figures)}".rstrip()
            msg += " is of no programs that a suite has; leave it out"
            raise ConfigError(msg)
        if needy and not has_suite and figures:
            msg = f"{', '.join(needy)}: of programs of {self.suite}, which laxity does not bring "
            msg += "along; name a checkout: --suite DIR"
            raise ConfigError(msg)
        return tuple(one for one in found if has_suite or not one.needs_suite)

    def left_out(self, chosen: Sequence[Exhibit], figures: Sequence[str]) -> tuple[Fallback, ...]:
        """Say which exhibits are left out though all were asked for."""
        reason = f"of programs of {self.suite}: name a checkout, --suite DIR"
        return tuple(
            Fallback(what=one.name, used="left out", reason=reason)
            for one in self.exhibits
            if not figures and one not in chosen and not one.is_of_machine
        )

    def named(self, names: Sequence[str]) -> tuple[Exhibit, ...]:
        """Return the exhibits of these names; one that this build does not know is left out."""
        return tuple(one for one in self.exhibits if one.name in names)


def paper_of(name: str, preset: str = "") -> Paper:
    """Return a paper.

    Args:
        name: One of `NAMES`.
        preset: How much is simulated; "": the first of its presets.

    Raises:
        ConfigError: No paper is called so, or it lacks the preset.
    """
    if name not in NAMES:
        msg = f'no paper "{name}" is reproduced; there is {", ".join(NAMES)}'
        raise ConfigError(msg)
    paper: Paper = import_module(f"laxity.papers.{name.replace('-', '_')}").PAPER
    return paper.with_preset(preset) if preset else paper


def experiments_of(exhibits: tuple[Exhibit, ...]) -> tuple[Experiment, ...]:
    """List the experiments of exhibits, each once."""
    found = {one.name: one for exhibit in exhibits for one in exhibit.experiments}
    return tuple(found.values())
