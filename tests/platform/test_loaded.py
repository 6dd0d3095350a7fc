# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""Programs that are loaded once and run many times, by the real loader and a shell."""

import os
import signal
import subprocess
from pathlib import Path

import pytest

from laxity.platform import loaded
from laxity.platform.loaded import LoadedPrograms, start

PATIENCE_S = 60
WHO_FORKED_US = "echo $PPID"


@pytest.fixture
def programs() -> LoadedPrograms:
    """Return programs; skip where there is nothing to preload."""
    made = LoadedPrograms()
    if made._library is None:
        pytest.skip("needs LLVM 19 (laxity setup --with workingset)")
    return made


def shell(programs: LoadedPrograms, script: str, directory: Path | None = None) -> str:
    """Run a script by a loaded shell and give what it prints."""
    return programs.run(["sh", "-c", script], directory, PATIENCE_S).stdout


def said(done: loaded.Done) -> tuple[int, str, str]:
    """Return all that a program leaves."""
    return done.returncode, done.stdout, done.stderr


@pytest.mark.parametrize(
    "words",
    [
        ["sh", "-c", "echo out; echo err >&2; exit 3"],
        ["sh", "-c", 'for one; do echo "<$one>"; done', "sh", "two words", "", "ümlaut"],
        ["sh", "-c", "kill -9 $$"],
        ["sh", "-c", "wc -c"],  # of its input, which is empty
        ["sh", "-c", "echo $LC_ALL ${LD_PRELOAD-none} ${LAXITY_LOADED-none}"],
        ["sh", "-c", r"printf 'no \377 text'"],
        ["sh", "-c", "exit 127"],
    ],
)
def test_a_loaded_program_says_what_a_started_one_says(
    programs: LoadedPrograms, words: list[str], tmp_path: Path
):
    expected = start(words, tmp_path, PATIENCE_S)
    for _ in range(2):
        done = programs.run(words, tmp_path, PATIENCE_S)
        assert said(done) == said(expected)


def test_runs_are_forked_by_one_process_each_with_its_own_state(
    programs: LoadedPrograms, tmp_path: Path
):
    first = shell(programs, f"{WHO_FORKED_US}; x=1; cd /; pwd")
    second = shell(programs, f"{WHO_FORKED_US}; echo $x; pwd", tmp_path)
    (process,) = next(iter(programs._idle.values()))
    forker = str(process._process.pid)
    assert first.split() == [forker, "/"]
    assert second.split() == [forker, str(tmp_path)]


def test_what_takes_too_long_ends_and_the_next_run_has_another_process(programs: LoadedPrograms):
    shell(programs, "true")
    (process,) = next(iter(programs._idle.values()))
    with pytest.raises(subprocess.TimeoutExpired):
        programs.run(["sh", "-c", "sleep 60"], None, 0.05)
    with pytest.raises(ProcessLookupError):
        os.kill(process._process.pid, 0)
    assert shell(programs, "echo again") == "again\n"


def test_a_process_that_is_gone_is_replaced(programs: LoadedPrograms):
    shell(programs, "true")
    (process,) = next(iter(programs._idle.values()))
    process._process.send_signal(signal.SIGKILL)
    process._process.wait()
    assert shell(programs, "echo all the same") == "all the same\n"
    assert shell(programs, WHO_FORKED_US) != f"{process._process.pid}\n"


def test_a_directory_that_is_not_there_is_told_as_ever(programs: LoadedPrograms, tmp_path: Path):
    with pytest.raises(FileNotFoundError):
        shell(programs, "true", tmp_path / "nowhere")


def test_a_request_without_words_is_refused_and_the_next_one_is_run(programs: LoadedPrograms):
    shell(programs, "true")
    (process,) = next(iter(programs._idle.values()))
    garbled = b"\0out\0err\0"
    process._socket.sendall(loaded._LENGTH.pack(len(garbled)) + garbled)
    # -EINVAL of Linux
    assert loaded._STATUS.unpack(process._socket.recv(loaded._STATUS.size)) == (-22,)
    assert shell(programs, WHO_FORKED_US) == f"{process._process.pid}\n"


@pytest.mark.usefixtures("programs")
def test_processes_end_with_the_object():
    mine = LoadedPrograms()
    shell(mine, "true")
    (process,) = next(iter(mine._idle.values()))
    pid, folder = process._process.pid, mine._folder
    del mine
    with pytest.raises(ProcessLookupError):
        os.kill(pid, 0)
    assert not folder.exists()


def test_a_static_program_is_started_anew_for_each_run(programs: LoadedPrograms, tmp_path: Path):
    source, program = tmp_path / "p.c", tmp_path / "p"
    source.write_text('#include <stdio.h>\nint main(void) { puts("static"); return 0; }\n')
    subprocess.run(["cc", "-static", source, "-o", program], check=True)
    for _ in range(2):
        assert programs.run([str(program)], None, PATIENCE_S).stdout == "static\n"
    assert not any(programs._idle.values())


@pytest.mark.parametrize("is_preloading", [False, True])
def test_without_our_library_programs_are_started(
    is_preloading: bool, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(loaded, "_places", lambda: iter(()))
    if is_preloading:
        monkeypatch.setenv("LD_PRELOAD", "libc.so.6")
    made = LoadedPrograms()
    assert shell(made, WHO_FORKED_US) == f"{os.getpid()}\n"
