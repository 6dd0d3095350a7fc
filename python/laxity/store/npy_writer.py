# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""Writing a stream that is computed after a run, whole and at once.

Streams that are measured are written by C (native/base/npy.c), row by row.
"""

import io
from pathlib import Path
from typing import TYPE_CHECKING, Any

from laxity.store.run_directory import write_file

if TYPE_CHECKING:
    import numpy as np


def write_stream(path: Path, rows: "np.ndarray[Any, Any]") -> None:
    """Write a stream so that it is either whole or as it was.

    Args:
        path: The file.
        rows: Structured array of plain columns; absent values as `laxity.core.streams` says.

    Raises:
        PlatformError: The output is full.
    """
    import numpy as np  # noqa: PLC0415 - takes longer to load than most commands to run

    # Without the holes that selecting columns leaves.
    packed = np.dtype([(name, rows.dtype[name].str) for name in rows.dtype.names or ()])
    data = io.BytesIO()
    np.lib.format.write_array(data, np.ascontiguousarray(rows.astype(packed)), version=(1, 0))
    write_file(path, data.getvalue())
