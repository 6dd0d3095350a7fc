# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""Measurements that ended well, were interrupted or killed; and models of several of them."""

from pathlib import Path

import numpy as np
import pytest
from tests.costs.made_up_measurement import ended, left_measurement
from tests.jobs.left_runs import left_run, native

from laxity.core.streams import STREAMS
from laxity.costs.from_rows import join_entries
from laxity.costs.merge import left_out, merge_runs, read_costs
from laxity.costs.probe import probe_of
from laxity.errors import ConfigError, NoVerdict, RecordError
from laxity.jobs.finish import finish_run, open_recovered
from laxity.platform.native import Seat, argv_of
from laxity.platform.plan import ProbePlan
from laxity.store.measurements import CrpdMeasurement

SIZES = {4096: 500, 8192: 1_000}


def finished(path: Path, gamma_ns: dict[int, int], n: int = 20, machine_hash: str = "abc") -> Path:
    tmp = left_measurement(
        path.with_name(path.name + ".tmp"), gamma_ns, n, machine_hash=machine_hash, result=ended()
    )
    return finish_run(tmp, has_survived=True, returncode=0).path


def test_measurement_that_ended_well_has_costs(tmp_path: Path):
    run = open_recovered(finished(tmp_path / "D", SIZES))
    assert (run.manifest.status, run.manifest.exit_code) == ("complete", 0)
    assert run.manifest.tables == {"crpd.npy": 120}
    assert set(run.manifest.files) == {"costs.json", "crpd.npy", "doctor.json", "machine.json"}
    assert run.verify() == []
    costs = read_costs(run.path)
    assert costs == read_costs(run.path / "costs.json")
    assert costs.machine_hash == "abc"
    # Both roles have the same noise of 0 to 4 ns, so medians differ by what was put in.
    assert [one.quantiles.get("0.5") for one in costs.entries] == [500, 1_000, None]
    assert [one.n for one in costs.entries] == [20, 20, 40]
    assert all(one.runs == ["D"] for one in costs.entries)


@pytest.mark.parametrize(("platform", "kind"), [("native", "measured"), ("sim:x", "simulated")])
def test_costs_are_of_the_kind_that_their_platform_makes_them(
    tmp_path: Path, platform: str, kind: str
):
    tmp = left_measurement(tmp_path / "D.tmp", SIZES, result=ended(), platform=platform)
    path = finish_run(tmp, has_survived=True, returncode=0).path
    assert {entry.kind for entry in read_costs(path).entries} == {kind}
    # Joined from its samples again, as `costs merge` does.
    assert {entry.kind for entry in join_entries([open_recovered(path)])} == {kind}


def test_killed_measurement_keeps_what_was_measured(tmp_path: Path):
    left_measurement(tmp_path / "D.tmp", SIZES)
    run = open_recovered(tmp_path / "D")
    assert (run.manifest.status, run.manifest.exit_code) == ("recovered", None)
    assert "laxity-probe" in run.manifest.message
    assert len(read_costs(run.path).entries) == 3


def test_interrupted_measurement_keeps_its_exit_code(tmp_path: Path):
    tmp = left_measurement(tmp_path / "D.tmp", SIZES, result=ended("interrupted", 130))
    manifest = finish_run(tmp, has_survived=True, returncode=130).manifest
    assert (manifest.status, manifest.exit_code) == ("interrupted", 130)


def test_refused_measurement_leaves_nothing(tmp_path: Path):
    tmp = left_measurement(tmp_path / "D.tmp", {}, result=ended("failed", 3))
    done = finish_run(tmp, has_survived=True, returncode=3)
    assert (done.path, done.manifest.exit_code) == (None, 3)
    assert not tmp.exists()


def test_too_few_observations_are_no_verdict(tmp_path: Path):
    # Five support no interval of a median, six do.
    assert open_recovered(finished(tmp_path / "A", SIZES, 5)).manifest.exit_code == 4
    assert open_recovered(finished(tmp_path / "B", SIZES, 6)).manifest.exit_code == 0


