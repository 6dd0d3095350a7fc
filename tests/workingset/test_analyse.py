# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""One process of the analysis for many programs: what it loses where it ends in one of them."""

import os
import sys
from pathlib import Path

import pytest

from laxity.workingset import analyse as working_set

# Stands for laxity-workingset: a program's text says what becomes of it.
FAKE = """#!{python}
import os, sys, time
words = sys.argv[1:]
out = words[words.index("--out") + 1]
programs = [word for word in words if word.endswith(".bc")]
with open({starts!r}, "a") as file:
    file.write(" ".join(os.path.basename(one) for one in programs) + "\\n")
for program in programs:
    stem = os.path.basename(program)[:-3]
    folder = out if len(programs) == 1 else os.path.join(out, stem)
    os.makedirs(folder, exist_ok=True)
    print("start", stem, flush=True)
    kind = open(program).read()
    if kind == "crash":
        os.kill(os.getpid(), 11)
    if kind == "hang":
        time.sleep(60)
    if kind == "refuse" and len(programs) == 1:
        sys.exit("laxity-workingset: no main")
    failed = '"status": "failed", "message": "no main"'
    text = failed if kind == "refuse" else '"triple": "x"'
    with open(os.path.join(folder, "summary.json"), "w") as file:
        file.write("{{" + text + "}}")
    print("end", stem, 1000, flush=True)
"""


@pytest.fixture
def starts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Put the fake in place of the tool, in one process; what each was started with."""
    path = tmp_path / "starts"
    tool = tmp_path / "tool"
    tool.write_text(FAKE.format(python=sys.executable, starts=str(path)))
    tool.chmod(0o755)
    monkeypatch.setattr(working_set, "require_tool", lambda: tool)
    monkeypatch.setattr(os, "sched_getaffinity", lambda _pid: {0})
    return path


def analyse(tmp_path: Path, patience_s: float = 50, **kinds: str) -> dict[str, str]:
    """Analyse programs of these kinds; the message of each, in the order of the programs."""
    programs = []
    for name, kind in kinds.items():
        bitcode = tmp_path / f"{name}.bc"
        bitcode.write_text(kind)
        programs.append((name, bitcode))
    to = tmp_path / "out"
    to.mkdir()
    found = working_set.analyse(programs, to, None, patience_s)
    assert [one.program for one in found] == list(kinds)
    assert all((one.process_ns == 1000) == (one.message == "") for one in found)
    return {one.program: one.message for one in found}


def test_all_programs_are_analysed_by_one_process(tmp_path: Path, starts: Path) -> None:
    assert analyse(tmp_path, a="good", b="good", c="good") == dict.fromkeys("abc", "")
    assert starts.read_text().splitlines() == ["a.bc b.bc c.bc"]


def test_a_program_that_is_refused_keeps_its_message_and_loses_no_other(
    tmp_path: Path, starts: Path
) -> None:
    found = analyse(tmp_path, a="good", bad="refuse", c="good")
    assert found == {"a": "", "bad": "no main", "c": ""}
    assert len(starts.read_text().splitlines()) == 1


def test_the_program_that_crashes_is_named_and_a_new_process_goes_on_with_the_rest(
    tmp_path: Path, starts: Path
) -> None:
    found = analyse(tmp_path, a="good", b="crash", c="good", d="refuse")
    assert (found["a"], found["c"], found["d"]) == ("", "", "no main")
    assert "ended by signal 11" in found["b"]
    # The largest first; of one size, in their order. `refuse` and `crash` have more letters.
    assert starts.read_text().splitlines() == ["d.bc b.bc a.bc c.bc", "a.bc c.bc"]


def test_a_program_that_takes_too_long_costs_only_itself(tmp_path: Path, starts: Path) -> None:
    found = analyse(tmp_path, 5, a="good", b="hang", c="good")
    assert (found["a"], found["c"]) == ("", "")
    assert "did not end within 5 s; raise --timeout" in found["b"]
    assert starts.read_text().splitlines() == ["a.bc b.bc c.bc", "c.bc"]


def test_the_only_program_of_a_process_is_refused_by_its_own_words(
    tmp_path: Path, starts: Path
) -> None:
    assert analyse(tmp_path, bad="refuse") == {"bad": "no main"}
    assert starts.is_file()
