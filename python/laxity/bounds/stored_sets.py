# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""sets.npy of an experiment: rows are appended as sets are tested, and sorted at the end.

A kill leaves at most a torn row. What counts is a set whose answer to every curve is there; the
rest is tested again.
"""

import os
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec

from laxity.core.streams import dtype_of
from laxity.errors import RecordError
from laxity.jobs.ends import End, last_change
from laxity.store.experiment_result import ExperimentRun
from laxity.store.manifest import Manifest
from laxity.store.npy import read_stream
from laxity.store.npy_writer import write_stream

if TYPE_CHECKING:
    import numpy as np

NAME = "sets"
STREAM = f"{NAME}.npy"


class SetRows:
    """The stream while it is written."""

    def __init__(self, directory: Path, asked: ExperimentRun) -> None:
        """Begin a stream, or go on with what is left of one.

        Args:
            directory: Of the run.
            asked: The experiment.

        Raises:
            RecordError: What is left is damaged.
            PlatformError: The output is full.
        """
        self._path = directory / STREAM
        self._asked = asked
        left = _whole_sets(self._path, asked) if self._path.exists() else _no_rows()
        write_stream(self._path, left)
        self.tested = _tested(left)
        # Unbuffered: what is appended survives this process.
        self._file = self._path.open("ab", buffering=0)

    def append(self, point: int, numbers: Sequence[int], answers: Sequence[Sequence[bool]]) -> None:
        """Append the answers of some sets.

        Args:
            point: Index of their utilisation.
            numbers: Which of its sets.
            answers: For each set one per curve.
        """
        import numpy as np  # noqa: PLC0415 - takes longer to load than most commands to run

        rows = [
            (point, number, curve, answer)
            for number, of_set in zip(numbers, answers, strict=True)
            for curve, answer in enumerate(of_set)
        ]
        self._file.write(np.array(rows, dtype=_row_type()).tobytes())

    def close(self) -> None:
        """Let go of the file; what was appended stays."""
        os.fsync(self._file.fileno())
        self._file.close()


def close_rows(directory: Path, manifest: Manifest) -> int:
    """Sort the stream of an experiment that has ended, whatever ended it.

    Args:
        directory: Of the run.
        manifest: With its experiment.

    Returns:
        Sets that were not tested; of an experiment that tested none the stream is removed.

    Raises:
        RecordError: The stream is damaged.
    """
    asked = manifest.experiment
    path = directory / STREAM
    if asked is None or not path.exists():
        return 0
    rows = _whole_sets(path, asked)
    if len(rows):
        write_stream(path, rows)
    else:
        path.unlink()
    return len(asked.utilisations_ppm) * asked.sets - len(rows) // len(asked.curves)


def fold(tmp: Path, manifest: Manifest, _end: End) -> tuple[Manifest, bool]:
    """Keep the sets that a killed experiment had tested.

    Returns:
        The manifest, and whether there is anything to keep.
    """
    n_left = close_rows(tmp, manifest)
    left = msgspec.structs.replace(
        manifest,
        status="recovered",
        message=f"killed, {n_left} sets were not tested yet; the same command goes on",
        finished_at=last_change(tmp),
    )
    return left, (tmp / STREAM).exists()


def _row_type() -> "np.dtype[Any]":
    import numpy as np  # noqa: PLC0415 - as above

    return np.dtype(dtype_of("sets"))


def _no_rows() -> "np.ndarray[Any, Any]":
    import numpy as np  # noqa: PLC0415 - as above

    return np.empty(0, dtype=_row_type())


def _whole_sets(path: Path, asked: ExperimentRun) -> "np.ndarray[Any, Any]":
    """Read the rows of sets that were tested in every way, sorted."""
    import numpy as np  # noqa: PLC0415 - as above

    rows = np.sort(np.ma.getdata(read_stream(path)), order=["point", "set", "curve"])
    if len(rows) and (
        rows["point"].max() >= len(asked.utilisations_ppm)
        or rows["set"].max() >= asked.sets
        or rows["curve"].max() >= len(asked.curves)
    ):
        msg = f"{path}: holds sets that the manifest does not ask for; the run is damaged"
        raise RecordError(msg)
    keys = rows["point"].astype("i8") * asked.sets + rows["set"]
    _, index, counts = np.unique(keys, return_index=True, return_counts=True)
    if (counts > len(asked.curves)).any():
        msg = f"{path}: holds the answer of a set twice; the run is damaged"
        raise RecordError(msg)
    is_whole = np.repeat(counts == len(asked.curves), counts)
    return rows[is_whole] if len(index) else rows


def _tested(rows: "np.ndarray[Any, Any]") -> set[tuple[int, int]]:
    """Name the sets that need not be tested again: point and number."""
    return set(zip(rows["point"].tolist(), rows["set"].tolist(), strict=True))
