# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""Blin et al. on the model."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import NoReturn

import numpy as np
import pytest
from tests.cli.laxity_command import Laxity, make_laxity
from tests.papers.made_up_reproduction import write_reproduction
from tests.papers.pages import FOLDER, sections_of

from laxity.cli.summary import summary_text
from laxity.contention import experiments
from laxity.contention.trial import Trial, read_trial
from laxity.core.signals import Forwarder
from laxity.errors import ConfigError
from laxity.jobs.rates import Rates
from laxity.papers import trial as papers_trial
from laxity.papers.blin import PAPER, Results, since
from laxity.papers.blin_load import FIGURE_5
from laxity.papers.blin_programs import ALL, REGULATED, STAND_INS
from laxity.papers.paper import ContentionTrial, LoadGrid, experiments_of
from laxity.papers.reproduce import ReproduceRequest, run_reproduction
from laxity.papers.result import Reproduction
from laxity.papers.trial import run_trial
from laxity.platform.platform_file import read_platform
from laxity.platform.simulated import SimulatedPlatform
from laxity.report.page import write_report
from laxity.store.manifest import encode_document
from laxity.store.run_directory import REPRODUCTION, open_run

DOCUMENTED = FOLDER / "blin.md"
# All figures take some three minutes on two cores that are idle.
PATIENCE_S = 3600


def reproduce(laxity: Laxity, *figures: str) -> Path:
    words = ("--run-dir", "D", "--page", "page", "--no-report", "--quiet")
    done = laxity("reproduce", "blin", *figures, *words, patience_s=PATIENCE_S)
    assert (done.returncode, done.stderr) == (0, "")
    return laxity.directory / "D"


def test_programs_are_those_of_table_1_and_selected_ones_those_of_table_2():
    """16 programs with two inputs each; 13 take at most 50 ms and lose more than 10 %."""
    assert len(ALL) == 16 * 2
    assert sum(program.is_selected for program in ALL) == 13
    assert all(program.runtime_ms <= 50 for program in ALL if program.is_selected)
    without = {program.original for program in ALL if program not in STAND_INS}
    assert without == {"fft -i", "rijndael decode"}


def test_run_times_range_as_the_text_of_the_paper_says():
    """Section 2.2: from 1 ms of susan small -c to 3 seconds of crc32 large."""
    first, *_, last = sorted(ALL, key=lambda program: program.runtime_ms)
    assert (first.name, round(first.runtime_ms)) == ("susan -c small", 1)
    assert (last.name, round(last.runtime_ms / 1000)) == ("crc32 large", 3)


def test_presets_have_2_programs_with_6_cells_12_with_75_loads_and_12_with_990():
    """75 = 3 placements x 5 ratios x 5 delays, 990 = 5 x 11 x 18; each twelve meet figure 3."""
    found = {}
    for name, exhibits in PAPER.presets.items():
        trials = [
            experiment.work
            for experiment in experiments_of(exhibits)
            if isinstance(experiment.work, ContentionTrial)
        ]
        (n_tried,) = {
            len(work.placements) * sum(len(grid.reads) * len(grid.delays) for grid in work.tried)
            for work in trials
        }
        (n_profiled,) = {
            len(work.placements) * len(work.profiled.reads) * len(work.profiled.delays)
            for work in trials
        }
        found[name] = (len(trials), n_profiled, n_tried)
    # Tried: 5 ratios x 3 delays and one load more, of each placement.
    assert found == {"smoke": (2, 36, 6), "quick": (12, 75, 48), "full": (12, 990, 80)}


def test_programs_of_the_paper_that_ours_stand_for_are_those_of_its_table_2():
    """Of its figure 9 both adpcms, fft and sha have 70 %; fft -i and rijndael have no program."""
    named = {program.name: program for program in ALL}
    originals = [program for program in REGULATED if program.original]
    assert all(named[program.original].is_selected for program in originals)
    assert [program.workload for program in originals if program.has_parallelism] == [
        "fft",
        "adpcm_decode",
        "adpcm_encode",
        "sha",
    ]


