# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""The samples behind entries of costs.json, from the rows of the runs that they name."""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np

from laxity.bounds.cost_pwcet import SamplesOf
from laxity.costs.model import Axes, Costs, Entry
from laxity.costs.probe import Source, probe_of
from laxity.errors import ConfigError, NoVerdict, RecordError
from laxity.store import run_directory
from laxity.store.manifest import kind_of_figures
from laxity.store.run_directory import MANIFEST, Run

_Found: TypeAlias = dict[tuple[str, Axes], tuple[Entry, Any]]


def samples_beside(path: Path, model: Costs) -> SamplesOf:
    """Make what reads the samples of entries; a run is read once, when it is first asked for.

    Runs are looked for by name: where the costs are, among the runs that it consists of, in it, and
    beside it.

    Args:
        path: A costs.json, or the run that holds one.
        model: What it holds.
    """
    home = (path if path.is_dir() else path.parent).absolute()
    known: dict[tuple[str, ...], _Found] = {}

    def samples_of(entry: Entry) -> Any:  # noqa: ANN401 - numpy's typing of rows
        names = tuple(entry.runs)
        if names not in known:
            known[names] = _read(home, names, model.machine_hash)
        found = known[names].get((entry.name, entry.axes))
        if found is None:
            msg = f"{_named(names)} measured no samples of it"
            raise NoVerdict(msg)
        again, samples_ns = found
        if (again.n, again.max) != (entry.n, entry.max):
            msg = (
                f"{_named(names)} measured it with n = {again.n} and a largest sample of "
                f"{again.max} ns, the costs have n = {entry.n} and {entry.max} ns: another run, or "
                "another version's costs"
            )
            raise NoVerdict(msg)
        return samples_ns

    return samples_of


def _read(home: Path, names: Sequence[str], machine_hash: str) -> _Found:
    """Compute from the rows of runs, in order of time, what each of their entries was of."""
    if not names:
        msg = "the costs name no run"
        raise NoVerdict(msg)
    try:
        runs = [_open(home, name) for name in names]
        runs.sort(key=lambda run: run.manifest.started_at)
        return _samples(runs, machine_hash)
    except (ConfigError, RecordError) as error:
        raise NoVerdict(str(error)) from error


def _open(home: Path, name: str) -> Run:
    for place in _places(home, name):
        if (place / MANIFEST).is_file():
            return run_directory.open_run(place)
    msg = (
        f"run {name} is neither {home} nor in it nor beside it; put its directory beside the costs"
    )
    raise NoVerdict(msg)


def _places(home: Path, name: str) -> Iterator[Path]:
    # A name from a file must not lead anywhere else.
    if name == ".." or Path(name).name != name:
        return
    if home.name == name:
        yield home
    yield from (home / "runs" / name, home / name, home.parent / name)


def _samples(runs: Sequence[Run], machine_hash: str) -> _Found:
    sources = []
    probes = set()
    for run in runs:
        asked = run.manifest.measurement
        if asked is None:
            msg = f"run {run.path}: measured no costs"
            raise NoVerdict(msg)
        if run.manifest.machine_hash != machine_hash:
            msg = f"run {run.path}: is of another machine than the costs"
            raise NoVerdict(msg)
        probes.add(asked.probe)
        streams = {name: _in_time(run, name) for name in probe_of(asked.probe).streams}
        is_exact = kind_of_figures(run.manifest) == "simulated"
        sources.append(Source(run.path.name, streams, asked, is_exact))
    probe = probe_of(probes.pop())
    if probes or probe.samples is None:
        msg = f"{_named([run.path.name for run in runs])} measured no single events"
        raise NoVerdict(msg)
    found = probe.samples(probe.measured(sources))
    return {(entry.name, entry.axes): (entry, samples_ns) for entry, samples_ns in found}


def _in_time(run: Run, stream: str) -> Any:  # noqa: ANN401 - a masked array
    rows = run.stream(stream)
    return rows[np.argsort(np.ma.getdata(rows["time_ns"]), kind="stable")]


def _named(names: Sequence[str]) -> str:
    return f"{'run' if len(names) == 1 else 'runs'} {', '.join(names)}"
