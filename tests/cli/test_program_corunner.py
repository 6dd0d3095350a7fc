# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""Co-runners that are any program (`[[interfere]] exec`, `--interfere './batch ARG@0'`)."""

from pathlib import Path

import pytest
from tests.cli.commands import (
    BUILT,
    CPU,
    Outcome,
    laxity,
    manifest_of,
    needs_fifo,
    needs_two_cpus,
    processes_naming,
)

PLAIN = BUILT.tools / "tests" / "native" / "plain_program"
OTHER = 0
JOBS = ("mem", "4KiB", "-p", "5ms", "-t", "20", "-c", str(CPU), "--policy", "other")

pytestmark = needs_two_cpus


def run_beside(tmp_path: Path, corunner: str) -> Outcome:
    words = ("--interfere", f"{corunner}@{OTHER}", "--run-dir", tmp_path / "D", "--quiet")
    return laxity("run", *JOBS, *words)


def test_each_pass_of_a_program_is_a_process(tmp_path: Path) -> None:
    outcome = run_beside(tmp_path, f"{PLAIN} print here")
    assert outcome.code == 0, outcome.err
    (one,) = manifest_of(tmp_path / "D").corunners
    assert one.exec == [str(PLAIN), "print", "here"]
    assert (one.workload, one.args) == (str(PLAIN), ["print", "here"])
    assert (one.cpus, one.end_cause, one.displaced) == (str(OTHER), "stopped", [])
    assert one.passes is not None
    assert one.passes > 0
    printed = (tmp_path / "D" / "output.log").read_text().splitlines().count("here")
    # Each process prints once; the last one may have been stopped before or after that.
    assert printed - (one.passes + (one.passes_before_t0 or 0)) in {0, 1}


def test_a_program_that_never_ends_is_one_process_until_it_is_stopped(tmp_path: Path) -> None:
    mark = f"mark-{tmp_path.name}"
    outcome = run_beside(tmp_path, f"{PLAIN} print {mark} child loop")
    assert outcome.code == 0, outcome.err
    (one,) = manifest_of(tmp_path / "D").corunners
    assert (one.passes_before_t0, one.passes, one.end_cause) == (0, 0, "stopped")
    assert not processes_naming(mark)
    report = (tmp_path / "D" / "report.html").read_text()
    assert "Co-runner 0 is one process, which ran during the whole run." in report


def test_a_program_that_fails_ends_the_run_without_verdict(tmp_path: Path) -> None:
    outcome = run_beside(tmp_path, "/bin/sh -c 'sleep 0.05; exit 3'")
    assert outcome.code == 4
    assert f'co-runner "sh" on CPU {OTHER} died: called exit(3)' in outcome.err


@needs_fifo
def test_a_program_that_loops_at_a_real_time_priority_is_stopped(tmp_path: Path) -> None:
    """The process that waits for it does not get to run before."""
    mark = f"mark-{tmp_path.name}"
    # Should all else fail, the kernel ends it after 5 s of processor time.
    script = f"ulimit -t 5; exec {PLAIN} print {mark} loop"
    spec = tmp_path / "spec.toml"
    spec.write_text(
        'schema = 1\n[run]\njobs = 20\n[[task]]\nworkload = "mem"\nargs = ["4KiB"]\n'
        f'period = "5ms"\ncpus = "{CPU}"\npolicy = "other"\n'
        f'[[interfere]]\nexec = ["/bin/sh", "-c", "{script}"]\ncpus = "{OTHER}"\n'
        'policy = "fifo"\npriority = 1\n'
    )
    outcome = laxity("run", spec, "--run-dir", tmp_path / "D", "--quiet", "--no-report")
    assert outcome.code == 0, outcome.err
    assert manifest_of(tmp_path / "D").corunners[0].end_cause == "stopped"
    assert not processes_naming(mark)


@pytest.mark.parametrize("corunner", ["./batch", "./mine"])
def test_a_program_of_a_spec_is_looked_for_beside_it(tmp_path: Path, corunner: str) -> None:
    (tmp_path / "batch").symlink_to(PLAIN)
    spec = tmp_path / "spec.toml"
    spec.write_text(
        'schema = 1\n[run]\njobs = 3\n[[task]]\nworkload = "mem"\nargs = ["4KiB"]\n'
        f'period = "5ms"\ncpus = "{CPU}"\npolicy = "other"\n'
        f'[[interfere]]\nexec = ["{corunner}"]\ncpus = "{OTHER}"\n'
    )
    outcome = laxity("run", spec, "--run-dir", tmp_path / "D", "--quiet", "--no-report")
    if corunner == "./batch":
        assert outcome.code == 0, outcome.err
        stored = (tmp_path / "D" / "spec.toml").read_text()
        assert f'"{tmp_path}/batch"' in stored
    else:
        assert outcome.code == 2
        assert f'program "{tmp_path}/mine": no executable file' in outcome.err
