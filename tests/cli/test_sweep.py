# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""`laxity sweep`: one row per experiment, the same bytes however it came about."""

import json
import signal
import subprocess
from pathlib import Path
from typing import Any

import duckdb
import pytest
from tests.cli.commands import LAXITY
from tests.cli.laxity_command import PATIENCE_S, Laxity, of_simulator
from tests.waiting import wait_until

from laxity.platform.simulated_programs import find_simulated_workload
from laxity.platform.streams import SUFFIX, StoredStream, StreamFolder
from laxity.platform.tools import find_tool
from laxity.store.manifest import MemoryTraffic

HEAD = """schema = 1
[sweep]
run = "mem -b 64KiB -p 1ms -t 2 -c 0 --interfere 'load 1MiB@1'"
platform = "sim:sabrelite"
"""
GRID = (
    HEAD
    + """
[[axis]]
key = "interfere.0.cpus"
values = ["1", "1-2"]

[[axis]]
key = "platform.L2.size"
from = "256KiB"
to = "1MiB"
factor = 2
"""
)


# A part is written every half second at first, and this one takes longer.
LONG = GRID.replace("-t 2", "-t 6")


def write_grid(laxity: Laxity, text: str = GRID) -> str:
    (laxity.directory / "grid.toml").write_text(text)
    return "grid.toml"


def rows_of(path: Path) -> list[dict[str, Any]]:
    found = duckdb.read_parquet(str(path))
    return [dict(zip(found.columns, row, strict=True)) for row in found.fetchall()]


def swept(laxity: Laxity, *words: str, to: str = "S", text: str = GRID) -> Path:
    done = laxity("sweep", write_grid(laxity, text), "-o", to, "--quiet", *words)
    assert done.returncode == 0, done.stderr
    return laxity.directory / to / "sweep.parquet"


def test_rows_are_in_the_order_of_the_grid_and_as_runs_of_their_own_are(laxity: Laxity):
    rows = rows_of(swept(laxity))
    cpus = [row["interfere.0.cpus"] for row in rows]
    assert cpus == ["1", "1", "1", "1-2", "1-2", "1-2"]
    sizes = [row["platform.L2.size_bytes"] for row in rows]
    assert sizes == [262_144, 524_288, 1_048_576] * 2
    assert all(row["error"] is None for row in rows)
    # The run of the last one, by hand: 1 MiB is what the platform has.
    words = ("mem", "-b", "64KiB", "-p", "1ms", "-c", "0", "-t", "2", "--interfere")
    run = laxity.run(*words, "load 1MiB@1-2", "--platform", "sim:sabrelite")
    assert rows[-1]["result_hash"] == run.manifest.result_hash
    jobs = run.stream("jobs")
    assert rows[-1]["mem.exec_ns.max"] == jobs["exec_ns"].max()
    assert rows[-1]["mem.exec_ns.median"] == jobs["exec_ns"].min()
    assert rows[-1]["mem.stall_shared_ns.sum"] == jobs["stall_shared_ns"].sum()
    traffic = run.manifest.memory_traffic
    assert isinstance(traffic, MemoryTraffic)
    assert rows[-1]["memory.lines_written"] == traffic.lines_written
    # All are different ones.
    assert len({row["result_hash"] for row in rows}) == 6


def test_any_number_of_workers_writes_the_same_bytes(laxity: Laxity):
    one = swept(laxity, "--workers", "1", to="A").read_bytes()
    three = swept(laxity, "--workers", "3", to="B").read_bytes()
    assert one == three


def cached(tmp_path: Path) -> dict[str, str]:
    return {"XDG_CACHE_HOME": str(tmp_path / "cache")}


def swept_with(laxity: Laxity, tmp_path: Path, to: str) -> Path:
    """The same with streams in a folder of the test's own."""
    words = ("sweep", write_grid(laxity), "-o", to, "--quiet")
    done = laxity(*words, environment=cached(tmp_path))
    assert done.returncode in (0, 1), done.stderr
    return laxity.directory / to / "sweep.parquet"


def stream_of(folder: StreamFolder, workload: str) -> StoredStream:
    (one,) = (one for one in folder.streams() if one.workload == workload)
    return one


