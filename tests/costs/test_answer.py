# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""The sentence about what a preemption and a migration cost, of costs that are made up."""

import msgspec
from tests.bounds.made_up_costs import KIB, entry, gamma, model

from laxity.costs.answer import cost_answer
from laxity.costs.model import Entry


def of(median_ns: int, one: Entry) -> Entry:
    return msgspec.structs.replace(one, quantiles={"0.5": median_ns})


def move(median_ns: int, kib: int, case: str, pair: tuple[int, int]) -> Entry:
    axes = {"working_set_bytes": kib * KIB, "case": case, "cpu": pair[0], "cpu_to": pair[1]}
    return of(median_ns, entry("migration", 10 * median_ns, **axes))


GAMMAS = (
    of(2_000, gamma(32, 9_000)),
    of(20_000, gamma(256, 90_000)),
    of(90_000, gamma(1024, 99_000)),
)
DELTAS = (
    of(11_000, entry("delta", 60_000, case="best")),
    of(15_000, entry("delta", 60_000, case="worst")),
)


def test_a_preemption_is_two_switches_and_loading_again():
    found = cost_answer(model(*GAMMAS, *DELTAS))
    assert found is not None
    # 2 · 11 + 20 at the largest working set up to 256 KiB; the worst switch is another question.
    assert found.preemption_ns == 42_000
    assert found.sentence() == (
        "A preemption costs 42 µs: two switches of 11 µs (δ, best case) and 20 µs to load 256 KiB "
        "again (\N{GREEK SMALL LETTER GAMMA}) (medians, n ≥ 1000, measured)."
    )


def test_what_another_task_evicts_by_writing_counts_and_not_what_is_flushed():
    others = (
        of(300_000, gamma(256, 900_000, evict="flush")),
        of(40_000, gamma(256, 900_000, case="asynchronous_chase")),
        of(70_000, gamma(256, 900_000, case="synchronous_sequential")),
        of(15_000, gamma(256, 90_000, cpu=0)),
    )
    found = cost_answer(model(*others, *GAMMAS, *DELTAS))
    assert found is not None
    # Of two CPUs the slower one.
    assert found.gamma_ns == 20_000
    # What only flushing could show is no preemption's, whether or not writing was tried.
    lost = of(50_000, gamma(256, 99_000, verdict="not_measurable"))
    assert cost_answer(model(others[0], *DELTAS)) is None
    assert cost_answer(model(lost, *others[:2], *DELTAS)) is None


def test_a_migration_is_of_the_same_working_set_and_pattern_between_the_nearest_and_farthest_cpus():
    moves = (
        move(290_000, 256, "chase", (0, 1)),
        move(330_000, 256, "chase", (1, 0)),
        move(999_000, 256, "chase_fetched", (1, 0)),
        move(1_000, 256, "sequential", (1, 0)),
        move(5_000, 32, "chase", (0, 1)),
    )
    found = cost_answer(model(*GAMMAS, *DELTAS, *moves))
    assert found is not None
    assert found.migration_ns == (290_000, 330_000)
    assert "; a migration costs 290 to 330 µs beside the move (medians" in found.sentence()
    # 290 + 20 and 330 + 25, the medians of each pair.
    ways = (
        of(20_000, entry("migration_move", 90_000, cpu=0, cpu_to=1)),
        of(25_000, entry("migration_move", 90_000, cpu=1, cpu_to=0)),
    )
    with_moves = cost_answer(model(*GAMMAS, *DELTAS, *moves, *ways))
    assert with_moves is not None
    assert "costs 310 to 355 µs, 20 to 25 µs of them the move (medians" in with_moves.sentence()
    wide = (*moves[:1], move(2_300_000, 256, "chase", (1, 0)))
    found = cost_answer(model(*GAMMAS, *DELTAS, *wide))
    assert found is not None
    assert found.migration == "290 µs to 2.30 ms"


def test_a_migration_has_the_move_of_memory_that_stays():
    # With memory that goes along the move takes 800 µs, and is another case.
    costs = (
        move(290_000, 256, "chase", (0, 1)),
        of(20_000, entry("migration_move", 90_000, cpu=0, cpu_to=1)),
        of(820_000, entry("migration_move", 990_000, cpu=0, cpu_to=1, case="fetched")),
    )
    found = cost_answer(model(*GAMMAS, *DELTAS, *costs))
    assert found is not None
    assert (found.migration_ns, found.move_ns) == ((310_000, 310_000), (20_000, 20_000))


def test_pairs_of_cpus_without_a_figure_and_a_switch_of_another_cpu_are_named():
    costs = (
        move(290_000, 256, "chase", (0, 1)),
        msgspec.structs.replace(move(9, 256, "chase", (1, 0)), verdict="not_measurable"),
        of(11_000, entry("delta", 60_000, case="best", cpu=7)),
    )
    found = cost_answer(model(*GAMMAS, *costs))
    assert found is not None
    assert "two switches of 11 µs (δ of CPU 7, best case) and" in found.sentence()
    assert "290 µs beside the move (1 more pair of CPUs: not measurable)" in found.sentence()


def test_what_could_not_be_measured_is_not_said():
    lost = of(50_000, gamma(256, 99_000, verdict="not_measurable"))
    assert cost_answer(model(lost, *DELTAS)) is None
    found = cost_answer(model(GAMMAS[2], lost))
    assert found is not None
    # No smaller one was measured, and no switch at all.
    assert (found.size, found.preemption_ns, found.migration) == ("1 MiB", None, None)
    assert found.sentence().startswith("A preemption costs, beside its switches, 90 µs to load 1")
