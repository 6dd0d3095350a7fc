# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""What a reader of a report reads, and the quantities that belong to it."""

import html
import re
from pathlib import Path
from typing import Any

import msgspec
from tests.report.run_builder import Made, write_run

from laxity.report.page import write_report

REPORT_LIMIT_BYTES = 2_000_000


def text_of(report: Path) -> str:
    """Return what a reader reads, white space folded."""
    assert report.stat().st_size < REPORT_LIMIT_BYTES
    page = re.sub(r"<(style|svg).*?</\1>", " ", report.read_text(), flags=re.DOTALL)
    text = html.unescape(re.sub(r"<[^>]+>", " ", page))
    return re.sub(r"\s+", " ", text)


def value_of(quantities: list[dict[str, Any]], name: str) -> dict[str, Any]:
    """Return the one quantity of that name."""
    (found,) = [one for one in quantities if one["name"] == name]
    return found


def make_report(directory: Path, made: Made) -> tuple[str, list[dict[str, Any]]]:
    """Write a run and its report; return its text without markup, and its quantities."""
    report = write_report(write_run(directory / "run", made))
    derived = msgspec.json.decode((directory / "run" / "derived.json").read_bytes())
    return text_of(report), derived["quantities"]