def test_killed_trial_goes_on_with_the_simulations_that_it_has_kept(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    """2 loads for the table, 1 tried: alone, 3 unregulated, 1 regulated, 2 of jobs in a row."""
    work = ContentionTrial(
        "corners",
        "sim",
        ((1,),),
        LoadGrid((0,), (0, 8000)),
        (LoadGrid((2,), (0,)),),
        ("suspend",),
        "5%",
    )
    platform = SimulatedPlatform(read_platform("sabrelite-partitioned"))
    kept = tmp_path / "kept"

    with monkeypatch.context() as patched:
        patched.setattr(papers_trial, "store_trial", _stored_but_killed)
        with pytest.raises(KeyboardInterrupt):
            run_trial(platform, work, tmp_path / "D", "trial", ["laxity"], kept)
    assert len(list(kept.iterdir())) == 7
    assert not (tmp_path / "D").exists()
    monkeypatch.setattr(experiments, "program_folder", _never)
    run_trial(platform, work, tmp_path / "D", "trial", ["laxity"], kept)
    assert len(read_trial(open_run(tmp_path / "D")).table.loads) == 2


def _stored_but_killed(make: Callable[[], Trial], *_: object) -> NoReturn:
    make()
    raise KeyboardInterrupt


def _never() -> NoReturn:
    pytest.fail("simulated again")


def test_directory_of_another_reproduction_is_refused(tmp_path: Path):
    """The same paper and figure, but another preset."""
    begun = Reproduction(paper="blin", figures=["figure-7"], preset="quick")
    directory = write_reproduction(tmp_path / "D.tmp")
    (directory / REPRODUCTION).write_bytes(encode_document(begun))
    request = ReproduceRequest(
        paper=PAPER,
        exhibits=PAPER.named(["figure-7"]),
        final=tmp_path / "D",
        command_line=["laxity"],
        on_begin=lambda _: None,
    )
    with pytest.raises(ConfigError, match="preset: quick, and not smoke"):
        run_reproduction(request, Forwarder())


def test_rates_since_an_instant_leave_out_what_was_counted_before():
    """50 bytes in the first 100 ns: 25 in the 50 ns before the instant, 25 after."""
    rates = Rates(np.array([0.0, 100.0, 200.0]), np.array([0.0, 50.0, 70.0]), is_exact=True)
    found = since(50, rates)
    assert found.edges_ns.tolist() == [0, 50, 150]
    assert found.counts.tolist() == [0, 25, 45]


def test_traffic_of_writes_alone_is_that_which_the_platform_is_fitted_to(tmp_path: Path):
    """2020 MB/s in the paper; the platform file states a residual of 0.7 %."""
    exhibit = replace(FIGURE_5, experiments=FIGURE_5.experiments[:1])
    request = ReproduceRequest(
        paper=PAPER,
        exhibits=(exhibit,),
        final=tmp_path / "D",
        command_line=["laxity", "reproduce", "blin"],
        on_begin=lambda _: None,
    )
    done = run_reproduction(request, Forwarder())
    assert done.path is not None
    (child,) = open_run(done.path).children
    row = FIGURE_5.rows[0]
    assert row.paper == 2020
    assert row.ours(Results({child.path.name: child})) == pytest.approx(2020, rel=0.008)


def test_trial_is_stored_with_a_table_and_an_evaluation_for_each_policy(tmp_path: Path):
    work = ContentionTrial(
        "corners",
        "sim",
        ((1,),),
        LoadGrid((0,), (0, 8000)),
        (LoadGrid((2,), (0,)),),
        ("paper", "suspend"),
        "5%",
    )
    platform = SimulatedPlatform(read_platform("sabrelite-partitioned"))
    done = run_trial(platform, work, tmp_path / "D", "trial", ["laxity"], tmp_path / "kept")
    # Whole, the trial needs no simulations any more.
    assert not (tmp_path / "kept").exists()
    run = open_run(tmp_path / "D")
    assert done.manifest.exit_code == 0
    trial = read_trial(run)
    assert [load.delay for load in trial.table.loads] == [0, 8000]
    paper, suspend = trial.evaluations
    assert (paper.policy, suspend.policy) == ("paper", "suspend")
    # Without best-effort work a job loses nothing but what the loads have queued at its start.
    assert suspend.cells[0].regulated_ppm < paper.cells[0].load.overhead_ppm
    assert suspend.cells[0].parallelism_ppm < 20_000
    assert summary_text(run).count("The limit of 5.00 %") == 2
    assert "Each load, policy suspend" in write_report(run.path).read_text()


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Everything."""
    return reproduce(make_laxity(tmp_path_factory.mktemp("blin")))


@pytest.mark.slow
def test_page_of_the_documentation_is_made_by_the_command(run: Path):
    made = (run.parent / "page" / "blin.md").read_text()
    assert sections_of(made) == sections_of(DOCUMENTED.read_text())
    assert made == DOCUMENTED.read_text()


@pytest.mark.slow
def test_sound_policy_keeps_its_limit_with_every_load(run: Path):
    trials = [
        experiment.name
        for experiment in experiments_of(PAPER.exhibits)
        if isinstance(experiment.work, ContentionTrial)
    ]
    children = {child.path.name: child for child in open_run(run).children}
    assert len(trials) == 2
    for name in trials:
        sound = next(
            found for found in read_trial(children[name]).evaluations if found.policy == "sound"
        )
        assert sound.n_beyond == 0
        assert len(sound.cells) == 6
