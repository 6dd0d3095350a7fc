# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""Programs of simulated platforms: the same stream for each processor, wherever it is made."""

import json
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.cli.commands import children_of, finish, is_alive, start
from tests.cli.laxity_command import PATIENCE_S, ROOT, Laxity, of_simulator
from tests.waiting import wait_until

from laxity.platform.platform_file import parse_platform

ISAS = ["armhf", "powerpc", "aarch64", "riscv64", "x86_64"]
JOBS = 3
# sim/interface/records.h and native/harness/mark_table.h
ACCESS, EXECUTION, BLOCK, CALL = range(4)
RETURN = 1 << 32
MARKS, MARK_BYTES, JOB_START, JOB_FINISH = 0x60000000, 772, 770, 771
ADDRESS = np.uint64((1 << 48) - 1)
# Seconds of work for an emulator with our plugin.
SLOW = {"disparity", "localization", "mser", "sift", "svm", "tracking"}
TASK = """
schema = 1
[[task]]
workload = "{workload}"
args = {words}
period = "10ms"
"""

FORBIDDEN = re.compile(
    r"it calls (clone3?|fork|vfork): threads and processes are not simulated; run it without "
    "--platform"
)

every_isa = pytest.mark.parametrize("isa", ISAS)


def portable_workloads() -> Iterator[Any]:
    """Each with the words of its example, those of one thread."""
    text = (ROOT / "workloads" / "manifest.toml").read_text()
    for entry in tomllib.loads(text)["workload"]:
        if entry["class"] == "portable" and entry["name"] != "parallel":
            marks = [pytest.mark.slow] if entry["name"] in SLOW else []
            yield pytest.param(entry["name"], entry["example"], id=entry["name"], marks=marks)


def platform_text(isa: str) -> str:
    """A platform that is the shipped one but for its processor, and how that issues."""
    text = (ROOT / "sim" / "platforms" / "sabrelite.toml").read_text()
    text = re.sub(r"^scheduling = .*\n", "", text, flags=re.MULTILINE)
    return re.sub(r'^architecture = "armhf"$', f'architecture = "{isa}"', text, flags=re.MULTILINE)


@dataclass(frozen=True)
class Stream:
    """What the plugin told of a program."""

    data: bytes
    output: bytes

    @property
    def records(self) -> tuple[np.ndarray, list[int]]:
        """The words of executions and accesses, and the numbers of calls."""
        words = np.frombuffer(self.data, dtype="<u8")
        kinds = words >> np.uint64(62)
        is_kept = kinds < BLOCK
        calls = []
        after = 0
        for at in np.nonzero(kinds >= BLOCK)[0].tolist():
            if at < after:
                continue  # a code, an argument, a value
            word = int(words[at])
            if kinds[at] == BLOCK:
                n = int(words[at + 2])
                n_sizes = (n + 7) // 8
                code = sum(words[at + 3 : at + 3 + n_sizes].tobytes()[:n])
                after = at + 3 + n_sizes + (code + 7) // 8
            elif word & RETURN:
                after = at + 2
            else:
                calls.append(word & (RETURN - 1))
                after = at + 7
            is_kept[at:after] = False
        return words[is_kept], calls

    @property
    def addresses(self) -> np.ndarray:
        records, _ = self.records
        is_access = records >> np.uint64(62) == ACCESS
        return np.asarray(records[is_access] & ADDRESS)


