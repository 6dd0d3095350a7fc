# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""Store what `laxity compare` answered as a run of its own."""

import shutil
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import msgspec

from laxity.errors import LaxityError
from laxity.jobs import ends, finish
from laxity.jobs.finish import Finished
from laxity.jobs.run_once import new_manifest
from laxity.store import run_directory
from laxity.store.run_directory import COMPARE


@dataclass(frozen=True, slots=True)
class CompareRequest:
    """What is stored, where, and what was typed.

    Attributes:
        answer: As `laxity compare --format json` prints it.
        exit_code: Of the command.
        machine_hash: Of the baseline; None: not known.
        parents: Paths of everything that was compared, as they were given.
        final: Directory of the run.
        command_line: As it was typed.
    """

    answer: dict[str, Any]
    exit_code: int
    machine_hash: str | None
    parents: tuple[str, ...]
    final: Path
    command_line: list[str]


def store_comparison(request: CompareRequest) -> Finished:
    """Store an answer as one run.

    Raises:
        ConfigError: The directory cannot be created.
        PlatformError: The output is full.
    """
    run = run_directory.create_run(request.final)
    try:
        run_directory.write_document(run.tmp / COMPARE, request.answer)
        manifest = new_manifest("compare", "compare", request.command_line, "")
        finish.write_final_manifest(
            run.tmp,
            msgspec.structs.replace(
                manifest,
                status="complete",
                exit_code=request.exit_code,
                finished_at=ends.now(),
                # Nothing was measured where the answer was computed.
                machine_hash=request.machine_hash,
                parents=list(request.parents),
            ),
        )
        return finish.finish_run(run.tmp, has_survived=True)
    except LaxityError:
        shutil.rmtree(run.tmp, ignore_errors=True)
        raise
    finally:
        run.release()
