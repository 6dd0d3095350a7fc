# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""Whether counters are believed: made-up counts of a cache whose misses are counted by hand."""

from pathlib import Path

import pytest
from tests.costs.cache_misses.made_up_cache_misses import (
    EVENT,
    MISS_NS,
    as_generated,
    machine,
    plan,
    write_cache_misses,
)

from laxity.costs.cache_misses.document import (
    generated_misses,
    own_misses,
)
from laxity.costs.cache_misses.found import judge, read_found
from laxity.costs.cache_misses.plan import plan_cache_misses
from laxity.costs.cache_misses.section import build, sentences
from laxity.errors import EXIT_DONE, EXIT_NO_VERDICT, PlatformError
from laxity.page.terminal import text_of


def test_sizes_and_misses_follow_from_the_cache():
    asked = plan()
    (cache,) = asked.caches
    # 512 lines; 56 of 64 sets have 9 lines, which all miss; 8 times the size, since its
    # replacement is not known.
    assert [(case.shape, case.size_bytes // 64, case.miss_ratio) for case in asked.cases] == [
        ("quarter", 128, 1_000_000),
        ("half", 256, 1_000_000),
        ("slope", 568, 1_000_000),
        ("beyond", 4096, 1_000_000),
        ("beyond", 4096, 500_000),
        ("beyond", 4096, 62_500),
    ]
    assert [generated_misses(case, cache) for case in asked.cases] == [0, 0, 504, 4096, 4096, 4096]
    # 8 lines of the loop: each in a set that was just full makes 9 miss, elsewhere it misses alone.
    assert [own_misses(case, cache) for case in asked.cases] == [0, 0, 72, 8, 8, 8]
    assert [bool(case.not_judged) for case in asked.cases] == [False, False, True, *3 * [False]]


def test_a_counter_that_counts_what_was_generated_is_believed_and_a_miss_timed(tmp_path: Path):
    found = read_found(write_cache_misses(tmp_path / "D", as_generated))
    (cache,) = found.caches
    assert cache.is_reliable
    assert [case.difference for case in cache.cases] == [0] * 6
    assert cache.miss is not None
    assert cache.miss.ns == pytest.approx(MISS_NS)
    # The first of 12 jobs is left out; all others are alike.
    assert cache.miss.n == 11
    assert cache.miss.low_ns == pytest.approx(MISS_NS)
    assert sentences(found)[0] == (
        "The counter l1d_refill agrees with the generated data within 0 % of the lines in 5 of 5 "
        "cases (measured)."
    )
    assert judge(tmp_path / "D") == (EXIT_DONE, "")


def test_a_prefetcher_is_a_finding_and_a_miss_is_not_timed(tmp_path: Path):
    run = write_cache_misses(tmp_path / "D", lambda case: as_generated(case) / 8)
    found = read_found(run)
    assert [case.result for case in found.caches[0].cases] == [
        *("agrees", "agrees", "not judged"),
        *3 * ["fewer"],
    ]
    assert found.caches[0].miss is None
    # 4096 / 8.
    assert "512 misses of a pass over 256 KiB of data" in sentences(found)[0].replace("\u202f", "")
    assert "prefetcher" in sentences(found)[0]
    assert judge(run) == (EXIT_DONE, "")


def test_fewer_misses_than_none_are_none(tmp_path: Path):
    # What came before the passes varies: a pass over a quarter of the cache counts two less than
    # nothing, of 128 lines with a tolerance of 1.28.
    run = write_cache_misses(
        tmp_path / "D",
        lambda case: as_generated(case) - (2 if case.shape == "quarter" else 0),
    )
    (cache,) = read_found(run).caches
    assert (cache.cases[0].counted, cache.cases[0].result) == (0, "agrees")
    assert cache.is_reliable


@pytest.mark.parametrize(("more", "result"), [(48, "agrees"), (49, "more")])
def test_one_percent_and_the_lines_of_the_loop_are_tolerated(
    more: int, result: str, tmp_path: Path
):
    # 4096 lines: 40.96 and 8.
    run = write_cache_misses(
        tmp_path / "D",
        lambda case: as_generated(case) + (more if case.shape == "beyond" else 0),
    )
    assert read_found(run).caches[0].cases[3].result == result


def test_counters_that_took_turns_give_no_verdict(tmp_path: Path):
    run = write_cache_misses(tmp_path / "D", as_generated, scale_ratio=2)
    said = "l1d_refill: no verdict: counters took turns, and it counted 50 % of the time"
    assert judge(run) == (EXIT_NO_VERDICT, said)
    assert sentences(read_found(run))[0] == f"{said} (measured)."
    assert read_found(run).caches[0].miss is None


@pytest.mark.parametrize(("n_jobs", "code"), [(6, EXIT_NO_VERDICT), (7, EXIT_DONE)])
def test_six_pairs_of_jobs_behind_the_first_support_a_verdict(
    n_jobs: int, code: int, tmp_path: Path
):
    run = write_cache_misses(tmp_path / "D", as_generated, n_jobs=n_jobs)
    assert judge(run)[0] == code


def test_a_run_that_is_missing_is_shown_as_not_measured(tmp_path: Path):
    run = write_cache_misses(tmp_path / "D", as_generated)
    (run / "runs" / "l1d").rename(tmp_path / "elsewhere")
    found = read_found(run)
    assert sentences(found) == ("l1d_refill: no verdict: nothing was counted (measured).",)
    assert "not measured" in text_of(build(found).blocks)


@pytest.mark.parametrize(
    ("changes", "told"),
    [
        ({"ways_of_associativity": "0"}, "does not tell its size, ways and line"),
        ({"size": "33K", "ways_of_associativity": "7"}, "no whole number of sets"),
        ({"size": "64M"}, "takes long"),
        ({"type": "Unified"}, "has no such cache"),
    ],
)
def test_a_cache_that_is_not_described_is_not_tested(changes: dict[str, str], told: str):
    with pytest.raises(PlatformError, match=told):
        plan_cache_misses(machine(**changes), 1, [EVENT], None)


def test_an_event_that_is_not_counted_is_left_out_with_its_reason():
    with pytest.raises(PlatformError, match="it is not counted there"):
        plan_cache_misses(machine(), 1, [], None)
    _, left_out = plan_cache_misses(machine(), 1, [EVENT], None)
    assert [one.what for one in left_out] == ["l1i_refill", "l2_refill"]


def test_the_pages_of_a_machines_second_level_are_not_known():
    kind = {"level": "2", "type": "Unified", "size": "512K"}
    asked, _ = plan_cache_misses(machine(**kind), 1, ["l2_refill"], None)
    assert [case.shape for case in asked.cases if not case.not_judged] == ["beyond"]


def test_every_case_has_tasks_of_its_own():
    names = [name for case in plan().cases for name in (case.short, case.long)]
    assert len(set(names)) == len(names)
