# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""A stored run of kind `contention`: a contention table, and regulators tried with it."""

import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any, Literal

import msgspec

from laxity.contention.document import (
    Evaluation,
    Share,
    evaluations_document,
    evaluations_text,
    profile_document,
    profile_text,
)
from laxity.contention.table import ContentionTable
from laxity.errors import EXIT_DONE, EXIT_NO_VERDICT, EXIT_VIOLATED, LaxityError
from laxity.jobs import finish
from laxity.jobs.ends import now
from laxity.jobs.finish import Finished
from laxity.jobs.run_once import new_manifest
from laxity.store.run_directory import Run, create_run, read_document, write_document

TRIAL = "trial.json"


class Trial(msgspec.Struct, forbid_unknown_fields=True, frozen=True, kw_only=True):
    """trial.json: the table, an evaluation for each policy, and what other thetas would allow."""

    schema: Literal[1] = 1
    table: ContentionTable
    evaluations: list[Evaluation]
    shares: list[Share] = []

    @property
    def exit_code(self) -> int:
        """The exit code of an evaluation: no verdict with a load comes before a broken limit."""
        if any(cell.remark for tried in self.evaluations for cell in tried.cells):
            return EXIT_NO_VERDICT
        is_broken = any(tried.n_beyond for tried in self.evaluations)
        return EXIT_VIOLATED if is_broken else EXIT_DONE

    def text(self) -> str:
        """Write it for people: of its evaluations, or of the table alone."""
        if not self.evaluations:
            return profile_text(self.table)
        return evaluations_text(self.evaluations, self.shares)

    def document(self) -> dict[str, Any]:
        """Write it for programs."""
        return {
            "profile": profile_document(self.table),
            **evaluations_document(self.evaluations, self.shares),
        }


def read_trial(run: Run) -> Trial:
    """Read trial.json of a run.

    Raises:
        RecordError: It is missing or damaged.
    """
    return read_document(run.path / TRIAL, Trial)


def store_trial(
    make: Callable[[], Trial],
    final: Path,
    name: str,
    command_line: list[str],
    *,
    is_judged: bool = False,
) -> Finished:
    """Make a trial and store it as a run.

    Args:
        make: Makes it.
        final: Directory of the run.
        name: Of the run.
        command_line: What was typed.
        is_judged: The run has the exit code of the trial; else 0, whatever a policy has lost.

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
            exit_code=trial.exit_code if is_judged else EXIT_DONE,
            finished_at=now(),
        )
        finish.write_final_manifest(run.tmp, manifest)
        return finish.finish_run(run.tmp, has_survived=True)
    except (LaxityError, KeyboardInterrupt):
        shutil.rmtree(run.tmp, ignore_errors=True)
        raise
    finally:
        run.release()
