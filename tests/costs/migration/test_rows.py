# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""Costs of migrations from made-up observations whose loss is known by hand."""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from laxity.core.streams import absent_value, dtype_of
from laxity.costs.migration import rows as migration
from laxity.costs.migration.rows import CONTROL, FETCH, MOVE, RETURN, SLEEP, STAY, Migration
from laxity.errors import RecordError

KIB = 1 << 10
ROLES = (STAY, MOVE, CONTROL, SLEEP, RETURN)
NEAR = {(0, 1): "shared_l3", (1, 0): "shared_l3"}


def observation(role: int, *passes_ns: int, **fields: int) -> dict[str, int]:
    """One row from CPU 0 to 1; passes that are not given are warm (100 ns)."""
    row = {"role": role, "warm_ns": 100, "working_set_bytes": 4 * KIB, "cpu_to": 1, **fields}
    warm = [*passes_ns, *[fields.get("warm_ns", 100)] * (6 - len(passes_ns))]
    return row | {f"pass{number}_ns": value for number, value in enumerate(warm, 1)}


def table(*rows: dict[str, int]) -> "np.ma.MaskedArray[Any, Any]":
    made = np.zeros(len(rows), dtype=dtype_of("migration"))
    for index, row in enumerate(rows):
        for name, value in row.items():
            made[name][index] = value
    masked = np.ma.MaskedArray(made, mask=np.zeros(made.shape, np.ma.make_mask_descr(made.dtype)))
    masked["node"] = np.ma.masked_equal(made["node"], absent_value("i4"))
    return masked


def rounds(n: int = 6, **lost_ns: int) -> list[dict[str, int]]:
    """N rounds: moving loses 500 to 500 + n - 1, sleeping 40, there and back 60, staying 10."""
    lost = {"stay": 10, "move": 500, "sleep": 40, "back": 60, **lost_ns}
    rows = []
    for number in range(n):
        rows += [
            observation(STAY, 100 + lost["stay"], event_ns=1_000),
            observation(MOVE, 100 + lost["move"] + number, event_ns=9_000),
            observation(CONTROL, 100 + lost["stay"], event_ns=1_000),
            observation(SLEEP, 100 + lost["sleep"], event_ns=9_100),
            observation(RETURN, 100 + lost["back"], event_ns=18_000),
        ]
    return rows


def found_in(*rows: dict[str, int]) -> tuple[Migration, ...]:
    return migration.migrations(table(*rows), "a", NEAR)


def test_migration_is_the_loss_beyond_staying():
    (found,) = found_in(*rounds())
    # 500 ... 505, minus the median loss of staying, 10.
    assert found.loss.samples_ns.tolist() == [490, 491, 492, 493, 494, 495]
    assert found.loss.verdict == "ok"
    assert (found.sleep.median_ns, found.round_trip.median_ns) == (30, 50)
    assert (found.move.median_ns, found.move.n) == (8_000, 6)
    assert (found.domain, found.warm_ns, found.is_steady) == ("shared_l3", 100, True)


def test_passes_after_a_move_count_until_one_is_warm():
    rows = rounds()
    rows[1] = observation(MOVE, 400, 150, 100, 900)
    # (400 - 100) + (150 - 100) - 10 = 340; the slow fourth pass comes behind a warm one.
    assert found_in(*rows)[0].loss.samples_ns[0] == 340


def test_passes_are_compared_with_warm_ones_of_the_cpu_they_run_on():
    # CPU 1 is a little core: 300 ns warm. Moving there loses 320 - 300, not 320 - 100.
    there = [{**row, "cpu": 1, "cpu_to": 0, "warm_ns": 300} for row in rounds(move=220, stay=210)]
    here = rounds()
    for row in here:
        if row["role"] == MOVE:
            row["pass1_ns"] = 320
            row.update({f"pass{number}_ns": 300 for number in range(2, 7)})
    first, second = found_in(*here, *there)
    assert (first.route.cpu, first.warm_ns) == (0, 300)
    # 320 - 300 - 10
    assert first.loss.median_ns == 10
    assert (second.route.cpu, second.warm_ns) == (1, 100)


