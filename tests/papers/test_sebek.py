# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""Sebek's experiments on the model, by hand, with the cycles of sim/platforms/mpc750*.toml."""

from pathlib import Path

import pytest
from tests.cli.laxity_command import Laxity, make_laxity
from tests.papers.pages import FOLDER, sections_of

from laxity.papers.result import ReproducedRow, read_reproduction
from laxity.papers.sebek import LEVEL_1, LEVEL_1_AT_233_MHZ, OF_WAYS, Found
from laxity.papers.sebek_misses import EXACT, FIGURE_6, LINES
from laxity.store.run_directory import open_run

KIB = 1024
# A cycle of 1100/3 MHz is 30/11 ns. A refill is 2 cycles of the core, 8 + 4 of the bus at
# 200/3 MHz, which are 5.5 of the core each, and 2 of the core: 70, 190.909 ns.
REFILL_NS = (2 + 12 * 5.5 + 2) * 30 / 11
# Each time is rounded up to a nanosecond.
ROUNDING_NS = 3
QUICK = ("section-3.2", "figure-5", "figure-6", "figure-7", "figure-10")
PAGE = FOLDER / "sebek.md"


def reproduce(laxity: Laxity, *figures: str) -> Path:
    words = ("--run-dir", "D", "--page", "page", "--no-report", "--quiet")
    done = laxity("reproduce", "sebek", *figures, *words)
    assert (done.returncode, done.stderr) == (0, "")
    return laxity.directory / "D"


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The figures that take seconds."""
    return reproduce(make_laxity(tmp_path_factory.mktemp("sebek")), *QUICK)


@pytest.fixture(scope="module")
def found(run: Path) -> Found:
    return Found({child.path.name: child for child in open_run(run).children})


def ours(run: Path, figure: str) -> dict[str, ReproducedRow]:
    return {row.what: row for row in read_reproduction(run).rows if row.figure == figure}


def lines_lost(found: Found, size_kib: float) -> float:
    return found.passes(LEVEL_1).loss_ns[int(size_kib * KIB)] / REFILL_NS


def test_task_that_fits_loses_every_line_to_a_preemption(found: Found):
    # 32 lines per KiB; a task of 24 KiB leaves room for the loop's own line, and loses that, too,
    # unless the kernel's lines spare it.
    for size_kib, lines in ((4, 128), (8, 256), (16, 512), (24, 768)):
        assert lines_lost(found, size_kib) == pytest.approx(lines, abs=ROUNDING_NS / REFILL_NS)


def test_task_as_large_as_the_cache_loses_all_sets_but_that_of_the_loops_own_line(found: Found):
    # 1024 lines and the loop's own one: 127 sets of 8 lines, all lost; one set has 9 lines for 8
    # ways, which miss in each pass anyway. 127 * 8 = 1016.
    assert lines_lost(found, 32) == pytest.approx(1016, abs=0.02)


def test_task_larger_than_the_cache_loses_the_sets_that_still_fit(found: Found):
    # Figure 7. Each half KiB more gives 16 of the 128 sets a ninth line, and the loop's own line
    # gives one to its set, which is among the last to get theirs from the task, at 34 KiB:
    # 128 - 32 - 1 sets of 8 lines are lost at 33 KiB, 128 - 64 at 34 KiB, none at 36 KiB.
    expected = {32.5: 111, 33: 95, 33.5: 79, 34: 64, 34.5: 48, 35: 32, 35.5: 16, 36: 0, 37: 0}
    for size_kib, sets in expected.items():
        assert lines_lost(found, size_kib) == pytest.approx(8 * sets, abs=0.02)


def test_a_sample_by_a_task_takes_two_switches_and_what_they_evict(run: Path):
    rows = ours(run, "section-3.2")
    # Two switches of 7902 cycles, 43.10 us, and the job of the probe, a few instructions.
    best = rows["probe task, best case: each sample"]
    assert (best.paper, best.kind) == (43.1, "input")
    assert best.ours == pytest.approx(2 * 7902 * 30 / 11 / 1000, abs=0.02)
    # The kernel's 32 lines of code are missed by both switches, and at least as many of the task.
    worst = rows["probe task, worst case: each sample"].ours
    assert worst > best.ours + (32 + 32 + 32) * REFILL_NS / 1000
    assert rows["probe task at 500 Hz, worst case"].ours == pytest.approx(worst / 2000 * 100)


def test_a_probe_that_has_a_part_of_the_cache_takes_the_best_case_and_the_rest_is_too_small(
    run: Path,
):
    rows = ours(run, "section-3.2")
    best = rows["probe task, best case: each sample"].ours
    kept = rows["probe task with a quarter of the cache for itself: each sample"]
    assert kept.ours == pytest.approx(best, abs=0.02)
    # A line takes about 12 cycles, and 66 to 70 more if it is missed, as all are: 78/12 to 82/12.
    assert 6.5 < rows["task of 32 KiB in the rest of the cache: its jobs"].ours < 6.9


def test_interrupts_take_their_cycles_of_the_processor(run: Path):
    rows = ours(run, "section-3.2")
    # 28 cycles of 700/3 MHz are 120 ns, of each microsecond.
    assert rows["interrupt at 1 MHz"].ours == pytest.approx(12.0, abs=0.05)
    # Of each 2 ms, and four lines at most, of 0.2 us each, that were evicted meanwhile.
    assert 0 < rows["interrupt at 500 Hz"].ours < 100 * (0.12 + 4 * 0.21) / 2000


def test_probe_task_and_interrupts_agree(run: Path):
    what = "miss ratios by the probe task against interrupts, largest difference"
    assert ours(run, "section-3.2")[what].ours < 1


def test_crpd_ends_at_the_cache_size_and_one_way_more(run: Path):
    # C + C / W: 200, 150, 125, 112.5 % of C; half a KiB less still costs something.
    rows = ours(run, "figure-7")
    for what, percent in (("1 way", 200), ("2 ways", 150), ("4 ways", 125), ("8 ways", 112.5)):
        row = rows[f"CRPD ends, {what}"]
        assert (row.ours, row.paper, row.kind) == (percent, percent, "predicted")
    assert rows["CRPD is highest, 8 ways"].ours == 100


def test_miss_ratios_are_those_of_exact_lru_and_not_of_the_formula_as_it_is_printed(run: Path):
    # With the loop's own line: 32 KiB, one set of 9 lines: 9 of 1025. 33 KiB, 33 sets: 297 of
    # 1057. 36 KiB: all. 38 KiB in 2 ways, 512 sets: 192 + 1 of 3 lines, 579 of 1217.
    rows = ours(run, "figure-5")
    expected = {
        "32 KiB in 32 KiB, 8 ways": (0.0, 100 * 9 / 1025),
        # (33 - 32) / 32 * 8 = 25 %
        "33 KiB in 32 KiB, 8 ways": (25.0, 100 * 297 / 1057),
        "36 KiB in 32 KiB, 8 ways": (100.0, 100.0),
        # (38 - 32) / 32 * 2 = 37.5 %
        "38 KiB in 32 KiB, 2 ways": (37.5, 100 * 579 / 1217),
    }
    found = {what: (row.paper, row.ours) for what, row in rows.items()}
    assert found == {what: pytest.approx(values) for what, values in expected.items()}


@pytest.mark.parametrize(("task", "paper"), [("T2", 3.27), ("T3", 4.25), ("T4", 6.20)])
def test_sampled_miss_ratio_is_that_of_exact_lru_in_windows_without_a_switch(
    found: Found, run: Path, task: str, paper: float
):
    # Figure 6: the paper has less than 1 %, of the ratio.
    measured = found.windows(FIGURE_6).quiet_percent(task)
    assert measured == pytest.approx(found.windows(EXACT).quiet_percent(task), rel=0.01)
    # A pass is 8 instructions of each line, and 33 of the loop around them. The k lines beyond the
    # 1024 of the cache give k sets a ninth line: 9 k misses. The loop's five lines make another
    # miss each in such a set, and 9 in one that was just full.
    lines = LINES[task]
    k = lines - 1024
    instructions = 8 * lines + 33
    assert 0.99 * (9 * k + 5) <= measured / 100 * instructions <= 1.01 * (9 * k + 5 * 9)
    # No other number of lines is nearer: one more or less is 9 of 8500 instructions, 0.106 points.
    assert measured == pytest.approx(paper, abs=0.106 / 2)
    row = ours(run, "figure-6")[f"{task}, windows without a switch"]
    assert (row.ours, row.paper, row.kind) == (measured, paper, "fitted")


def test_task_that_fits_misses_nothing_in_windows_without_a_switch(found: Found):
    windows = found.windows(FIGURE_6)
    is_idle = windows.is_quiet & (windows.ran == list(LINES).index("T1"))
    # 1800 passes of 512 lines, 8 instructions each and 33 of the loop: at least 7 million cycles of
    # 30/11 ns, 19 ms a job, of which there are two; each switch takes 3 of their windows.
    assert is_idle.sum() > 300
    assert windows.counts[list(LINES).index("T1"), 1, is_idle].sum() == 0


def test_miss_ratio_has_a_peak_at_each_switch_to_a_task_that_lost_lines(found: Found):
    windows = found.windows(FIGURE_6)
    # T2, T1, T3, T4; T3 preempts T4, and T2 it; T3 and T4 go on.
    assert [list(LINES)[task] for task in windows.switched_to[:8]] == [
        *("T2", "T1", "T3", "T4", "T3", "T2", "T3", "T4")
    ]
    assert windows.lowest_peak_times > 1


def test_highest_crpd_is_that_of_1016_refills_and_nearly_the_same_at_233_mhz(run: Path):
    rows = ours(run, "figure-10")
    assert rows["highest CRPD"].ours == pytest.approx(1016 * REFILL_NS / 1e3, abs=0.003)
    # 233 MHz is 3.5 times the bus: 2 + 12 * 3.5 + 2 = 46 cycles of 30/7 ns.
    slower = rows["highest CRPD at 233 MHz, “the same”"]
    assert slower.ours == pytest.approx(1016 * 46 * 30 / 7 / 1e3, abs=0.003)
    assert rows["highest CRPD"].kind == "fitted"
    assert slower.kind == "predicted"


def test_falling_line_meets_zero_where_the_theory_says(run: Path):
    # Least squares through (32 KiB, 1016 lines), (32.5, 888), (33, 760), (33.5, 632), (34, 512):
    # means 33 and 761.6; slope (-254.4 - 0.5 * 126.4 - 0.5 * 129.6 - 249.6) / 2.5 = -252.8 per KiB;
    # zero at 33 + 761.6 / 252.8 = 36.01 KiB, 112.54 %.
    row = ours(run, "figure-10")["the falling line meets zero at"]
    assert row.ours == pytest.approx(100 * (33 + 761.6 / 252.8) / 32, abs=0.005)
    assert row.paper == 113.6


def test_kernels_lines_cost_a_task_that_fills_the_cache_a_set_each(found: Found):
    # The kernel's 32 lines of code lie in 32 sets. A pass in order then evicts in each of them
    # what it needs next, 8 lines; one of them is the set of the loop's own line: 31 * 8 = 248.
    lost = found.passes(LEVEL_1).loss_to_kernel_ns
    assert lost[32 * KIB] / REFILL_NS == pytest.approx(248, abs=0.02)
    # 16 KiB leave four ways of each set for them.
    assert lost[16 * KIB] == pytest.approx(0, abs=ROUNDING_NS)


def test_a_faster_core_does_not_change_what_its_caches_lose(found: Found):
    lost = found.passes(LEVEL_1_AT_233_MHZ).loss_ns
    slow_refill_ns = 46 * 30 / 7
    for size_bytes, loss_ns in found.passes(LEVEL_1).loss_ns.items():
        lines = loss_ns / REFILL_NS
        assert lost[size_bytes] / slow_refill_ns == pytest.approx(lines, abs=0.02)


def test_size_at_which_crpd_ends_is_told_from_half_a_kib_less(found: Found):
    for ways, experiment in OF_WAYS.items():
        losses = found.passes(experiment).loss_ns
        end = 32 * KIB + 32 * KIB // ways
        assert losses[end] <= 1 < losses[end - KIB // 2]


def test_page_of_the_documentation_has_the_figures_that_are_measured_now(run: Path):
    made = sections_of((run.parent / "page" / "sebek.md").read_text())
    kept = sections_of(PAGE.read_text())
    assert len(made) == len(QUICK)
    assert {title: kept.get(title) for title in made} == made
    for path in (run.parent / "page").glob("*.svg"):
        assert (PAGE.parent / path.name).is_file()


@pytest.mark.slow
def test_page_of_the_documentation_is_made_by_the_command(laxity: Laxity):
    run = reproduce(laxity)
    assert (laxity.directory / "page" / "sebek.md").read_text() == PAGE.read_text()
    rows = ours(run, "table-1")
    # core.switch_cycles: 7902 of 30/11 ns, 21.55 us; twice that is the paper's 43.1.
    assert rows["both, best case"].ours == pytest.approx(2 * 7902 * 30 / 11 / 1e3, abs=0.03)
    # 99 * 190.909 ns
    assert rows["99 refills"].ours == pytest.approx(99 * REFILL_NS / 1e3, abs=0.001)
    # Without caches each of 50 lines is an access: 21.55 + 50 * 0.190909 = 31.10 us each way, and
    # the tasks' own instructions are fetched, one by one.
    both = rows["both, no cache"].ours
    assert 2 * (7902 * 30 / 11 + 50 * REFILL_NS) / 1e3 <= both < 63.1
    rows = ours(run, "section-3.5")
    # 11 cycles of the L2 for each of 1016 lines.
    assert rows["CRPD with level 2"].ours == pytest.approx(1016 * 11 * 30 / 11 / 1e3, abs=0.003)
