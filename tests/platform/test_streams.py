# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""Streams that are kept: which, how long, and what stands in a file's header."""

import dataclasses
import os
import resource
import stat
import struct
from contextlib import ExitStack
from pathlib import Path
from threading import Barrier

import msgspec
import pytest

from laxity.core.executor import parallel
from laxity.core.signals import Forwarder
from laxity.core.spec import Spec
from laxity.core.spec_reader import resolve_spec
from laxity.errors import ConfigError, LaxityError
from laxity.platform import streams
from laxity.platform.streams import (
    Label,
    Program,
    StreamFolder,
    identity_of,
    jobs_at_most,
    provide_streams,
    read_stream,
    record_new,
)

IDENTITY = "0123456789abcdef" * 4
LABEL = msgspec.json.encode(Label("mem", ("64KiB",), "armhf", ("-cpu", "cortex-a9")))


def header(
    identity: str = IDENTITY, version: int = 2, label: bytes = LABEL, size_bytes: int = 0
) -> bytes:
    """As sim/streams/file.hpp has it: magic, version, bytes of the label, identity, then numbers:
    words, records, accesses, instructions, jobs, parts, bytes that were printed, place and bytes
    of the index, then of six classes of memory loads, stores and pages.
    """
    size_bytes = max(size_bytes, 296 + len(label))
    numbers = (70, 60, 50, 40, 30, 1, 9, size_bytes - 20, 20)
    start = struct.pack("=QII64s", 0x1A6D617274737861, version, len(label), identity.encode())
    return (start + struct.pack("=27Q", *numbers, *range(100, 118)) + label).ljust(
        size_bytes, b"\0"
    )


def stored(folder: Path, digit: str, used_s: float, size_bytes: int) -> Path:
    """A file that begins as a stream does."""
    path = folder / f"{digit * 64}.lxs"
    path.write_bytes(header(digit * 64, size_bytes=size_bytes))
    os.utime(path, (used_s, used_s))
    return path


@pytest.fixture
def whole(monkeypatch: pytest.MonkeyPatch) -> None:
    """Streams here end behind their headers; whether they are damaged is not looked at."""
    monkeypatch.setattr(streams, "damage_of", lambda _path: None)


def spec(**run: object) -> Spec:
    tasks = [{"name": "t", "workload": "mem", "period": "3ms"}]
    return resolve_spec(run, tasks, [], 1)


@pytest.fixture
def program(tmp_path: Path) -> Program:
    """Whose emulator is a program that says its version."""
    emulator = tmp_path / "emulator"
    emulator.write_text("#!/bin/sh\necho version 1\n")
    emulator.chmod(emulator.stat().st_mode | stat.S_IXUSR)
    (tmp_path / "plugin").write_text("plugin")
    (tmp_path / "mem").write_text("mem")
    return Program(
        emulator=(str(emulator), "-cpu", "x"),
        front_end=tmp_path / "plugin",
        architecture="armhf",
        workload="mem",
        path=tmp_path / "mem",
        words=("64KiB",),
        jobs=7,
    )


def test_header_is_read(tmp_path: Path):
    path = stored(tmp_path, "a", used_s=1000, size_bytes=5000)
    found = read_stream(path)
    assert found is not None
    assert (found.identity, found.workload, found.words) == ("a" * 64, "mem", ("64KiB",))
    assert (found.records, found.accesses, found.instructions, found.jobs) == (60, 50, 40, 30)
    assert (found.size_bytes, found.used_s) == (5000, 1000)
    assert [one.name for one in found.storage] == [
        *("code", "constants", "data", "bss", "heap", "stack")
    ]
    heap = found.storage[4]
    # Behind those of four classes.
    assert (heap.loads, heap.stores, heap.size_bytes) == (112, 113, 114 * 4096)


@pytest.mark.parametrize(
    "content", [b"", header()[:100], b"GIF89a".ljust(300), header(version=1), header(label=b"{}")]
)
def test_what_is_no_stream_of_this_version_is_left_out(tmp_path: Path, content: bytes):
    path = tmp_path / "x.lxs"
    path.write_bytes(content)
    assert read_stream(path) is None
    assert StreamFolder(tmp_path).streams() == []


