# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""`laxity demo --platform sim:NAME`: what it runs, that it needs nobody's permission, its page."""

import os
import pwd
import subprocess
from pathlib import Path

import numpy as np
import pytest
from tests.cli.laxity_command import Laxity

from laxity.cli.demo_regulated import RegulatedExample
from laxity.cli.demo_run import DemoRequest
from laxity.cli.demo_simulated import plan_simulated_demo
from laxity.contention.regulated import read_regulated
from laxity.core.signals import forwarded_signals
from laxity.core.spec_reader import resolve_spec
from laxity.core.streams import Status
from laxity.errors import PlatformError
from laxity.platform.platform import open_for
from laxity.platform.platform_file import read_platform
from laxity.platform.simulated import SimulatedPlatform
from laxity.store.run_directory import open_run

DEMO = ("demo", "--platform", "sim:sabrelite", "--duration", "20ms", "--quiet")


def test_one_core_leaves_out_what_needs_two_and_says_so():
    platform = "sim:mpc750"
    request = DemoRequest(Path("D"), [], "20ms")
    plan = plan_simulated_demo(read_platform(platform), platform, request)
    assert [name for name, _ in plan.runs] == ["pilot", "alone", "tasks"]
    assert {one.what for one in plan.fallbacks} == {"interference", "migration"}
    assert {task.cpus for _, spec in plan.runs for task in spec.tasks} == {(0,)}


@pytest.mark.parametrize(
    ("name", "has_example"),
    [("sabrelite-partitioned", True), ("sabrelite", False), ("mpc750", False)],
)
def test_platform_that_bounds_the_cost_of_a_stop_has_a_regulated_example(
    name: str, has_example: bool
):
    platform = f"sim:{name}"
    plan = plan_simulated_demo(
        read_platform(platform), platform, DemoRequest(Path("D"), [], "20ms")
    )
    assert (plan.regulated is not None) == has_example


def test_regulated_example_misses_without_a_regulator_and_keeps_its_promise_with_one(
    tmp_path: Path,
):
    platform = "sim:sabrelite-partitioned"
    model = read_platform(platform)
    example = RegulatedExample(model, platform, ["laxity"])
    opened = SimulatedPlatform(model, platform)
    with forwarded_signals() as signals:
        done = [child.run(tmp_path / child.name, signals) for child in example.children(1, opened)]
    unregulated, regulated = (open_run(finished.path or Path()) for finished in done)
    status = [run.stream("jobs")["status"] for run in (unregulated, regulated)]
    # Each job loses more than 5 % to three loads; each keeps its deadline where they stop.
    assert (status[0] == Status.MISSED).all()
    assert (status[1] == Status.DONE).all()
    assert read_regulated(unregulated) is None
    found = read_regulated(regulated)
    assert found is not None
    assert (found.jobs, found.kept) == (3, 3)
    # A regulator that never lets the loads run would keep all deadlines, too.
    assert found.parallelism_ppm is not None
    assert found.parallelism_ppm > 50_000


def as_nobody(laxity: Laxity, directory: Path, *words: str) -> "subprocess.CompletedProcess[str]":
    """Call laxity as a user without permissions, who may write the directory."""
    if os.geteuid() != 0:
        return laxity(*words)
    nobody = pwd.getpwnam("nobody")
    os.chown(directory, nobody.pw_uid, nobody.pw_gid)
    user = (f"--reuid={nobody.pw_uid}", f"--regid={nobody.pw_gid}", "--clear-groups")
    return laxity(*words, prefix=("setpriv", *user, "--"))


def test_demonstration_is_the_same_twice_needs_no_permission_and_moves_a_task(
    laxity: Laxity, open_path: Path
):
    done = laxity(*DEMO, "--run-dir", "A")
    assert done.returncode == 0, done.stderr
    nobodys = as_nobody(laxity, open_path, *DEMO, "--run-dir", str(open_path / "B"))
    assert nobodys.returncode == 0, nobodys.stderr
    runs = [open_run(laxity.directory / "A"), open_run(open_path / "B")]
    assert [run.manifest.fallbacks for run in runs] == [[], []]
    hashes = [run.manifest.result_hash for run in runs]
    assert hashes[0] is not None
    assert hashes[0] == hashes[1]
    children = {child.path.name: child for child in runs[0].children}
    names = ["pilot", "alone", "interfered", "tasks", "moves", "switch", "crpd", "verdict"]
    assert list(children) == names
    alone, interfered = (
        np.load(children[name].path / "jobs.npy")["exec_ns"] for name in ("alone", "interfered")
    )
    assert (interfered[1:] > alone[1:]).all()
    moves = np.load(children["moves"].path / "jobs.npy")
    # The third one may use two cores, and is driven from the one to the other.
    assert moves["migrations"][moves["task"] == 2].sum() > 0
    assert not moves["migrations"][moves["task"] != 2].any()
    # Proven with the costs of the platform, and the answer says where the time goes.
    assert children["verdict"].manifest.exit_code == 0
    assert "Schedulable: 3 tasks, the costs of this demonstration" in done.stdout
    assert "Its busy window of " in done.stdout
    page = (laxity.directory / "A" / "report.html").read_text()
    assert "went on on another core" in page
    # Of a machine, and of nothing that was simulated.
    for word in ("Doctor", "doctor:", "PMU"):
        assert word not in page


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--platform", "sim:nothing"), 'platform "sim:nothing" is unknown'),
        (("--platform", "nothing"), 'platform "nothing" is unknown; use native or sim:NAME'),
        (("--platform", "sim:sabrelite", "--duration", "long"), "--duration"),
    ],
)
def test_what_cannot_be_is_refused(laxity: Laxity, words: tuple[str, ...], said: str):
    done = laxity("demo", *words, "--run-dir", "D")
    assert done.returncode == 2
    assert said in done.stderr
    assert not laxity.names()


def test_host_of_another_kind_is_told_of_the_container(monkeypatch: pytest.MonkeyPatch):
    task = {"workload": "empty", "period": "1ms"}
    spec = resolve_spec({"platform": "sim:sabrelite"}, [task], [], 1)
    here = os.uname()
    there = os.uname_result(("Darwin", *here[1:]))
    monkeypatch.setattr(os, "uname", lambda: there)
    with pytest.raises(PlatformError, match=r"needs Linux, and this is Darwin.*Containerfile"):
        open_for(spec)