@dataclass(frozen=True)
class Emulator:
    """Emulates programs of one processor with the plugin."""

    isa: str

    def __call__(self, workload: str, *words: str, **options: Any) -> Stream:  # noqa: ANN401 - as subprocess.run
        """Record a program; options are those of subprocess.run."""
        model = parse_platform(platform_text(self.isa).encode(), self.isa)
        folder = Path(tempfile.mkdtemp(prefix="laxity-sim-", dir="/tmp"))
        folder.chmod(0o755)
        try:
            program = folder / "0000"
            shutil.copy(self.program(workload), program)
            with (folder / "stream").open("wb") as stream, (folder / "output").open("wb") as output:
                argv = [str(shutil.which(model.emulator)), "-cpu", model.emulated_cpu]
                argv += ["-s", "8388608", "-seed", "1"]
                argv += ["-plugin", f"{of_simulator('laxity-stream.so')},fd={stream.fileno()}"]
                argv += [str(program), f"{JOBS:020}", *words]
                everywhere = {"stdin": subprocess.DEVNULL, "stdout": output, "env": {}}
                done = subprocess.run(
                    argv,
                    **{**everywhere, **options},
                    pass_fds=[stream.fileno()],
                    timeout=PATIENCE_S,
                    check=False,
                )
            assert done.returncode == 0
            return Stream((folder / "stream").read_bytes(), (folder / "output").read_bytes())
        finally:
            shutil.rmtree(folder)

    def program(self, workload: str) -> Path:
        path = of_simulator(f"{self.isa}-{workload}")
        if not path.exists():
            pytest.skip(f"no compiler for {self.isa}, or simulated platforms are not built")
        return path


@pytest.fixture
def emulator(isa: str) -> Emulator:
    return Emulator(isa)


@every_isa
@pytest.mark.parametrize(("workload", "words"), list(portable_workloads()))
def test_jobs_are_marked_as_often_as_they_were_asked_for(
    emulator: Emulator, workload: str, words: list[str]
):
    stream = emulator(workload, *words)
    addresses = stream.addresses
    marks = addresses[(addresses >= MARKS) & (addresses < MARKS + MARK_BYTES)] - MARKS
    borders = marks[marks >= JOB_START].tolist()
    assert borders == [JOB_START, JOB_FINISH] * JOBS
    assert len(addresses) > len(marks)


@every_isa
def test_every_processor_computes_the_same_digest(emulator: Emulator):
    # As tests/native/workloads/test_crc32.c and test_sort.c have them for this machine.
    assert emulator("sort", "small").output == b"sort small digest=e1d3a4c3\n"
    assert emulator("crc32", "small").output == b"crc32 small digest=64f76bea\n"


@every_isa
@pytest.mark.parametrize("workload", ["sort", "mem", "generated"])
def test_streams_do_not_depend_on_where_they_are_made(emulator: Emulator, workload: str):
    words = {"sort": ["small"], "mem": ["1MiB"], "generated": ["code=16KiB", "data=4KiB"]}[workload]
    first = emulator(workload, *words).data
    # Twice alike; from elsewhere; printing to nowhere, to a pipe, and to nobody.
    assert emulator(workload, *words).data == first
    assert emulator(workload, *words, cwd="/").data == first
    assert emulator(workload, *words, stdout=subprocess.DEVNULL).data == first
    assert emulator(workload, *words, stdout=subprocess.PIPE).data == first
    assert emulator(workload, *words, preexec_fn=lambda: os.close(0)).data == first
    if os.geteuid() == 0:
        assert emulator(workload, *words, user=65534, group=65534).data == first


@every_isa
def test_code_of_blocks_is_told_as_it_lies_in_memory(emulator: Emulator):
    # The bytes of the first block of the program, at its entry, are those of the file.
    words = np.frombuffer(emulator("empty").data, dtype="<u8")
    assert int(words[0]) >> 62 == BLOCK
    address, n = int(words[1]), int(words[2])
    n_sizes = (n + 7) // 8
    size = sum(words[3 : 3 + n_sizes].tobytes()[:n])
    code = words[3 + n_sizes :].tobytes()[:size]
    assert code in emulator.program("empty").read_bytes()
    assert address < MARKS


def run_on(
    laxity: Laxity,
    isa: str,
    workload: str,
    *words: str,
    **where: Any,  # noqa: ANN401 - as Laxity
) -> "subprocess.CompletedProcess[str]":
    """Simulate three jobs into `run_dir`, D if it is not named."""
    Emulator(isa).program(workload)
    (laxity.directory / "board.toml").write_text(platform_text(isa))
    (laxity.directory / "task.toml").write_text(
        TASK.format(workload=workload, words=json.dumps(words))
    )
    run_dir = where.pop("run_dir", "D")
    line = ["run", "./task.toml", "-t", str(JOBS), "--platform", "sim:./board.toml"]
    line += where.pop("extra", ())
    return laxity(*line, "--run-dir", run_dir, "--no-report", "--quiet", **where)