def begin_with(folder: StreamFolder, n_words: int, change: int = 0) -> None:
    """Let the stream of the co-runner end behind a few words, and change a bit of the last."""
    one = stream_of(folder, "load")
    path, tool = folder.path / f"{one.identity}{SUFFIX}", str(find_tool("laxity-sim-stream"))
    label = {"workload": "load", "words": one.words, "architecture": "armhf", "emulator": []}
    program = str(find_simulated_workload("load", "armhf"))
    read = subprocess.run([tool, "read", str(path)], stdout=subprocess.PIPE, check=True)
    begin = bytearray(read.stdout[: 8 * n_words])
    begin[-8] ^= change
    path.unlink()
    limits = (str(1 << 30), "60", str(n_words), "/dev/null")
    words = [tool, "record", str(path), one.identity, json.dumps(label), *limits, program, "none"]
    subprocess.run(words, input=bytes(begin), check=True, stdout=subprocess.DEVNULL)


def test_streams_of_tasks_and_of_corunners_change_no_byte(laxity: Laxity, tmp_path: Path):
    folder = StreamFolder(tmp_path / "cache" / "laxity" / "streams")
    limit = laxity("sim", "streams", "--limit", "0B", environment=cached(tmp_path))
    assert limit.returncode == 0
    executed = swept_with(laxity, tmp_path, "A").read_bytes()
    assert not folder.streams()
    folder.set_limit(1 << 30)
    recorded = swept_with(laxity, tmp_path, "B").read_bytes()
    assert {one.workload for one in folder.streams()} == {"mem", "load"}
    assert recorded == executed
    # One that ends within the first experiment, maybe within a record: the program is executed.
    begin_with(folder, 100_003)
    assert stream_of(folder, "load").records < 100_003
    assert swept_with(laxity, tmp_path, "C").read_bytes() == executed


def test_corunner_that_does_not_do_again_what_was_recorded_is_an_error(
    laxity: Laxity, tmp_path: Path
):
    folder = StreamFolder(tmp_path / "cache" / "laxity" / "streams")
    swept_with(laxity, tmp_path, "A")
    # The lowest bit: of an address, or of the number of a block, which is still one.
    begin_with(folder, 100_003, change=1)
    rows = rows_of(swept_with(laxity, tmp_path, "B"))
    told = "it does not do again what was recorded; remove its stream (laxity sim streams)"
    assert all(told in row["error"] for row in rows)


def test_killed_sweep_goes_on_to_the_same_bytes(laxity: Laxity):
    whole = swept(laxity, to="A", text=LONG).read_bytes()
    directory = laxity.directory / "B"
    process = started(laxity, "-o", "B")
    wait_until(lambda: any(directory.glob("parts/*.parquet")), "a part")
    process.kill()
    process.communicate(timeout=PATIENCE_S)
    assert process.returncode == -signal.SIGKILL
    assert not (directory / "sweep.parquet").exists()
    done = laxity("sweep", "grid.toml", "-o", "B")
    assert done.returncode == 0
    assert "of 6 experiments are done already" in done.stderr
    assert (directory / "sweep.parquet").read_bytes() == whole


def started(laxity: Laxity, *words: str) -> "subprocess.Popen[str]":
    """A sweep of its own process, with one worker: a part is there long before its end."""
    return subprocess.Popen(
        [*LAXITY, "sweep", write_grid(laxity, LONG), *words, "--workers", "1"],
        cwd=laxity.directory,
        env=laxity.environment(),
        stderr=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )


def test_whole_sweep_is_not_the_answer_once_a_platform_has_changed(laxity: Laxity):
    platform = (Path(__file__).parents[2] / "sim" / "platforms" / "sabrelite.toml").read_text()
    for name in ("a", "b"):
        (laxity.directory / f"{name}.toml").write_text(platform)
    axis = '[[axis]]\nkey = "run.platform"\nvalues = ["sim:a.toml", "sim:b.toml"]\n'
    # The first experiment's platform is part of what the grid is known by; this is the other one.
    text = HEAD.replace('platform = "sim:sabrelite"\n', "") + axis
    table = swept(laxity, text=text).read_bytes()
    assert swept(laxity, text=text).read_bytes() == table
    changed = platform.replace("1MiB", "512KiB", 1)
    assert changed != platform
    (laxity.directory / "b.toml").write_text(changed)
    again = laxity("sweep", "grid.toml", "-o", "S", "--quiet")
    assert (again.returncode, "experiment 1 has changed since it was made" in again.stderr) == (
        *(2, True),
    )


