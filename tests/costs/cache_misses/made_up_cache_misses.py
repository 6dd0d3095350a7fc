# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""The run of a test of cache counters, made up: an L1d of which each pass is known."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
from numpy.lib import recfunctions
from tests.report.run_builder import Made, ordinary_rows, write_composite

from laxity.costs.cache_misses.document import CacheMisses, CaseRecord
from laxity.costs.cache_misses.plan import plan_cache_misses
from laxity.platform.facts import Facts
from laxity.platform.machine import Machine, describe_machine
from laxity.store.manifest import Event, encode_document
from laxity.store.run_directory import MANIFEST, MISSES, hash_files, read_manifest, write_document

EVENT = "l1d_refill"
# What a job does around its passes.
AROUND, AROUND_NS = 100, 5000
HIT_NS, MISS_NS = 2, 10
_INDEX = "/sys/devices/system/cpu/cpu1/cache/index0"

# Misses and lines of a pass of a case.
Counts = Callable[[CaseRecord], float]


def machine(**changes: str) -> Machine:
    """32 KiB of 8 ways, lines of 64 B: 64 sets, 512 lines; a file left empty is not there."""
    files = {
        "level": "1",
        "type": "Data",
        "size": "32K",
        "ways_of_associativity": "8",
        "coherency_line_size": "64",
        "shared_cpu_list": "1",
    }
    given = {f"{_INDEX}/{name}": text for name, text in (files | changes).items() if text}
    return describe_machine(Facts({"/sys/devices/system/cpu/possible": "0-1", **given}))


def plan(**changes: str) -> CacheMisses:
    """What is tested there."""
    asked, _ = plan_cache_misses(machine(**changes), 1, [EVENT], None)
    return asked


def write_cache_misses(
    directory: Path, misses: Counts, *, scale_ratio: float = 1.0, n_jobs: int = 12
) -> Path:
    """Write it.

    Args:
        directory: Of the run.
        misses: Of a pass of a case.
        scale_ratio: Time enabled to time counted of each job.
        n_jobs: Of each task.
    """
    asked = plan()

    def task(name: str, case: CaseRecord, passes: int) -> Made:
        rows = ordinary_rows(n_jobs, deadline=False)
        lines = case.size_bytes // 64
        pass_ns = lines * HIT_NS + misses(case) * MISS_NS
        rows["exec_ns"] = AROUND_NS + round(passes * pass_ns)
        rows["finish_ns"] = rows["start_ns"] + rows["exec_ns"]
        counts = np.full(n_jobs, AROUND + round(passes * misses(case)), dtype="i8")
        added: Any = recfunctions.append_fields(
            rows,
            [EVENT, f"{EVENT}_scale_ratio"],
            [counts, np.full(n_jobs, scale_ratio, dtype="f4")],
            usemask=False,
        )
        return Made(added, name=name, deadline_ns=None)

    tasks = [task(case.short, case, case.passes) for case in asked.cases]
    tasks += [task(case.long, case, 2 * case.passes) for case in asked.cases]
    event = Event(name=EVENT, platform_event="made-up", scope="core", modes="user", empty_count=0)
    first = replace(tasks[0], others=tasks[1:], events=[event])
    write_composite(directory, {"l1d": first})
    manifest = msgspec.structs.replace(
        read_manifest(directory), kind="cache-misses", name="cache-misses"
    )
    write_document(directory / MISSES, asked)
    manifest = msgspec.structs.replace(manifest, files=hash_files(directory))
    (directory / MANIFEST).write_bytes(encode_document(manifest))
    return directory


def as_generated(case: CaseRecord) -> float:
    """Nothing of what fits; 56 sets of 9 lines; every line."""
    lines = case.size_bytes // 64
    return {"quarter": 0, "half": 0, "slope": 56 * 9, "beyond": lines}[case.shape]
