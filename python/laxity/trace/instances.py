# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""Private instances of tracefs that killed recorders have left; laxity-trace removes them.

laxity-trace makes a file below `DIRECTORY` before it makes an instance and removes it after it;
both are called laxity-PID-START (native/base/port/tracefs.h). An instance would go on recording.
"""

import os
import re
import subprocess
from pathlib import Path

from laxity.errors import ToolError
from laxity.platform.kernel import Kernel
from laxity.platform.tools import find_tool

DIRECTORY = "/run/laxity/instances"
_NAME = re.compile(r"laxity-([0-9]{1,10})-([0-9]{1,20})", re.ASCII)
# Removing one takes some tens of milliseconds.
_TIMEOUT_S = 60.0


def left_instances(directory: Path = Path(DIRECTORY)) -> list[str]:
    """Name the instances whose process is gone; change nothing."""
    kernel = Kernel()
    found = [_NAME.fullmatch(path.name) for path in sorted(directory.glob("laxity-*"))]
    return [
        one[0]
        for one in found
        if one is not None and not kernel.is_running(int(one[1]), int(one[2]))
    ]


def remove_left_instances() -> list[str]:
    """Remove the instances whose process is gone.

    Returns:
        Sentences for the user; empty if nothing was left.
    """
    left = left_instances()
    if not left:
        return []
    if os.geteuid() != 0:
        return [
            f"left in tracefs by a killed recorder: {', '.join(left)}; run laxity doctor as root"
        ]
    try:
        done = subprocess.run(
            [find_tool("laxity-trace"), "--remove-left"],
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            errors="replace",
            timeout=_TIMEOUT_S,
            check=False,
        )
    except (ToolError, OSError, subprocess.TimeoutExpired) as error:
        return [f"left in tracefs by a killed recorder: {', '.join(left)}: {error}"]
    said = (done.stdout + done.stderr).splitlines()
    return [line.removeprefix("laxity-trace: ") for line in said]