def test_figures_are_of_all_jobs_whatever_is_kept(laxity: Laxity):
    axis = '[[axis]]\nkey = "run.keep"\nvalues = ["all", "tail:1", "misses", "bogus"]\n'
    grid = write_grid(laxity, HEAD.replace("-t 2", "-t 5") + axis)
    assert laxity("sweep", grid, "-o", "S", "--quiet").returncode == 1
    *rows, bogus = rows_of(laxity.directory / "S" / "sweep.parquet")
    assert "keep" in bogus["error"]
    for column in ("mem.exec_ns.max", "mem.exec_ns.median", "result_hash"):
        assert len({row[column] for row in rows}) == 1
    # The first job loads what the others find: the median is that of others.
    assert rows[0]["mem.exec_ns.max"] > rows[0]["mem.exec_ns.median"] > 0


def test_whole_sweep_is_not_the_answer_once_a_file_of_a_program_has_changed(laxity: Laxity):
    # Its words name a file, which it may read.
    data = laxity.directory / "in.txt"
    data.write_text("1000")
    program = of_simulator("armhf-asks")
    (laxity.directory / "tasks.toml").write_text(
        f'schema = 1\n[[task]]\nworkload = "{program}"\n'
        # A word that is longer than any name of a file names none.
        f'args = ["init", "sort", "in.txt", "{"x" * 300}"]\n'
        'period = "1ms"\ncpus = "0"\n'
    )
    text = 'schema = 1\n[sweep]\nspec = "tasks.toml"\nplatform = "sim:sabrelite"\n'
    text += '[[axis]]\nkey = "run.jobs"\nvalues = [2, 3]\n'
    swept(laxity, text=text)
    data.write_text("4000")
    again = laxity("sweep", "grid.toml", "-o", "S", "--quiet")
    assert (again.returncode, "experiment 0 has changed since it was made" in again.stderr) == (
        *(2, True),
    )


def test_interrupted_sweep_keeps_what_is_done_and_says_how_to_go_on(laxity: Laxity):
    directory = laxity.directory / "B"
    process = started(laxity, "-o", "B")
    wait_until(lambda: any(directory.glob("parts/*.parquet")), "a part")
    process.send_signal(signal.SIGINT)
    out, told = process.communicate(timeout=PATIENCE_S)
    assert process.returncode == 130
    assert "laxity sweep: interrupted; the same command goes on" in told
    done = int(out.split()[0])
    assert 0 < done < 6
    assert out.splitlines() == [f"{done} of 6 experiments", "B"]
    again = laxity("sweep", "grid.toml", "-o", "B")
    assert again.returncode == 0
    assert f"{done} of 6 experiments are done already" in again.stderr


def test_second_sweep_of_a_directory_waits_for_the_end_of_the_first(laxity: Laxity):
    process = started(laxity, "-o", "B")
    try:
        wait_until((laxity.directory / "B" / "sweep.json").exists, "the first")
        done = laxity("sweep", "grid.toml", "-o", "B")
    finally:
        process.kill()
        process.communicate(timeout=PATIENCE_S)
    assert done.returncode == 2
    assert "-o B: another laxity is writing it now; wait for its end" in done.stderr


FEW = """
[[axis]]
key = "task.mem.args"
values = [["16KiB"], ["wrong"]]

[[axis]]
key = "platform.l1d.size"
values = ["32KiB", "33KiB"]
"""


def test_experiment_that_fails_is_a_row_with_its_error_and_counted(laxity: Laxity):
    done = laxity("sweep", write_grid(laxity, HEAD + FEW), "-o", "S", "--format", "json")
    assert done.returncode == 1
    answer = json.loads(done.stdout)
    assert (answer["experiments"], answer["done"], answer["failed"]) == (4, 4, 3)
    right, *failed = rows_of(laxity.directory / answer["table"])
    assert right["error"] is None
    assert right["mem.exec_ns.max"] > 0
    assert [row["mem.exec_ns.max"] for row in failed] == [None, None, None]
    odd = "platform sim:sabrelite: l1d.size: 33KiB"
    assert failed[0]["error"].startswith(odd)
    assert failed[1]["error"].startswith('workload "mem": SIZE: "wrong"')
    assert failed[2]["error"].startswith(odd)
    # Where it was simulated is in no error: the same command again tells the same.
    table = laxity.directory / "S" / "sweep.parquet"
    again = laxity("sweep", "grid.toml", "-o", "T", "--workers", "1", "--quiet")
    assert again.returncode == 1
    assert (laxity.directory / "T" / "sweep.parquet").read_bytes() == table.read_bytes()
    page = (laxity.directory / "S" / "sweep.html").read_text()
    assert "why experiments have no figures" in page
    # A sweep that is whole is told again.
    told = laxity("sweep", "grid.toml", "-o", "S")
    assert told.returncode == 1
    assert told.stdout.startswith("4 of 4 experiments, 3 failed")


