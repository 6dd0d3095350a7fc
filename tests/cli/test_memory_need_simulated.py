# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""`laxity profile memory-need --platform sim:NAME`: lines of jobs that are known by construction.

What the program does is in tests/native/sim_programs/touches.c.
"""

import json
import shutil
from typing import Any

import pytest
from tests.cli.laxity_command import Laxity, of_simulator

NEED = ("profile", "memory-need")
SABRELITE = ("--platform", "sim:sabrelite", "--quiet")
PAGE_BYTES = 4096


def touches(architecture: str = "armhf") -> str:
    return str(of_simulator(f"{architecture}-touches"))


def lines_of(laxity: Laxity, name: str = "P") -> list[Any]:
    found: list[Any] = json.loads((laxity.directory / name / "profile.json").read_text())["lines"]
    return found


def by_kind(record: Any, of: str) -> dict[str, tuple[int, int, int, int]]:  # noqa: ANN401 - a document
    numbers = ("read_lines", "written_lines", "lines", "pages")
    return {
        one["storage"]: tuple(one[of][number] for number in numbers) for one in record["storage"]
    }


@pytest.mark.parametrize(
    ("platform", "architecture", "line_bytes"),
    [("sabrelite", "armhf", 32), ("zcu102", "aarch64", 64)],
)
def test_lines_that_are_known_by_construction_are_found(
    laxity: Laxity, platform: str, architecture: str, line_bytes: int
):
    """Bytes 64 apart: as many lines where these have 32 or 64 bytes."""
    stacks = {}
    for n_stack in (0, 32):
        words = (touches(architecture), "-b", f"64 96 {n_stack}", "-t", "3", "--quiet")
        name = f"P{n_stack}"
        done = laxity(*NEED, *words, "--platform", f"sim:{platform}", "--run-dir", name)
        assert done.returncode == 0, done.stderr
        (record,) = lines_of(laxity, name)
        assert (record["jobs"], record["line_bytes"]) == (3, line_bytes)
        largest, together = by_kind(record, "largest"), by_kind(record, "together")
        # 64 lines are read: the page at 0. The first job writes those 64 apart from 4096 to 10240,
        # pages 1 and 2: 3 pages. The others write from 10240 to 16384: pages 2 and 3.
        assert largest["bss"] == (64, 96, 64 + 96, 3)
        # Both: 2 * 96 are written, and of 4 pages each is used.
        assert together["bss"] == (64, 192, 64 + 192, 4)
        # What it was told lies in a line, of which a member is written.
        assert largest["data"] == together["data"] == (1, 1, 1, 1)
        # It asks for no memory, and has no constants but within its code, which nothing writes.
        assert together["heap"] == together["constants"] == (0, 0, 0, 0)
        read, written, lines, pages = together["code"]
        assert (written, pages) == (0, 1)
        assert 0 < read == lines <= PAGE_BYTES // line_bytes
        # Each job stores to the same addresses of its stack.
        assert largest["stack"] == together["stack"]
        stacks[n_stack] = together["stack"]
        # No line has two kinds: 64 of .bss, 1 of .data, and those of code and stack; written 192
        # of .bss and 1 of .data.
        assert together["all"] == (
            65 + read + together["stack"][0],
            193 + together["stack"][1],
            64 + 192 + 1 + lines + together["stack"][2],
            4 + 1 + 1 + together["stack"][3],
        )
    # Of an array that no frame shares a line with 32 lines more are written, and none is read.
    (read, written, lines, _), (more_read, more_written, more_lines, _) = stacks.values()
    assert (more_read, more_written, more_lines) == (read, written + 32, lines + 32)


def test_answer_and_page_name_lines_and_no_quantity_of_a_machine(laxity: Laxity):
    done = laxity(*NEED, "mem 16KiB", "sort small", "-t", "2", *SABRELITE, "--run-dir", "P")
    assert done.returncode == 0, done.stderr
    page = (laxity.directory / "P" / "report.html").read_text()
    for text in (done.stdout, page):
        for name in ("mem", "sort"):
            assert f"Lines touched (simulated) by {name}, of 32 B" in text
            assert f"{name} touches " in text
        for word in ("requested", "is mapped", "Memory need of"):
            assert word not in text
    assert "mapped" not in done.stdout
    mem, sort = lines_of(laxity)
    assert (mem["target"], sort["target"]) == (0, 1)
    # 16 KiB / 32 B, of each a word read and one written, and they begin within a page: 5 of these.
    assert by_kind(mem, "largest")["heap"] == (512, 512, 512, 5)
    derived = json.loads((laxity.directory / "P" / "derived.json").read_text())["quantities"]
    values = {(one["task"], one["name"]): one["value"] for one in derived}
    assert values["mem", "heap_lines_job"] == values["mem", "heap_lines_all_jobs"] == 512
    assert {one["kind"] for one in derived} == {"simulated"}


def test_program_that_fails_has_no_lines_and_those_before_it_stay(laxity: Laxity):
    asks = str(of_simulator("armhf-asks"))
    words = (f"{touches()} 1 1 1", f"{asks} job crash", "--no-report")
    done = laxity(*NEED, *words, *SABRELITE, "--run-dir", "P")
    assert done.returncode == 1
    assert "no lines were counted" in done.stdout
    (found,) = lines_of(laxity)
    assert found["target"] == 0


def test_profile_that_goes_on_keeps_the_lines_that_were_counted(laxity: Laxity):
    words = (*NEED, "mem 4KiB", "mem 8KiB", "-t", "2", "--no-report", *SABRELITE, "--run-dir", "P")
    assert laxity(*words).returncode == 0
    counted = lines_of(laxity)
    # 4 KiB / 32 B and 8 KiB / 32 B.
    assert [by_kind(one, "largest")["heap"][2] for one in counted] == [128, 256]
    # As one that was interrupted before the second program.
    path = laxity.directory / "P"
    document = json.loads((path / "profile.json").read_text())
    document["lines"] = document["lines"][:1]
    (path / "profile.json").write_text(json.dumps(document))
    manifest = json.loads((path / "manifest.json").read_text())
    manifest |= {"status": "interrupted", "runs": manifest["runs"][:1]}
    (path / "manifest.json").write_text(json.dumps(manifest))
    (path / "runs" / "01-mem-00").rename(laxity.directory / "gone")
    done = laxity(*words)
    assert done.returncode == 0, done.stderr
    assert lines_of(laxity) == counted


def test_profile_of_a_program_that_has_been_compiled_anew_is_another_one(laxity: Laxity):
    mine = laxity.directory / "mine"
    shutil.copy(touches(), mine)
    words = (*NEED, "./mine", "-b", "3 2 1", "-t", "2", "--no-report", *SABRELITE)
    assert laxity(*words, "--run-dir", "P").returncode == 0
    assert laxity(*words, "--run-dir", "P").returncode == 0
    with mine.open("ab") as file:
        file.write(b"another")
    refused = laxity(*words, "--run-dir", "P")
    assert refused.returncode == 2
    assert "holds another profile (executable: " in refused.stderr


def test_program_that_looks_for_files_has_its_lines_counted(laxity: Laxity):
    asks = str(of_simulator("armhf-asks"))
    words = (*NEED, asks, "-b", "init file", "-t", "2", "--no-report", *SABRELITE)
    done = laxity(*words, "--run-dir", "P")
    assert done.returncode == 0, done.stderr
    assert lines_of(laxity)[0]["jobs"] == 2


def test_lines_are_counted_where_no_stream_is_kept(laxity: Laxity):
    words = (*NEED, touches(), "-b", "3 2 1", "-t", "2", "--no-report", *SABRELITE)
    kept = laxity(*words, "--run-dir", "P")
    nothing = {"XDG_CACHE_HOME": str(laxity.directory / "cache")}
    assert laxity("sim", "streams", "--limit", "0B", environment=nothing).returncode == 0
    done = laxity(*words, "--run-dir", "Q", environment=nothing)
    assert (kept.returncode, done.returncode) == (0, 0), done.stderr
    assert not list((laxity.directory / "cache").rglob("*.lxs"))
    assert lines_of(laxity, "Q") == lines_of(laxity, "P")
