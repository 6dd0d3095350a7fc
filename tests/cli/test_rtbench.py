# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""RT-Bench's command line of workload executables, as its users and scripts call it."""

import csv
import json
import signal
import subprocess
import time
from pathlib import Path

import pytest
from tests.cli.commands import BUILT, CPU, FAULT, needs_fifo, needs_root
from tests.cli.laxity_command import PATIENCE_S

EMPTY = BUILT.tools / "workloads" / "empty"
LOG_HEADER = BUILT.tools / "tests" / "native" / "log_header"
NEW_PAGES = BUILT.tools / "tests" / "native" / "new_pages"

CLOCKS = ("period_start", "period_end", "job_end", "job_deadline", "job_elapsed")
# Word for word what RT-Bench prints.
COLUMNS = [
    *(f"{name}(clock_cycles)" for name in CLOCKS),
    *(f"{name}(seconds)" for name in CLOCKS),
    "deadline_status(1=met)",
    "job_utilization",
    "job_density",
]


class Bench:
    """Calls workload executables in a directory of their own, with temporary files in another."""

    def __init__(self, directory: Path) -> None:
        self.directory = directory
        self.temporary = directory / "temporary"
        self.temporary.mkdir()

    def start(
        self, program: Path, *words: str, prefix: tuple[str, ...] = ()
    ) -> "subprocess.Popen[str]":
        return subprocess.Popen(
            [*prefix, str(program), *words],
            cwd=self.directory,
            env={**BUILT.environment(), "TMPDIR": str(self.temporary)},
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )

    def __call__(
        self, program: Path, *words: str, prefix: tuple[str, ...] = ()
    ) -> "subprocess.CompletedProcess[str]":
        process = self.start(program, *words, prefix=prefix)
        try:
            out, err = process.communicate(timeout=PATIENCE_S)
        except subprocess.TimeoutExpired:
            process.kill()
            process.communicate()
            raise
        assert not list(self.temporary.iterdir()), "temporary files are left"
        return subprocess.CompletedProcess(process.args, process.returncode, out, err)

    def rows(self, name: str) -> list[dict[str, str]]:
        with (self.directory / name).open(newline="") as file:
            return list(csv.DictReader(file))


@pytest.fixture
def bench(tmp_path: Path) -> Bench:
    return Bench(tmp_path)


def started(rows: list[dict[str, str]]) -> list[dict[str, str]]:
    """Leave out skipped deadlines: a loaded machine may bring some at any time."""
    return [row for row in rows if float(row["period_start(seconds)"]) > 0]


def test_file_has_rt_benchs_columns_and_a_row_per_started_job(bench: Bench) -> None:
    done = bench(EMPTY, "-p", "0.001", "-t", "500", "-l", "2", "-o", "f")
    assert (done.returncode, done.stdout) == (0, "")
    rows = bench.rows("f.csv")
    assert list(rows[0]) == COLUMNS
    assert len(started(rows)) == 500
    skipped = [row for row in rows if row not in started(rows)]
    for row in skipped:
        zeros = {name: value for name, value in row.items() if "job_deadline" not in name}
        assert {float(value) for value in zeros.values()} == {0.0}
        assert float(row["job_deadline(seconds)"]) > 0


def test_columns_that_rt_benchs_scripts_read_are_consistent(bench: Bench) -> None:
    done = bench(EMPTY, "--period=1e-3", "--deadline=.0005", "-t50", "-l2", "--output", "f.csv")
    assert done.returncode == 0
    for row in started(bench.rows("f.csv")):
        elapsed_s = float(row["job_elapsed(seconds)"])
        start_s = float(row["period_start(seconds)"])
        assert elapsed_s > 0
        assert float(row["job_end(seconds)"]) - start_s == pytest.approx(elapsed_s, abs=2e-9)
        assert float(row["period_end(seconds)"]) - start_s == pytest.approx(0.001, abs=2e-9)
        assert float(row["job_deadline(seconds)"]) - start_s == pytest.approx(0.0005, abs=2e-9)
        assert float(row["job_utilization"]) == pytest.approx(elapsed_s / 0.001, rel=1e-4)
        assert float(row["job_density"]) == pytest.approx(elapsed_s / 0.0005, rel=1e-4)
        assert row["deadline_status(1=met)"] == str(int(elapsed_s <= 0.0005))
        ticks = {name: int(row[f"{name}(clock_cycles)"]) for name in CLOCKS}
        assert ticks["job_elapsed"] == ticks["job_end"] - ticks["period_start"]
        # Zero everywhere without a counter; else time goes on in all of them.
        assert set(ticks.values()) == {0} or (
            ticks["period_start"] < ticks["job_deadline"] < ticks["period_end"]
            and ticks["job_elapsed"] > 0
        )


