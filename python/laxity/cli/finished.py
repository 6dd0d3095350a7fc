# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""What every command that wrote a run does at its end: report, short answer, exit code."""

import sys
from collections.abc import Callable
from pathlib import Path

from laxity.cli.reports import build_report
from laxity.cli.tables import print_json
from laxity.errors import (
    EXIT_DONE,
    EXIT_INTERNAL,
    EXIT_INTERRUPTED,
    EXIT_PLATFORM,
    EXIT_USAGE,
    LaxityError,
)
from laxity.jobs.finish import Finished
from laxity.store.run_directory import Run, open_run

# What a workload said last is mostly why it failed; more of it stands in the file.
_LAST_LINES = 5
_LAST_BYTES = 4096


def show_finished(
    finished: Finished,
    *,
    output_format: str,
    has_report: bool,
    document: object | None = None,
    page: Callable[[Run], Path] | None = None,
    label: str | None = None,
) -> int:
    """Write the report, print the answer.

    Args:
        finished: The run.
        output_format: `table` or `json`.
        has_report: Whether report.html is written.
        document: What `json` prints; None: the run's summary.
        label: Begins the line on stderr that announces the report; None: no line.
        page: Writes another page of the run and gives its path; None: there is none.

    Returns:
        The exit code of the run.
    """
    manifest = finished.manifest
    code = EXIT_INTERNAL if manifest.exit_code is None else manifest.exit_code
    if finished.path is None:
        # Nothing was measured. What laxity-run refuses it has explained itself.
        if code not in {EXIT_USAGE, EXIT_PLATFORM}:
            print(f"laxity: {manifest.message}; nothing was measured", file=sys.stderr)
        return code
    # Loads numpy: not needed to explain options or to refuse them.
    from laxity.cli.summary import answer_text, summary_document  # noqa: PLC0415

    run = open_run(finished.path)
    is_table = output_format != "json"

    def answer() -> object:
        if is_table:
            return answer_text(run)
        return summary_document(run) if document is None else document

    steps = [lambda: _print_answer(run, answer())]
    if manifest.status == "failed":
        steps.append(lambda: _repeat_output(run))
    if page is not None:
        steps.append(lambda: _tell(page(run), is_told=is_table))
    if has_report:
        steps.append(lambda: _tell(_build_report(run.path, label), is_told=is_table))
    for step in steps:
        code = _take_step(step, run, code)
    return code


def _take_step(step: Callable[[], None], run: Run, code: int) -> int:
    """Do what follows a stored run; whatever hinders it, the run is there and the rest is done.

    Returns:
        The exit code: the one before if that was a failure already, for it came first.
    """
    try:
        step()
    except KeyboardInterrupt:
        problem = f"interrupted; the run is stored in {run.path}, laxity report {run.path} goes on"
        failure = EXIT_INTERRUPTED
    except LaxityError as error:
        problem, failure = f"{error}; the run is stored in {run.path}", error.exit_code
    else:
        return code
    print(f"laxity: {problem}", file=sys.stderr)
    return failure if code == EXIT_DONE else code


def _print_answer(run: Run, answer: object) -> None:
    if isinstance(answer, str):
        sys.stdout.write(f"{answer}{run.path}\n")
    else:
        print_json(answer)
    sys.stdout.flush()


def _build_report(path: Path, label: str | None) -> Path:
    """Write the report; of many runs that takes as long as some of them."""
    if label is not None:
        print(f"{label}: writing the report", file=sys.stderr, flush=True)
    return build_report(path)


def _tell(written: Path, *, is_told: bool) -> None:
    if is_told:
        sys.stdout.write(f"{written}\n")


def _repeat_output(run: Run) -> None:
    """Show what the workloads printed last."""
    log = run.path / "output.log"
    if not log.is_file():
        return
    lines = log.read_bytes()[-_LAST_BYTES:].decode(errors="replace").splitlines()[-_LAST_LINES:]
    print(f"laxity: the last lines of {log}:", file=sys.stderr)
    for line in lines:
        print(f"  {line}", file=sys.stderr)
