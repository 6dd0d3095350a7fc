# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""From the observations of a probe to costs.json."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import msgspec

from laxity.costs.model import Costs, Entry
from laxity.costs.probe import NAMES, Probe, Source, probe_of
from laxity.errors import EXIT_DONE, EXIT_NO_VERDICT, RecordError
from laxity.jobs.ends import End, judge_end, read_native
from laxity.store import run_directory
from laxity.store.manifest import Manifest, kind_of_figures
from laxity.store.npy import read_header, read_stream
from laxity.store.run_directory import COSTS, Run


def fold(tmp: Path, manifest: Manifest, end: End) -> tuple[Manifest, bool]:
    """Put laxity-probe's half into the manifest and compute costs from what it has written.

    Returns:
        The manifest, and whether there is anything to keep.
    """
    native = read_native(tmp)
    status, exit_code, message = judge_end(end.returncode, "laxity-probe")
    folded = msgspec.structs.replace(
        manifest,
        status=status,
        exit_code=exit_code,
        message=message,
        finished_at=end.time(tmp),
    )
    if native is not None:
        folded = msgspec.structs.replace(
            folded,
            clock=native.clock,
            status=native.status if end.has_survived else "recovered",
            exit_code=native.exit_code,
            message=native.message,
            fallbacks=[*manifest.fallbacks, *native.fallbacks],
        )
    return write_costs(tmp, folded), (tmp / COSTS).exists()


def has_rows(tmp: Path, manifest: Manifest) -> bool:
    """Whether a measurement wrote its stream at all."""
    asked = manifest.measurement
    return asked is not None and (tmp / f"{probe_of(asked.probe).streams[0]}.npy").exists()


def write_costs(tmp: Path, manifest: Manifest) -> Manifest:
    """Compute the costs of a measurement and write them beside its stream.

    Args:
        tmp: Directory of the run; without a single observation nothing is written.
        manifest: As far as it is known how the measurement ended.

    Returns:
        The manifest; a measurement that ended well and supports no verdict has exit code 4.
    """
    asked = manifest.measurement
    if asked is None:
        return manifest
    probe = probe_of(asked.probe)
    streams = {name: rows for name in probe.streams if (rows := _rows(tmp, name)) is not None}
    if probe.streams[0] not in streams:
        return manifest
    name, is_exact = run_directory.final_path_of(tmp).name, _is_exact(manifest)
    entries = _of_platform(probe.costs([Source(name, streams, asked, is_exact)]), manifest)
    costs = Costs(tool=manifest.tool, machine_hash=manifest.machine_hash or "", entries=entries)
    run_directory.write_document(tmp / COSTS, costs)
    if manifest.exit_code == EXIT_DONE and all(one.verdict == "no_verdict" for one in entries):
        return msgspec.structs.replace(
            manifest,
            exit_code=EXIT_NO_VERDICT,
            message="too few observations for a verdict; raise --repetitions to 6 or more",
        )
    return manifest


def join(tmp: Path, manifest: Manifest) -> None:
    """Write the costs of a run that consists of measurements; nothing where none of it is one.

    The runs of a reproduction are of several platforms, which have no costs together.

    Raises:
        RecordError: A run within is damaged.
    """
    if manifest.kind == "reproduction":
        return
    children = [run_directory.open_run(tmp / "runs" / name) for name in manifest.runs]
    entries = join_entries([run for run in children if run.manifest.measurement is not None])
    if entries:
        machine_hash = manifest.machine_hash or ""
        costs = Costs(tool=manifest.tool, machine_hash=machine_hash, entries=entries)
        run_directory.write_document(tmp / COSTS, costs)


def join_entries(runs: Sequence[Run]) -> list[Entry]:
    """Compute the entries of every probe that any of the runs used, in the order of NAMES.

    Raises:
        RecordError: A run is damaged.
    """
    entries: list[Entry] = []
    for name in NAMES:
        measured = [
            run
            for run in runs
            if run.manifest.measurement is not None and run.manifest.measurement.probe == name
        ]
        if not measured:
            continue
        probe = probe_of(name)
        sources = [
            Source(
                run.path.absolute().name,
                _streams(run, probe),
                run.manifest.measurement,
                _is_exact(run.manifest),
            )
            for run in measured
        ]
        entries += _of_platform(probe.costs(sources), measured[0].manifest)
    return entries


def _of_platform(entries: Sequence[Entry], manifest: Manifest) -> list[Entry]:
    """Call figures that were seen what the platform makes of them; what was computed stays so."""
    kind = kind_of_figures(manifest)
    return [
        msgspec.structs.replace(entry, kind=kind) if entry.kind == "measured" else entry
        for entry in entries
    ]


def _is_exact(manifest: Manifest) -> bool:
    return kind_of_figures(manifest) == "simulated"


def _streams(run: Run, probe: Probe) -> dict[str, Any]:
    return {name: run.stream(name) for name in probe.streams if run.has_stream(name)}


def _rows(tmp: Path, name: str) -> Any:  # noqa: ANN401 - a masked array; numpy is loaded lazily
    """Read what there is of a stream; None: nothing, or torn before its first row."""
    path = tmp / f"{name}.npy"
    try:
        return read_stream(path) if path.exists() and read_header(path).rows else None
    except RecordError:
        return None
