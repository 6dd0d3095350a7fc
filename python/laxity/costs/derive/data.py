# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""What runs hold that a platform file can be derived from."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import msgspec

from laxity.core.streams import MEMORY_CASES
from laxity.costs import model
from laxity.costs.memory_latency.data import AccessCurve, Hierarchy, read_findings
from laxity.costs.memory_latency.rows import NO_NODE, AccessTime
from laxity.costs.merge import check_one_machine, open_measured
from laxity.costs.switch.costs import Cost
from laxity.costs.switch.data import read_switch
from laxity.costs.switch.rows import BEST, CASES
from laxity.errors import ConfigError, NoVerdict, RecordError
from laxity.platform.machine import Machine
from laxity.store.manifest import kind_of_figures
from laxity.store.measurements import MemoryLatencyMeasurement
from laxity.store.run_directory import Run

_STREAM = MEMORY_CASES.index("stream_read")


@dataclass(frozen=True, slots=True)
class Seen:
    """What was seen of one CPU and the memory nearest to it.

    Attributes:
        run: What the sources call the run that measured access times.
        kind: Of the figures: `measured`, or `simulated`.
        hierarchy: Its levels, and what the system claims.
        has_colours: Whether pages of its memory may have collided in caches.
        line_bytes: Between two elements of the chain.
        stream: Lines read in order, from the largest array; None: not measured.
        switch: delta of this CPU where nothing was evicted; None: not measured.
    """

    run: str
    kind: str
    machine: Machine
    hierarchy: Hierarchy
    has_colours: bool
    line_bytes: int
    stream: AccessTime | None
    switch: Cost | None

    @property
    def cpu(self) -> int:
        """The CPU that was measured."""
        return self.hierarchy.chase[0].place.cpu


def read_seen(paths: Sequence[Path]) -> Seen:
    """Read what runs saw of a machine.

    Args:
        paths: Runs of `laxity measure`; one of them measured access times.

    Raises:
        ConfigError: There is no such run, or none measured access times.
        NoVerdict: They were not made on one machine, or no level can be told in the curve.
        RecordError: A run is damaged.
    """
    runs = [run for path in paths for run in open_measured(path)]
    check_one_machine(runs)
    asked = [(run, run.manifest.measurement) for run in runs]
    latencies = [one for one in asked if isinstance(one[1], MemoryLatencyMeasurement)]
    if not latencies:
        msg = (
            f"run {paths[0]}: measured no access times; make a run that has: "
            "laxity measure memory-latency"
        )
        raise ConfigError(msg)
    if len(latencies) > 1:
        named = " and ".join(str(run.path) for run, _ in latencies[:2])
        msg = f"runs {named}: both measured access times; name one of them"
        raise ConfigError(msg)
    ((run, measurement),) = latencies
    found, problems = read_findings(run)
    if problems:
        raise RecordError(problems[0])
    machine = msgspec.convert(run.machine, Machine)
    hierarchy = _choose(found.hierarchies, machine, run)
    assert isinstance(measurement, MemoryLatencyMeasurement)  # noqa: S101 - see above
    return Seen(
        run=_name(run),
        kind=kind_of_figures(run.manifest),
        machine=machine,
        hierarchy=hierarchy,
        has_colours=measurement.pages != "huge" and kind_of_figures(run.manifest) == "measured",
        line_bytes=measurement.line_bytes,
        stream=_stream(found.curves, hierarchy),
        switch=_switch(runs, hierarchy.chase[0].place.cpu),
    )


def _name(run: Run) -> str:
    """Name a run, within another one by both."""
    path = run.path.resolve()
    is_part = path.parent.name == "runs" and (path.parent.parent / "manifest.json").exists()
    return f"{path.parent.parent.name}/{path.name}" if is_part else path.name


def _choose(hierarchies: Sequence[Hierarchy], machine: Machine, run: Run) -> Hierarchy:
    """Choose the CPU whose curve shows most levels, in memory of its own node; the first of them.

    Raises:
        NoVerdict: None shows any.
    """
    local = [one for one in hierarchies if _is_local(one, machine)] or list(hierarchies)
    chosen = max(local, key=lambda one: len(one.levels), default=None)
    if chosen is None or not chosen.levels:
        msg = (
            f"run {run.path}: no level can be told in its curve; measure the chain again, with "
            "more sizes (laxity measure memory-latency --case chase)"
        )
        raise NoVerdict(msg)
    return chosen


def _is_local(hierarchy: Hierarchy, machine: Machine) -> bool:
    place = hierarchy.chase[0].place
    nodes = {one.node for one in machine.stable.nodes if place.cpu in one.cpus}
    return place.node == NO_NODE or not nodes or place.node in nodes


def _stream(curves: Sequence[AccessCurve], hierarchy: Hierarchy) -> AccessTime | None:
    here = hierarchy.chase[0].place
    streams = (
        curve[-1]
        for curve in curves
        if curve[0].place.case == _STREAM and curve[0].place.curve[:3] == here.curve[:3]
    )
    return next((one for one in streams if one.verdict == "ok"), None)


def _switch(runs: Sequence[Run], cpu: int) -> Cost | None:
    """Find delta: of this CPU, else of any."""
    costs = [
        cost
        for run in runs
        if run.manifest.measurement is not None and run.manifest.measurement.probe == "switch"
        for cost in read_switch(run)[0].costs
        if (cost.place.name, cost.place.case) == (model.DELTA, CASES[BEST]) and cost.verdict == "ok"
    ]
    return min(costs, key=lambda one: one.place.cpu != cpu, default=None)
