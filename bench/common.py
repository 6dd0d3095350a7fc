# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""What the programs here share: our empty workload run once, and rounds put together."""

import subprocess
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import click
import numpy as np

from laxity.core.streams import Status
from laxity.statistics.distribution import Distribution, from_buckets, from_samples
from laxity.store.npy import read_stream

ROOT = Path(__file__).resolve().parent.parent
OURS = ("release_to_start", "release_to_finish", "start_to_finish")
# A run takes jobs * period; more than three times that and a minute is a hang.
TIMEOUT_FACTOR = 3
TIMEOUT_EXTRA_S = 60


@dataclass(frozen=True, slots=True)
class Settings:
    """What the programs are told; `period_us` in microseconds, the unit of cyclictest's -i."""

    cpu: int
    priority: int
    period_us: int
    jobs: int
    rounds: int
    snapshots: str

    @property
    def timeout_s(self) -> float:
        """Time after which a run counts as hung."""
        return TIMEOUT_FACTOR * self.jobs * self.period_us / 1e6 + TIMEOUT_EXTRA_S


def run_tool(command: Sequence[str], timeout_s: float) -> None:
    """Run one program to its end.

    Raises:
        click.ClickException: It failed or hung; its last words are in the message.
    """
    try:
        subprocess.run(command, check=True, capture_output=True, text=True, timeout=timeout_s)
    except subprocess.CalledProcessError as error:
        msg = f"{' '.join(command)}: exit code {error.returncode}: {error.stderr.strip()[-500:]}"
        raise click.ClickException(msg) from error
    except subprocess.TimeoutExpired as error:
        msg = f"{' '.join(command)}: did not end within {timeout_s:.0f} s"
        raise click.ClickException(msg) from error


def read_ours(run_dir: Path) -> dict[str, Distribution]:
    """Read the three quantities of the finished jobs of a run of one task."""
    rows = read_stream(run_dir / "jobs.npy").data
    finished = rows[np.isin(rows["status"], (Status.DONE, Status.MISSED))]
    release, start, finish = (
        finished[name].astype(np.int64) for name in ("release_ns", "start_ns", "finish_ns")
    )
    samples = (start - release, finish - release, finish - start)
    return {name: from_samples(sample_ns) for name, sample_ns in zip(OURS, samples, strict=True)}


def measure_ours(settings: Settings, idle: str, scratch: Path) -> dict[str, Distribution]:
    """Run our empty workload once; `scratch` is a directory for the run."""
    run_dir = scratch / "run"
    command = [
        *(str(ROOT / "laxity"), "run", "empty", "-p", f"{settings.period_us}us"),
        *("-t", str(settings.jobs), "-c", str(settings.cpu), "-f", str(settings.priority)),
        *("--idle", idle, "--snapshots", settings.snapshots),
        *("--run-dir", str(run_dir), "--quiet", "--no-report"),
    ]
    run_tool(command, settings.timeout_s)
    return read_ours(run_dir)


def pool(distributions: Sequence[Distribution]) -> Distribution:
    """Put the samples of several rounds together."""
    lower, upper, counts = (
        np.concatenate([getattr(each, name) for each in distributions])
        for name in ("lower_ns", "upper_ns", "counts")
    )
    # Buckets of what was longer than the histogram begin alike; the largest maximum comes last.
    order = np.argsort(upper, kind="stable")
    return from_buckets(lower[order], upper[order] + 1, counts[order])