def test_stdout_has_rows_without_header_and_without_a_stray_zero(bench: Bench) -> None:
    done = bench(EMPTY, "-p", "0.001", "-t", "20")
    assert done.returncode == 0
    rows = [dict(zip(COLUMNS, row, strict=True)) for row in csv.reader(done.stdout.splitlines())]
    assert len(started(rows)) == 20
    assert float(rows[0]["period_start(seconds)"]) > 0


def test_configuration_file_stands_for_options_and_adds_no_stray_zero(bench: Bench) -> None:
    # RT-Bench prints "0" before the first row when it has read such a file.
    (bench.directory / "task.json").write_text(
        '{"period": 0.002, "log-level": 3, "tasks-number": 9}'
    )
    done = bench(EMPTY, "-g", "task.json", "-t", "5")
    assert done.returncode == 0, done.stderr
    lines = done.stdout.splitlines()
    assert len(lines) >= 5
    assert {len(line.split(",")) for line in lines} == {13}
    # period_end - period_start of every row that has both
    rows = [dict(zip(COLUMNS, map(float, line.split(",")), strict=True)) for line in lines]
    rows = [row for row in rows if row["period_start(seconds)"] > 0]
    assert len(rows) == 5
    for row in rows:
        period = row["period_end(seconds)"] - row["period_start(seconds)"]
        assert period == pytest.approx(0.002)


def test_people_read_a_sentence_per_job(bench: Bench) -> None:
    done = bench(EMPTY, "-p", "0.001", "-t", "3", "-l", "4")
    assert done.returncode == 0
    assert done.stdout.startswith("job 0: released ")
    assert done.stdout.count("released") == 3


def test_level_one_prints_nothing_and_makes_no_file(bench: Bench) -> None:
    done = bench(EMPTY, "-p", "0.001", "-t", "3", "-l", "1")
    assert (done.returncode, done.stdout) == (0, "")
    assert [path.name for path in bench.directory.iterdir()] == ["temporary"]


def test_file_is_called_timing_csv_unless_said_otherwise(bench: Bench) -> None:
    assert bench(EMPTY, "-p", "0.001", "-t", "3", "-l", "2").returncode == 0
    assert len(started(bench.rows("timing.csv"))) == 3


def test_output_name_shorter_than_its_suffix_gets_it(bench: Bench) -> None:
    assert bench(EMPTY, "-p", "0.001", "-t", "3", "-l", "2", "-o", "x").returncode == 0
    assert len(started(bench.rows("x.csv"))) == 3


def test_output_that_cannot_be_written_is_refused_before_any_job(bench: Bench) -> None:
    done = bench(FAULT, "-p", "0.001", "-t", "3", "-l", "2", "-o", "missing/x", "-b", "crash 0")
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == (
        "fault: cannot write missing/x.csv: No such file or directory; choose another -o\n"
    )


def test_column_of_a_workload_whose_header_lacks_the_comma_stands_alone(bench: Bench) -> None:
    """As TACLeBench's ports have it."""
    words = ("-p", "0.001", "-t", "3", "-l", "2", "-o", "f", "-b", "success(exp:1)")
    assert bench(LOG_HEADER, *words).returncode == 0
    rows = bench.rows("f.csv")
    assert list(rows[0]) == [*COLUMNS, "success(exp:1)"]
    assert [row["success(exp:1)"] for row in started(rows)] == ["1", "1", "1"]


