# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""What every `laxity measure` command does once it is known what is measured."""

import sys
from typing import TYPE_CHECKING

from laxity.cli.finished import show_finished

if TYPE_CHECKING:
    from laxity.experiments.measure import MeasureRequest


def run_and_show(
    request: "MeasureRequest", description: str, *, output_format: str, has_report: bool
) -> int:
    """Say what is measured, measure, show.

    Args:
        request: What is measured and where it is stored.
        description: In one line, for people.
        output_format: `table` or `json`.
        has_report: Whether report.html is written.

    Returns:
        The exit code.
    """
    from laxity.experiments.measure import run_measurement  # noqa: PLC0415 - heavy
    from laxity.runner.signals import forwarded_signals  # noqa: PLC0415 - with the above

    name = f"laxity measure {request.measurement.probe.replace('_', '-')}"
    if not request.is_quiet:
        print(f"{name}: {description}", file=sys.stderr)
    for one in request.fallbacks:
        print(f"{name}: {one.what}: {one.used} ({one.reason})", file=sys.stderr)
    with forwarded_signals() as signals:
        finished = run_measurement(request, signals)
    return show_finished(finished, output_format=output_format, has_report=has_report)
