# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""A virtual machine with a PMU: QEMU's aarch64 `virt` under `-icount`, with Debian's kernel.

`-icount shift=0` makes every instruction take one nanosecond of virtual time, so that instructions
and cycles of the guest's PMU are exact and do not depend on this machine's load. The kernel comes
from Debian's archive by Debian's client, with directories of its own: nothing of the system
changes.
"""

import os
import re
import shutil
import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path

import pytest

QEMU = "qemu-system-aarch64"
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


def find_kernel(folder: Path) -> Path:
    """Give Debian's arm64 kernel; download it on first use.

    Args:
        folder: Where it is kept between calls.
    """
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
        depends = _apt(folder, "apt-cache", "depends", "linux-image-arm64")
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
    kernel: Path, folder: Path, init: Path, programs: Mapping[str, Path], command: Sequence[str]
) -> tuple[int, dict[str, bytes]]:
    """Boot a machine that runs one command and switches itself off.

    Args:
        kernel: Its kernel.
        folder: Where its initial file system is written.
        init: The static program `guest_init`.
        programs: Static programs in the guest, by absolute path.
        command: Words of the command; it writes below /run/D.

    Returns:
        The command's wait status, and what it left in /run/D by name.
    """
    if shutil.which(QEMU) is None:
        pytest.skip(f"no {QEMU}: install qemu-system-arm")
    initrd = folder / "initrd"
    initrd.write_bytes(_archive(init, programs, command))
    machine = (
        "-M virt -cpu cortex-a53 -smp 1 -m 512 -icount shift=0 -nographic -no-reboot -nic none"
    )
    append = "console=ttyAMA0 quiet panic=-1"
    done = subprocess.run(
        [QEMU, *machine.split(), "-kernel", kernel, "-initrd", initrd, "-append", append],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        timeout=BOOT_TIMEOUT_S,
        check=False,
    )
    console = done.stdout.decode(errors="replace")
    status = re.search(r"^status (-?\d+)\r?$", console, flags=re.MULTILINE)
    assert status is not None, console[-2000:]
    files: dict[str, bytes] = {}
    for name, digits in re.findall(r"^file (\S+) ([0-9a-f]*)\r?$", console, flags=re.MULTILINE):
        files[name] = files.get(name, b"") + bytes.fromhex(digits)
    return int(status[1]), files


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


def _archive(init: Path, programs: Mapping[str, Path], command: Sequence[str]) -> bytes:
    """Write an initial file system: a cpio archive in the format "newc" (kernel documentation)."""
    folders = {str(parent) for name in programs for parent in Path(name).parents} - {"/"}
    entries: list[tuple[str, int, bytes]] = [
        (name.lstrip("/"), _DIRECTORY, b"") for name in sorted({*folders, "/dev"})
    ]
    entries.append(("init", _PROGRAM, init.read_bytes()))
    entries += [(name.lstrip("/"), _PROGRAM, path.read_bytes()) for name, path in programs.items()]
    entries.append(("command", _PROGRAM, "\n".join(command).encode()))
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
