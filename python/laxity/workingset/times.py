# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""Time per block of programs, from whoever knows it: a simulated platform, or a measurement.

A traced run cannot know it: what traces an access takes longer than the access.
"""

import csv
import math
from collections import Counter
from dataclasses import dataclass
from itertools import compress
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from laxity.errors import ConfigError, cannot_read
from laxity.workingset.tables import EXECUTIONS, Table

_PER_EXECUTION = "_per_execution"
_UNITS = ("ns", "cycles")
COLUMNS = (*_UNITS, *(f"{unit}{_PER_EXECUTION}" for unit in _UNITS))


@dataclass(frozen=True, slots=True)
class BlockTimes:
    """Time of each block that the file names.

    Attributes:
        path: Of the file.
        column: Which of `COLUMNS` it has: of the whole run, or of one execution.
        times: By program ("" if the file names none), function and block.
    """

    path: Path
    column: str
    times: dict[tuple[str, str, str], float]

    @property
    def is_per_execution(self) -> bool:
        """Whether executions have to be counted, too."""
        return self.column.endswith(_PER_EXECUTION)

    def of_program(self, program: str) -> dict[tuple[str, str], float]:
        """Return what is stated of one program, by function and block."""
        return {
            (function, block): time
            for (stated, function, block), time in self.times.items()
            if stated in {"", program}
        }


def read_block_times(path: Path) -> BlockTimes:
    """Read a table `[program,]function,block` and one column of `COLUMNS`.

    Raises:
        ConfigError: It is none, or states a block twice.
        RecordError: It cannot be read.
    """
    try:
        with path.open(encoding="utf-8", newline="") as file:
            reader = csv.DictReader(file)
            column = _column(path, reader.fieldnames or ())
            times: dict[tuple[str, str, str], float] = {}
            for row in reader:
                key = (row.get("program") or "", row["function"] or "", row["block"] or "")
                if key in times:
                    raise ConfigError(_wrong(path, reader.line_num, "states a block twice"))
                times[key] = _time(path, reader.line_num, row[column])
    except OSError as error:
        raise cannot_read(path, error) from error
    except (UnicodeDecodeError, csv.Error) as error:
        msg = f"--times {path}: is no CSV table ({error}); docs/working-set.md says what is in it"
        raise ConfigError(msg) from error
    return BlockTimes(path, column, times)


def weigh_by_times(
    times: BlockTimes, program: str, table: Table
) -> tuple[NDArray[np.float64] | None, str | None]:
    """Weigh the instructions of one program by the time of their blocks.

    What is within a block is not known: its instructions share its time equally, but for phis.

    Args:
        times: Of all programs.
        program: The one.
        table: Its instructions that can be reached.

    Returns:
        A weight per instruction; or None and why there is none.
    """
    stated = times.of_program(program)
    blocks = list(zip(table.texts("function"), table.texts("block"), strict=True))
    is_step = table.steps()
    sizes = Counter(compress(blocks, is_step))
    strange = [one for one in stated if one not in sizes]
    if strange:
        function, block = strange[0]
        return None, (
            f"{times.path} names {len(strange)} blocks that the analysis does not reach, such as "
            f"block {block} of {function}: it is of another build or form"
        )
    if not times.is_per_execution:
        # A block without a row took no time: platforms list what was executed.
        return _weights(
            [
                stated.get(one, 0.0) / sizes[one] if counts else 0.0
                for one, counts in zip(blocks, is_step, strict=True)
            ]
        )
    executions = table.optional_integers(EXECUTIONS)
    lacking = {one for one, n in zip(blocks, executions, strict=True) if n and one not in stated}
    if lacking:
        return None, f"{times.path} has no time for {len(lacking)} blocks that were executed"
    return _weights(
        [
            stated.get(one, 0.0) * (n or 0) / sizes[one] if counts else 0.0
            for one, n, counts in zip(blocks, executions, is_step, strict=True)
        ]
    )


def _weights(found: list[float]) -> tuple[NDArray[np.float64] | None, str | None]:
    if not any(found):
        return None, "no block has a time"
    return np.array(found, dtype=np.float64), None


def _column(path: Path, names: Any) -> str:  # noqa: ANN401 - csv's own type
    columns = [one for one in COLUMNS if one in names]
    if len(columns) != 1 or "function" not in names or "block" not in names:
        msg = (
            f"--times {path}: needs the columns function, block and one of {', '.join(COLUMNS)}; "
            f"found {', '.join(names) or 'none'}"
        )
        raise ConfigError(msg)
    return columns[0]


def _time(path: Path, line: int, text: str | None) -> float:
    try:
        time = float(text or "")
    except ValueError:
        time = math.nan
    if not math.isfinite(time) or time < 0:
        raise ConfigError(_wrong(path, line, f'"{text}" is no time'))
    return time


def _wrong(path: Path, line: int, what: str) -> str:
    return f"--times {path}: line {line}: {what}; correct it"