def test_directory_of_something_else_is_refused(laxity: Laxity):
    grid = write_grid(laxity, HEAD + FEW)
    assert laxity("sweep", grid, "-o", "S", "--quiet").returncode == 1
    write_grid(laxity, HEAD + FEW.replace("16KiB", "8KiB"))
    done = laxity("sweep", grid, "-o", "S")
    assert done.returncode == 2
    assert "-o S: holds a sweep of another grid; name another directory by -o" in done.stderr
    (laxity.directory / "other").mkdir()
    (laxity.directory / "other" / "file").touch()
    done = laxity("sweep", grid, "-o", "other")
    assert done.returncode == 2
    assert "-o other: is not empty and holds no sweep; name another directory" in done.stderr


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (HEAD + FEW.replace("l1d.size", "l1d.sise"), 'grid.toml:11: key "platform.l1d.sise"'),
        (HEAD + FEW.replace('"32KiB", "33KiB"', ""), "grid.toml:12: axis"),
        (HEAD + FEW.replace('"32KiB"', '"3KiB"'), "grid.toml:10: the first experiment cannot be"),
        (HEAD + 'columns = ["exec.max"]\n' + FEW, 'grid.toml:5: columns: "exec.max" is none'),
        (HEAD.replace("sabrelite", "sabre") + FEW, "grid.toml:4: platform"),
        (HEAD.replace("-p 1ms", "--perod 1ms") + FEW, "grid.toml:3: run: "),
        (HEAD.replace("mem -b", "mm -b") + FEW, "grid.toml:7: key"),
        (HEAD.replace("mem -b 64KiB", "mem.toml") + FEW, "grid.toml:3: run: names the spec"),
        (
            HEAD + '[[axis]]\nkey = "run.seed"\nfrom = 1\nto = 1000000000\n',
            "grid.toml:5: 1000000000 = 1000000000 experiments, more than 100000; write shorter",
        ),
    ],
)
def test_mistake_in_a_grid_is_told_with_its_line_and_leaves_nothing(
    laxity: Laxity, text: str, said: str
):
    done = laxity("sweep", write_grid(laxity, text), "-o", "S")
    assert done.returncode == 2
    assert f"laxity sweep: {said}" in done.stderr
    assert laxity.names() == {"grid.toml"}


def test_spec_of_a_grid_finds_its_files_from_where_it_lies(laxity: Laxity):
    folder = laxity.directory / "below"
    folder.mkdir()
    (folder / "small.toml").write_text('schema = 1\nbase = "sabrelite"\n[core]\ncount = 2\n')
    (folder / "spec.toml").write_text(
        'schema = 1\n[run]\nplatform = "sim:small.toml"\njobs = 2\n'
        '[[task]]\nworkload = "mem"\nargs = ["16KiB"]\nperiod = "1ms"\ncpus = "0"\n'
    )
    text = 'schema = 1\n[sweep]\nspec = "below/spec.toml"\ncolumns = ["exec_ns.mean"]\n'
    axis = '[[axis]]\nkey = "platform.core.instruction_cycles"\nfrom = 1\nto = 2\n'
    rows = rows_of(swept(laxity, text=text + axis))
    assert [row["platform.core.instruction_cycles"] for row in rows] == [1, 2]
    assert rows[0]["error"] is None
    assert rows[0]["mem.exec_ns.mean"] > 0
    # Default: beside other runs, named as the grid.
    assert laxity("sweep", "grid.toml", "--quiet").returncode == 0
    assert (laxity.directory / "runs" / "grid" / "sweep.parquet").exists()