@pytest.mark.parametrize("header", [",hits,misses", "hits,misses"])
def test_header_of_several_columns_keeps_the_first_and_says_so(bench: Bench, header: str) -> None:
    """benchmark_log_data returns one number, whatever its header promises."""
    done = bench(LOG_HEADER, "-p", "0.001", "-t", "3", "-l", "2", "-o", "f", "-b", header)
    assert done.returncode == 0
    assert (
        'log_header: "log_header": log columns hits,misses: used hits instead: '
        "benchmark_log_data gives one value a job; name one column in benchmark_log_header\n"
    ) in done.stderr
    rows = bench.rows("f.csv")
    assert list(rows[0]) == [*COLUMNS, "hits"]
    assert [row["hits"] for row in started(rows)] == ["1", "1", "1"]


def test_words_are_split_at_blanks_and_what_the_workload_prints_goes_to_stderr(
    bench: Bench,
) -> None:
    done = bench(FAULT, "-p", "0.01", "-t", "3", "-b", "spin  10")
    assert done.returncode == 0
    assert done.stderr == "torn down after 3 jobs\n"
    assert "torn" not in done.stdout


def test_job_longer_than_its_period_misses_and_skips(bench: Bench) -> None:
    """15 ms every 10 ms: jobs 0, 2, 4 run (more are skipped under load), those between do not."""
    words = ("-p", "0.01", "-t", "3", "-l", "2", "-o", "f", "-b", "spin 15000")
    assert bench(FAULT, *words).returncode == 0
    rows = bench.rows("f.csv")
    assert [row["jobs before(exp:n)"] for row in started(rows)] == ["1", "2", "3"]
    assert {row["deadline_status(1=met)"] for row in rows} == {"0"}
    assert float(started(rows)[0]["job_utilization"]) >= 1.5
    assert float(rows[1]["period_start(seconds)"]) == 0.0


def test_launcher_starts_the_process_of_the_jobs(bench: Bench) -> None:
    launcher = ("--launcher", "env", "--launcher=LAXITY_SEED=no-seed")
    words = ("-p", "0.01", "-t", "2", *launcher)
    done = bench(BUILT.tools / "workloads" / "sha", *words, "-b", "small")
    assert done.returncode == 1
    assert 'sha: LAXITY_SEED "no-seed": is no whole number;' in done.stderr


def test_launcher_that_is_not_there_is_named(bench: Bench) -> None:
    done = bench(EMPTY, "-p", "0.01", "-t", "2", "--launcher", "no-such-emulator")
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr == (
        "cannot start no-such-emulator: No such file or directory\n"
        'empty: task "empty": called exit(127) before the first release\n'
    )


def test_run_without_counters_needs_none(bench: Bench) -> None:
    done = bench(EMPTY, "-p", "0.001", "-t", "3", "-M", "0")
    assert (done.returncode, len(done.stdout.splitlines()) >= 3) == (0, True)


COUNTS = [
    *("job_l1_references", "job_l1_misses", "job_l1_miss_ratio(%%)"),
    *("job_l2_references", "job_l2_misses", "job_l2_miss_ratio(%%)"),
    *("instructions_retired", "cpu_clock_count"),
]
PROFILE = "samples,l1_references,l1_refills,l2_references,l2_refills,inst_retired"


def counts_here() -> bool:
    """Whether this machine counts what RT-Bench counts; most virtual ones do not."""
    command = [str(BUILT.tools / "native" / "laxity-run"), "--list-events"]
    events = json.loads(subprocess.run(command, capture_output=True, check=True).stdout)["events"]
    (cycles,) = [one for one in events if one["name"] == "cycles"]
    return cycles["platform_event"] is not None


COUNTS_HERE = counts_here()


