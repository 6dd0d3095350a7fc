# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""tools/check-skips.py on made-up results."""

import json
import subprocess
import sys
from pathlib import Path

SCRIPT = Path(__file__).parents[2] / "tools" / "check-skips.py"

JUNIT = """<testsuites><testsuite name="pytest">
<testcase classname="tests.a" name="passes"/>
<testcase classname="tests.a" name="lacks"><skipped message="no PMU here"/></testcase>
{more}
</testsuite></testsuites>
"""


def summarise(folder: Path, expected: str | None) -> subprocess.CompletedProcess[str]:
    """Run the script on `folder`; `expected` is the text of the list, None for no list."""
    listed = folder / "expected.toml"
    if expected is not None:
        listed.write_text(expected, encoding="utf-8")
    return subprocess.run(
        [sys.executable, SCRIPT, "--expected", listed, folder],
        capture_output=True,
        text=True,
        check=False,
    )


def write_meson(folder: Path, **results: str) -> None:
    lines = [
        json.dumps({"name": name, "result": result, "stdout": "needs root\n", "stderr": ""})
        for name, result in results.items()
    ]
    (folder / "c.json").write_text("\n".join(lines) + "\n", encoding="utf-8")


def write_junit(folder: Path, more: str = "") -> None:
    (folder / "python.xml").write_text(JUNIT.format(more=more), encoding="utf-8")


def test_c_and_python_results_are_added_up(tmp_path: Path) -> None:
    write_meson(tmp_path, clock="OK", cpus="OK", lock="SKIP")
    write_junit(tmp_path)
    done = summarise(tmp_path, None)
    # C: 2 passed, 1 skipped. Python: 1 passed, 1 skipped.
    assert done.stdout.splitlines()[-1] == "3 passed, 0 failed, 2 skipped"
    assert done.returncode == 0


def test_each_reason_is_shown_with_its_count_the_commonest_first(tmp_path: Path) -> None:
    write_meson(tmp_path, lock="SKIP", trace="SKIP")
    write_junit(tmp_path)
    shown = summarise(tmp_path, None).stdout.splitlines()
    assert shown[:2] == ["skipped 2: needs root", "skipped 1: no PMU here"]


def test_a_skip_that_the_list_announces_passes(tmp_path: Path) -> None:
    write_junit(tmp_path)
    done = summarise(tmp_path, '[[skip]]\nreason = "no PMU"\nwhy = "virtual machines"\n')
    assert done.returncode == 0


def test_a_skip_that_the_list_does_not_announce_fails(tmp_path: Path) -> None:
    write_junit(tmp_path)
    done = summarise(tmp_path, '[[skip]]\nreason = "no NUMA"\nwhy = "one node"\n')
    assert done.returncode == 1
    assert "UNEXPECTED SKIP: tests.a::lacks: no PMU here" in done.stdout


def test_a_failed_c_test_fails_the_check(tmp_path: Path) -> None:
    write_meson(tmp_path, clock="OK", cpus="TIMEOUT")
    done = summarise(tmp_path, None)
    assert done.returncode == 1
    assert done.stdout.splitlines()[-1] == "1 passed, 1 failed, 0 skipped"


def test_a_python_test_that_breaks_in_its_setup_counts_as_failed(tmp_path: Path) -> None:
    write_junit(
        tmp_path, '<testcase classname="tests.a" name="broken"><error message="x"/></testcase>'
    )
    done = summarise(tmp_path, None)
    assert done.returncode == 1
    assert done.stdout.splitlines()[-1] == "1 passed, 1 failed, 1 skipped"


def test_no_results_at_all_fail_the_check(tmp_path: Path) -> None:
    done = summarise(tmp_path, None)
    assert done.returncode == 1
    assert done.stdout == "0 passed, 0 failed, 0 skipped\n"
