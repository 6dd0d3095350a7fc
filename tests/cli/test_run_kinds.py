# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""What a kind of run never has is not missing from it, whatever command reads it."""

import shutil
from pathlib import Path
from typing import get_args

import msgspec
import numpy as np
import pytest
from click.testing import CliRunner
from tests.bounds.made_up_bound import write_bound
from tests.bounds.made_up_experiment import write_experiment
from tests.contention.test_table import table
from tests.costs.cache_misses.made_up_cache_misses import as_generated, write_cache_misses
from tests.costs.switch.made_up_switch_run import write_switch_run
from tests.papers.made_up_reproduction import write_reproduction
from tests.profile.made_up_profile import write_profile
from tests.report.page_text import text_of
from tests.report.run_builder import Made, ordinary_rows, write_composite, write_run
from tests.suites.made_up_suite import made_up_vetting, ordinary_suite, write_vetting
from tests.trace.test_attribution_section import fully_traced_run, traced_run
from tests.workingset.test_page import made, program
from tests.workingset.test_page import rows as instructions

from laxity.cli.main import cli
from laxity.contention.trial import Trial, store_trial
from laxity.errors import LaxityError
from laxity.report.page import write_report
from laxity.store.manifest import RunKind, encode_document
from laxity.store.observation import Observation
from laxity.store.run_directory import DOCTOR, MACHINE, MANIFEST, hash_files, read_manifest

KINDS = get_args(RunKind)
COMMANDS = (
    ("show",),
    ("show", "--format", "json"),
    ("show", "--verify"),
    ("report",),
    ("export", "perfetto"),
    ("export", "csv"),
    ("export", "parquet"),
    ("export", "json"),
)
# Words of a run that lost something; none of these has.
OF_DAMAGE = ("incomplete", "is missing", "damaged", "nothing was measured", "No such file")


def invoke(*words: str | Path) -> tuple[int, str]:
    """Run a command here; its exit code, and what it said on either stream."""
    try:
        done = CliRunner().invoke(
            cli, [*map(str, words)], standalone_mode=False, catch_exceptions=False
        )
    except LaxityError as error:
        return error.exit_code, str(error)
    return int(done.return_value or 0), done.output + done.stderr


def write_observed(path: Path) -> Path:
    write_run(path, Made(ordinary_rows(20)))
    manifest = msgspec.structs.replace(
        read_manifest(path),
        kind="observe",
        observation=Observation(
            target="4711", processes=[4711], program=["x"], ended_by="duration"
        ),
    )
    (path / MANIFEST).write_bytes(encode_document(manifest))
    return path


def write_monitor(path: Path) -> Path:
    runs = ("unobserved", "observed")
    write_composite(path, {name: Made(ordinary_rows(20, seed)) for seed, name in enumerate(runs)})
    manifest = msgspec.structs.replace(read_manifest(path), kind="monitor", name="control")
    (path / MANIFEST).write_bytes(encode_document(manifest))
    return path


def write_measured(root: Path) -> Path:
    path = write_switch_run(root / "D", np.full(20, 3000), np.full(20, 500))
    ordinary = write_run(root / "of-this-machine", Made(ordinary_rows(1)))
    for name in (MACHINE, DOCTOR):
        shutil.copy(ordinary / name, path)
    manifest = msgspec.structs.replace(read_manifest(path), files=hash_files(path))
    (path / MANIFEST).write_bytes(encode_document(manifest))
    return path


def write_comparison(root: Path) -> Path:
    for number, name in enumerate(("a", "b")):
        write_run(root / name, Made(ordinary_rows(500, number)))
    invoke("compare", root / "a", root / "b", "--run-dir", root / "D")
    return root / "D"


def write_trial(path: Path) -> Path:
    store_trial(lambda: Trial(table=table(), evaluations=[]), path, "trial", ["laxity"])
    return path


def write_kind(kind: str, root: Path) -> Path:
    """Write a whole run of a kind; a kind that is new has no builder, and fails here."""
    builders = {
        "run": lambda: write_run(root / "D", Made(ordinary_rows(20))),
        "demo": lambda: write_composite(root / "D", {"alone": Made(ordinary_rows(20))}),
        "measure": lambda: write_measured(root),
        "monitor": lambda: write_monitor(root / "D"),
        "observe": lambda: write_observed(root / "D"),
        "bound": lambda: write_bound(root),
        "cache-misses": lambda: write_cache_misses(root / "D", as_generated),
        "compare": lambda: write_comparison(root),
        "contention": lambda: write_trial(root / "D"),
        "experiment": lambda: write_experiment(root / "D"),
        "profile": lambda: write_profile(root / "D"),
        "reproduction": lambda: write_reproduction(root / "D"),
        "suite": lambda: ordinary_suite(root / "D"),
        "vetting": lambda: write_vetting(root / "D", made_up_vetting()),
        "workingset": lambda: made(root, program(), instructions(root)),
    }
    return builders[kind]()


@pytest.mark.parametrize("kind", KINDS)
def test_a_whole_run_is_called_incomplete_by_no_command(kind: str, tmp_path: Path):
    run = write_kind(kind, tmp_path)
    assert read_manifest(run).kind == kind
    for number, words in enumerate(COMMANDS):
        more = ("-o", str(tmp_path / f"out{number}")) if words[0] == "export" else ()
        code, said = invoke(*words, run, *more)
        assert not [word for word in OF_DAMAGE if word in said], (words, said)
        # What is not there to be exported is refused as a wrong request, not as a damaged run.
        assert code == 0 or (words[0] == "export" and code == 2), (words, said)


@pytest.mark.parametrize(
    ("kind", "words", "told"),
    [
        ("bound", "perfetto", "is of kind bound and has no jobs; laxity show shows what it holds"),
        ("bound", "json", "is of kind bound and has no streams; laxity show shows what it holds"),
        ("compare", "perfetto", "is of kind compare and has no jobs"),
        ("experiment", "perfetto", "is of kind experiment and has no jobs"),
        ("workingset", "perfetto", "is of kind workingset and has no jobs"),
    ],
)
def test_a_run_without_jobs_is_refused_as_such(kind: str, words: str, told: str, tmp_path: Path):
    code, said = invoke("export", words, write_kind(kind, tmp_path), "-o", tmp_path / "out")
    assert code == 2
    assert told in said


NO_TRACE = "No scheduler trace was recorded"
CUT_OFF = "A scheduler trace was asked for and not recorded to the end"


def test_report_of_a_traced_run_does_not_say_that_no_trace_was_recorded(tmp_path: Path):
    for number, write in enumerate((traced_run, fully_traced_run)):
        text = text_of(write_report(write(tmp_path / str(number))))
        assert "From the scheduling trace" in text
        assert NO_TRACE not in text
        assert CUT_OFF not in text


def test_report_says_where_no_trace_was_asked_for_or_none_came_to_its_end(tmp_path: Path):
    assert NO_TRACE in text_of(write_report(write_run(tmp_path / "a", Made(ordinary_rows(5)))))
    text = text_of(write_report(traced_run(tmp_path / "b", backend=None)))
    assert CUT_OFF in text
    assert NO_TRACE not in text


def test_report_of_several_runs_names_those_without_a_trace(tmp_path: Path):
    made_up = Made(ordinary_rows(5))
    page = write_composite(tmp_path / "D", {"alone": made_up, "interfered": made_up})
    (page / "runs" / "alone").rename(page / "runs" / "old")
    traced_run(page / "runs" / "alone")
    text = text_of(write_report(page))
    assert f"{NO_TRACE}: who preempted" in text
    assert "is not measured in “interfered”" in text