def test_counters_that_are_not_there_are_told_before_any_job(bench: Bench) -> None:
    if COUNTS_HERE:
        pytest.skip("this machine has a PMU")
    done = bench(EMPTY, "-p", "0.001", "-t", "3", "-M", "1", "-l", "2", "-o", "f")
    assert (done.returncode, done.stdout) == (3, "")
    assert done.stderr.startswith("empty: none of RT-Bench's events can be counted: ")
    assert done.stderr.endswith("; leave -M out\n")
    assert [path.name for path in bench.directory.iterdir()] == ["temporary"]


def test_counted_jobs_have_rt_benchs_columns_and_a_profile(bench: Bench) -> None:
    if not COUNTS_HERE:
        pytest.skip("no PMU: tests/cli/test_pmu.py has one")
    words = ("-M", "1", "-B", "100000", "-l", "2", "-o", "f.csv", "-b", "spin 10")
    done = bench(FAULT, "-p", "0.02", "-t", "3", *words)
    assert done.returncode == 0, done.stderr
    rows = bench.rows("f.csv")
    assert list(rows[0]) == [*COLUMNS, *COUNTS]
    assert all(float(row["cpu_clock_count"]) > 0 for row in started(rows))
    header, *samples = (bench.directory / "f_perf_profile.csv").read_text().splitlines()
    assert header == PROFILE
    # A job spins for 10 of these, of which a loaded machine may lose some.
    assert 1 <= int(samples[0].split(",")[0]) <= 3


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_signal_stops_the_run_and_everything_is_written(
    bench: Bench, number: signal.Signals
) -> None:
    """The job allocates all the time: RT-Bench crashes here, with exit() inside its handler."""
    process = bench.start(FAULT, "-p", "0.002", "-l", "2", "-o", "f", "-b", "churn")
    end_s = time.monotonic() + PATIENCE_S
    while not any(stream.stat().st_size > 5000 for stream in bench.temporary.glob("*/jobs.npy")):
        assert time.monotonic() < end_s, "no job was ever written"
        time.sleep(0.01)
    process.send_signal(number)
    _, err = process.communicate(timeout=PATIENCE_S)
    rows = started(bench.rows("f.csv"))
    assert process.returncode == 0
    assert err in ("", f"torn down after {len(rows)} jobs\n")  # none if a job was cut off
    assert [float(row["jobs before(exp:n)"]) for row in rows] == list(range(1, len(rows) + 1))
    assert len(rows) > 0
    assert not list(bench.temporary.iterdir())


def test_crash_is_told_from_success_and_jobs_before_it_are_kept(bench: Bench) -> None:
    done = bench(FAULT, "-p", "0.005", "-t", "9", "-l", "2", "-o", "f", "-b", "crash 2")
    assert done.returncode == 1
    assert "killed by signal 11 (SIGSEGV) in job" in done.stderr
    ended = [row for row in bench.rows("f.csv") if float(row["job_end(seconds)"]) > 0]
    assert len(ended) == 2


def test_failed_init_says_what_the_workload_said(bench: Bench) -> None:
    done = bench(EMPTY, "-p", "0.001", "-t", "3", "-b", "5")
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr == (
        'empty: takes no arguments, got "5"; leave it out\n'
        'empty: task "empty": its init failed (benchmark_init returned -22)\n'
    )


@pytest.mark.parametrize(
    ("words", "part"),
    [
        ((), "no period; write -p SECONDS"),
        (("-p", "1ms"), "-p 1ms: not understood; write seconds, as in 0.001"),
        (("-p", "0.1", "-f", "0"), "-f 0: out of range; write 1 to 99"),
        (("-p", "0.1", "-f", "100"), "-f 100: out of range; write 1 to 99"),
        (("-p", "0.1", "-m", "1KiB"), "-m 1KiB: not understood; write bytes, as in 65536, 64K"),
        (("-p", "0.1", "-T", "1000"), "-D and -T are of SCHED_DEADLINE; add its period, -P NS"),
        (("-p", "0.1", "-P", "1000000", "-f", "1"), "SCHED_FIFO and SCHED_DEADLINE exclude each"),
        (("-p", "0.1", "-H", "0x1000", "-m", "1M"), "-H (--heap-location): the heap stays"),
        (("-g", "a.json"), "-g a.json: No such file or directory; correct the path"),
    ],
)
def test_what_cannot_be_done_is_refused_by_name(
    bench: Bench, words: tuple[str, ...], part: str
) -> None:
    done = bench(EMPTY, *words)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith("empty: ")
    assert part in done.stderr


