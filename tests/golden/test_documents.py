# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""What users read, word by word: help, messages, schemas, and all that is made of stored runs.

A difference is either a fault or wanted. Where it is wanted, make the documents anew and read the
difference before it is committed:

    PYTHONPATH=$PWD/python .venv/bin/python -P -m pytest tests/golden --snapshot-update

`runs` and `shared` were written by `record`; nothing is measured here.
"""

import json
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path

import click
import pytest
from syrupy.assertion import SnapshotAssertion
from syrupy.extensions.single_file import SingleFileSnapshotExtension, WriteMode
from tests.golden.outline import outline
from tests.golden.schema_text import types_text
from tests.golden.stored_runs import RUNS, copy_runs
from typing_extensions import override

from laxity import __version__
from laxity.cli.document_schema import DOCUMENTS
from laxity.cli.main import PROGRAM, Boundary, cli

HERE = Path(__file__).parent
RUNS_WITH_JOBS = [name for name in RUNS if (HERE / "runs" / name / "jobs.npy").exists()]
MODELS = ("crpd", "migration", "switch", "memory-latency")
Call = Callable[..., str]


class Documents(SingleFileSnapshotExtension):
    """One readable file per document, in the folder that has the name of this module."""

    _write_mode = WriteMode.TEXT
    file_extension = "txt"

    @classmethod
    @override
    def dirname(cls, *, test_location: object) -> str:
        return str(HERE / Path(__file__).stem)


@pytest.fixture
def golden(snapshot: SnapshotAssertion) -> SnapshotAssertion:
    return snapshot.use_extension(Documents)


@pytest.fixture(scope="module")
def stored(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where the runs lie as a user has them: with nothing that is built from others."""
    directory = tmp_path_factory.mktemp("golden")
    copy_runs(directory / "runs")
    shutil.copytree(HERE / "sources", directory, dirs_exist_ok=True)
    return directory


@pytest.fixture
def call(stored: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]) -> Call:
    """Call a command within this process; give all that it wrote and its exit code."""
    monkeypatch.chdir(stored)
    for name, value in (("COLUMNS", "100"), ("TZ", "UTC"), ("NO_COLOR", "1"), ("LAXITY_RUNS", "")):
        monkeypatch.setenv(name, value)

    def called(*words: str) -> str:
        with Boundary(list(words)) as boundary:
            code = cli.main(list(words), prog_name=PROGRAM, standalone_mode=False)
            boundary.exit_code = code or 0
        told = capfd.readouterr()
        parts = [f"$ laxity {' '.join(words)}", told.out]
        parts += [f"stderr:\n{told.err}"] if told.err else []
        parts += [f"exit code {boundary.exit_code}"] if boundary.exit_code else []
        return "\n".join(parts).replace(__version__, "VERSION")

    return called


def commands(group: click.Group, words: tuple[str, ...] = ()) -> Iterator[tuple[str, ...]]:
    """The words of every command below a group."""
    context = click.Context(group)
    for name in group.list_commands(context):
        command = group.get_command(context, name)
        yield (*words, name)
        if isinstance(command, click.Group):
            yield from commands(command, (*words, name))


@pytest.mark.parametrize("words", [(), *commands(cli)], ids=" ".join)
def test_help(words: tuple[str, ...], call: Call, golden: SnapshotAssertion):
    assert call(*words, "--help") == golden


def test_schemas(call: Call, golden: SnapshotAssertion):
    # Each table says what the same schema says as JSON: tests/cli/test_schema.py.
    tables = [
        call("schema", *words) for words in ((), ("spec",), ("costs",), ("bound",), ("suite",))
    ]
    printed = {name: call("schema", name, "--format", "json") for name in DOCUMENTS}
    documents = {name: json.loads(text.partition("\n")[2]) for name, text in printed.items()}
    assert "\n".join([*tables, types_text(documents), ""]) == golden


def test_refusals(call: Call, golden: SnapshotAssertion):
    # Each is refused before anything is started or measured.
    lines = (HERE / "refused.txt").read_text().splitlines()
    refused = [call(*line.split()) for line in lines if not line.startswith("#")]
    assert "\n\n".join(refused) == golden


@pytest.mark.parametrize("run", RUNS)
def test_shown(run: str, call: Call, golden: SnapshotAssertion):
    assert call("show", f"runs/{run}") == golden


def test_list(call: Call, golden: SnapshotAssertion):
    assert call("list") == golden


@pytest.mark.parametrize("run", RUNS)
def test_report(run: str, stored: Path, call: Call, golden: SnapshotAssertion):
    told = call("report", f"runs/{run}")
    page = (stored / "runs" / run / "report.html").read_text()
    assert f"{told}\n{outline(page)}".replace(__version__, "VERSION") == golden


@pytest.mark.parametrize("run", RUNS_WITH_JOBS)
def test_derived(run: str, stored: Path, call: Call, golden: SnapshotAssertion):
    call("report", f"runs/{run}")
    derived = json.loads((stored / "runs" / run / "derived.json").read_text())
    assert json.dumps(derived, indent=1).replace(__version__, "VERSION") == golden


@pytest.mark.parametrize("run", RUNS)
def test_files_are_whole(run: str, call: Call):
    told = call("show", f"runs/{run}", "--verify")
    assert "files are as they were written" in told, told


@pytest.mark.parametrize("model", MODELS)
def test_costs(model: str, call: Call, golden: SnapshotAssertion):
    assert call("costs", "show", f"runs/{model}") == golden


def test_costs_as_csv(call: Call, golden: SnapshotAssertion):
    assert call("costs", "show", "runs/switch", "--format", "csv") == golden


@pytest.mark.parametrize("scheduler", ["fixed-priority", "edf", "global-edf"])
@pytest.mark.parametrize("form", ["table", "json"])
def test_bound(scheduler: str, form: str, call: Call, golden: SnapshotAssertion):
    words = ("taskset.toml", "--costs", "runs/bound", "--use", "p50", "--scheduler", scheduler)
    cpus = ("--cpus", "0-1") if scheduler == "global-edf" else ()
    assert call("bound", *words, *cpus, "--format", form) == golden


@pytest.mark.parametrize("form", ["table", "json"])
def test_compare(form: str, call: Call, golden: SnapshotAssertion):
    words = ("runs/alone", "runs/interfered", "--allow-different", "--format", form)
    assert call("compare", *words) == golden
