# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""What every command that wrote a run does at its end: report, short answer, exit code."""

import sys

from laxity.cli.tables import print_json
from laxity.errors import EXIT_INTERNAL, EXIT_PLATFORM, EXIT_USAGE
from laxity.runner.finish import Finished
from laxity.store.run_directory import Run, open_run

# What a workload said last is mostly why it failed; more of it stands in the file.
_LAST_LINES = 5
_LAST_BYTES = 4096


def show_finished(finished: Finished, *, output_format: str, has_report: bool) -> int:
    """Write the report, print the answer.

    Args:
        finished: The run.
        output_format: `table` or `json`.
        has_report: Whether report.html is written.

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
    from laxity.cli.summary import summary_document, summary_text  # noqa: PLC0415

    run = open_run(finished.path)
    if output_format == "json":
        print_json(summary_document(run))
    else:
        sys.stdout.write(summary_text(run) + f"{run.path}\n")
    sys.stdout.flush()
    if manifest.status == "failed":
        _repeat_output(run)
    if has_report:
        # matplotlib takes longer to load than the rest of this command.
        from laxity.report.page import write_report  # noqa: PLC0415

        report = write_report(run.path)
        if output_format != "json":
            sys.stdout.write(f"{report}\n")
    return code


def _repeat_output(run: Run) -> None:
    """Show what the workloads printed last."""
    log = run.path / "output.log"
    if not log.is_file():
        return
    lines = log.read_bytes()[-_LAST_BYTES:].decode(errors="replace").splitlines()[-_LAST_LINES:]
    print(f"laxity: the last lines of {log}:", file=sys.stderr)
    for line in lines:
        print(f"  {''.join(c if c.isprintable() else '?' for c in line)}", file=sys.stderr)
