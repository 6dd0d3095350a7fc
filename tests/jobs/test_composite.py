# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""Runs that consist of measurements, without measuring anything."""

from dataclasses import replace
from pathlib import Path

import msgspec
from tests.costs.made_up_measurement import ended, left_measurement

from laxity.core.signals import Forwarder
from laxity.costs.merge import merge_runs, read_costs
from laxity.errors import NoVerdict
from laxity.jobs.composite import Child, Composite, run_composite
from laxity.jobs.finish import Finished, finish_run, open_recovered
from laxity.report.page import write_report
from laxity.store.native import Native
from laxity.store.run_directory import open_run, tmp_path_of


def child(name: str, gamma_ns: dict[int, int], result: Native, *, is_needed: bool = False) -> Child:
    def run(final: Path, _: Forwarder) -> Finished:
        tmp = left_measurement(tmp_path_of(final), gamma_ns, result=result)
        return finish_run(tmp, has_survived=True, returncode=result.exit_code)

    return Child(name, run, is_needed)


def interrupted(_: Path, __: Forwarder) -> Finished:
    raise KeyboardInterrupt


def refused(_: Path, __: Forwarder) -> Finished:
    msg = "nothing to bound"
    raise NoVerdict(msg)


WHOLE = Composite(
    kind="measure",
    name="all",
    final=Path(),
    command_line=["laxity", "measure", "all"],
    seed=1,
    cpus=(0,),
    fallbacks=(),
    children=(),
)


def run_all(path: Path, *children: Child) -> Finished:
    return run_composite(replace(WHOLE, final=path, children=children), Forwarder())


def test_costs_of_all_children_stand_in_the_whole(tmp_path: Path):
    done = run_all(
        tmp_path / "D", child("a", {4096: 500}, ended()), child("b", {8192: 900}, ended())
    )
    assert done.path == tmp_path / "D"
    run = open_run(tmp_path / "D")
    assert (run.manifest.status, run.manifest.exit_code, run.manifest.runs) == (
        "complete",
        0,
        ["a", "b"],
    )
    assert run.verify() == []
    costs = read_costs(tmp_path / "D")
    # One entry for each of two working sets, and one for the curve over both.
    assert [one.axes.working_set_bytes for one in costs.entries] == [4096, 8192, None]
    assert costs.entries[2].runs == ["a", "b"]
    # The whole stands for its runs when models are joined.
    assert merge_runs([tmp_path / "D"]).entries == costs.entries


def test_measurement_that_fails_does_not_end_the_others_and_decides(tmp_path: Path):
    done = run_all(
        tmp_path / "D",
        child("a", {4096: 500}, ended("failed", 4)),
        child("b", {8192: 900}, ended()),
    )
    assert done.manifest.runs == ["a", "b"]
    assert (done.manifest.status, done.manifest.exit_code) == ("failed", 4)


def test_needed_child_that_fails_ends_the_whole(tmp_path: Path):
    done = run_all(
        tmp_path / "D",
        child("a", {4096: 500}, ended("failed", 4), is_needed=True),
        child("b", {8192: 900}, ended()),
    )
    assert done.manifest.runs == ["a"]


def test_extra_child_decides_nothing(tmp_path: Path):
    extra = replace(child("b", {8192: 900}, ended("failed", 4)), is_extra=True)
    done = run_all(tmp_path / "D", child("a", {4096: 500}, ended()), extra)
    assert done.manifest.runs == ["a", "b"]
    assert (done.manifest.status, done.manifest.exit_code) == ("complete", 0)


def test_extra_child_that_cannot_be_made_is_a_fallback(tmp_path: Path):
    extra = Child("b", refused, is_extra=True)
    done = run_all(tmp_path / "D", child("a", {4096: 500}, ended()), extra)
    assert done.manifest.runs == ["a"]
    assert (done.manifest.status, done.manifest.exit_code) == ("complete", 0)
    (left_out,) = done.manifest.fallbacks
    assert (left_out.what, left_out.used, left_out.reason) == ("b", "none", "nothing to bound")


def test_interrupt_between_two_children_keeps_the_first(tmp_path: Path):
    done = run_all(tmp_path / "D", child("a", {4096: 500}, ended()), Child("b", interrupted))
    assert (done.manifest.status, done.manifest.exit_code) == ("interrupted", 130)
    assert open_recovered(tmp_path / "D").manifest.runs == ["a"]


def test_interrupt_after_a_run_that_was_not_well_keeps_the_first_cause(tmp_path: Path):
    first = child("a", {4096: 500}, ended("complete", 4))
    done = run_all(tmp_path / "D", first, Child("b", interrupted))
    # What happened first decides the code; that not all was run must still be seen.
    assert (done.manifest.status, done.manifest.exit_code) == ("interrupted", 4)


def test_signal_before_a_child_begins_nothing_more(tmp_path: Path):
    signals = Forwarder()
    begun: list[str] = []

    def ends_with_a_signal(final: Path, _: Forwarder) -> Finished:
        begun.append(final.name)
        signals.handle(2, None)
        return child("a", {4096: 500}, ended()).run(final, signals)

    def never(final: Path, _: Forwarder) -> Finished:
        begun.append(final.name)
        raise NotImplementedError

    whole = replace(WHOLE, final=tmp_path / "D",
                    children=(Child("a", ends_with_a_signal), Child("b", never)))  # fmt: skip
    done = run_composite(whole, signals)
    assert (done.manifest.status, done.manifest.exit_code) == ("interrupted", 130)
    assert begun == ["a"]


def test_whole_is_judged_where_all_children_ended_well_and_only_there(tmp_path: Path):
    judged = replace(WHOLE, judge=lambda _: (1, "wrong"))
    well = replace(judged, final=tmp_path / "D", children=(child("a", {4096: 500}, ended()),))
    done = run_composite(well, Forwarder())
    assert (done.manifest.exit_code, done.manifest.message) == (1, "wrong")
    unwell = child("a", {4096: 500}, ended("failed", 4))
    done = run_composite(replace(judged, final=tmp_path / "E", children=(unwell,)), Forwarder())
    assert done.manifest.exit_code == 4


def test_report_shows_every_measurement_with_its_own_sections(tmp_path: Path):
    run_all(tmp_path / "D", child("a", {4096: 500}, ended()), child("b", {8192: 900}, ended()))
    text = write_report(tmp_path / "D").read_text()
    assert 'id="r0-gamma"' in text
    assert 'id="r1-gamma"' in text
    assert text.count("what a preemption costs the caches of its victim") == 1


def test_a_killed_run_of_runs_ended_when_the_last_of_them_did(tmp_path: Path):
    done = run_all(tmp_path / "D", child("a", {4096: 500}, ended()))
    # As a kill leaves it, with a run within that went on for longer than anything else was written.
    left = (tmp_path / "D").rename(tmp_path / "D.tmp")
    for at, changes in (
        (left / "runs" / "a", {"finished_at": "2099-01-01T00:00:00.000Z"}),
        (left, {"status": "running", "finished_at": None, "exit_code": None}),
    ):
        manifest = msgspec.json.decode((at / "manifest.json").read_bytes())
        (at / "manifest.json").write_bytes(msgspec.json.encode(manifest | changes))
    assert done.path == tmp_path / "D"
    manifest = open_recovered(tmp_path / "D").manifest
    assert (manifest.status, manifest.finished_at) == ("recovered", "2099-01-01T00:00:00.000Z")
