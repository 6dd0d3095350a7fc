# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""`laxity profile memory-need`: programs whose need is known by construction, none of them killed.

What they do is in tests/native/harness/needs.c; figures are in pages unless they say bytes.
"""

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from tests.cli.laxity_command import Laxity

PAGE = 4096
MIB = 256 * PAGE


@dataclass(frozen=True)
class Known:
    """What a program needs: at once, and in all where that is another number."""

    requested_bytes: tuple[int, int]
    mapped: tuple[int, int]
    touched: tuple[int, int]
    written: tuple[int, int]


PROGRAMS = {
    # malloc maps large blocks by themselves: 16 bytes of its own before 256 pages, in one page
    # more. calloc does not clear what the kernel has cleared: only the first page, with these
    # bytes, is touched.
    "calloc": Known((MIB, MIB), (257, 257), (1, 1), (1, 1)),
    # Of 256 pages the first 10 are written.
    "mmap": Known((0, 0), (256, 256), (10, 10), (10, 10)),
    # One byte in 256 pages' distance each, from 16 bytes behind the mapping's begin: all but the
    # last of 257.
    "new": Known((MIB, MIB), (257, 257), (256, 256), (256, 256)),
    # An array of 256 pages on the stack; a stack is mapped as far as it was reached.
    "stack": Known((0, 0), (256, 256), (256, 256), (256, 256)),
    # 4 threads at once with stacks of 16 pages; the page that guards each may not be accessed.
    # In each an array of 8 pages is touched, and above it the thread's descriptor (2304 bytes),
    # room for thread-local storage (1664 and more) and frames: between 1 and 2 pages. The C
    # library's list of thread-local storage has 14 spare entries, 2 and one for each of 3
    # modules (C library, libstdc++, libgcc or the program), of 16 bytes: 304 bytes a thread.
    "threads": Known((4 * 304, 4 * 304), (64, 64), (40, 40), (40, 40)),
    # 257 pages, then 65 of them, then 129 more: 194 at once are fewer. Of the last 129 the first
    # is touched, for the allocator's bytes.
    "realloc": Known((MIB, MIB + MIB // 2), (257, 257 + 129), (256, 257), (256, 257)),
    # Twice 25 pages of heap, given back by malloc_trim: the heap grows by them and by 128 KiB more
    # (M_TOP_PAD), 25 + 32 + 1 pages; what comes behind the block is touched, too, for the size of
    # the rest. The first of its pages is there before and stays.
    "trim": Known((25 * PAGE, 2 * 25 * PAGE), (57, 2 * 57), (25, 2 * 25), (25, 2 * 25)),
    # 4096 pages, and 10 in each of 5 jobs.
    "arena": Known((0, 0), (4096, 4096), (50, 50), (50, 50)),
    # 256 that were only read: the kernel's page of zeroes stands in all of them.
    "zero-pages": Known((0, 0), (256, 256), (256, 256), (0, 0)),
    # Of 256 pages the even ones are read, and the first ten written, of which 5 are odd: 128 + 5.
    # The kernel must not bring those between.
    "file": Known((0, 0), (256, 256), (133, 133), (10, 10)),
    # A child's need is its own.
    "child": Known((0, 0), (0, 0), (0, 0), (0, 0)),
}


def needs(laxity: Laxity) -> str:
    return str(laxity.tools / "tests" / "native" / "needs")


@pytest.mark.parametrize("name", PROGRAMS)
def test_need_that_is_known_by_construction_is_found(laxity: Laxity, name: str):
    known = PROGRAMS[name]
    words = ("--processes", "1", "-t", "5", "--no-report", "--quiet", "--run-dir", "P")
    done = laxity("profile", "memory-need", needs(laxity), "-b", name, *words)
    assert done.returncode == 0, done.stderr
    path = laxity.directory / "P"
    (found,) = json.loads((path / "profile.json").read_text())["needs"]
    at_once, in_all = known.requested_bytes
    assert (found["requested"]["peak_bytes"], found["requested"]["total_bytes"]) == (
        at_once,
        in_all,
    )
    if found["method"] != "PAGEMAP_SCAN":
        pytest.skip("needs PAGEMAP_SCAN (Linux 6.7)")
    for quantity in ("mapped", "touched", "written"):
        told = pages(found[quantity])
        for page, expected in zip(told, getattr(known, quantity), strict=True):
            assert abs(page - expected) <= 1, (quantity, told)
    assert found["is_confirmed"] is (True if at_once else None)
    assert_nobody_was_killed(path, ["harness", "needs-00", *(LIMITED if at_once else ())])


LIMITED = ("needs-kept", "needs-crossed")


def pages(share: dict[str, int]) -> tuple[float, float]:
    return share["peak_bytes"] / PAGE, share["total_bytes"] / PAGE


def assert_nobody_was_killed(path: Path, runs: list[str]) -> None:
    """The limits were told to be crossed or not, and every process did its jobs to the end."""
    assert sorted(one.name for one in (path / "runs").iterdir()) == sorted(runs)
    for run in runs:
        manifest: dict[str, Any] = json.loads((path / "runs" / run / "manifest.json").read_text())
        (task,) = manifest["tasks"]
        assert (manifest["status"], task["end_cause"], task["started"]) == ("complete", "jobs", 5)
        assert (task["counts"]["aborted"], task["memory_locked"]) == (0, False)
        crossed = {"needs-kept": False, "needs-crossed": True}.get(run)
        assert task["memory_need"]["limit_is_crossed"] is crossed


def test_answer_and_page_state_all_quantities_of_each_program(laxity: Laxity):
    words = ("--processes", "2", "-t", "2", "--quiet", "--run-dir", "P")
    done = laxity("profile", "memory-need", "mem", "fft", *words)
    assert done.returncode == 0, done.stderr
    page = (laxity.directory / "P" / "report.html").read_text()
    for text in (done.stdout, page):
        # 64 KiB, and 1024 points of 24 bytes.
        assert "mem needs at once: requested 64 KiB, mapped " in text
        assert "fft needs at once: requested 24 KiB, mapped " in text
        assert text.count("Memory need of ") >= 2
        for word in ("requested", "mapped", "touched", "written", "static", "PAGEMAP_SCAN"):
            assert word in text
        assert "one of a byte less was crossed" in text
        assert "observed maximum" not in text


def test_limit_that_is_crossed_in_a_run_that_measures_need_is_noted(laxity: Laxity):
    run = laxity.run(
        *("mem", "-b", "64KiB", "-p", "1ms", "-t", "3", "--policy", "other"),
        *("--memory-need", "-m", "1KiB"),
    )
    (task,) = run.manifest.tasks
    assert (task.end_cause, task.memory) == ("jobs", None)
    assert task.memory_need is not None
    assert task.memory_need.limit_is_crossed is True
    shown = laxity("show", "D")
    assert "mem: mem needs at once: requested 64 KiB" in shown.stdout


def test_program_that_crashes_has_no_need_and_says_why(laxity: Laxity):
    words = ("-b", "crash 1", "--processes", "1", "--no-report", "--quiet", "--run-dir", "P")
    done = laxity("profile", "memory-need", str(laxity.fault), *words)
    assert done.returncode == 1
    assert "fault-00: " in done.stderr + done.stdout
    assert "no process has measured its need of memory" in done.stdout
    document = json.loads((laxity.directory / "P" / "profile.json").read_text())
    assert document["needs"] == []


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (
            ("mem", "--platform", "sim:sabrelite", "--processes", "2"),
            "--processes: nothing differs between processes on sim:sabrelite; leave it out",
        ),
        (("mem", "--platform", "sim:nowhere"), "sim:nowhere"),
        (("mem", "sort", "-b", "1KiB"), "-b: describes one workload, and several are named"),
        (("nowhere",), "nowhere"),
    ],
)
def test_what_has_no_need_of_memory_is_refused(laxity: Laxity, words: tuple[str, ...], said: str):
    done = laxity("profile", "memory-need", *words, "--run-dir", "P")
    assert (done.returncode, said in done.stderr) == (2, True), done.stderr
    assert not (laxity.directory / "P").exists()


def test_program_of_its_own_is_refused_to_have_its_need_measured(laxity: Laxity):
    done = laxity("run", "--memory-need", "-p", "1ms", "--run-dir", "D", "--exec", "/bin/true")
    assert done.returncode == 2
    assert "--memory-need cannot be used with exec" in done.stderr