def test_merged_model_pools_samples(tmp_path: Path):
    first = finished(tmp_path / "A", {4096: 500})
    second = finished(tmp_path / "B", {4096: 700, 8192: 900}, 6)
    small, large, whole = merge_runs([first, second]).entries
    assert (small.n, small.runs) == (26, ["A", "B"])
    # 20 samples around 500, 6 around 700: the median is among the former, the maximum is not.
    assert 496 <= small.quantiles["0.5"] <= 504
    assert 700 <= small.max <= 704
    assert (large.n, large.runs) == (6, ["B"])
    assert whole.points[-1][1] >= large.max - 4


def test_what_a_merge_leaves_out_is_named(tmp_path: Path):
    # Those of A were evicted by 4 MiB, 8 KiB in B by 1 MiB alone.
    first = finished(tmp_path / "A", {4096: 500})
    second = finished(tmp_path / "B", {8192: 900})
    rows = np.load(second / "crpd.npy")
    rows["evict_bytes"] = 1 << 20
    np.save(second / "crpd.npy", rows)
    merged = merge_runs([first, second])
    assert [one.axes.working_set_bytes for one in merged.entries] == [4096, None]
    (line,) = left_out(merged, [first, second])
    assert line == (
        f"left out: gamma of {second}, cpu 1, working_set_bytes 8192, case synchronous_chase, "
        "evict write: unlike others (docs/costs.md)"
    )
    assert left_out(merge_runs([first]), [first]) == []


def test_runs_of_two_machines_are_not_merged(tmp_path: Path):
    first = finished(tmp_path / "A", SIZES)
    second = finished(tmp_path / "B", SIZES, machine_hash="other")
    with pytest.raises(NoVerdict, match=r"machine other is not that of .*A, abc"):
        merge_runs([first, second])


def test_run_named_twice_is_not_merged(tmp_path: Path):
    path = finished(tmp_path / "A", SIZES)
    with pytest.raises(ConfigError, match="named twice"):
        merge_runs([path, tmp_path / "." / "A"])


def test_only_measurements_are_merged(tmp_path: Path):
    left_run(tmp_path / "R.tmp", native())
    with pytest.raises(ConfigError, match="measured no costs"):
        merge_runs([tmp_path / "R"])
    with pytest.raises(ConfigError, match="measured no costs"):
        read_costs(tmp_path / "R")
    with pytest.raises(ConfigError, match=r"does not exist; name a costs\.json"):
        read_costs(tmp_path / "none.json")
    path = finished(tmp_path / "A", SIZES)
    with pytest.raises(ConfigError, match="name the runs themselves"):
        merge_runs([path / "costs.json"])
    with pytest.raises(ConfigError, match="does not exist"):
        merge_runs([tmp_path / "nothing"])


def test_damaged_model_is_told(tmp_path: Path):
    path = finished(tmp_path / "A", SIZES)
    (path / "costs.json").write_text("{}")
    with pytest.raises(RecordError, match=r"costs.json: no cost model"):
        read_costs(path)


def test_command_line_of_the_probe_says_everything(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr("laxity.platform.native.find_tool", lambda name: Path("/t") / name)
    measurement = CrpdMeasurement(
        cpus="1,3",
        priority=7,
        repetitions=9,
        working_sets_bytes=[4096, 5000],
        cases=["asynchronous"],
        patterns=["chase"],
        evicts=["read", "flush"],
        evict_sizes_bytes=[123, 45],
        preemption_ns=77,
        timeout_ns=88,
    )
    words = tuple(probe_of("crpd").words(measurement))
    plan = ProbePlan(measurement, words, seed=5, allow_unprivileged=True)
    argv = argv_of(plan, Seat(Path("/r"), 4, 6))
    assert " ".join(argv) == (
        "/t/laxity-probe --run-dir /r --cpus 1,3 --repetitions 9 --priority 7 "
        "--seed 5 --timeout 88ns --progress-fd 4 --parent-fd 6 --allow-unprivileged "
        "crpd --size 4096B --size 5000B "
        "--case asynchronous --pattern chase --evict read --evict flush "
        "--evict-size 123B --evict-size 45B --preemption 77ns"
    )


def test_rows_have_the_columns_that_are_listed(tmp_path: Path):
    rows = open_recovered(finished(tmp_path / "A", SIZES)).stream("crpd")
    assert rows.dtype.names == tuple(field.name for field in STREAMS["crpd"])
    assert np.ma.getdata(rows["role"])[:3].tolist() == [0, 1, 2]
