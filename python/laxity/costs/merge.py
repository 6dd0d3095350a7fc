# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""Cost models from files and runs, and one from several."""

from collections.abc import Sequence
from pathlib import Path

from laxity import __version__
from laxity.costs.from_rows import join_entries
from laxity.costs.model import Costs, Entry, decode_costs
from laxity.errors import ConfigError, NoVerdict, cannot_read
from laxity.jobs.finish import open_recovered
from laxity.store.manifest import Tool
from laxity.store.run_directory import COSTS, MANIFEST, Run


def read_costs(path: Path) -> Costs:
    """Read a cost model.

    Args:
        path: A costs.json, or the run that holds one.

    Raises:
        ConfigError: There is no such file or run, or the run measured no costs.
        RecordError: It is damaged.
    """
    file = path
    if path.suffix == Path(COSTS).suffix and not path.exists():
        msg = f"costs {path}: does not exist; name a costs.json, or the run that holds one"
        raise ConfigError(msg)
    if path.is_dir() or not path.exists():
        run = open_recovered(path)
        file = run.path / COSTS
        if not file.exists():
            msg = f"run {path}: measured no costs; name a run of laxity measure"
            raise ConfigError(msg)
    try:
        data = file.read_bytes()
    except OSError as error:
        raise cannot_read(file, error) from error
    if file == path and data and not data.lstrip().startswith(b"{"):
        what = "name a run of laxity measure, or what costs merge wrote"
        if (path.parent / MANIFEST).is_file():
            what = f"it is a file of a run; name that, {path.parent}"
        msg = f"{path}: is no cost model; {what}"
        raise ConfigError(msg)
    return decode_costs(data, str(file))


def merge_runs(paths: Sequence[Path]) -> Costs:
    """Join what several runs measured: entries are computed again from all samples.

    Raises:
        ConfigError: There is no such run, it measured no costs, or it is named twice.
        NoVerdict: They were not made on one machine.
        RecordError: A run is damaged.
    """
    runs = [run for path in paths for run in open_measured(path)]
    _check_different(runs)
    check_one_machine(runs)
    return Costs(
        tool=Tool(name="laxity", version=__version__),
        machine_hash=runs[0].manifest.machine_hash or "",
        entries=join_entries(runs),
    )


def left_out(merged: Costs, paths: Sequence[Path]) -> list[str]:
    """Name what runs have and their merged model has not: entries that contradict others.

    Args:
        merged: Of the runs.
        paths: Of these.
    """
    known = {(one.name, one.axes) for one in merged.entries}
    return [
        f"left out: {one.name} of {path}, {_words(one)}: unlike others (docs/costs.md)"
        for path in paths
        for run in open_measured(path)
        for one in join_entries([run])
        if (one.name, one.axes) not in known
    ]


def open_measured(path: Path) -> list[Run]:
    """Open a run that measured, or the runs that one consists of.

    Raises:
        ConfigError: There is no such run, or it measured no costs.
        RecordError: It is damaged.
    """
    if path.is_file():
        msg = f"{path}: is a file; name the runs themselves, quantiles need their samples"
        raise ConfigError(msg)
    run = open_recovered(path)
    runs = [one for one in (run, *run.children) if one.manifest.measurement is not None]
    if not runs:
        msg = f"run {path}: measured no costs; name runs of laxity measure"
        raise ConfigError(msg)
    return runs


def _check_different(runs: Sequence[Run]) -> None:
    seen: set[Path] = set()
    for run in runs:
        path = run.path.resolve()
        if path in seen:
            msg = f"run {run.path}: is named twice; name each run once"
            raise ConfigError(msg)
        seen.add(path)


def check_one_machine(runs: Sequence[Run]) -> None:
    """Refuse runs of several machines.

    Raises:
        NoVerdict: They were not made on one machine.
    """
    first = runs[0].manifest.machine_hash
    for run in runs:
        if not first or run.manifest.machine_hash != first:
            msg = (
                f"run {run.path}: machine {_short(run.manifest.machine_hash)} is not that of "
                f"{runs[0].path}, {_short(first)}; costs of two machines cannot be joined"
            )
            raise NoVerdict(msg)


def _words(entry: Entry) -> str:
    return ", ".join(f"{key} {value}" for key, value in entry.axes.stated)


def _short(machine_hash: str | None) -> str:
    return machine_hash[:12] if machine_hash else "not known"
