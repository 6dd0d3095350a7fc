# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""Raffeck's experiments on the model, by hand, with the cycles of sim/platforms."""

from pathlib import Path

import numpy as np
import pytest
from tests.cli.laxity_command import Laxity, make_laxity
from tests.cli.test_measure_migration_jobs_simulated import instructions_below
from tests.cli.test_workingset_command import needs_llvm
from tests.papers.pages import FOLDER, sections_of

from laxity.costs.migration_jobs.rows import SETTLED_AFTER
from laxity.papers.raffeck import PAPER
from laxity.papers.raffeck_access import CACHED, OWN, REMOTE, UNCACHED, WORDS, WORDS_KIB
from laxity.papers.raffeck_found import Found
from laxity.papers.raffeck_migration import MEDIUM, OF, PRIMES, SMALL, clusters
from laxity.papers.raffeck_working_sets import peaks
from laxity.papers.result import ReproducedRow, read_reproduction
from laxity.store.run_directory import open_run

# The figures that take seconds.
QUICK = ("figure-2", "figure-8")
PAGE = FOLDER / "raffeck.md"
TC397_GHZ = 0.3
# All figures take some ten minutes on two cores.
PATIENCE_S = 3600
CLOCK_GHZ = {"M1": 3.4, "M2": 2.5, "M3": 2.1}


