# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""A board for tests: an sshd of the test's own on this machine, and a user whose ssh knows it."""

import fcntl
import os
import shutil
import signal
import socket
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

import pytest
from tests.cli.laxity_command import PATIENCE_S, ROOT

from laxity import __version__
from laxity.platform import bundle

# As root, sshd demands a directory that its package's service makes at boot.
PRIVILEGE_SEPARATION = Path("/run/sshd")


@dataclass(frozen=True)
class SshBoard:
    """Its directory below the test's, and the PATH of a user whose ssh reaches the host "board"."""

    root: Path
    path: str
    daemon: "subprocess.Popen[bytes]"
    name: str = "board"

    @property
    def url(self) -> str:
        return f"ssh://board{self.directory}"

    @property
    def directory(self) -> Path:
        """Where the bundle is unpacked: a name that a shell would split and expand."""
        return self.root / f"it's $HOME {self.name}"

    def environment(self, tools: Path) -> dict[str, str]:
        """What laxity is started with; `tools` are programs and bundles of the host."""
        # Not the checkout: a developer may have made bundles there.
        return {"PATH": self.path, "LAXITY_TOOLS": str(tools), "LAXITY_ROOT": str(tools)}

    def runs(self) -> list[str]:
        """The runs that are left on the board."""
        runs = self.directory / "runs"
        return sorted(path.name for path in runs.iterdir()) if runs.is_dir() else []

    def cut_off(self) -> None:
        """Lose every connection, as if the cable were pulled: sshd and its children are killed."""
        for pid in descendants(self.daemon.pid):
            # Those that die meanwhile are as good as killed.
            with suppress(OSError):
                if "sshd" in (Path("/proc") / str(pid) / "comm").read_text():
                    os.kill(pid, signal.SIGKILL)


def descendants(pid: int) -> list[int]:
    """Children of a process, and theirs."""
    found: list[int] = []
    for task in (Path("/proc") / str(pid) / "task").glob("*/children"):
        with suppress(OSError):
            for child in map(int, task.read_text().split()):
                found += [child, *descendants(child)]
    return found


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def make_key(path: Path) -> Path:
    subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", path], check=True)
    return path


def write_configurations(root: Path, port: int) -> None:
    host_key, user_key = make_key(root / "host_key"), make_key(root / "user_key")
    (root / "authorized_keys").write_text((root / "user_key.pub").read_text())
    public = (root / "host_key.pub").read_text()
    (root / "known_hosts").write_text(f"[127.0.0.1]:{port} {public}")
    server = f"""
        ListenAddress 127.0.0.1
        Port {port}
        HostKey {host_key}
        AuthorizedKeysFile {root}/authorized_keys
        PidFile none
        StrictModes no
        UsePAM no
        PasswordAuthentication no
        KbdInteractiveAuthentication no
    """
    (root / "sshd_config").write_text(server)
    client = f"""
        Host board
            HostName 127.0.0.1
            Port {port}
            IdentityFile {user_key}
            IdentitiesOnly yes
            UserKnownHostsFile {root}/known_hosts
            GlobalKnownHostsFile /dev/null
    """
    (root / "ssh_config").write_text(client)


def write_client(root: Path) -> str:
    """Put an ssh first in PATH that reads the test's configuration, not the developer's."""
    real = shutil.which("ssh")
    programs = root / "bin"
    programs.mkdir()
    ssh = programs / "ssh"
    ssh.write_text(f'#!/bin/sh\nexec {real} -F {root}/ssh_config "$@"\n')
    ssh.chmod(0o755)
    return f"{programs}:{os.environ['PATH']}"


@contextmanager
def privilege_separation() -> Iterator[None]:
    """Have /run/sshd as long as any test process needs it; the last one takes it away again."""
    if os.geteuid() != 0:
        yield
        return
    mark = PRIVILEGE_SEPARATION / "made-by-a-test-of-laxity"
    lock = os.open(PRIVILEGE_SEPARATION.parent, os.O_RDONLY)
    try:
        fcntl.flock(lock, fcntl.LOCK_SH)
        with suppress(FileExistsError):
            PRIVILEGE_SEPARATION.mkdir(mode=0o755)
            mark.touch()
        yield
        with suppress(BlockingIOError):
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            if mark.exists():
                mark.unlink()
                PRIVILEGE_SEPARATION.rmdir()
    finally:
        os.close(lock)


def await_banner(port: int, daemon: "subprocess.Popen[bytes]", log: Path) -> None:
    end = time.monotonic() + PATIENCE_S
    while time.monotonic() < end and daemon.poll() is None:
        with suppress(OSError), socket.create_connection(("127.0.0.1", port), 1) as probe:
            if probe.recv(4) == b"SSH-":
                return
        time.sleep(0.05)
    pytest.fail(f"no sshd: {log.read_text()}")


@contextmanager
def ssh_board(root: Path) -> Iterator[SshBoard]:
    """Start sshd for the length of the block; no board bundle is on the board yet."""
    port = free_port()
    write_configurations(root, port)
    log = root / "sshd.log"
    # sshd wants to be started by its absolute path, to start itself again for each connection.
    sshd = shutil.which("sshd", path=f"{os.environ['PATH']}:/usr/sbin:/sbin")
    assert sshd is not None
    with privilege_separation(), log.open("wb") as errors:
        daemon = subprocess.Popen([sshd, "-D", "-e", "-f", root / "sshd_config"], stderr=errors)
        try:
            await_banner(port, daemon, log)
            yield SshBoard(root, write_client(root), daemon)
        finally:
            daemon.terminate()
            daemon.wait()


def link_tools(directory: Path, build: Path) -> Path:
    """Make a directory of programs for the host, in which no bundle has been made."""
    directory.mkdir()
    for name in ("native", "tests"):
        (directory / name).symlink_to(build / name)
    link_workloads(directory / "workloads", build)
    return directory


def link_bundle(board: SshBoard, build: Path) -> None:
    """Let the programs of a build be the bundle on the board."""
    board.directory.mkdir()
    for name in bundle.PROGRAMS:
        (board.directory / name).symlink_to(build / "native" / name)
    link_workloads(board.directory / "workloads", build)
    mark_bundle(board, bundle.arch_of_machine(os.uname().machine), __version__)


def link_workloads(directory: Path, build: Path) -> None:
    directory.mkdir()
    (directory / "manifest.toml").symlink_to(ROOT / "workloads" / "manifest.toml")
    for path in (build / "workloads").iterdir():
        if path.is_file() and os.access(path, os.X_OK):
            (directory / path.name).symlink_to(path)


def mark_bundle(board: SshBoard, arch: str, version: str) -> None:
    """Write the mark of a bundle that was unpacked to its end."""
    identity = bundle.BundleId(version, arch, "0" * 64)
    (board.directory / bundle.MARK).write_text(identity.line())
