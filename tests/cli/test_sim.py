# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""`laxity sim`, and runs that read streams: the same to the byte, however they came to them."""

import json
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from tests.cli.laxity_command import Laxity, of_simulator

PLATFORM = ("--platform", "sim:sabrelite")
RUN = ("run", "./tasks.toml", *PLATFORM, "--no-report", "--quiet")
# Tasks of which one preempts the others, and the last prints what it has computed.
TASKS = """
schema = 1
[run]
duration = "20ms"
seed = 1
[[task]]
name = "high"
workload = "mem"
args = ["32KiB"]
period = "1ms"
priority = 60
[[task]]
name = "low"
workload = "mem"
args = ["16KiB", "10"]
period = "5ms"
offset = "2ms"
priority = 50
[[task]]
name = "printing"
workload = "sort"
args = ["small"]
period = "10ms"
priority = 40
"""
RESULTS = ("output.log", "jobs.npy", "histogram.npy", "threads.npy", "spec.toml", "platform.toml")
# Bytes of all before the label, where the number of parts and the length of the index are
# (sim/streams/file.hpp).
HEADER_BYTES, PARTS_AT, INDEX_BYTES_AT = 296, 120, 144


@pytest.fixture
def cache(tmp_path: Path) -> Path:
    return tmp_path / "cache" / "laxity" / "streams"


def call(laxity: Laxity, cache: Path, *words: str) -> "subprocess.CompletedProcess[str]":
    return laxity(*words, environment={"XDG_CACHE_HOME": str(cache.parents[1])})


def run(laxity: Laxity, cache: Path, name: str) -> list[bytes]:
    """Run the tasks; what is said of them, and the results."""
    (laxity.directory / "tasks.toml").write_text(TASKS)
    done = call(laxity, cache, *RUN, "--run-dir", name)
    assert done.returncode == 0, done.stderr
    results = [(laxity.directory / name / result).read_bytes() for result in RESULTS]
    return [done.stderr.encode(), *results]


def streams(laxity: Laxity, cache: Path) -> Any:  # noqa: ANN401 - a document
    return json.loads(call(laxity, cache, "sim", "streams", "--format", "json").stdout)


def test_results_are_the_same_without_streams_with_new_ones_and_with_kept_ones(
    laxity: Laxity, cache: Path
):
    assert call(laxity, cache, "sim", "streams", "--limit", "0B").returncode == 0
    live = run(laxity, cache, "live")
    assert [path.name for path in cache.iterdir()] == ["limit"]
    assert call(laxity, cache, "sim", "streams", "--limit", "1GiB").returncode == 0
    recorded = run(laxity, cache, "recorded")
    # 20 releases of the one before 20 ms; of the other those at 2, 7, 12 and 17 ms, at 0 and
    # 10 ms.
    assert sorted(one["jobs"] for one in streams(laxity, cache)) == [2, 4, 20]
    written = {path: path.stat().st_ino for path in cache.glob("*.lxs")}
    kept = run(laxity, cache, "kept")
    assert recorded == live
    assert kept == live
    assert {path: path.stat().st_ino for path in cache.glob("*.lxs")} == written


def test_a_stream_is_recorded_beforehand_listed_and_removed(laxity: Laxity, cache: Path):
    words = ("sim", "record", "mem", "16KiB", *PLATFORM, "--jobs", "12")
    done = call(laxity, cache, *words)
    assert (done.returncode, done.stderr) == (0, "")
    (one,) = streams(laxity, cache)
    assert done.stdout == f"{cache / one['identity']}.lxs\n"
    assert (one["workload"], one["words"], one["jobs"]) == ("mem", ["16KiB"], 12)
    # Each job touches each of 16 KiB / 32 B lines once, with some instructions around it.
    assert one["accesses"] >= 12 * 512
    assert one["instructions"] > one["accesses"]
    assert one["size_bytes"] < one["records"]
    table = call(laxity, cache, "sim", "streams").stdout
    assert f"{one['identity'][:12]}  armhf mem  16KiB" in table
    detail = call(laxity, cache, "sim", "streams", "--detail", one["identity"][:5]).stdout
    used = {name: numbers for name, *numbers in map(str.split, detail.splitlines()[2:])}
    # Of each line a word is read and one written, 512 * 12 in all; two more loads find the array.
    # It begins within a page, and so lies in 5 of 4 KiB. Nothing is stored where nothing may be.
    assert used["heap"] == [str(6144 + 2 * 12), "6144", "20KiB"]
    assert [used[name][1] for name in ("code", "constants")] == ["0", "0"]
    loads = sum(int(numbers[0]) for numbers in used.values())
    stores = sum(int(numbers[1]) for numbers in used.values())
    # Those of init and teardown are left out.
    assert loads + stores < one["accesses"]
    assert call(laxity, cache, *words).stdout == done.stdout
    removed = call(laxity, cache, "sim", "streams", "--remove", one["identity"][:5])
    assert (removed.returncode, streams(laxity, cache)) == (0, [])


def flip(path: Path, at: int) -> None:
    """Turn a bit of a byte, which may be counted from the end."""
    content = bytearray(path.read_bytes())
    content[at] ^= 1
    path.write_bytes(content)


def flip_in_part(path: Path) -> None:
    """Turn a bit of the checksum of the last part."""
    # It lies before the index.
    length = path.read_bytes()[INDEX_BYTES_AT : INDEX_BYTES_AT + 8]
    flip(path, -int.from_bytes(length, "little") - 1)


def cut(path: Path) -> None:
    path.write_bytes(path.read_bytes()[:-1])


def lengthen(path: Path) -> None:
    path.write_bytes(path.read_bytes() + b"x")


