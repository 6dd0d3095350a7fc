# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""The memory limit: which requests it sees, what it counts, and how a task ends that exceeds it.

What the allocator counts call by call is in tests/native/base/test_allocator.c, on every
instruction set.
"""

import ctypes.util
import json
import os
import subprocess
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.cli.commands import BUILT, FAULT, jobs_of, laxity, manifest_of
from tests.cli.laxity_command import PATIENCE_S

from laxity.core.streams import Cause, Status

HUNGRY = BUILT.tools / "tests" / "native" / "hungry"
MEM = BUILT.tools / "workloads" / "mem"
PAGE = os.sysconf("SC_PAGE_SIZE")
# 256 KiB where a page is 4 KiB.
WANTED = 64 * PAGE

needs_cpp = pytest.mark.skipif(
    ctypes.util.find_library("stdc++") is None, reason="no libstdc++ on this machine"
)
# What a user writes, and what the C library's allocator is asked for.
KINDS = [
    ("malloc", "malloc"),
    ("calloc", "calloc"),
    ("realloc", "realloc"),
    ("reallocarray", "reallocarray"),
    ("posix_memalign", "posix_memalign"),
    ("aligned_alloc", "aligned_alloc"),
    ("memalign", "memalign"),
    ("valloc", "valloc"),
    ("pvalloc", "pvalloc"),
    ("mmap", "mmap"),
    ("mmap-file", "mmap"),
    ("mremap", "mremap"),
    ("sbrk", "sbrk"),
    ("brk", "brk"),
    ("strndup", "malloc"),
    pytest.param("new", "malloc", marks=needs_cpp),
    pytest.param("new[]", "malloc", marks=needs_cpp),
]


def kib(size_bytes: int) -> str:
    """Write a size below 1 MiB as messages do."""
    assert size_bytes % 1024 == 0
    return f"{size_bytes // 1024}KiB"


@dataclass(frozen=True)
class Done:
    """What one run of laxity-run left."""

    directory: Path
    code: int
    err: str

    @property
    def task(self) -> dict[str, Any]:
        native: dict[str, Any] = json.loads((self.directory / "native.json").read_text())
        (task,) = native["tasks"]
        return dict(task)

    @property
    def peak_bytes(self) -> int:
        return int(self.task["memory"]["peak_bytes"])


def run(tmp_path: Path, program: Path, *words: str, limit_bytes: int | None = None) -> Done:
    """Run six jobs of a workload, none skipped; its words are `words`."""
    directory = tmp_path / f"D{len(list(tmp_path.iterdir()))}"
    options = ["--policy", "other", "--period", "1ms", "--overrun", "queue", "--jobs", "6"]
    if limit_bytes is not None:
        options += ["--memory-limit", f"{limit_bytes}B"]
    laxity_run = [str(BUILT.tools / "native" / "laxity-run"), "--run-dir", str(directory)]
    arguments = [part for word in words for part in ("--arg", word)]
    done = subprocess.run(
        [*laxity_run, "--snapshots", "none", "--", str(program), *options, *arguments],
        capture_output=True,
        text=True,
        timeout=PATIENCE_S,
        check=False,
    )
    return Done(directory, done.returncode, done.stderr)


@pytest.mark.parametrize(("kind", "call"), KINDS)
def test_every_kind_of_request_passes_a_page_below_the_limit_and_is_caught_a_page_above(
    tmp_path: Path, kind: str, call: str
):
    below = run(tmp_path, HUNGRY, kind, str(WANTED), limit_bytes=WANTED + PAGE)
    assert (below.code, below.err) == (0, "")
    assert below.peak_bytes == WANTED
    above = run(tmp_path, HUNGRY, kind, str(WANTED), limit_bytes=WANTED - PAGE)
    assert above.code == 1
    # Two of the calls enlarge what the workload has made before, half as large.
    held = kib(WANTED // 2) if kind in {"realloc", "mremap"} else "0B"
    assert above.err == (
        f'laxity-run: task "hungry": in job 3: {call} of {kib(WANTED)} exceeds its memory limit of '
        f"{kib(WANTED - PAGE)} ({held} in use); jobs before it were kept\n"
    )
    jobs = jobs_of(above.directory)
    aborted = jobs[jobs["status"] == Status.ABORTED]
    assert list(aborted["job"]) == [3]
    assert list(aborted["cause"]) == [Cause.MEMORY_LIMIT]
    assert np.count_nonzero(jobs["status"] <= Status.MISSED) == 3
    assert above.task["end_cause"] == "memory_limit"
    assert above.peak_bytes == WANTED // 2 * (held != "0B")


@pytest.mark.parametrize("kind", ["malloc", "mmap"])
def test_limit_itself_may_be_reached_and_one_byte_less_is_too_little(tmp_path: Path, kind: str):
    assert run(tmp_path, HUNGRY, kind, str(WANTED), limit_bytes=WANTED).code == 0
    assert run(tmp_path, HUNGRY, kind, str(WANTED), limit_bytes=WANTED - 1).code == 1


@pytest.mark.parametrize("kind", ["free", "munmap"])
def test_memory_that_is_given_back_is_free_to_be_requested_again(tmp_path: Path, kind: str):
    # A hundred times the same, never more than once at a time.
    done = run(tmp_path, HUNGRY, kind, str(WANTED), limit_bytes=WANTED)
    assert (done.code, done.peak_bytes) == (0, WANTED)


def test_heap_that_shrinks_is_no_request(tmp_path: Path):
    """A free that gave the end of the heap back to the kernel was reported as its extension."""
    done = run(tmp_path, HUNGRY, "shrinking", str(WANTED), limit_bytes=WANTED)
    # 256 blocks of a 256th each.
    assert (done.code, done.peak_bytes) == (0, WANTED)


def test_calloc_of_64_mib_does_not_pass_a_limit_of_1_kib(tmp_path: Path):
    """Only malloc and mmap were counted."""
    done = run(tmp_path, HUNGRY, "calloc", str(64 << 20), limit_bytes=1024)
    assert done.code == 1
    assert "calloc of 64MiB exceeds its memory limit of 1KiB (0B in use)" in done.err


def test_memory_of_init_counts(tmp_path: Path):
    """The limit once began to hold only after the workload had allocated what it needs."""
    above = run(tmp_path, HUNGRY, "malloc", str(WANTED), "init", limit_bytes=WANTED - 1)
    assert above.code == 1
    assert above.err == (
        f'laxity-run: task "hungry": in its init: malloc of {kib(WANTED)} exceeds its memory limit '
        f"of {WANTED - 1}B (0B in use); raise the limit\n"
    )
    assert above.task["end_cause"] == "memory_limit"
    at_it = run(tmp_path, HUNGRY, "malloc", str(WANTED), "init", limit_bytes=WANTED)
    assert (at_it.code, at_it.peak_bytes) == (0, WANTED)


def test_memory_of_teardown_counts_and_all_jobs_are_kept(tmp_path: Path):
    done = run(tmp_path, HUNGRY, "malloc", str(WANTED), "teardown", limit_bytes=WANTED - 1)
    assert done.code == 1
    assert "(0B in use) in its teardown; all jobs were kept" in done.err
    assert done.task["started"] == 6


def test_what_the_harness_prefaults_is_not_the_workloads(tmp_path: Path):
    # A heap of 1 MiB and a stack of 512 KiB are touched before the run.
    done = run(tmp_path, HUNGRY, "malloc", "1", limit_bytes=1)
    assert (done.code, done.peak_bytes) == (0, 1)


def test_many_small_blocks_count_what_was_asked_for(tmp_path: Path):
    # 4000 times 24 + 1 bytes; the heap itself takes 4000 * (32 + 32).
    done = run(tmp_path, HUNGRY, "small", "100000", limit_bytes=100_000)
    assert (done.code, done.peak_bytes) == (0, 100_000)


def test_threads_of_a_workload_count_into_its_task(tmp_path: Path):
    # Each holds a quarter; starting four costs the C library less than a page of heap.
    done = run(tmp_path, HUNGRY, "threads", str(WANTED), limit_bytes=WANTED + PAGE)
    assert (done.code, done.err) == (0, "")
    assert WANTED <= done.peak_bytes <= WANTED + PAGE
    assert run(tmp_path, HUNGRY, "threads", str(WANTED), limit_bytes=WANTED - PAGE).code == 1


def test_child_of_a_workload_does_not_count(tmp_path: Path):
    done = run(tmp_path, HUNGRY, "child", str(WANTED), limit_bytes=1)
    assert (done.code, done.peak_bytes) == (0, 0)


def test_peak_is_told_without_a_limit(tmp_path: Path):
    done = run(tmp_path, MEM, "64KiB")
    assert done.task["memory"] == {"peak_bytes": 65536, "limit_bytes": None}


def test_what_a_workload_prints_costs_one_buffer(tmp_path: Path):
    # "fault none" allocates nothing and prints one line: stdio's buffer for a pipe is a page.
    assert run(tmp_path, FAULT, "none").peak_bytes <= PAGE


def test_option_of_laxity_run_limits_the_task(tmp_path: Path):
    words = ["run", "mem", "-b", "64KiB", "-p", "1ms", "-t", "3", "--policy", "other"]
    words += ["--no-report", "--run-dir"]
    refused = laxity(*words, tmp_path / "A", "-m", "63KiB")
    assert refused.code == 1
    message = 'task "mem": in its init: aligned_alloc of 64KiB exceeds its memory limit of 63KiB'
    assert message in refused.err
    manifest = manifest_of(tmp_path / "A")
    assert (manifest.status, manifest.exit_code) == ("failed", 1)
    done = laxity(*words, tmp_path / "B", "--memory-limit", "64KiB", "--format", "json")
    assert done.code == 0
    (told,) = json.loads(done.out)["runs"][0]["tasks"]
    assert told["memory"] == {"peak_bytes": 65536, "limit_bytes": 65536}
    memory = manifest_of(tmp_path / "B").tasks[0].memory
    assert (memory.peak_bytes, memory.limit_bytes) == (65536, 65536)
    assert 'memory_limit = "64KiB"' in (tmp_path / "B" / "spec.toml").read_text()
    shown = laxity("show", tmp_path / "B")
    assert "mem: mem held at most 64 KiB (limit 64 KiB)" in shown.out


def test_limit_without_a_unit_is_refused_with_the_option_and_a_unit(tmp_path: Path):
    outcome = laxity("run", "mem", "-p", "1ms", "-m", "64", "--run-dir", tmp_path / "D")
    assert outcome.code == 2
    assert '--memory-limit: "64" has no unit; write 64KiB' in outcome.err


def test_one_task_above_its_limit_leaves_the_others_alone(tmp_path: Path):
    spec = tmp_path / "two.toml"
    task = 'period = "1ms"\npolicy = "other"\noverrun = "queue"\nmemory_limit = "4KiB"\n'
    spec.write_text(
        "schema = 1\n[run]\njobs = 20\n"
        f'[[task]]\nname = "a"\nworkload = "{HUNGRY}"\nargs = ["malloc", "4097"]\n{task}'
        f'[[task]]\nname = "b"\nworkload = "{HUNGRY}"\nargs = ["malloc", "4096"]\n{task}'
    )
    outcome = laxity("run", spec, "--run-dir", tmp_path / "D", "--no-report")
    assert outcome.code == 1
    assert 'task "a": in job 3: malloc of 4097B exceeds' in outcome.err
    a, b = manifest_of(tmp_path / "D").tasks
    assert (a.end_cause, a.memory.peak_bytes) == ("memory_limit", 0)
    assert (b.end_cause, b.started, b.memory.peak_bytes) == ("jobs", 20, 4096)


@pytest.mark.parametrize(("limit", "code"), [("256K", 0), ("255K", 1), ("0", 0), ("1g", 0)])
def test_rt_benchs_letter_takes_rt_benchs_sizes(tmp_path: Path, limit: str, code: int):
    done = subprocess.run(
        [HUNGRY, "-p", "0.001", "-t", "6", "-m", limit, "-b", "malloc 262144"],
        capture_output=True,
        text=True,
        timeout=PATIENCE_S,
        check=False,
        cwd=tmp_path,
    )
    assert done.returncode == code
    assert ("malloc of 256KiB exceeds its memory limit of 255KiB" in done.stderr) == (code == 1)
    # A job that was started has a row, also one that was ended.
    assert len(done.stdout.splitlines()) >= (6 if code == 0 else 4)