def jobs_counted(laxity: Laxity, isa: str, workload: str, *words: str) -> Any:  # noqa: ANN401 - an array with named columns
    """Simulate jobs of ten passes, with the events of their code."""
    name = "-".join(words)
    extra = ("--events", "instructions,l1i_refill")
    done = run_on(laxity, isa, workload, *words, "passes=10", run_dir=name, extra=extra)
    assert done.returncode == 0, done.stderr
    return np.load(laxity.directory / name / "jobs.npy")


def asked_calls(laxity: Laxity) -> list[str]:
    manifest = json.loads((laxity.directory / "D" / "manifest.json").read_text())
    calls: list[str] = manifest["tasks"][0]["asked_calls"]
    return calls


@every_isa
def test_time_that_a_job_is_told_makes_it_not_deterministic(laxity: Laxity, isa: str):
    done = run_on(laxity, isa, "asks", "job", "time")
    assert done.returncode == 0, done.stderr
    (call,) = asked_calls(laxity)
    assert call in {"clock_gettime", "clock_gettime64"}
    said = "not deterministic: it asks for what may be something else in another run"
    assert f'task "asks": {said} ({call})' in done.stderr


def test_report_of_a_run_that_is_not_deterministic_promises_no_second_one(laxity: Laxity):
    run_on(laxity, "armhf", "asks", "job", "time")
    why = "none: not deterministic: asks may do something else in another run"
    assert why in laxity("show", "D").stdout
    assert laxity("report", "D").returncode == 0
    (page,) = (laxity.directory / "D").glob("*.html")
    text = page.read_text()
    assert why in text
    assert "exact counts of the model, of this run: not deterministic, “asks” may do" in text
    assert "the same in every run" not in text
    assert "did not end by itself" not in text


CLOCKS = {"aarch64": "cntvct_el0", "riscv64": "rdtime", "powerpc": "mftb", "x86_64": "rdtsc"}


@pytest.mark.parametrize(("isa", "clock"), CLOCKS.items())
def test_clock_that_a_job_reads_by_itself_makes_it_not_deterministic(
    laxity: Laxity, isa: str, clock: str
):
    assert run_on(laxity, isa, "asks", "job", "clock").returncode == 0
    assert asked_calls(laxity) == [clock]
    again = run_on(laxity, isa, "asks", "init", "clock", run_dir="E")
    assert again.returncode == 0
    assert "not deterministic" not in again.stderr
    # What it read may be another in the next run: there is no stream of either for that.
    for when in ("job", "init"):
        record = ("sim", "record", str(Emulator(isa).program("asks")), when, "clock")
        kept = laxity(*record, "--platform", "sim:./board.toml", "--jobs", "2")
        assert kept.returncode == 3
        assert f"it asks the system ({clock}), whose answer may change" in kept.stderr


@every_isa
@pytest.mark.parametrize(
    ("when", "what", "call"),
    [
        ("job", "machine", "uname"),
        ("job", "random", "getrandom"),
        ("job", "file", "openat"),
        ("init", "time", "clock_gettime"),
        ("init", "random", "getrandom"),
    ],
)
def test_what_may_be_answered_otherwise_is_named(
    laxity: Laxity, isa: str, when: str, what: str, call: str
):
    done = run_on(laxity, isa, "asks", when, what)
    assert done.returncode == 0, done.stderr
    assert asked_calls(laxity)[0].startswith(call)


@every_isa
@pytest.mark.parametrize(
    ("when", "what"), [("init", "file"), ("init", "machine"), ("job", "sort"), ("job", "print")]
)
def test_what_is_the_same_in_every_run_is_not_named(laxity: Laxity, isa: str, when: str, what: str):
    done = run_on(laxity, isa, "asks", when, what)
    assert done.returncode == 0, done.stderr
    assert "not deterministic" not in done.stderr
    assert asked_calls(laxity) == []


@every_isa
@pytest.mark.parametrize(("when", "what"), [("job", "thread"), ("job", "fork"), ("init", "fork")])
def test_threads_and_processes_are_refused_by_name(laxity: Laxity, isa: str, when: str, what: str):
    done = run_on(laxity, isa, "asks", when, what)
    assert done.returncode == 3
    assert FORBIDDEN.search(done.stderr)


