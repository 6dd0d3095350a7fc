# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""A snapshot of /proc and /sys, from made-up trees and from this machine."""

import errno
import gzip
import hashlib
import os
from pathlib import Path

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from laxity.platform.facts import (
    ABSENT,
    FILE_LIMIT_BYTES,
    Denied,
    Facts,
    cgroup_files,
    collect_facts,
    cpu_list,
    cpu_mask,
    integer,
)


def write(root: Path, path: str, text: str) -> Path:
    file = root / path.lstrip("/")
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text, encoding="utf-8")
    return file


def test_file_that_is_not_there_is_absent(tmp_path: Path):
    facts = collect_facts(tmp_path)
    assert facts.read("/proc/cpuinfo") is ABSENT
    assert facts.files == {}
    assert facts.denied == {}


def test_text_is_kept_as_it_is_and_read_without_blanks(tmp_path: Path):
    write(tmp_path, "/proc/sys/vm/swappiness", "60\n")
    facts = collect_facts(tmp_path)
    assert facts.files["/proc/sys/vm/swappiness"] == "60\n"
    assert facts.read("/proc/sys/vm/swappiness") == "60"
    assert facts.integer("/proc/sys/vm/swappiness") == 60


def test_files_of_every_cpu_are_found(tmp_path: Path):
    for cpu in (0, 1, 10):
        write(tmp_path, f"/sys/devices/system/cpu/cpu{cpu}/topology/core_id", f"{cpu}\n")
    write(tmp_path, "/sys/devices/system/cpu/cpufreq/topology/core_id", "no CPU")
    facts = collect_facts(tmp_path)
    assert [m[1] for m in facts.matching(r".*/(cpu\w+)/topology/core_id")] == [
        "cpu0",
        "cpu1",
        "cpu10",
    ]


@pytest.mark.parametrize("size", [FILE_LIMIT_BYTES, FILE_LIMIT_BYTES + 1])
def test_file_is_cut_after_a_whole_line_above_64_kib(tmp_path: Path, size: int):
    # 8 bytes per line: 64 KiB are 8192 lines; one byte more drops the line that is not whole.
    write(tmp_path, "/proc/interrupts", ("1234567\n" * 9000)[:size])
    facts = collect_facts(tmp_path)
    is_cut = size > FILE_LIMIT_BYTES
    assert facts.truncated == (("/proc/interrupts",) if is_cut else ())
    assert len(facts.files["/proc/interrupts"]) == (8192 * 8 - 1 if is_cut else 8192 * 8)


def test_pipe_in_place_of_a_file_does_not_block(tmp_path: Path):
    (tmp_path / "proc").mkdir()
    os.mkfifo(tmp_path / "proc" / "stat")
    assert collect_facts(tmp_path).read("/proc/stat") == Denied("not a regular file")