def test_jobs_are_bounded_by_their_number_and_by_releases_before_the_end():
    task = spec(jobs=5).tasks[0]
    assert jobs_at_most(spec(jobs=5), task) == 5
    # Releases at 0, 3, 6 and 9 ms; one at 9 ms is not before 9 ms.
    assert jobs_at_most(spec(duration="10ms"), task) == 4
    assert jobs_at_most(spec(duration="9ms"), task) == 3
    assert jobs_at_most(spec(duration="10ms", jobs=2), task) == 2


def test_all_that_a_stream_depends_on_is_in_its_identity(
    program: Program, monkeypatch: pytest.MonkeyPatch
):
    identities = {identity_of(program)}
    for change in (
        {"jobs": 8},
        {"words": ("64KiB", "1")},
        {"words": ("64", "KiB")},
        {"architecture": "powerpc"},
        {"emulator": (program.emulator[0], "-cpu", "y")},
    ):
        identities.add(identity_of(dataclasses.replace(program, **change)))
    for path in (program.path, program.front_end):
        path.write_text("another")
        identities.add(identity_of(program))
    emulator = Path(program.emulator[0])
    emulator.write_text(emulator.read_text().replace("1", "2"))
    identities.add(identity_of(program))
    # What the machine tells every program at its start: memory, stack, user.
    for of, name, told in (
        (os, "sysconf", lambda _: 1 << 20),
        (resource, "getrlimit", lambda _: (1 << 20, 1 << 20)),
        (os, "getuid", lambda: 4711),
        (os, "getegid", lambda: 4711),
    ):
        with monkeypatch.context() as patched:
            patched.setattr(of, name, told)
            identities.add(identity_of(program))
    assert len(identities) == 13
    # Not what the workload is called, and not where things are.
    before = identity_of(program)
    moved = program.path.rename(program.path.with_name("moved"))
    assert identity_of(dataclasses.replace(program, workload="other", path=moved)) == before


def test_those_used_longest_ago_are_removed_first(tmp_path: Path):
    for digit, used_s in (("a", 300), ("b", 100), ("c", 200)):
        stored(tmp_path, digit, used_s, 1000)
    folder = StreamFolder(tmp_path)
    folder.set_limit(3000)
    assert [one.identity[0] for one in folder.streams()] == ["a", "c", "b"]
    folder.set_limit(2999)
    assert [one.identity[0] for one in folder.streams()] == ["a", "c"]
    folder.set_limit(0)
    assert folder.streams() == []
    assert StreamFolder(tmp_path).limit_bytes == 0


@pytest.mark.usefixtures("whole")
def test_a_stream_that_is_read_is_not_removed_to_make_room(tmp_path: Path, program: Program):
    folder = StreamFolder(tmp_path)
    identity = identity_of(program)
    (tmp_path / f"{identity}.lxs").write_bytes(header(identity))
    with ExitStack() as kept:
        path = folder.provide(program, kept, lambda _state: None)
        folder.set_limit(1)
        assert path.exists()
    folder.set_limit(1)
    assert not path.exists()


@pytest.mark.usefixtures("whole")
def test_use_makes_a_stream_the_last_to_go(tmp_path: Path, program: Program):
    identity = identity_of(program)
    mine = tmp_path / f"{identity}.lxs"
    mine.write_bytes(header(identity))
    os.utime(mine, (1, 1))
    stored(tmp_path, "a", used_s=1000, size_bytes=300)
    folder = StreamFolder(tmp_path)
    assert [one.identity for one in folder.streams()] == ["a" * 64, identity]
    with ExitStack() as kept:
        folder.provide(program, kept, lambda _state: None)
    assert [one.identity for one in folder.streams()] == [identity, "a" * 64]


def test_what_a_killed_recorder_left_is_removed_after_a_day(tmp_path: Path):
    now_s = tmp_path.stat().st_mtime
    left, being_written = tmp_path / "x.1.tmp", tmp_path / "y.2.tmp"
    for path, age_s in ((left, 25 * 3600), (being_written, 3600)):
        path.touch()
        os.utime(path, (now_s - age_s, now_s - age_s))
    StreamFolder(tmp_path).set_limit(1)
    assert (left.exists(), being_written.exists()) == (False, True)