def test_recording_refuses_threads_and_processes_as_a_run_does(laxity: Laxity):
    program = Emulator("armhf").program("asks")
    words = [str(program), "job", "thread", "--platform", "sim:sabrelite", "--jobs", "3"]
    done = laxity("sim", "record", *words, "-o", "asks.lxs")
    assert done.returncode == 3
    assert f'workload "{program}": it calls' in done.stderr
    assert FORBIDDEN.search(done.stderr)
    assert laxity.names() == set()


@every_isa
def test_jobs_before_a_crash_are_kept(laxity: Laxity, isa: str):
    done = run_on(laxity, isa, "asks", "job", "crash")
    assert done.returncode == 1
    assert 'task "asks": the program died of Segmentation fault' in done.stderr
    # It crashes in the middle of the third.
    kept = np.load(laxity.directory / "D" / "jobs.npy")
    assert run_on(laxity, isa, "asks", "job", "sort", run_dir="E").returncode == 0
    whole = np.load(laxity.directory / "E" / "jobs.npy")
    assert len(whole) == JOBS
    assert kept["job"].tolist() == [0, 1]
    assert kept["release_ns"].tolist() == whole["release_ns"][:2].tolist()
    assert (kept["finish_ns"] > kept["start_ns"]).all()
    shown = laxity("show", "D")
    assert shown.returncode == 0, shown.stderr
    assert "2 started" in shown.stdout


def is_dead(pid: int) -> bool:
    return not is_alive(pid)


def has_children(pid: int, name: str) -> bool:
    return bool(children_of(pid, name))


def test_program_that_waits_for_ever_can_be_interrupted_and_dies_with_its_simulator(
    laxity: Laxity,
):
    # Without a number of jobs nothing is recorded: it waits in front of the simulator.
    assert run_on(laxity, "armhf", "empty").returncode == 0
    Emulator("armhf").program("asks")
    task = TASK.format(workload="asks", words=json.dumps(["job", "wait"]))
    (laxity.directory / "task.toml").write_text(task)
    where = laxity.directory
    line = ("run", where / "task.toml", "--platform", f"sim:{where}/board.toml", "--run-dir")
    for name, ends in (("E", signal.SIGINT), ("F", signal.SIGKILL)):
        process = start(*line, where / name)
        jobs = where / f"{name}.tmp" / "jobs.npy"
        wait_until(jobs.exists, "jobs.npy")
        (simulator,) = children_of(process.pid, "laxity-sim")
        wait_until(partial(has_children, simulator, "qemu-arm"), "an emulator")
        (emulator,) = children_of(simulator, "qemu-arm")
        os.kill(simulator, ends)
        assert finish(process).code == (130 if ends == signal.SIGINT else 4)
        wait_until(partial(is_dead, emulator), "the end of the emulator")


def test_what_a_program_prints_is_in_the_output_of_the_run(laxity: Laxity):
    done = run_on(laxity, "armhf", "asks", "job", "print")
    assert done.returncode == 0, done.stderr
    printed = (laxity.directory / "D" / "output.log").read_text()
    # A heading; of each job 1000 lines of 100 bytes; and what it prints at its end.
    assert printed.startswith("== asks ==\n")
    assert printed.endswith("torn down\n")
    assert len(printed) == len("== asks ==\n") + JOBS * 100_000 + len("torn down\n")


@every_isa
def test_written_code_is_executed_to_the_instruction_and_fetched_to_the_line(
    laxity: Laxity, isa: str
):
    # Lines of 32 B: 25 % are 4 instructions of each, 3 adds and the jump. A pass over 8 KiB has 256
    # lines and 1024 instructions, one over 12 KiB 384 and 1536; 10 passes differ by 5120, and by
    # nothing else. The first job misses each line once, 128 more of them; all fit into 32 KiB.
    runs = [
        jobs_counted(laxity, isa, "generated", f"code={size}KiB", "code_miss=25%", "line=32B")
        for size in (8, 12)
    ]
    small, large = runs
    assert (large["instructions"] - small["instructions"]).tolist() == [5120] * JOBS
    assert (large["l1i_refill"] - small["l1i_refill"]).tolist() == [128, 0, 0]
    assert small["l1i_refill"][1:].tolist() == [0, 0]
    assert small["l1i_refill"][0] >= 256


