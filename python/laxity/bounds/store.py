# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""Store what `laxity bound` answered as a run: task set, costs, answer."""

import shutil
from dataclasses import dataclass
from pathlib import Path

import msgspec

from laxity.bounds.document import Answer
from laxity.costs.model import Costs
from laxity.errors import LaxityError
from laxity.jobs import ends, finish
from laxity.jobs.finish import Finished
from laxity.jobs.run_once import new_manifest
from laxity.store import run_directory
from laxity.store.manifest import Manifest, encode_document
from laxity.store.run_directory import BOUND, COSTS, MACHINE, TASK_SET


@dataclass(frozen=True, slots=True)
class BoundRequest:
    """What is stored, where, and what was typed.

    Attributes:
        name: Of the task set.
        task_set: The file as it was given.
        costs: None: zero overheads, as the user said.
        costs_run: The run that holds the costs; None: a file, or no costs.
        platform: That the answer is about, as manifests name it.
    """

    name: str
    answer: Answer
    task_set: bytes
    costs: Costs | None
    costs_run: Path | None
    final: Path
    command_line: list[str]
    platform: str = "native"


def store_bound(request: BoundRequest) -> Finished:
    """Store an answer as one run.

    Raises:
        ConfigError: The directory cannot be created.
        PlatformError: The output is full.
    """
    run = run_directory.create_run(request.final)
    try:
        run_directory.write_file(run.tmp / TASK_SET, request.task_set)
        run_directory.write_file(
            run.tmp / BOUND, encode_document(msgspec.to_builtins(request.answer))
        )
        if request.costs is not None:
            run_directory.write_document(run.tmp / COSTS, request.costs)
        _copy_machine(request.costs_run, run.tmp)
        finish.write_final_manifest(run.tmp, _manifest(request))
        return finish.finish_run(run.tmp, has_survived=True)
    except LaxityError:
        shutil.rmtree(run.tmp, ignore_errors=True)
        raise
    finally:
        run.release()


def _manifest(request: BoundRequest) -> Manifest:
    costs = request.costs
    manifest = new_manifest("bound", request.name, request.command_line, "")
    return msgspec.structs.replace(
        manifest,
        status="complete",
        platform=request.platform,
        exit_code=request.answer.exit_code,
        finished_at=ends.now(),
        # Of the machine that the answer is about; nothing was measured where it was computed.
        machine_hash=None if costs is None else costs.machine_hash,
        parents=_parents(request),
    )


def _parents(request: BoundRequest) -> list[str]:
    """Name the runs that the figures are from, and the one that held them."""
    names = [] if request.costs_run is None else [request.costs_run.absolute().name]
    names += [name for one in request.answer.costs.entries for name in one.runs]
    names += [Path(one.run).name for one in request.answer.wcet_from]
    return list(dict.fromkeys(names))


def _copy_machine(source: Path | None, tmp: Path) -> None:
    """Keep what is known of the machine that was measured."""
    if source is not None and (source / MACHINE).is_file():
        run_directory.write_file(tmp / MACHINE, (source / MACHINE).read_bytes())
