# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""What a program that was ported to RT-Bench finds in its harness: laxity is in its place.

Headers and the few things that the harness defines are ours, whether RT-Bench's own lie in the
checkout or not: what a port is compiled with does not depend on the folder that was asked for.
"""

import shutil
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from laxity.platform.tools import source_root, tool_roots

HEADERS = frozenset({"logging.h", "multithread.h", "optional_features.h", "periodic_benchmark.h"})
# Of rtbench/logging.c.
DEFINED = frozenset(
    {
        "benchmark_verbosity",
        "close_log_file",
        "close_output_file",
        "extra_measurement",
        "log_filep",
        "open_log_file",
        "open_output_file",
    }
)
# Other headers are called logging.h, too; these two names are RT-Bench's alone.
_ITS_HEADER, _ITS_SOURCE = "periodic_benchmark.h", "periodic_benchmark.c"
HARNESS_REASON = "is RT-Bench's own harness; laxity takes its place"


@dataclass(frozen=True, slots=True)
class PortKit:
    """Our half of a port: directory of its headers, and the source of what the harness defines."""

    headers: Path
    source: Path


@cache
def port_kit() -> PortKit | None:
    """Find it in the checkout that this code runs from, or where our programs are installed."""
    root, tool = source_root(), shutil.which("laxity-vet")
    kits = [PortKit(root / "include" / "rtbench", root / "rtbench" / "logging.c")] if root else []
    prefixes = [*tool_roots(), *([Path(tool).resolve().parent.parent] if tool else [])]
    for prefix in prefixes:
        source = prefix / "lib" / "laxity" / "rtbench" / "logging.c"
        kits.append(PortKit(prefix / "include" / "rtbench", source))
    return next((kit for kit in kits if kit.source.is_file()), None)


def is_harness(directory: Path) -> bool:
    """Tell whether a directory holds headers or sources of RT-Bench's own harness."""
    return (directory / _ITS_HEADER).is_file() or (directory / _ITS_SOURCE).is_file()
