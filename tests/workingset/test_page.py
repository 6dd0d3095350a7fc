# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""The report of a run of `laxity workingset`, of tables as the analysis writes them."""

import json
import re
from pathlib import Path

import msgspec
import pytest

from laxity.compare.data import read_side
from laxity.errors import ConfigError
from laxity.report.page import write_report
from laxity.store.run_directory import file_sha256, open_run
from laxity.workingset import section as working_set
from laxity.workingset.document import (
    LeftOut,
    Limit,
    Occurrence,
    Place,
    ProgramAnswer,
    Sizes,
    TracedRun,
    Violation,
    WorkingSetAnswer,
)
from laxity.workingset.store import Found, exit_code, store_working_set
from laxity.workingset.tables import INSTRUCTIONS, PROGRESSION, read_table

HEADER = "function,block,index,opcode,file,line,column,live_total_bits,status\n"


def made(
    root: Path, program: ProgramAnswer, rows: str, header: str = HEADER, **more: object
) -> Path:
    """Store a run of one program; `rows` are its instructions."""
    tables = root / "tables"
    tables.mkdir(exist_ok=True)
    (tables / INSTRUCTIONS).write_text(header + rows)
    source = root / "a.c"
    source.write_text("int main(void) {\n  return <b>;\n}\n")
    answer = WorkingSetAnswer(
        form="sroa",
        programs=[program],
        files={str(source): file_sha256(source)},
        **more,  # type: ignore[arg-type]
    )
    found = Found(answer, {program.program: tables})
    store_working_set(found, root / "R", "made", ["laxity", "workingset"])
    write_report(root / "R")
    return root / "R"


def program(**more: object) -> ProgramAnswer:
    """Make a program whose sets are 8 to 80 bits."""
    return ProgramAnswer(
        program="a",
        sources=[],
        status="exact",
        triple="x86_64-linux-gnu",
        data_layout="e-m:e",
        instructions=3,
        live=Sizes(min=8, median=16, max=80),
        resident_bits=64,
        occurrences=[Occurrence(weight="static", counts=[2, 0, 0, 0, 0, 0, 0, 0, 0, 1])],
        **more,  # type: ignore[arg-type]
    )


UNWEIGHED = msgspec.structs.replace(
    program(), occurrences=[Occurrence(weight="static", reason="no place in a range")]
)
UNBOUNDED_SITUATION = msgspec.structs.replace(
    program(), occurrences=[Occurrence(weight="situation", reason="no place in a range")]
)
UNBOUNDED_WCET = msgspec.structs.replace(
    program(), occurrences=[Occurrence(weight="wcet", reason="no place in a range")]
)


def rows(root: Path) -> str:
    """Three instructions, the last without a line."""
    where = root / "a.c"
    return (
        f"main,0,0,load,{where},2,3,80,exact\n"
        f"main,0,1,add,{where},2,5,16,exact\n"
        f"main,0,2,ret,{where},0,0,8,exact\n"
    )


def text_of(path: Path) -> str:
    """The words of a page, without its marks."""
    return re.sub(r"\s+", " ", re.sub(r"<[^>]+>", " ", path.read_text()))


def test_every_page_states_form_triple_and_layout(tmp_path: Path):
    run = made(tmp_path, program(), rows(tmp_path))
    for page in (run / "report.html", run / "annotated" / "a.html"):
        words = text_of(page)
        assert all(one in words for one in ("form sroa", "triple x86_64-linux-gnu", "e-m:e"))


def test_a_line_shows_the_most_of_its_instructions_and_its_text_is_escaped(tmp_path: Path):
    page = made(tmp_path, program(), rows(tmp_path)) / "annotated" / "a.html"
    text = page.read_text()
    # 80 bits of line 2; the others have no instruction.
    assert re.findall(r'<td class="number">([^<]*)</td>', text) == ["", "10 B", ""]
    assert "return &lt;b&gt;;" in text


def test_a_click_on_a_size_lists_the_objects_that_are_live_where_most_is(tmp_path: Path):
    tables = rows(tmp_path).splitlines()
    objects = ("main:0:buffer:64;heap:", "other:16", "")
    header = HEADER.replace("status", "status,objects")
    joined = [f"{row},{one}" for row, one in zip(tables, objects, strict=True)]
    page = made(tmp_path, program(), "\n".join(joined) + "\n", header) / "annotated" / "a.html"
    details = re.findall(r"<details>(.*?)</details>", page.read_text())
    # Of line 2 the instruction with 80 bits: an object of 64, and one of unknown size.
    assert details == ["<summary>10 B</summary>main:0:buffer: 8 B<br>heap: size not known"]


