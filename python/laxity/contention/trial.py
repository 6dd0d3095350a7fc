# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""A stored run of kind `contention`: a contention table, and regulators tried with it."""

import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Literal

import msgspec

from laxity.contention.document import Evaluation
from laxity.contention.table import ContentionTable
from laxity.errors import EXIT_DONE, LaxityError
from laxity.jobs import finish
from laxity.jobs.ends import now
from laxity.jobs.finish import Finished
from laxity.jobs.run_once import new_manifest
from laxity.store.run_directory import Run, create_run, read_document, write_document

TRIAL = "trial.json"


class Trial(msgspec.Struct, forbid_unknown_fields=True, frozen=True, kw_only=True):
    """trial.json: the table, and an evaluation for each policy."""

    schema: Literal[1] = 1
    table: ContentionTable
    evaluations: list[Evaluation]


def read_trial(run: Run) -> Trial:
    """Read trial.json of a run.

    Raises:
        RecordError: It is missing or damaged.
    """
    return read_document(run.path / TRIAL, Trial)


def store_trial(
    make: Callable[[], Trial], final: Path, name: str, command_line: list[str]
) -> Finished:
    """Make a trial and store it as a run.

    Raises:
        ConfigError: The directory cannot be created.
        LaxityError: As `make`; then nothing is stored.
    """
    run = create_run(final)
    try:
        manifest = new_manifest("contention", name, command_line, None)
        trial = make()
        write_document(run.tmp / TRIAL, trial)
        manifest = msgspec.structs.replace(
            manifest,
            platform=trial.table.platform,
            status="complete",
            exit_code=EXIT_DONE,
            finished_at=now(),
        )
        finish.write_final_manifest(run.tmp, manifest)
        return finish.finish_run(run.tmp, has_survived=True)
    except (LaxityError, KeyboardInterrupt):
        shutil.rmtree(run.tmp, ignore_errors=True)
        raise
    finally:
        run.release()
