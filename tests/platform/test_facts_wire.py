# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""Facts that laxity-facts sends are those that this process would have collected."""

import gzip
import os
import subprocess
from contextlib import suppress
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.cli.laxity_command import PATIENCE_S, make_laxity

from laxity import __version__
from laxity.errors import LaxityError, ToolError
from laxity.platform.facts import CONFIG_LIMIT_BYTES, FILE_LIMIT_BYTES, Facts, collect_facts
from laxity.platform.facts_wire import ask_facts, first_request, parse_facts, second_request

FACTS = make_laxity(Path.cwd()).tools / "native" / "laxity-facts"
GREETING = f"laxity-facts {__version__}\n".encode()
END = b"end 0 \n\n"
# What differs between two processes, or from one instant to the next.
MOVING = (
    "/proc/self/",
    "/proc/stat",
    "/proc/loadavg",
    "/proc/uptime",
    "/proc/meminfo",
    "/proc/interrupts",
    "/proc/pressure",
    "/proc/cpuinfo",
    "/sys/class/thermal",
    "/sys/devices/system/node",
    "@time_ns",
    "@knobs.left",
)


def call(*words: str | Path, request: bytes) -> "subprocess.CompletedProcess[bytes]":
    return subprocess.run(
        [*map(str, words)], input=request, capture_output=True, timeout=PATIENCE_S, check=False
    )


def ask(*words: str | Path) -> Facts:
    def asked(request: bytes) -> bytes:
        done = call(*words, request=request)
        assert (done.returncode, done.stderr) == (0, b"")
        return done.stdout

    return ask_facts(asked)


def still(facts: Facts) -> dict[str, str]:
    return {
        key: text
        for key, text in facts.files.items()
        if not key.startswith(MOVING) and not key.endswith(("cur_freq", "/temp"))
    }


def write(root: Path, path: str, data: bytes) -> None:
    file = root / path.lstrip("/")
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_bytes(data)


def test_sent_facts_are_those_of_this_machine() -> None:
    here, sent = collect_facts(), ask(FACTS)
    assert still(sent) == still(here)
    # Our own journal of changed settings; on a board laxity changes none.
    assert sent.files.keys() == here.files.keys() - {"@knobs.left"}
    assert sent.denied == here.denied
    assert set(sent.truncated) == set(here.truncated)
    assert sent.text("@config") == here.text("@config")


def test_sent_facts_of_a_copy_are_those_read_from_it(tmp_path: Path) -> None:
    for cpu in (0, 1, 10):
        write(tmp_path, f"/sys/devices/system/cpu/cpu{cpu}/topology/core_id", b"%d\n" % cpu)
        write(tmp_path, f"/sys/devices/system/cpu/cpu{cpu}/cache/index0/size", b"32K\n")
    write(tmp_path, "/sys/devices/system/cpu/cpufreq/topology/core_id", b"no CPU\n")
    write(tmp_path, "/proc/interrupts", b"1234567\n" * 9000)
    write(tmp_path, "/proc/version", b"Linux \xff\n")
    write(tmp_path, "/proc/config.gz", gzip.compress(b"CONFIG_HZ=250\nCONFIG_SOUND=y\n"))
    write(tmp_path, "/proc/self/mountinfo", b"1 1 0:1 / /cg rw - cgroup2 cgroup2 rw\n")
    write(tmp_path, "/proc/self/cgroup", b"0::/a/b\n")
    write(tmp_path, "/cg/a/b/cpu.max", b"max 100000\n")
    os.mkfifo(tmp_path / "proc" / "stat")
    (tmp_path / "proc" / "swaps").mkdir()
    here, sent = collect_facts(tmp_path), ask(FACTS, "--root", tmp_path)
    assert sent == here
    assert sent.truncated == ("/proc/interrupts",)
    assert sent.denied["/proc/stat"] == "not a regular file"
    assert sent.text("/cg/a/b/cpu.max") == "max 100000"
    assert sent.text("@config") == "CONFIG_HZ=250"


@pytest.mark.parametrize("size", [FILE_LIMIT_BYTES, FILE_LIMIT_BYTES + 1])
def test_sent_file_is_cut_above_64_kib(tmp_path: Path, size: int) -> None:
    write(tmp_path, "/proc/interrupts", (b"1234567\n" * 9000)[:size])
    assert ask(FACTS, "--root", tmp_path) == collect_facts(tmp_path)


@pytest.mark.parametrize(
    "line",
    [b"write\t/etc\tx", b"read x\t/proc\tstat", b"read 5\tproc\tstat", b"read 5\t/proc", b""],
)
def test_line_that_is_no_request_is_refused(line: bytes) -> None:
    done = call(FACTS, request=line + b"\n")
    assert done.returncode == 2
    assert b"not known; host and board need the same version" in done.stderr
    assert not done.stdout.endswith(END)


def test_limit_above_16_mib_is_refused() -> None:
    assert call(FACTS, request=b"read 16777216\t/proc\tnone\n").returncode == 0
    assert call(FACTS, request=b"read 16777217\t/proc\tnone\n").returncode == 2


def test_full_output_is_told() -> None:
    with Path("/dev/full").open("wb") as full:
        done = subprocess.run(
            [FACTS], input=first_request(), stdout=full, stderr=subprocess.PIPE, check=False
        )
    assert done.returncode == 3
    assert b"No space left on device" in done.stderr


def test_absent_file_has_no_key_and_a_denied_one_its_reason() -> None:
    answer = GREETING + b"error 6 /a\nENOENT\nerror 6 /b\nEACCES\nerror 3 /c\n???\n" + END
    assert parse_facts(answer) == Facts({}, {"/b": "permission denied", "/c": "???"})


def test_answer_without_its_end_is_refused() -> None:
    with pytest.raises(ToolError, match="breaks off at byte"):
        parse_facts(GREETING + b"file 2 /a\nx\n\n")
    with pytest.raises(ToolError, match="breaks off at byte"):
        parse_facts(GREETING + b"file 3 /a\nx\n")


def test_answer_of_another_version_is_refused() -> None:
    with pytest.raises(ToolError, match=r'not of version .* \("laxity-facts 0\.0\.9"\)'):
        parse_facts(b"laxity-facts 0.0.9\n" + END)


def test_configuration_in_boot_is_asked_for_if_proc_has_none() -> None:
    facts = Facts({"@uname.release": "6.1.0-x"})
    assert second_request(facts) == b"read %d\t/boot\tconfig-6.1.0-x\n" % CONFIG_LIMIT_BYTES
    assert second_request(Facts({**facts.files, "@config": ""})) == b""
    assert second_request(Facts({"@uname.release": "a\nb"})) == b""


@given(st.binary())
def test_any_answer_gives_facts_or_an_error(data: bytes) -> None:
    for answer in (data, GREETING + data, GREETING + data + END):
        with suppress(LaxityError):
            second_request(parse_facts(answer))