def test_file_without_permission_is_denied_not_absent(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    # Permissions do not bind root, who often runs the tests.
    def refuse(*_arguments: object) -> int:
        raise PermissionError(errno.EACCES, "no")

    monkeypatch.setattr(os, "open", refuse)
    assert collect_facts(tmp_path).read("/proc/stat") == Denied("permission denied")


def test_directory_in_place_of_a_file_is_denied(tmp_path: Path):
    (tmp_path / "proc" / "swaps").mkdir(parents=True)
    assert isinstance(collect_facts(tmp_path).read("/proc/swaps"), Denied)


def test_bytes_that_are_no_text_are_replaced(tmp_path: Path):
    (tmp_path / "proc").mkdir()
    (tmp_path / "proc" / "version").write_bytes(b"Linux \xff\n")
    assert collect_facts(tmp_path).text("/proc/version") == "Linux \ufffd"


def test_configuration_keeps_the_lines_we_use_and_the_hash_of_all(tmp_path: Path):
    config = b"CONFIG_HZ=250\n# CONFIG_KASAN is not set\nCONFIG_SOUND=y\nCONFIG_HZ_250=y\n"
    (tmp_path / "proc").mkdir()
    (tmp_path / "proc" / "config.gz").write_bytes(gzip.compress(config))
    facts = collect_facts(tmp_path)
    assert facts.text("@config") == ("CONFIG_HZ=250\n# CONFIG_KASAN is not set\nCONFIG_HZ_250=y")
    assert facts.text("@config.sha256") == hashlib.sha256(config).hexdigest()


def test_configuration_falls_back_to_boot_if_the_first_is_damaged(tmp_path: Path):
    write(tmp_path, "/proc/config.gz", "this is not gzip")
    write(tmp_path, "/boot/config-6.1", "CONFIG_HZ=1000\n")
    assert collect_facts(tmp_path).text("@config") == "CONFIG_HZ=1000"


def test_copy_of_another_machine_gets_nothing_of_this_process(tmp_path: Path):
    write(tmp_path, "/proc/cmdline", "quiet\n")
    assert list(collect_facts(tmp_path).files) == ["/proc/cmdline"]


def test_own_cgroups_are_found_below_their_mounts():
    mounts = (
        "31 23 0:28 / /sys/fs/cgroup rw - tmpfs tmpfs rw\n"
        "32 31 0:29 / /sys/fs/cgroup/cpu,cpuacct rw shared:1 - cgroup cgroup rw,cpu,cpuacct\n"
        # In a container the mount shows the container's own group as its root.
        "33 31 0:30 /docker/7f /sys/fs/cgroup/cpuset rw - cgroup cgroup rw,cpuset\n"
    )
    groups = "4:cpu,cpuacct:/user.slice\n3:cpuset:/docker/7f/inner\n0::/\n"
    found = cgroup_files(Facts({"/proc/self/mountinfo": mounts, "/proc/self/cgroup": groups}))
    assert "/sys/fs/cgroup/cpu,cpuacct/user.slice/cpu.rt_runtime_us" in found
    assert "/sys/fs/cgroup/cpuset/inner/cpuset.effective_cpus" in found
    # No cgroup2 mount: the line "0::/" names nothing.
    assert not any(path.endswith("/cpu.max") for path in found)


def test_files_of_the_own_cgroup_are_read(tmp_path: Path):
    write(tmp_path, "/proc/self/mountinfo", "1 1 0:1 / /cg rw - cgroup2 cgroup2 rw\n")
    write(tmp_path, "/proc/self/cgroup", "0::/a/b\n")
    write(tmp_path, "/cg/a/b/cpu.max", "max 100000\n")
    # What limits a group above limits this one.
    write(tmp_path, "/cg/a/cpu.max", "5000 100000\n")
    facts = collect_facts(tmp_path)
    assert facts.text("/cg/a/b/cpu.max") == "max 100000"
    assert facts.text("/cg/a/cpu.max") == "5000 100000"
    assert [path for path in cgroup_files(facts) if path.endswith("/cpu.max")] == [
        *("/cg/a/b/cpu.max", "/cg/a/cpu.max", "/cg/cpu.max"),
    ]


def test_snapshot_survives_json():
    facts = Facts({"/proc/stat": "cpu 1 2\n"}, {"/proc/x": "permission denied"}, ("/proc/stat",))
    assert msgspec.json.decode(msgspec.json.encode(facts), type=Facts) == facts


def test_this_machine_gives_a_release_and_its_cpus():
    facts = collect_facts()
    assert facts.text("@uname.release") == os.uname().release
    assert facts.cpus("@affinity") == tuple(sorted(os.sched_getaffinity(0)))
    assert (facts.integer("@resolution_ns") or 0) > 0
    assert all(len(text.encode()) <= 3 * FILE_LIMIT_BYTES for text in facts.files.values())


@pytest.mark.parametrize(
    ("text", "expected"),
    [("0-1,3", (0, 1, 3)), ("", ()), ("(null)", ()), ("x", None), ("3-1", None), (None, None)],
)
def test_cpu_list_reads_what_the_kernel_writes(text: str | None, expected: object):
    assert cpu_list(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    # 0x5 = 101 in binary; the second group holds CPUs 32 and above.
    [("5", (0, 2)), ("1,00000001", (0, 32)), ("0", ()), ("", None), ("g", None)],
)
def test_cpu_mask_reads_groups_of_hexadecimal_digits(text: str, expected: object):
    assert cpu_mask(text) == expected


def test_number_after_a_control_character_that_python_calls_blank_is_read():
    # str.strip() takes U+001E away, int() does not: found by fuzzing.
    assert integer("\x1e388608") == 388608


@given(st.text())
def test_readers_take_any_text(text: str):
    for reader in (integer, cpu_list, cpu_mask):
        reader(text)
    cgroup_files(Facts({"/proc/self/cgroup": text, "/proc/self/mountinfo": text}))
