# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""Virtual machines for what this machine lacks, with Debian's kernels for arm64.

`WITH_PMU` runs under `-icount shift=0`: every instruction takes one nanosecond of virtual time, so
that instructions and cycles of the guest's PMU are exact and do not depend on this machine's load.
`WITH_RT_AND_NUMA` has a PREEMPT_RT kernel and two NUMA nodes of one CPU each; its times mean
nothing.

The kernels come from Debian's archive by Debian's client, with directories of its own: nothing of
the system changes.
"""

import os
import re
import shutil
import subprocess
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import pytest
from tests.cli.laxity_command import ROOT

QEMU = "qemu-system-aarch64"
ROOT_OF_KERNELS = ROOT / "build" / "virtual-machine"
# Booting takes 10 s; a loaded machine takes several times that.
BOOT_TIMEOUT_S = 300
DOWNLOAD_TIMEOUT_S = 300
_APT_CONFIG = """\
APT::Architecture "arm64";
APT::Architectures {{ "arm64"; }};
APT::Sandbox::User "root";
Acquire::Languages "none";
Dir::State "{root}/state";
Dir::State::status "{root}/state/status";
Dir::State::lists "{root}/lists";
Dir::Cache "{root}/cache";
"""
_DIRECTORY = 0o040755
_PROGRAM = 0o100755


@dataclass(frozen=True, slots=True)
class Machine:
    """A machine: Debian's package that depends on its kernel, and QEMU's options."""

    package: str
    options: str


@dataclass(frozen=True, slots=True)
class Guest:
    """What a machine left behind.

    Attributes:
        kernel: What its kernel says of itself (`uname -v`).
        statuses: Wait status of each command.
        files: Content by path; what is below /run, and /sys/devices/system/node/online.
    """

    kernel: str
    statuses: list[int]
    files: dict[str, bytes]


WITH_PMU = Machine(
    package="linux-image-arm64", options="-M virt -cpu cortex-a53 -smp 1 -m 512 -icount shift=0"
)
WITH_RT_AND_NUMA = Machine(
    package="linux-image-rt-arm64",
    options="-M virt -cpu cortex-a57 -smp 2 -m 1024 "
    "-object memory-backend-ram,id=near,size=512M -object memory-backend-ram,id=far,size=512M "
    "-numa node,nodeid=0,cpus=0,memdev=near -numa node,nodeid=1,cpus=1,memdev=far "
    "-numa dist,src=0,dst=1,val=20",
)


def find_kernel(machine: Machine, root: Path = ROOT_OF_KERNELS) -> Path:
    """Return the kernel of a machine; download it on first use.

    Args:
        machine: The machine.
        root: Below it kernels are kept between calls.
    """
    folder = root / machine.package
    for kernel in folder.glob("boot/vmlinuz-*"):
        return kernel
    for program in ("apt-get", "apt-cache", "dpkg-deb"):
        if shutil.which(program) is None:
            pytest.skip(f"no {program} to fetch a kernel for the virtual machine with")
    for name in ("state", "lists/partial", "cache/archives/partial"):
        (folder / name).mkdir(parents=True, exist_ok=True)
    (folder / "state" / "status").touch()
    (folder / "apt.conf").write_text(_APT_CONFIG.format(root=folder))
    try:
        _apt(folder, "apt-get", "update")
        depends = _apt(folder, "apt-cache", "depends", machine.package)
        found = re.search(r"Depends: (linux-image-[\w.+-]+)", depends)
        assert found is not None, depends
        _apt(folder, "apt-get", "download", found[1])
    except subprocess.CalledProcessError as error:
        pytest.skip(f"no kernel for the virtual machine: Debian's archive: {error.stdout[-300:]}")
    package = next(folder.glob("linux-image-*.deb"))
    # Only the image: its modules are several hundred MB.
    unpack = ["dpkg-deb", "--fsys-tarfile", str(package)]
    with subprocess.Popen(unpack, stdout=subprocess.PIPE) as unpacked:
        subprocess.run(
            ["tar", "-x", "-C", folder, "--wildcards", "./boot/vmlinuz-*"],
            stdin=unpacked.stdout,
            check=True,
        )
    assert unpacked.returncode == 0
    package.unlink()
    return next(folder.glob("boot/vmlinuz-*"))


def run_guest(
    machine: Machine,
    folder: Path,
    init: Path,
    programs: Mapping[str, Path],
    commands: Sequence[Sequence[str]],
) -> Guest:
    """Boot a machine that runs commands one after the other and switches itself off.

    Args:
        machine: The machine.
        folder: Where its initial file system is written.
        init: The static program `guest_init`.
        programs: Static programs in the guest, by absolute path.
        commands: Words of each command; what they write below /run comes back. One that ends with
            "&" runs beside those after it, which must outlast it.
    """
    if shutil.which(QEMU) is None:
        pytest.skip(f"no {QEMU}: install qemu-system-arm")
    kernel = find_kernel(machine)
    initrd = folder / "initrd"
    initrd.write_bytes(_archive(init, programs, commands))
    common = "-nographic -no-reboot -nic none"
    append = "console=ttyAMA0 quiet panic=-1"
    options = f"{machine.options} {common}".split()
    done = subprocess.run(
        [QEMU, *options, "-kernel", kernel, "-initrd", initrd, "-append", append],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        timeout=BOOT_TIMEOUT_S,
        check=False,
    )
    console = done.stdout.decode(errors="replace")
    assert re.search(r"^end\r?$", console, flags=re.MULTILINE), console[-2000:]
    version = re.search(r"^kernel (.*?)\r?$", console, flags=re.MULTILINE)
    statuses = re.findall(r"^status (-?\d+)\r?$", console, flags=re.MULTILINE)
    files: dict[str, bytes] = {}
    for name, digits in re.findall(r"^file (\S+) ([0-9a-f]*)\r?$", console, flags=re.MULTILINE):
        files[name] = files.get(name, b"") + bytes.fromhex(digits)
    return Guest(version[1] if version else "", [int(one) for one in statuses], files)


def _apt(folder: Path, *words: str) -> str:
    done = subprocess.run(
        words,
        cwd=folder,
        env={**os.environ, "APT_CONFIG": str(folder / "apt.conf"), "LC_ALL": "C"},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        timeout=DOWNLOAD_TIMEOUT_S,
        check=True,
    )
    return done.stdout


def _archive(init: Path, programs: Mapping[str, Path], commands: Sequence[Sequence[str]]) -> bytes:
    """Write an initial file system: a cpio archive in the format "newc" (kernel documentation)."""
    folders = {str(parent) for name in programs for parent in Path(name).parents} - {"/"}
    entries: list[tuple[str, int, bytes]] = [
        (name.lstrip("/"), _DIRECTORY, b"") for name in sorted({*folders, "/dev"})
    ]
    entries.append(("init", _PROGRAM, init.read_bytes()))
    entries += [(name.lstrip("/"), _PROGRAM, path.read_bytes()) for name, path in programs.items()]
    lines = [
        line
        for words in commands
        for line in (*("\\--" if word == "--" else word for word in words), "--")
    ]
    entries.append(("commands", _PROGRAM, "\n".join(lines).encode()))
    entries.append(("TRAILER!!!", 0, b""))
    data = b""
    for number, (name, mode, content) in enumerate(entries):
        fields = (number, mode, 0, 0, 1, 0, len(content), 0, 0, 0, 0, len(name) + 1, 0)
        data += b"070701" + b"".join(b"%08X" % field for field in fields)
        data = _padded(data + name.encode() + b"\0")
        data = _padded(data + content)
    return data


def _padded(data: bytes) -> bytes:
    """Fill up to a multiple of four bytes, as the format demands behind names and contents."""
    return data + bytes(-len(data) % 4)
