# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""Count the results of a check, list what was skipped and why, and refuse unexpected skips.

Reads `*.json` (written by `meson test`, one object per line) and `*.xml` (JUnit, written by pytest)
of some folders. A skip is expected if a pattern of the list of expected skips matches its reason;
without such a list skips are only shown.

Exit codes: 0 nothing failed and every skip is expected, 1 otherwise, 2 usage.
"""

from __future__ import annotations

import argparse
import json
import re
import sys
import tomllib
import xml.etree.ElementTree as ET
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import Enum
from pathlib import Path

# Meson's words. A test that was expected to fail and did is shown as skipped: it has not passed.
MESON_PASSED = {"OK"}
MESON_SKIPPED = {"SKIP", "EXPECTEDFAIL"}


class Outcome(Enum):
    """What became of one test."""

    PASSED = "passed"
    FAILED = "failed"
    SKIPPED = "skipped"


@dataclass(frozen=True, slots=True)
class Result:
    """One test: `name`, its outcome, and why it was skipped (empty if it was not)."""

    name: str
    outcome: Outcome
    reason: str = ""


def read_meson(path: Path) -> Iterator[Result]:
    """Read the results of one `meson test` run.

    Args:
        path: meson's test log, one JSON object per line.

    Returns:
        One result per test; the reason of a skip is the last line the test printed.
    """
    for line in path.read_text(encoding="utf-8").splitlines():
        test = json.loads(line)
        name = f"{path.stem}: {test['name']}"
        if test["result"] in MESON_PASSED:
            yield Result(name, Outcome.PASSED)
        elif test["result"] in MESON_SKIPPED:
            printed = [*test.get("stdout", "").splitlines(), *test.get("stderr", "").splitlines()]
            said = [text.strip() for text in printed if text.strip()]
            yield Result(name, Outcome.SKIPPED, said[-1] if said else "no reason given")
        else:
            yield Result(name, Outcome.FAILED)


def read_junit(path: Path) -> Iterator[Result]:
    """Read the results of one pytest run.

    Args:
        path: JUnit file.

    Returns:
        One result per test; an expected failure counts as skipped.
    """
    for case in ET.parse(path).getroot().iter("testcase"):  # noqa: S314 - our own file
        name = f"{case.get('classname', '')}::{case.get('name', '')}"
        skipped = case.find("skipped")
        if case.find("failure") is not None or case.find("error") is not None:
            yield Result(name, Outcome.FAILED)
        elif skipped is not None:
            yield Result(name, Outcome.SKIPPED, skipped.get("message") or "no reason given")
        else:
            yield Result(name, Outcome.PASSED)


def read_results(folder: Path) -> list[Result]:
    """Read every result file of a folder.

    Args:
        folder: where the test runners wrote.

    Returns:
        All results, files in order of their names.
    """
    results: list[Result] = []
    for path in sorted(folder.glob("*.json")):
        results += read_meson(path)
    for path in sorted(folder.glob("*.xml")):
        results += read_junit(path)
    return results


def read_expected(path: Path) -> list[re.Pattern[str]] | None:
    """Read the reasons for which a test may be skipped.

    Args:
        path: TOML file of `[[skip]]` tables: `reason` (regular expression) and `why` (for readers).

    Returns:
        The patterns; None if there is no such file.
    """
    if not path.exists():
        return None
    tables = tomllib.loads(path.read_text(encoding="utf-8")).get("skip", [])
    return [re.compile(table["reason"]) for table in tables]


def unexpected_skips(
    results: Sequence[Result], expected: Sequence[re.Pattern[str]] | None
) -> list[Result]:
    """Pick the skipped tests whose reason no pattern matches.

    Args:
        results: all results.
        expected: allowed reasons; None allows every skip.

    Returns:
        The skips that nobody has announced.
    """
    if expected is None:
        return []
    return [
        result
        for result in results
        if result.outcome is Outcome.SKIPPED
        and not any(pattern.search(result.reason) for pattern in expected)
    ]


def main(arguments: Sequence[str]) -> int:
    """Print the summary of a folder of results.

    Args:
        arguments: command line without the program's name.

    Returns:
        Exit code.
    """
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--expected", type=Path, required=True, help="list of expected skips")
    parser.add_argument("folders", type=Path, nargs="+", help="folders of *.json and *.xml results")
    options = parser.parse_args(arguments)

    results = [result for folder in options.folders for result in read_results(folder)]
    unexpected = unexpected_skips(results, read_expected(options.expected))
    counts = Counter(result.outcome for result in results)
    reasons = Counter(result.reason for result in results if result.outcome is Outcome.SKIPPED)
    for reason, count in reasons.most_common():
        print(f"skipped {count}: {reason}")
    for result in unexpected:
        print(f"UNEXPECTED SKIP: {result.name}: {result.reason}")
    for result in results:
        if result.outcome is Outcome.FAILED:
            print(f"FAILED: {result.name}")
    print(", ".join(f"{counts[outcome]} {outcome.value}" for outcome in Outcome))
    return 1 if unexpected or counts[Outcome.FAILED] or not results else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