def new_pages(bench: Bench, *words: str) -> list[float]:
    """Let jobs fill 16 MiB of heap; return how many pages were new in each."""
    common = ("-p", "0.1", "-t", "3", "-l", "2", "-o", "f")
    assert bench(NEW_PAGES, *common, *words, "-b", str(16 << 20)).returncode == 0
    return [float(row["new_pages"]) for row in started(bench.rows("f.csv"))]


def test_what_a_memory_limit_allows_is_present_before_the_first_job(bench: Bench) -> None:
    """The first job took 100 times as long as the later ones: it had all the first faults."""
    # 16 MiB are 4096 pages, of which the usual 1 MiB of heap has 256. A huge page, where there are
    # any, makes one fault of 512, and the heap grows all the same where it is locked.
    assert new_pages(bench)[0] > 4
    # Nothing grows; some pages of the C library may be new in any job.
    assert max(new_pages(bench, "-m", "16M")) <= 4


def test_a_limit_that_memory_does_not_allow_is_none_the_less_one(bench: Bench) -> None:
    done = bench(NEW_PAGES, "-p", "0.1", "-t", "1", "-l", "1", "-m", "64G", "-b", "4096",
                 prefix=("/bin/sh", "-c", 'ulimit -v 4000000; exec "$0" "$@"'))  # fmt: skip
    assert done.returncode == 0
    assert "new_pages: -m: 64GiB are not prefaulted (available: " in done.stderr
    assert ", only 1MiB of heap; jobs that use more have page faults\n" in done.stderr


@pytest.mark.parametrize("word", ["-h", "-?", "--help"])
def test_help_names_every_letter(bench: Bench, word: str) -> None:
    done = bench(EMPTY, word)
    assert (done.returncode, done.stderr) == (0, "")
    for letter in "pdtcfPDTmHlogMCBbh":
        assert f"  -{letter}, --" in done.stdout


def test_usage_is_one_line(bench: Bench) -> None:
    done = bench(EMPTY, "--usage")
    assert (done.returncode, done.stdout.count("\n")) == (0, 1)


@needs_fifo
def test_fifo_runs_on_the_given_cpu(bench: Bench) -> None:
    words = ("-p", "0.005", "-t", "20", "-f", "50", "-c", str(CPU), "-l", "2", "-o", "f")
    assert bench(EMPTY, *words).returncode == 0
    assert len(started(bench.rows("f.csv"))) == 20


@needs_root
def test_reservation_runs_its_jobs_and_is_refused_outside_the_kernels_bounds(bench: Bench) -> None:
    words = ("-p", "0.005", "-t", "20", "-P", "5000000", "-T", "1000000", "-l", "2", "-o", "f")
    done = bench(EMPTY, *words)
    assert (done.returncode, done.stderr) == (0, "")
    assert len(started(bench.rows("f.csv"))) == 20
    done = bench(EMPTY, "-p", "0.005", "-t", "20", "-P", "10000000000", "-T", "1000000")
    assert done.returncode == 3
    assert "period 10000000000 ns is above sched_deadline_period_max_us" in done.stderr


@needs_root
def test_fifo_without_permission_is_refused_with_what_to_do(bench: Bench) -> None:
    nobody = ("setpriv", "--reuid=65534", "--regid=65534", "--clear-groups")
    words = ("-p", "0.005", "-t", "2", "-f", "50")
    done = bench(EMPTY, *words, prefix=(*nobody, "prlimit", "--rtprio=0"))
    if "Permission denied" in done.stderr:
        pytest.skip("needs a checkout that other users may read")
    assert (done.returncode, done.stdout) == (3, "")
    assert "cannot use fifo priority 50" in done.stderr
    assert done.stderr.endswith(", or leave -f out\n")