def reproduce(laxity: Laxity, *figures: str) -> Path:
    words = ("--run-dir", "D", "--page", "page", "--no-report", "--quiet")
    done = laxity("reproduce", "raffeck", *figures, *words, patience_s=PATIENCE_S)
    assert (done.returncode, done.stderr) == (0, "")
    return laxity.directory / "D"


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The figures that take seconds."""
    return reproduce(make_laxity(tmp_path_factory.mktemp("raffeck")), *QUICK)


@pytest.fixture(scope="module")
def found(run: Path) -> Found:
    return found_in(run)


def found_in(run: Path) -> Found:
    return Found({child.path.name: child for child in open_run(run).children})


def ours(run: Path, figure: str) -> dict[str, ReproducedRow]:
    return {row.what: row for row in read_reproduction(run).rows if row.figure == figure}


def beyond_own_cycles(found: Found, place: str, size_kib: int) -> list[float]:
    """Return what each transfer's word takes longer than in the core's own scratchpad."""
    words = size_kib * 1024 / 4
    times, own = (found.jobs_ns(WORDS[one])[f"{size_kib}KiB"] for one in (place, OWN))
    longer: list[float] = ((times - own) / words * TC397_GHZ).tolist()
    return longer


@pytest.mark.parametrize("size_kib", WORDS_KIB)
def test_word_of_memory_that_is_not_cached_takes_as_long_as_its_way(found: Found, size_kib: int):
    # LMU0: request_cycles 1, hit_cycles 1, word_cycles 1. Another core's scratchpad: 1 + 1 + 1, and
    # the bridge there and back, 2.
    # Times are rounded to a nanosecond; the first transfer has the code to fetch besides.
    for place, cycles in ((UNCACHED, 3), (REMOTE, 5)):
        _, *later = beyond_own_cycles(found, place, size_kib)
        assert later == pytest.approx([cycles] * len(later), abs=0.003)


def test_word_that_the_data_cache_holds_takes_what_it_takes_in_the_scratchpad(found: Found):
    for size_kib in (1, 8):
        first, *later = beyond_own_cycles(found, CACHED, size_kib)
        assert first > 0
        assert later == [0] * len(later)


def test_transfers_form_the_papers_groups_but_for_the_largest_array(run: Path):
    rows = ours(run, "figure-2")
    verdicts = {what: (row.agrees, row.kind) for what, row in rows.items()}
    assert verdicts == {
        "LMU0 by cached addresses over own scratchpad, 1 to 16 KiB": (True, "predicted"),
        # 32 KiB in a cache of 16: not the time of the cache.
        "the same, 32 KiB": (False, "predicted"),
        # (5 + 3) / 5 and (5 + 5) / 5 with the loop's five cycles.
        "LMU0 by addresses that are not cached over own scratchpad": (True, "fitted"),
        "core 4's scratchpad over own scratchpad": (True, "fitted"),
    }
    assert rows["core 4's scratchpad over own scratchpad"].ours == pytest.approx(2, abs=0.01)


@pytest.mark.parametrize("machine", CLOCK_GHZ)
def test_times_of_primes_are_two_and_those_of_their_instructions(found: Found, machine: str):
    rows = found.migration_jobs(OF[machine, PRIMES])
    settled = rows[np.ma.filled(rows["since_change"], 0) >= SETTLED_AFTER]
    for limit, below in enumerate((1200, 1500)):
        times_ns = set(settled["exec_ns"][settled["limit"] == limit].tolist())
        # A cycle each, and one for the clock; times are rounded to a nanosecond.
        expected_ns = (instructions_below(below) + 1) / CLOCK_GHZ[machine]
        assert all(abs(one - expected_ns) <= 1 for one in times_ns)


def test_processor_bound_task_has_two_clusters_and_loses_nothing_by_a_change(run: Path):
    rows = ours(run, "figure-8").values()
    assert {row.ours for row in rows if row.unit == "clusters"} == {2}
    assert all(row.agrees for row in rows)


def test_clusters_are_parted_by_more_than_a_twentieth():
    # 105 is not more than 1.05 * 100; 111 is more than 1.05 * 105 = 110.25.
    assert clusters([100, 105]) == 1
    assert clusters([111, 100, 105]) == 2
    assert clusters([100, 106, 112]) == 3


def test_peaks_are_what_is_higher_than_both_neighbours():
    assert peaks([]) == 0
    assert peaks([1, 2, 3]) == 1
    assert peaks([3, 1, 3]) == 2
    # A plateau is one.
    assert peaks([1, 3, 3, 1, 2]) == 2
    assert peaks([2, 3, 3, 4]) == 1


def test_figure_of_a_suite_that_nobody_names_is_refused(laxity: Laxity):
    done = laxity("reproduce", "raffeck", "figure-7")
    assert (done.returncode, done.stdout) == (2, "")
    assert "name a checkout: --suite DIR" in done.stderr
    assert not (laxity.directory / "runs").exists()


# 1 KiB is live while it is filled and summed up, half of the run or so nothing of it. What is live
# beside it are two counters and a sum.
ST = """
static unsigned char table[1024];
volatile unsigned result;
int main( void )
{
  unsigned sum = 0;
  for ( volatile int i = 0; i < 3000; i++ ) sum++;
  for ( int i = 0; i < 1024; i++ ) table[ i ] = ( unsigned char )( sum + i );
  for ( int i = 0; i < 1024; i++ ) sum += table[ i ];
  for ( volatile int i = 0; i < 3000; i++ ) sum++;
  result = sum;
  return 0;
}
"""


@needs_llvm
def test_working_set_along_a_run_is_that_of_the_suite_that_is_named(laxity: Laxity):
    folder = laxity.directory / "suite" / "st"
    folder.mkdir(parents=True)
    (folder / "st.c").write_text(ST)
    words = ("--suite", "suite", "--run-dir", "D", "--page", "page", "--no-report", "--quiet")
    done = laxity("reproduce", "raffeck", "figure-7", *words)
    assert done.returncode == 0, done.stderr
    rows = ours(laxity.directory / "D", "figure-7")
    assert 1 <= rows["largest bound along the run"].ours < 1.1
    assert rows["smallest"].ours < 0.1
    assert 0 < rows["of the run, at most half of the largest is live"].ours < 100
    assert "proven: programs of a suite" in (laxity.directory / "page" / "raffeck.md").read_text()
    # Nothing is written into it.
    assert [path.name for path in folder.iterdir()] == ["st.c"]


@needs_llvm
def test_suite_without_the_program_of_the_figure_is_refused(laxity: Laxity):
    (laxity.directory / "suite" / "other").mkdir(parents=True)
    (laxity.directory / "suite" / "other" / "other.c").write_text("int main( void ) { return 0; }")
    done = laxity("reproduce", "raffeck", "figure-7", "--suite", "suite", "--run-dir", "D")
    assert done.returncode == 2
    assert "has no program st that compiles and links; name the whole suite" in done.stderr


def test_suite_for_figures_of_none_is_refused(laxity: Laxity):
    done = laxity("reproduce", "raffeck", "figure-2", "--suite", ".")
    assert (done.returncode, done.stdout) == (2, "")
    assert "--suite: raffeck figure-2 is of no programs that a suite has" in done.stderr


def test_all_figures_without_a_suite_are_those_that_need_none():
    chosen = PAPER.chosen(())
    left = [one.what for one in PAPER.left_out(chosen, ())]
    assert left == ["figure-6", "figure-7"]
    assert [one.name for one in PAPER.exhibits if one not in chosen] == left
    assert not PAPER.left_out(PAPER.chosen((), has_suite=True), ())


def test_page_of_the_documentation_has_the_figures_that_are_measured_now(run: Path):
    made = sections_of((run.parent / "page" / "raffeck.md").read_text())
    kept = sections_of(PAGE.read_text())
    assert len(made) == len(QUICK)
    assert {title: kept.get(title) for title in made} == made


def lost_cycles(found: Found, machine: str, size_bytes: int, is_far: bool) -> float:
    changes = found.changes(OF[machine, size_bytes])
    lost = [one.first_ns - one.later_ns for one in changes if one.is_far == is_far]
    return float(np.median(lost)) * CLOCK_GHZ[machine]


@pytest.mark.slow
def test_page_of_the_documentation_is_made_by_the_command(laxity: Laxity):
    run = reproduce(laxity)
    assert (laxity.directory / "page" / "raffeck.md").read_text() == PAGE.read_text()
    manifest = open_run(run).manifest
    assert [one.what for one in manifest.fallbacks] == ["figure-6", "figure-7"]
    found = found_in(run)
    # Another domain costs each line of 64 bytes the links four times beyond another core: M2 has
    # two hops of 18 cycles, M3 one of 66. Times are rounded to a nanosecond.
    for machine, cycles in (("M2", 4 * 2 * 18), ("M3", 4 * 66)):
        for size_bytes in (SMALL, MEDIUM):
            far, near = (lost_cycles(found, machine, size_bytes, one) for one in (True, False))
            assert far - near == pytest.approx(size_bytes / 64 * cycles, abs=10)
    # What is beyond the caches is as far from all cores of a domain, and farther from others.
    for figure, core in (("figure-4", 5), ("figure-5", 11)):
        rows = ours(run, figure)
        assert rows[f"the largest array, core {core} of domain 0 over core 0"].ours == (
            pytest.approx(1, abs=0.01)
        )