def test_cpu_that_is_only_gone_to_is_warm_in_its_last_passes():
    rows = rounds()
    for row in rows:
        if row["role"] == MOVE:
            row.update({f"pass{number}_ns": 300 for number in range(2, 7)})
    # 500 + 100 - 300 - 10 for the first of them.
    assert found_in(*rows)[0].loss.samples_ns[0] == 290


def test_memory_that_goes_along_is_a_route_of_its_own():
    rows = rounds() + [observation(FETCH, 350, event_ns=50_000, node=1) for _ in range(6)]
    left, fetched = found_in(*rows)
    assert (left.route.case_name, left.node) == ("sequential", 0)
    assert (fetched.route.case_name, fetched.node) == ("sequential_fetched", 1)
    # 350 - 100 - 10; 50000 - 1000.
    assert (fetched.loss.median_ns, fetched.move.median_ns) == (240, 49_000)


def test_absent_node_stays_absent():
    rows = [{**row, "node": absent_value("i4") or 0} for row in rounds()]
    (found,) = found_in(*rows)
    assert found.node is None


def test_route_without_a_role_is_left_out():
    for role in ROLES:
        assert found_in(*(row for row in rounds() if row["role"] != role)) == ()


def test_route_whose_halves_differ_is_not_steady():
    # 490 ... and 1490 ...: intervals of six samples reach from the first to the last.
    rows = rounds(6) + rounds(6, move=1_500)
    assert not found_in(*rows)[0].is_steady
    # Five in each half support no interval, so nothing is said.
    assert found_in(*rounds(5), *rounds(5, move=1_500))[0].is_steady


@pytest.mark.parametrize(
    ("column", "value"),
    [("role", 6), ("pattern", 2), ("working_set_bytes", 0), ("pass2_ns", 1 << 56)],
)
def test_values_that_no_probe_writes_are_damage(column: str, value: int):
    rows = rounds()
    rows[3][column] = value
    with pytest.raises(RecordError, match=f"migration.npy: {column} {value} is no value"):
        found_in(*rows)


def test_runs_are_pooled_by_route():
    one = migration.migrations(table(*rounds()), "a", NEAR)
    other = migration.migrations(table(*rounds(move=700)), "b", NEAR)
    (both,) = migration.pool([*one, *other])
    assert (both.loss.n, both.runs, both.loss.max_ns) == (12, ("a", "b"), 695)


def test_entries_are_routes_then_pairs_then_what_pairs_have_in_common_then_moves():
    rows = rounds() + [{**row, "working_set_bytes": 8 * KIB} for row in rounds(move=900)]
    rows += [{**row, "cpu": 1, "cpu_to": 0} for row in rounds(move=600)]
    found = migration.entries(found_in(*rows))
    shown = [(one.name, one.axes.cpu, one.axes.working_set_bytes, one.axes.case) for one in found]
    assert shown == [
        ("migration", 0, 4 * KIB, "sequential"),
        ("migration", 0, 8 * KIB, "sequential"),
        ("migration", 1, 4 * KIB, "sequential"),
        ("migration", 0, None, "sequential"),
        ("migration", 1, None, "sequential"),
        ("migration", None, None, "sequential_shared_l3"),
        ("migration_move", 0, None, None),
        ("migration_move", 1, None, None),
    ]
    # The largest of six samples each: 505 - 10, 905 - 10; of both pairs at 4 KiB: 605 - 10.
    assert found[3].points == [(0, 495), (4 * KIB, 495), (8 * KIB, 895)]
    assert found[5].points == [(0, 595), (4 * KIB, 595), (8 * KIB, 895)]
    assert (found[5].n, found[5].axes.cpu_to, found[6].axes.cpu_to) == (18, None, 1)
    assert found[6].quantiles == {"0.5": 8_000}