def test_a_source_that_has_changed_is_not_shown(tmp_path: Path):
    run = made(tmp_path, program(), rows(tmp_path))
    (run / "annotated" / "a.html").unlink()
    (tmp_path / "a.c").write_text("other\n")
    write_report(run)
    assert not (run / "annotated" / "a.html").exists()
    assert "Annotated source" not in text_of(run / "report.html")


def test_line_0_of_the_compiler_is_absent_in_the_table(tmp_path: Path):
    run = made(tmp_path, program(), rows(tmp_path))
    assert read_table(run / INSTRUCTIONS).optional_integers("line") == [2, 2, None]


def test_what_is_unbounded_is_so_called_and_has_no_value(tmp_path: Path):
    unbounded = ProgramAnswer(
        program="a",
        sources=[],
        status="unbounded",
        instructions=1,
        unbounded=1,
        live=Sizes(min=None, median=None, max=None),
        occurrences=[Occurrence(weight="static", reason="no place in a range")],
    )
    run = made(tmp_path, unbounded, "main,0,0,ret,,,,,unbounded\n")
    assert "unbounded" in text_of(run / "report.html")
    quantities = json.loads((run / "derived.json").read_text())["quantities"]
    assert {one["name"]: one["value"] for one in quantities}["live_max_a"] is None
    sizes = [one for one in quantities if not one["name"].startswith("near_worst")]
    assert all(one["kind"] == "proven" and one["unit"] == "bit" for one in sizes)


def test_sizes_stand_in_the_line_of_their_source_whatever_separates_within_a_line(tmp_path: Path):
    run = made(tmp_path, program(), rows(tmp_path))
    source = tmp_path / "a.c"
    # clang counts this as two lines; Python's splitlines() as five.
    text = "int main(void) {\f/* \x1c \u2028 */\n  return 0;\n}\n"
    source.write_text(text)
    stored = run / "workingset.json"
    answer = msgspec.json.decode(stored.read_bytes(), type=WorkingSetAnswer)
    changed = msgspec.structs.replace(answer, files={str(source): file_sha256(source)})
    stored.write_bytes(msgspec.json.encode(changed))
    write_report(run)
    page = (run / "annotated" / "a.html").read_text()
    sizes = re.findall(
        r'<th scope="row" class="number">(\d+)</th><td class="number">([^<]*)<', page
    )
    assert sizes == [("1", ""), ("2", "10 B"), ("3", "")]
    # Beside its text, not above it.
    assert ".source details { margin: 0; }" in page


def test_heat_maps_side_by_side_have_the_same_rows():
    weighed = [
        Occurrence(weight="static", counts=[1.0] * 10),
        Occurrence(weight="wcet", counts=[2.0] * 10),
    ]
    lacking = [weighed[0], Occurrence(weight="wcet", reason="1 of 2 loops have no bound")]
    first = msgspec.structs.replace(program(), program="bounded_loops", occurrences=weighed)
    other = msgspec.structs.replace(program(), program="other_loops", occurrences=lacking)
    answer = WorkingSetAnswer(form="sroa", programs=[first, other], weights=["static", "wcet"])
    figures = [working_set._heat_figure(answer, weight) for weight in ("static", "wcet")]
    for figure in figures:
        assert figure is not None
        assert all(name in figure.draw() for name in ("bounded_loops", "other_loops"))
    assert "line through it" not in figures[0].caption
    assert "line through it" in figures[1].caption


def test_a_violated_limit_is_the_verdict(tmp_path: Path):
    place = Place(function="main", block="0", index=0, opcode="load", file="a.c", line=2)
    violation = Violation(program="a", place=place, live_bits=80)
    limit = Limit(limit_bits=64, instructions=1, violations=[violation])
    run = made(tmp_path, program(), rows(tmp_path), limit=limit)
    words = text_of(run / "report.html")
    assert "limit violated" in words
    assert "a.c:2: main" in words
    assert open_run(run).manifest.exit_code == 1


