# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""`laxity sweep --scheduler`: the same bytes by workers of a scheduler, one of them killed."""

import json
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing, contextmanager
from importlib.util import find_spec
from pathlib import Path

import pytest
from tests.cli.commands import LAXITY
from tests.cli.laxity_command import PATIENCE_S, Laxity
from tests.cli.test_sweep import LONG, swept, write_grid
from tests.waiting import wait_until

needs_dask = pytest.mark.skipif(
    find_spec("distributed") is None, reason="needs distributed (laxity setup --with dask)"
)


@contextmanager
def started(laxity: Laxity, *words: str) -> Iterator["subprocess.Popen[bytes]"]:
    """A program of Dask, ended with the block."""
    process = subprocess.Popen(
        [sys.executable, "-m", f"distributed.cli.dask_{words[0]}", *words[1:]],
        cwd=laxity.directory,
        env=laxity.environment(),
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    try:
        yield process
    finally:
        process.kill()
        process.wait(PATIENCE_S)


@contextmanager
def scheduler(laxity: Laxity) -> Iterator[str]:
    """A scheduler; its address."""
    file = laxity.directory / "scheduler.json"
    words = ("--host", "127.0.0.1", "--port", "0", "--no-dashboard", "--scheduler-file", str(file))
    with started(laxity, "scheduler", *words):
        wait_until(lambda: file.exists() and file.read_text().endswith("}"), "a scheduler")
        yield json.loads(file.read_text())["address"]


@contextmanager
def worker(laxity: Laxity, address: str) -> Iterator["subprocess.Popen[bytes]"]:
    words = ("--nthreads", "1", "--no-nanny", "--no-dashboard", "--local-directory", "worker")
    with started(laxity, "worker", address, *words) as process:
        yield process


def has_workers(address: str, count: int) -> bool:
    from distributed import Client  # noqa: PLC0415 - not everybody has it

    with Client(address, set_as_default=False) as client:
        return len(client.nthreads()) == count


@needs_dask
@pytest.mark.slow
@pytest.mark.filterwarnings("default")
def test_workers_of_a_scheduler_write_the_same_bytes_though_one_is_killed(laxity: Laxity):
    here = swept(laxity, to="A", text=LONG).read_bytes()
    directory = laxity.directory / "B"
    with (
        scheduler(laxity) as address,
        worker(laxity, address) as first,
        worker(laxity, address),
    ):
        wait_until(lambda: has_workers(address, 2), "two workers")
        process = subprocess.Popen(
            [*LAXITY, "sweep", "grid.toml", "-o", "B", "--scheduler", address],
            cwd=laxity.directory,
            env=laxity.environment(),
            stderr=subprocess.PIPE,
            text=True,
        )
        wait_until(lambda: any(directory.glob("parts/*.parquet")), "a part")
        first.kill()
        _, told = process.communicate(timeout=PATIENCE_S)
        assert process.returncode == 0, told
    assert (directory / "sweep.parquet").read_bytes() == here


@needs_dask
@pytest.mark.slow
@pytest.mark.filterwarnings("default")
def test_scheduler_without_workers_is_told(laxity: Laxity):
    with scheduler(laxity) as address:
        done = laxity("sweep", write_grid(laxity), "-o", "S", "--scheduler", address)
    assert done.returncode == 3
    assert f"--scheduler {address}: has no workers; start some by dask worker" in done.stderr
    assert not Path(laxity.directory, "S").exists()


@needs_dask
@pytest.mark.slow
def test_scheduler_that_cannot_be_reached_is_told(laxity: Laxity):
    with closing(socket.create_server(("127.0.0.1", 0))) as taken:
        port = taken.getsockname()[1]
    address = f"127.0.0.1:{port}"
    done = laxity("sweep", write_grid(laxity), "-o", "S", "--scheduler", address)
    assert done.returncode == 3
    assert f"--scheduler {address}: cannot be reached" in done.stderr
    assert not (laxity.directory / "S").exists()


def test_missing_package_is_told_with_the_set_that_has_it(laxity: Laxity):
    hidden = laxity.directory / "hidden"
    hidden.mkdir()
    (hidden / "distributed.py").write_text("raise ImportError('no module distributed')\n")
    path = f"{hidden}:{laxity.environment()['PYTHONPATH']}"
    words = ("sweep", write_grid(laxity), "--scheduler", "127.0.0.1:1")
    done = laxity(*words, environment={"PYTHONPATH": path})
    assert done.returncode == 3
    assert "needs distributed (no module distributed); run laxity setup --with dask" in done.stderr


def test_scheduler_and_workers_here_are_not_both_asked_for(laxity: Laxity):
    words = ("--scheduler", "127.0.0.1:1", "--workers", "2")
    done = laxity("sweep", write_grid(laxity), *words)
    assert done.returncode == 2
    assert "--workers: a scheduler has workers of its own" in done.stderr