OWN = {(0, 1): 64 * KIB, (1, 0): 64 * KIB}


def moves(lost_ns: list[int], *, asleep_ns: int = 0, domain: str = "shared_l3") -> Migration:
    """Move 64 KiB, which fit the own cache of 64 KiB, from CPU 0 to 1; judge that by 128 KiB.

    1024 lines take 4 ns each from the own cache; 2048 lines take 10 ns each from the next one.
    """
    own, shared = 1024 * 4, 2048 * 10
    rows = []
    for lost in lost_ns:
        for role in ROLES:
            more = {MOVE: lost, SLEEP: asleep_ns}.get(role, 0)
            for size, warm, late in ((64, own, more), (128, shared, 0)):
                fields = {"working_set_bytes": size * KIB, "warm_ns": warm, "pattern": 1}
                rows.append(observation(role, warm + late, **fields))
    found = migration.migrations(table(*rows), "a", {(0, 1): domain})
    return migration.judged(found, OWN)[0]


@pytest.mark.parametrize(("lost_ns", "is_near"), [(40_960, True), (40_961, False)])
def test_claim_is_withdrawn_where_lines_come_from_farther_than_the_cache_that_is_shared(
    lost_ns: int, is_near: bool
):
    # 1024 lines at 10 ns = 10,240 ns from the shared cache; beyond four times that they are far.
    found = moves([lost_ns] * 40)
    assert found.domain == ("shared_l3" if is_near else "contradicted")
    if not is_near:
        assert found.contradiction == migration.Contradiction(
            cpu=0, cpu_to=1, claimed="shared_l3", working_set_bytes=64 * KIB,
            lost_ns=40_961, shared_ns=10_240, n=40,
        )  # fmt: skip


@pytest.mark.parametrize(("n_far", "is_near"), [(10, True), (30, False)])
def test_claim_is_withdrawn_where_cpus_are_far_at_times(n_far: int, is_near: bool):
    # Of 100 moves p90 lies between the 84th and the 96th in order, with 95 % confidence.
    found = moves([90_000] * n_far + [12_000] * (100 - n_far))
    assert found.domain == ("shared_l3" if is_near else "contradicted")


def test_other_work_that_costs_a_sleeper_as_much_says_nothing_of_distances():
    assert moves([90_000] * 40, asleep_ns=50_000).domain == "shared_l3"
    assert moves([90_000] * 40, asleep_ns=40_000).domain == "contradicted"


def test_only_claims_of_shared_caches_are_judged():
    assert moves([90_000] * 40, domain="same_node").domain == "same_node"
    # Too few for an interval of p90.
    assert moves([90_000] * 6).domain == "shared_l3"


def test_contradicted_pair_says_nothing_of_others_in_costs():
    cases = [one.axes.case for one in migration.entries([moves([90_000] * 40)])]
    # Its route, its curve, its move; with a claim that holds, one for all such pairs more.
    assert cases == ["chase", "chase", None]
    cases = [one.axes.case for one in migration.entries([moves([9_000] * 40)])]
    assert cases == ["chase", "chase", "chase_shared_l3", None]


def _references(run: str) -> tuple[Migration, ...]:
    """The 128 KiB that the others are judged by."""
    one = moves([12_000] * 40)
    route = replace(one.route, working_set_bytes=128 * KIB)
    return (replace(one, route=route, warm_ns=2048 * 10, runs=(run,)),)


def test_run_that_contradicts_a_claim_withdraws_it_for_all_runs_of_the_pair():
    near = replace(moves([12_000] * 40), runs=("b",))
    far = moves([90_000] * 40)
    assert far.contradiction is not None
    undone = replace(far, domain="shared_l3", contradiction=None)
    both = migration.judged([near, undone, *_references("a"), *_references("b")], OWN)
    assert {one.domain for one in both} == {"contradicted"}