@pytest.mark.parametrize(
    ("answer", "code"),
    [
        (WorkingSetAnswer(form="sroa", programs=[program()]), 0),
        (WorkingSetAnswer(form="sroa"), 4),
        (
            WorkingSetAnswer(
                form="sroa",
                programs=[
                    msgspec.structs.replace(
                        program(), run=TracedRun(progression_reason="too large")
                    )
                ],
            ),
            4,
        ),
        (WorkingSetAnswer(form="sroa", programs=[UNWEIGHED]), 0),
        (WorkingSetAnswer(form="sroa", weights=["situation"], programs=[UNBOUNDED_SITUATION]), 0),
        (WorkingSetAnswer(form="sroa", weights=["wcet"], programs=[UNBOUNDED_WCET]), 4),
        (
            WorkingSetAnswer(
                form="sroa", programs=[program()], left_out=[LeftOut(path="b", reason="no main")]
            ),
            4,
        ),
    ],
)
def test_what_has_no_answer_is_no_verdict(answer: WorkingSetAnswer, code: int):
    assert exit_code(answer) == code


def test_the_run_of_a_program_is_drawn_from_first_to_last_and_its_weights_are_compared(
    tmp_path: Path,
):
    (tmp_path / "tables").mkdir()
    # 10 executed instructions in two stretches.
    (tmp_path / "tables" / PROGRESSION).write_text(
        "first,executed,dynamic_min_bytes,dynamic_max_bytes,static_min_bytes,static_max_bytes\n"
        "0,5,0,40,40,40\n5,5,0,80,20,80\n"
    )
    run = TracedRun(exit_code=0, executed=10, has_progression=True)
    traced = Occurrence(weight="trace", counts=[1, 0, 0, 0, 0, 0, 0, 0, 4, 5])
    weighed = msgspec.structs.replace(
        program(), occurrences=[*program().occurrences, traced], run=run
    )
    stored = made(tmp_path, weighed, rows(tmp_path), weights=["trace"])
    words = text_of(stored / "report.html")
    assert "n = 10 executed instructions, in 2 stretches" in words
    # 1 of 3 places; 4 + 5 of 10 executions.
    assert re.search(r"\ba 33\.3 % 90\.0 % 3 10 ", words)
    assert "no arguments, empty standard input; exit code 0" in words
    quantities = json.loads((stored / "derived.json").read_text())["quantities"]
    (share,) = [one for one in quantities if one["name"] == "near_worst_trace_a"]
    assert (share["value"], share["n"], share["kind"]) == (pytest.approx(0.9), 10, "measured")


def test_the_figures_of_the_map_are_listed_and_situations_count_each_body(tmp_path: Path):
    in_situations = Occurrence(weight="situation", counts=[2, 0, 0, 0, 0, 0, 0, 0, 0, 2])
    both = msgspec.structs.replace(program(), occurrences=[*program().occurrences, in_situations])
    stored = made(tmp_path, both, rows(tmp_path), weights=["static", "situation"])
    words = text_of(stored / "report.html")
    # 2 and 1 of 3 instructions; 2 and 2 of 4 in situations.
    zeros = "0.0 " * 8
    assert f"a static 66.7 {zeros}33.3 3 " in words
    assert f"a situation 50.0 {zeros}50.0 4 " in words
    assert "n = 3 instructions, counted 4 times in all, proven" in words
    # Nothing was run, so there is no column of executions.
    assert re.search(r"\ba 33\.3 % 50\.0 % 3 ", words)
    assert "not run" not in words
    quantities = json.loads((stored / "derived.json").read_text())["quantities"]
    (share,) = [one for one in quantities if one["name"] == "near_worst_situation_a"]
    assert (share["value"], share["n"], share["kind"]) == (0.5, 4, "proven")


def test_a_run_that_failed_is_named_and_no_figure_is_made_up(tmp_path: Path):
    run = TracedRun(reason="its run ended by signal 11", progression_reason="too large")
    occurrences = [Occurrence(weight="trace", reason="not executed: its run ended by signal 11")]
    failed = msgspec.structs.replace(program(), occurrences=occurrences, run=run)
    words = text_of(made(tmp_path, failed, rows(tmp_path), weights=["trace"]) / "report.html")
    assert "not run: its run ended by signal 11" in words
    assert "a: no progression: too large" in words
    assert "no verdict" in words


def test_compare_names_the_command_that_compares_working_sets(tmp_path: Path):
    run = made(tmp_path, program(), rows(tmp_path))
    with pytest.raises(ConfigError, match="--against"):
        read_side("BASE", run)