WHERE: dict[str, dict[str, Any]] = {
    "another environment": {"environment": {"X": "x" * 5000, "LANG": "de_DE"}},
    "a small stack": {"prefix": ["bash", "-c", 'ulimit -S -s 1024; exec "$@"', "-"]},
    "an unlimited stack": {"prefix": ["bash", "-c", 'ulimit -S -s unlimited; exec "$@"', "-"]},
    "a closed stdout": {"prefix": ["bash", "-c", 'exec "$@" >&-', "-"]},
    "closed streams": {"prefix": ["bash", "-c", 'exec "$@" <&- >&- 2>&-', "-"]},
    "stdout to nowhere": {"prefix": ["bash", "-c", 'exec "$@" > /dev/null', "-"]},
    "another open file": {"prefix": ["bash", "-c", 'exec "$@" 7< /dev/null', "-"]},
}


# In place of QEMU: tells what it was started with, except for which pipes they are.
SHOWS_ITS_START = f"""#!{sys.executable} -I
import os, resource, sys
if "--version" in sys.argv:
    sys.exit(print("qemu-arm version 7.2.0"))
print("environment:", open("/proc/self/environ").read())
print("stack:", resource.getrlimit(resource.RLIMIT_STACK)[0])
for fd in range(64):
    try:
        print(f"{{fd}}: {{os.fstat(fd).st_mode >> 12:o}}")
    except OSError:
        pass
"""


@pytest.mark.parametrize("kept_bytes", [1 << 30, 0], ids=["recorded", "live"])
@pytest.mark.parametrize("where", WHERE.values(), ids=WHERE.keys())
def test_emulator_is_started_alike_everywhere(
    laxity: Laxity, where: Mapping[str, Any], kept_bytes: int
):
    emulator = laxity.directory / "bin" / "qemu-arm"
    emulator.parent.mkdir()
    emulator.write_text(SHOWS_ITS_START)
    emulator.chmod(0o755)
    path = f"{emulator.parent}:{os.environ['PATH']}"
    streams = laxity.directory / "laxity" / "streams"
    streams.mkdir(parents=True)
    (streams / "limit").write_text(f"{kept_bytes}\n")
    # With streams of its own: another test must not have recorded it.
    here = {"PATH": path, "XDG_CACHE_HOME": str(laxity.directory)}
    conditions = {**where, "environment": {**where.get("environment", {}), **here}}
    assert run_on(laxity, "armhf", "empty", **conditions).returncode == 1
    assert (laxity.directory / "D" / "output.log").read_text().splitlines() == [
        "== empty ==",
        "environment: ",
        f"stack: {8 << 20}",
        # As stat(2) has them: a device, and pipes.
        *("0: 2", "1: 1", "2: 1", "3: 1"),
    ]


def jobs_of(run: Path) -> bytes:
    return (run / "jobs.npy").read_bytes()


@pytest.mark.parametrize("where", WHERE.values(), ids=WHERE.keys())
def test_jobs_do_not_depend_on_where_a_run_is_made(laxity: Laxity, where: Mapping[str, Any]):
    for run_dir, conditions in (("A", {}), ("B", where)):
        done = run_on(laxity, "armhf", "sort", "small", run_dir=run_dir, **conditions)
        assert done.returncode == 0, done.stderr
    assert jobs_of(laxity.directory / "A") == jobs_of(laxity.directory / "B")


@every_isa
def test_jobs_of_every_processor_are_the_same_in_every_run(laxity: Laxity, isa: str):
    where = {"environment": {"X": "x" * 5000}}
    for run_dir, conditions in (("A", {}), ("B", where)):
        done = run_on(laxity, isa, "fft", "small", run_dir=run_dir, **conditions)
        assert done.returncode == 0, done.stderr
    assert jobs_of(laxity.directory / "A") == jobs_of(laxity.directory / "B")
