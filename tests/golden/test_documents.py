# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""What users read, word by word: options, messages, schemas, and all that is made of stored runs.

A difference is either a fault or wanted. Where it is wanted, make the documents anew and read the
difference before it is committed:

    PYTHONPATH=$PWD/python .venv/bin/python -P -m pytest tests/golden --snapshot-update

`runs` and `shared` were written by `record`; nothing is measured here.
"""

import json
import re
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from syrupy.assertion import SnapshotAssertion
from syrupy.extensions.single_file import SingleFileSnapshotExtension, WriteMode
from tests.cli.test_help import COMMANDS, context_of, options_of
from tests.golden.page_text import Built, section_lines
from tests.golden.schema_text import types_text
from tests.golden.stored_runs import RUNS, copy_runs
from typing_extensions import override

from laxity import __version__
from laxity.cli.document_schema import DOCUMENTS
from laxity.cli.main import PROGRAM, Boundary, cli
from laxity.core.units import decimal_duration
from laxity.page.blocks import Quantity

HERE = Path(__file__).parent
# One run of each kind; others repeat kinds for test_pages.py and commands of several runs.
KINDS = [name for name in RUNS if name not in {"alone", "interfered", "program"}]
# Sections that pages have in common are written once, for this run.
REFERENCE = "taskset"
COMMON = ("machine", "method")
SCHEDULERS = ("fixed-priority", "edf", "global-edf")
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


def test_command_lines(golden: SnapshotAssertion):
    # What scripts rely on; what else a help has to hold: tests/cli/test_help.py.
    usage: list[str] = []
    options: dict[str, list[str]] = {}
    for words in COMMANDS:
        context = context_of(words)
        usage.append(" ".join([PROGRAM, *words, *context.command.collect_usage_pieces(context)]))
        for option in options_of(words):
            name, text = option.get_help_record(context) or ("", "")
            limits = " ".join(re.findall(r"\[[^]]*\]", text))
            options.setdefault(f"{name} {limits}".strip(), []).append(" ".join(words) or PROGRAM)
    lines = [f"{option}: {', '.join(names)}" for option, names in sorted(options.items())]
    assert "\n".join([*usage, "", *lines, ""]) == golden


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


@pytest.mark.parametrize("run", KINDS)
def test_shown(run: str, call: Call, golden: SnapshotAssertion):
    assert call("show", f"runs/{run}") == golden


@pytest.mark.parametrize("run", RUNS)
def test_shown_first_is_what_the_page_says_first(
    run: str, build: Callable[[str], Built], call: Call
):
    shown = call("show", f"runs/{run}")
    page = build(run).page
    plain = str.maketrans({"\N{MINUS SIGN}": "-", "\N{NARROW NO-BREAK SPACE}": None})
    assert [one for one in page.card.sentences if one.translate(plain) not in shown] == []
    for name, rows in page.data.manifest.tables.items():
        assert re.search(rf"rows of {name}\S* +{rows}\n", shown)


def test_list(call: Call, golden: SnapshotAssertion):
    assert call("list") == golden


@pytest.mark.parametrize("run", KINDS)
def test_page(run: str, build: Callable[[str], Built], golden: SnapshotAssertion):
    known = section_lines(build(REFERENCE).html) if run != REFERENCE else {}
    lines = []
    for identity, section in section_lines(build(run).html).items():
        same = known[identity] if identity in COMMON and known else []
        fresh = [line for line in section if line not in same]
        rest = len(section) - len(fresh)
        lines += [f"\n## {identity}", *fresh, *([f"{rest} lines as of {REFERENCE}"] * bool(rest))]
    lines += ["\n## derived.json", *map(_quantity, build(run).derived.quantities), ""]
    assert "\n".join(lines).replace(__version__, "VERSION") == golden


def _quantity(one: Quantity) -> str:
    of = " ".join(filter(None, (one.run, one.task)))
    value = f"{of}: {one.name} = {one.value} {one.unit}"
    note = f" ({one.note})" if one.note else ""
    return f"{value}, n = {one.n}, {one.kind}, {one.resolution}{note}"


def test_report_prints_where_its_page_is(stored: Path, call: Call):
    assert call("report", "runs/bound") == "$ laxity report runs/bound\nruns/bound/report.html\n"
    assert (stored / "runs" / "bound" / "report.html").read_text().startswith("<!DOCTYPE html>\n")


@pytest.mark.parametrize("run", RUNS)
def test_files_are_whole(run: str, call: Call):
    told = call("show", f"runs/{run}", "--verify")
    assert "files are as they were written" in told, told


@pytest.mark.parametrize("model", MODELS)
def test_costs(model: str, call: Call, golden: SnapshotAssertion):
    assert call("costs", "show", f"runs/{model}") == golden


def test_costs_as_csv(call: Call, golden: SnapshotAssertion):
    assert call("costs", "show", "runs/switch", "--format", "csv") == golden


def _bound(scheduler: str, form: str) -> list[str]:
    words = ["taskset.toml", "--costs", "runs/bound", "--use", "p50", "--scheduler", scheduler]
    cpus = ["--cpus", "0-1"] if scheduler == "global-edf" else []
    return ["bound", *words, *cpus, "--format", form]


@pytest.mark.parametrize("scheduler", SCHEDULERS)
def test_bound(scheduler: str, call: Call, golden: SnapshotAssertion):
    assert call(*_bound(scheduler, "table")) == golden


@pytest.mark.parametrize("scheduler", SCHEDULERS)
def test_bound_as_json_says_nothing_that_its_table_does_not_say(scheduler: str, call: Call):
    table = call(*_bound(scheduler, "table"))
    for name, value in _leaves(json_of(call(*_bound(scheduler, "json")))):
        # The table has the deadlines, of the hash its beginning, and one test for all tasks.
        if name in {"period_ns", "machine_hash", "test", "source"}:
            continue
        if name.endswith("_ns") and value:
            shown = decimal_duration(value, is_shown=True)
            assert re.search(rf"(?<![\d.]){re.escape(shown)}", table), name
        elif isinstance(value, str):
            assert value.replace("_", " ") in table.replace("_", " "), name


@pytest.mark.parametrize(("scheduler", "run"), [("fixed-priority", "bound"), ("edf", "edf")])
def test_bound_as_json_is_what_a_run_stores(scheduler: str, run: str, stored: Path, call: Call):
    answer = json_of(call(*_bound(scheduler, "json")))
    kept = json.loads((stored / "runs" / run / "bound.json").read_text())
    # The stored one read the costs from a file, and words a limit otherwise.
    answer["costs"]["path"] = kept["costs"]["path"]
    assert len(answer["not_accounted"]) == len(kept.pop("not_accounted"))
    assert _held(answer, kept) == kept


def test_compare(call: Call, golden: SnapshotAssertion):
    words = ("runs/alone", "runs/interfered", "--allow-different")
    assert call("compare", *words, "--format", "table") == golden


def test_compare_as_json_is_what_a_run_stores(stored: Path, call: Call):
    words = ("runs/alone", "runs/interfered", "--allow-different", "--format", "json")
    answer = json_of(call("compare", *words, "--fail-on", "response.p90 > +5%"))
    kept = json.loads((stored / "runs" / "compare" / "compare.json").read_text())
    # The stored one is "shift 15.787us, within -122.94us to 67.854us".
    (judgement,) = answer["results"][0]["judgements"]
    assert judgement["detail"] == "shift 15.8 µs, within -123 µs to 67.9 µs"
    judgement["detail"] = kept["results"][0]["judgements"][0]["detail"]
    assert _held(answer, kept) == kept


def json_of(told: str) -> dict[str, Any]:
    """What a command wrote as JSON, between its own line and its exit code."""
    document: dict[str, Any] = json.loads(told[told.index("{") : told.rindex("}") + 1])
    return document


def _held(node: object, kept: object) -> object:
    """What a document holds of the members of a stored one, which may be older."""
    if isinstance(node, dict) and isinstance(kept, dict):
        return {key: _held(value, kept[key]) for key, value in node.items() if key in kept}
    if isinstance(node, list) and isinstance(kept, list) and len(node) == len(kept):
        return [_held(*pair) for pair in zip(node, kept, strict=True)]
    return node


def _leaves(node: object, name: str = "") -> Iterator[tuple[str, Any]]:
    """The values of a document, each with the name of its member."""
    if isinstance(node, dict):
        for key, value in node.items():
            yield from _leaves(value, key)
    elif isinstance(node, list):
        for value in node:
            yield from _leaves(value, name)
    elif node is not None:
        yield name, node