@pytest.mark.usefixtures("whole")
def test_threads_of_a_process_record_a_program_at_once(
    tmp_path: Path, program: Program, monkeypatch: pytest.MonkeyPatch
):
    identity, are_recording = identity_of(program), Barrier(2, timeout=30)
    are_recorded = Barrier(2, timeout=30)

    def record(_program: Program, file: Path, *_: object, **__: object) -> None:
        are_recording.wait()
        with file.open("xb") as unfinished:
            unfinished.write(header(identity))
        are_recorded.wait()

    def provide(_: int) -> Path:
        with ExitStack() as kept:
            return StreamFolder(tmp_path).provide(program, kept, lambda _state: None)

    monkeypatch.setattr(streams, "record", record)
    stored_as = tmp_path / f"{identity}.lxs"
    assert parallel(provide, range(2), 2) == [stored_as, stored_as]
    assert list(tmp_path.glob(f"{identity}*")) == [stored_as]
    assert stored_as.read_bytes() == header(identity)


def test_a_new_stream_is_not_removed_by_another_command_before_it_is_read(
    tmp_path: Path, program: Program, monkeypatch: pytest.MonkeyPatch
):
    rename = Path.rename

    def rename_while_others_shrink(self: Path, target: Path) -> Path:
        renamed = rename(self, target)
        if target.suffix == ".lxs":
            StreamFolder(tmp_path).set_limit(1)
        return renamed

    def record(_program: Program, file: Path, *_: object, **__: object) -> None:
        file.write_bytes(header(identity_of(program)))

    monkeypatch.setattr(streams, "record", record)
    monkeypatch.setattr(Path, "rename", rename_while_others_shrink)
    with ExitStack() as kept:
        assert StreamFolder(tmp_path).provide(program, kept, lambda _state: None).exists()


def test_a_run_goes_on_without_a_folder_and_says_so_once(
    tmp_path: Path,
    program: Program,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
):
    (tmp_path / "file").touch()
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "file"))
    with ExitStack() as kept:
        programs = [program, None, program]
        found = list(provide_streams(programs, kept, lambda _: None, Forwarder()))
    assert found == [None, None, None]
    told = capsys.readouterr().err
    assert told.count("\n") == 1
    assert "streams of programs are not kept" in told
    assert "the run goes on without" in told


def test_tasks_of_one_program_have_one_stream_that_is_looked_at_once(
    tmp_path: Path, program: Program, monkeypatch: pytest.MonkeyPatch
):
    provided = []

    def provide(_self: StreamFolder, one: Program, *_: object) -> Path:
        provided.append(one)
        return tmp_path / f"{one.jobs}.lxs"

    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    monkeypatch.setattr(StreamFolder, "provide", provide)
    other = dataclasses.replace(program, jobs=program.jobs + 1)
    with ExitStack() as kept:
        asked = [program, other, program, None, program]
        found = list(provide_streams(asked, kept, lambda _: None, Forwarder()))
    first, second = (tmp_path / f"{one.jobs}.lxs" for one in (program, other))
    assert found == [first, second, first, None, first]
    assert provided == [program, other]


def test_a_run_records_nothing_if_nothing_is_to_be_kept(
    tmp_path: Path, program: Program, monkeypatch: pytest.MonkeyPatch
):
    def refuse(*_: object) -> None:
        raise AssertionError

    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    monkeypatch.setattr(streams, "record", refuse)
    StreamFolder().set_limit(0)
    with ExitStack() as kept:
        found = list(provide_streams([program], kept, lambda _: None, Forwarder()))
    assert found == [None]


def test_folder_is_the_users(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("XDG_CACHE_HOME", "/elsewhere")
    assert StreamFolder().path == Path("/elsewhere/laxity/streams")
    for ignored in ("", "relative"):
        monkeypatch.setenv("XDG_CACHE_HOME", ignored)
        assert StreamFolder().path == tmp_path / ".cache/laxity/streams"


def test_a_users_file_is_not_overwritten(tmp_path: Path, program: Program):
    (tmp_path / "x.lxs").touch()
    with pytest.raises(ConfigError, match="exists"):
        record_new(program, tmp_path / "x.lxs", lambda _state: None)
    with pytest.raises(ConfigError, match=r"is not called \.lxs"):
        record_new(program, tmp_path / "x.bin", lambda _state: None)


def test_an_emulator_that_does_not_say_its_version_is_refused(program: Program):
    Path(program.emulator[0]).write_text("#!/bin/sh\nexit 1\n")
    with pytest.raises(LaxityError, match="does not tell its version"):
        identity_of(program)