@pytest.mark.parametrize(
    ("damage", "told"),
    [
        (flip_in_part, "its part {parts} of {parts} is damaged"),
        (lambda path: flip(path, -1), "its index is damaged"),
        (lambda path: flip(path, 0), "is no stored stream, or was not recorded to its end"),
        (cut, "is cut: it has {less} bytes of {size}"),
        (lengthen, "goes on behind its end"),
    ],
    ids=["a part", "the index", "the beginning", "cut", "longer"],
)
def test_a_damaged_stream_is_recorded_anew_and_named(
    laxity: Laxity, cache: Path, damage: Callable[[Path], None], told: str
):
    said, *first = run(laxity, cache, "first")
    expected = []
    whole = {}
    for path in sorted(cache.glob("*.lxs")):
        whole[path] = path.read_bytes()
        size = len(whole[path])
        damage(path)
        parts = int.from_bytes(whole[path][PARTS_AT : PARTS_AT + 8], "little")
        what = told.format(parts=parts, less=size - 1, size=size)
        expected.append(f"laxity: stream {path.stem[:12]}: {what}; it is recorded anew")
    assert len(expected) == 3
    told_now, *second = run(laxity, cache, "second")
    assert second == first
    # What is always said comes behind it.
    assert sorted(told_now.decode().removesuffix(said.decode()).splitlines()) == expected
    assert {path: path.read_bytes() for path in cache.glob("*.lxs")} == whole
    assert run(laxity, cache, "third") == [said, *first]


def test_a_stream_that_is_another_programs_is_recorded_anew_and_named(laxity: Laxity, cache: Path):
    said, *first = run(laxity, cache, "first")
    mine, other, *_ = sorted(cache.glob("*.lxs"))
    content = mine.read_bytes()
    mine.write_bytes(other.read_bytes())
    # It can be neither shown nor taken for that of either.
    assert mine.stem not in [one["identity"] for one in streams(laxity, cache)]
    told, *second = run(laxity, cache, "second")
    what = "is that of another program; it is recorded anew"
    assert told.decode() == f"laxity: stream {mine.stem[:12]}: {what}\n{said.decode()}"
    assert second == first
    assert mine.read_bytes() == content


def test_a_program_that_fails_is_not_kept(laxity: Laxity, cache: Path):
    words = ("sim", "record", "sort", "bogus", *PLATFORM, "--jobs", "2")
    done = call(laxity, cache, *words)
    assert done.returncode == 1
    assert 'workload "sort": ended with exit code 1' in done.stderr
    assert list(cache.iterdir()) == []


def test_a_program_that_asks_the_system_is_not_kept_and_the_user_may_record_it(
    laxity: Laxity, cache: Path
):
    # The answer may change until the next run, and is no part of what a stream is known by.
    program = str(of_simulator("armhf-asks"))
    for what, call_ in (("file", "open"), ("machine", "uname"), ("time", "clock_gettime")):
        record = ("sim", "record", program, "init", what, *PLATFORM, "--jobs", "2")
        done = call(laxity, cache, *record)
        assert done.returncode == 3
        assert f"it asks the system ({call_}" in done.stderr
        assert "whose answer may change; it is not recorded" in done.stderr
        # Who names a file knows what the program asked.
        assert call(laxity, cache, *record, "-o", f"{what}.lxs").returncode == 0
    words = ("sim", "record", program, "init", "sort", *PLATFORM, "--jobs", "2")
    assert call(laxity, cache, *words).returncode == 0
    assert len(list(cache.glob("*.lxs"))) == 1


def test_a_program_whose_stream_is_too_long_says_what_to_raise(laxity: Laxity, cache: Path):
    assert call(laxity, cache, "sim", "streams", "--limit", "400B").returncode == 0
    done = call(laxity, cache, "sim", "record", "mem", "16KiB", *PLATFORM, "--jobs", "2")
    assert done.returncode == 3
    # A quarter of the limit.
    why = (
        "longer than 100 bytes, a quarter of what is kept; raise that (laxity sim streams --limit)"
    )
    assert why in done.stderr


def test_a_stream_goes_into_a_file_of_the_users(laxity: Laxity, cache: Path):
    words = ("sim", "record", "mem", "16KiB", *PLATFORM, "--jobs", "2", "-o", "mine.lxs")
    done = call(laxity, cache, *words)
    assert (done.returncode, done.stdout) == (0, "mine.lxs\n")
    assert not cache.exists()
    assert (laxity.directory / "mine.lxs").stat().st_size > HEADER_BYTES
    assert call(laxity, cache, *words).returncode == 2


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (("record", "mem", "--platform", "native", "--jobs", "2"), "is not simulated"),
        (("record", "nothing", *PLATFORM, "--jobs", "2"), "not simulated yet; use one of"),
        (("record", "mem", *PLATFORM, "--jobs", "0"), "--jobs"),
        (("record", "mem", *PLATFORM, "--jobs", "10001"), "--jobs 10001: runs of more than 10000"),
        (
            ("record", "mem", *PLATFORM, "--jobs", "2", "-o", "nodir/a.lxs"),
            "-o nodir/a.lxs: cannot be made (No such file or directory); name one",
        ),
        (("record", "mem", *PLATFORM), "missing option '--jobs'"),
        (("streams", "--remove", "abc"), "is no stream"),
        (("streams", "--remove", ""), "is no stream"),
        (("streams", "--detail", "abc"), '--detail "abc": is no stream'),
        (("streams", "--limit", "7"), "--limit: "),
    ],
)
def test_what_cannot_be_is_refused(laxity: Laxity, cache: Path, words: tuple[str, ...], told: str):
    done = call(laxity, cache, "sim", *words)
    assert done.returncode == 2
    assert told in done.stderr
