# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""Report, short answer and cost model of a run that measured migrations."""

import json
import re
from pathlib import Path

import pytest
from msgspec.structs import replace
from tests.costs.migration.made_up_migration import finished_migration

from laxity.cli.summary import summary_document, summary_text
from laxity.costs.merge import merge_runs, read_costs
from laxity.costs.migration.data import memory_words
from laxity.costs.table import entries_table
from laxity.jobs.finish import open_recovered
from laxity.report.page import write_report
from laxity.store.measurements import KnownGamma, MigrationMeasurement

KIB, MIB = 1 << 10, 1 << 20
CURVE = {32 * KIB: 3_000, 256 * KIB: 24_000, 512 * KIB: 48_000, MIB: 96_000}


def text_of(page: Path) -> str:
    return re.sub(r"\s+", " ", re.sub(r"<[^>]+>", " ", page.read_text()))


def test_answer_is_what_one_migration_costs_at_sizes_that_people_know(tmp_path: Path):
    run = open_recovered(finished_migration(tmp_path / "D", CURVE))
    first = summary_text(run).splitlines()[1]
    assert first == (
        "One migration between cores that share the L3 (CPU 0 → 1, 1 → 0), chase: 3 µs at 32 KiB, "
        "24 µs at 256 KiB, 96 µs at 1 MiB (medians, n ≥ 40, measured); the move itself takes "
        "another 17 µs (median, n = 160)."
    )
    assert "Memory taken along to another node: not measured, one NUMA node." in summary_text(run)
    assert "What CPUs share is what the hypervisor tells" in summary_text(run)
    (answer,) = summary_document(run)["migrations"]
    assert (answer["domain"], answer["pairs"]) == ("shared_l3", [[0, 1], [1, 0]])
    sizes = [one["working_set_bytes"] for one in answer["working_sets"]]
    assert sizes == [32 * KIB, 256 * KIB, MIB]


@pytest.mark.parametrize(
    ("n", "verdict", "told"),
    [
        (20, "not_measurable", "the move itself is not measurable (noise floor "),
        # 2 of each pair and working set: 4 in all.
        (2, "no_verdict", "of the move itself there is no verdict (n = 4)."),
    ],
)
def test_move_that_cannot_be_told_from_nothing_is_no_time(
    tmp_path: Path, n: int, verdict: str, told: str
):
    # It takes as long as staying.
    path = finished_migration(tmp_path / "D", {32 * KIB: 3_000}, n=n, moving_ns=3_000)
    run = open_recovered(path)
    assert told in summary_text(run)
    assert "takes another" not in summary_text(run)
    move = summary_document(run)["migrations"][0]["move"]
    assert (move["verdict"], move["n"], move["median"]) == (verdict, 2 * n, 0)


def test_memory_of_another_node_is_not_said_to_be_none_where_nothing_was_kept(tmp_path: Path):
    path = finished_migration(tmp_path / "D", {32 * KIB: 3_000}, domains=("other_node",) * 2)
    asked = open_recovered(path).manifest.measurement
    assert isinstance(asked, MigrationMeasurement)
    machine = {"stable": {"nodes": [{"node": 0}, {"node": 1}]}}
    assert memory_words((), asked.pairs, machine) == (
        "memory: of no move to another node enough was kept"
    )
    near = [replace(pair, domain="shared_l3") for pair in asked.pairs]
    assert memory_words((), near, machine).endswith("all of these CPUs are of one NUMA node")


def test_what_a_preemption_costs_stands_beside_where_it_is_known(tmp_path: Path):
    gamma = [
        KnownGamma(working_set_bytes=size, pattern=pattern, median_ns=median, n=60, runs=["G"])
        for pattern, size, median in (
            ("chase", 32 * KIB, 1_500),
            ("chase", 512 * KIB, 9_000),
            ("sequential", MIB, 700),
        )
    ]
    path = finished_migration(tmp_path / "D", CURVE, gamma=gamma)
    # Only what was measured in the same pattern, and at a working set that is shown.
    expected = "A preemption (gamma): 32 KiB 1.50 µs (medians, n ≥ 60, measured in G)"
    assert summary_text(open_recovered(path)).splitlines()[1].endswith(f". {expected}.")
    assert expected in text_of(write_report(path))


