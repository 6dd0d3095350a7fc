# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""Standard output and standard error that are closed, full, unread or ASCII."""

import shutil
import subprocess
import sys

import pytest
from tests.cli.commands import needs_fifo
from tests.cli.laxity_command import PATIENCE_S, ROOT, Laxity
from tests.jobs.left_runs import left_run, native

RUN = "run empty -p 2ms -t 3 -c 0 --run-dir D --quiet"


def test_a_full_disk_leaves_no_module_that_cannot_be_loaded(laxity: Laxity):
    """After `ulimit -f` every command ended with "marshal data too short"."""
    sources = shutil.ignore_patterns("__pycache__")
    shutil.copytree(ROOT / "python", laxity.directory / "python", ignore=sources)
    (laxity.directory / "schema").symlink_to(ROOT / "schema")
    variables = {**laxity.environment(), "PYTHONPATH": str(laxity.directory / "python")}
    variables.pop("PYTHONDONTWRITEBYTECODE", None)
    # Room for one block of a file system; what is smaller is written whole or not at all.
    for limit in ("ulimit -f 4; ", ""):
        done = subprocess.run(
            ["bash", "-c", f'{limit}"$0" -P -m laxity schema jobs | cat', sys.executable],
            env=variables, capture_output=True, text=True, timeout=PATIENCE_S, check=False,
        )  # fmt: skip
        assert (done.stdout[:8], done.stderr) == ("jobs.npy", ""), done.stderr


def in_shell(laxity: Laxity, words: str) -> "subprocess.CompletedProcess[str]":
    """Call laxity with redirections; the exit code is that of laxity."""
    script = f'"$0" -P -m laxity {words}; exit ${{PIPESTATUS[0]}}'
    return subprocess.run(
        ["bash", "-c", script, sys.executable],
        cwd=laxity.directory,
        env=laxity.environment(),
        capture_output=True,
        text=True,
        timeout=PATIENCE_S,
        check=False,
    )


@pytest.mark.parametrize("words", ["schema", "schema --format json", "run --help"])
def test_reader_that_has_seen_enough_is_no_error(laxity: Laxity, words: str):
    done = in_shell(laxity, f"{words} | head -1")
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.count("\n") == 1


@needs_fifo
def test_run_whose_reader_is_gone_keeps_its_exit_code_and_its_report(laxity: Laxity):
    done = in_shell(laxity, f"{RUN} | true")
    assert (done.returncode, done.stderr) == (0, "")
    assert (laxity.directory / "D" / "report.html").is_file()


@needs_fifo
@pytest.mark.parametrize("closed", [">&-", "2>&-", ">&- 2>&-", "<&- >&- 2>&-"])
def test_run_with_closed_streams_ends_well(laxity: Laxity, closed: str):
    done = in_shell(laxity, f"{RUN} --no-report {closed}")
    assert (done.returncode, done.stderr) == (0, "")
    assert laxity.manifest().status == "complete"


def test_command_with_closed_stdout_ends_well(laxity: Laxity):
    for words in ("list", "schema", "--help", "--version"):
        done = in_shell(laxity, f"{words} >&-")
        assert (done.returncode, done.stderr) == (0, "")


def test_full_stdout_is_the_machines_lack(laxity: Laxity):
    done = in_shell(laxity, "list >/dev/full")
    message = "standard output: cannot be written (No space left on device)"
    assert done.returncode == 3
    assert done.stderr == f"laxity list: {message}; free space for it\n"


@needs_fifo
def test_run_with_full_stdout_tells_where_it_is_and_writes_its_report(laxity: Laxity):
    done = in_shell(laxity, f"{RUN} >/dev/full")
    assert done.returncode == 3
    assert done.stderr.endswith("; the run is stored in D\n")
    assert done.stderr.count("\n") == 1
    assert (laxity.directory / "D" / "report.html").is_file()


def test_full_stderr_changes_nothing(laxity: Laxity):
    assert in_shell(laxity, "show nowhere 2>/dev/full").returncode == 2


def test_characters_that_the_output_cannot_hold_are_replaced(laxity: Laxity):
    left_run(laxity.directory / "D.tmp", native())
    done = laxity("show", "D", environment={"PYTHONIOENCODING": "ascii"})
    assert (done.returncode, done.stderr) == (0, "")
    assert "3 ?s" in done.stdout