def test_pairs_of_different_distance_are_answered_apart(tmp_path: Path):
    path = finished_migration(tmp_path / "D", CURVE, domains=("other_node", "shared_l2"))
    lines = summary_text(open_recovered(path)).splitlines()
    assert lines[1].startswith("One migration between cores that share the L2 (CPU 1 → 0), chase")
    assert lines[2].startswith("One migration between cores of two nodes (CPU 0 → 1), chase")
    assert lines[3] == "Memory: left on its node only; no move that took it along was kept."


def test_page_shows_curves_and_says_what_one_migration_costs(tmp_path: Path):
    page = write_report(finished_migration(tmp_path / "D", CURVE))
    text = text_of(page)
    assert "chase: 3 µs at 32 KiB, 24 µs at 256 KiB, 96 µs at 1 MiB (medians" in text
    assert "Memory taken along to another node: not measured, one NUMA node." in text
    assert re.search(r"1 → 0 chase 1 MiB 20 ", text)
    (svg,) = re.findall(r"<svg.*?</svg>", page.read_text(), re.DOTALL)
    assert "#0102" not in svg
    derived = json.loads((tmp_path / "D" / "derived.json").read_text())
    names = {one["name"]: one for one in derived["quantities"]}
    one = names[f"migration_cpu0to1_chase_{256 * KIB}B_p50"]
    assert (one["unit"], one["n"], one["kind"]) == ("ns", 20, "measured")
    assert one["value"] == pytest.approx(24_000, abs=4)


def test_what_is_not_measurable_is_said_and_never_zero(tmp_path: Path):
    path = finished_migration(tmp_path / "D", {32 * KIB: 0, MIB: 1})
    assert "not measurable at 32 KiB, not measurable at 1 MiB" in summary_text(open_recovered(path))
    assert "not measurable at 32 KiB" in text_of(write_report(path))


def test_too_few_observations_are_no_verdict(tmp_path: Path):
    run = open_recovered(finished_migration(tmp_path / "D", CURVE, n=5))
    assert run.manifest.exit_code == 4
    assert "needs 6 observations" in text_of(write_report(run.path))


def test_damaged_stream_is_told_on_the_page(tmp_path: Path):
    path = finished_migration(tmp_path / "D", CURVE)
    (path / "migration.npy").write_bytes(b"gone")
    text = text_of(write_report(path))
    assert "migration.npy: not a NumPy file" in text
    assert "No observation was kept" in text


def test_cost_model_is_shown_and_joined(tmp_path: Path):
    runs = [finished_migration(tmp_path / name, CURVE) for name in ("A", "B")]
    model = read_costs(runs[0])
    # Two pairs of four working sets, two curves, one domain, two moves.
    assert len(model.entries) == 13
    table = entries_table(model)
    assert "0>1" in table
    assert "chase_shared_l3" in table
    assert "migration_move" in table
    both = merge_runs(runs)
    assert [one.n for one in both.entries] == [2 * one.n for one in model.entries]
    assert both.entries[0].runs == ["A", "B"]


def test_claim_that_the_run_contradicts_is_withdrawn_and_told(tmp_path: Path):
    # A warm pass takes as long over both working sets, some µs at most. So by 64 KiB the shared
    # cache hands out 32 KiB in half of that; a move of 32 KiB loses 100 µs.
    lost_ns = {32 * KIB: 100_000, 64 * KIB: 10}
    path = finished_migration(tmp_path / "D", lost_ns, n=40, own_bytes=32 * KIB)
    told = "CPU 0 and 1: the system claims cores that share the L3, but one move in ten loses"
    assert told in text_of(write_report(path))
    run = open_recovered(path)
    assert told in summary_text(run)
    assert "between cores that are not as near as the system claims" in summary_text(run)
    (one,) = summary_document(run)["contradicted_claims"]
    assert (one["claimed"], one["working_set_bytes"]) == ("shared_l3", 32 * KIB)
    cases = {one.axes.case for one in read_costs(path).entries}
    assert cases == {"chase", None}
