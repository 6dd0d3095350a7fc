# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""Folders in the shape of RT-Bench's suites, built unchanged with our headers and make file."""

import csv
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from tests.cli.commands import BUILT
from tests.cli.laxity_command import PATIENCE_S, ROOT
from tests.cli.test_rtbench import COLUMNS, COUNTS, COUNTS_HERE, started

PORTS = ROOT / "tests" / "rtbench_port"
MESON = Path(sys.executable).with_name("meson")
# A run that stood still on a busy machine has no verdict (exit code 4), and says to run it again.
MOST_RUNS = 3
THREE_JOBS = ("-p", "0.01", "-t", "3")


class Tree:
    """A tree of suites whose `generator` leads to ours; words for make are given one by one."""

    def __init__(self, directory: Path, generator: Path, *make_words: str) -> None:
        self.directory = directory
        self.make_words = make_words
        shutil.copytree(PORTS, directory, dirs_exist_ok=True)
        (directory / "generator").symlink_to(generator)

    def run(self, folder: str, *command: str) -> "subprocess.CompletedProcess[str]":
        # What a make around these tests would hand down is no business of theirs.
        passed = {key: value for key, value in os.environ.items() if not key.startswith("MAKE")}
        for _ in range(MOST_RUNS):
            done = subprocess.run(
                command,
                cwd=self.directory / folder,
                env={**passed, "LC_ALL": "C"},
                capture_output=True,
                text=True,
                timeout=PATIENCE_S,
                check=False,
            )
            if (done.returncode, "the run stood still" in done.stderr) != (4, True):
                break
        return done

    def make(self, folder: str, *words: str) -> "subprocess.CompletedProcess[str]":
        return self.run(folder, "make", *self.make_words, *words)

    def build(self, folder: str, *words: str) -> None:
        done = self.make(folder, *words)
        assert (done.returncode, done.stderr) == (0, ""), done.stdout

    def rows(self, folder: str) -> list[dict[str, str]]:
        with (self.directory / folder / "timing.csv").open(newline="") as file:
            return list(csv.DictReader(file))


@pytest.fixture
def tree(tmp_path: Path) -> Tree:
    build = f"LAXITY_BUILD={BUILT.tools.resolve()}"
    return Tree(tmp_path, ROOT / "rtbench" / "generator", build)


def test_ported_folder_builds_by_plain_make_and_runs_three_jobs(tree: Tree) -> None:
    tree.build("c")
    done = tree.run("c", "./total", *THREE_JOBS, "-l", "2", "-b", "100")
    assert (done.returncode, done.stdout) == (0, "")
    rows = tree.rows("c")
    assert list(rows[0]) == COLUMNS
    assert len(started(rows)) == 3


def test_installed_make_file_builds_the_same_wherever_it_was_installed(tmp_path: Path) -> None:
    elsewhere = tmp_path / "elsewhere"
    meson = subprocess.run(
        [MESON, "install", "-C", BUILT.tools, "--no-rebuild", "--destdir", elsewhere],
        capture_output=True,
        text=True,
        timeout=PATIENCE_S,
        check=False,
    )
    assert meson.returncode == 0, meson.stderr
    (generator,) = elsewhere.glob("**/lib/laxity/rtbench/generator")
    installed = Tree(tmp_path / "tree", generator)
    installed.build("c", "-j4")
    compiled = installed.make("c", "-n").stdout
    assert str(ROOT) not in compiled
    assert str(elsewhere) in compiled
    done = installed.run("c", "./total", *THREE_JOBS, "-l", "3", "-b", "100")
    assert done.returncode == 0
    # A job has a row of 13 values; a skipped deadline has one too.
    assert {line.count(",") for line in done.stdout.splitlines()} == {12}


def test_make_finds_the_generator_where_rtbench_path_says(tree: Tree) -> None:
    (tree.directory / "generator").unlink()
    tree.build("c", f"RTBENCH_PATH={ROOT / 'rtbench'}")


def documented_commands() -> list[str]:
    """The commands of the guide that put our generator in the place of a tree's own."""
    lines = (ROOT / "docs" / "rt-bench.md").read_text().splitlines()
    commands = [line[2:].partition("  #")[0] for line in lines if line.startswith("$ ")]
    return [
        one.replace("/path/to/laxity", str(ROOT))
        for one in commands
        if one.startswith(("mv generator", "ln "))
    ]


def test_documented_commands_replace_the_generator_that_a_tree_has(tree: Tree) -> None:
    generator = tree.directory / "generator"
    generator.unlink()
    generator.mkdir()
    (generator / "rtbench.mk").write_text("rtbench:\n\t@echo theirs\n")
    move, link = documented_commands()
    # Without the first one nothing is built silently with what is there.
    assert tree.run(".", "sh", "-c", link).returncode != 0
    for command in (move, link):
        assert tree.run(".", "sh", "-c", command).returncode == 0, command
    assert "links with laxity's harness" in tree.make("c", "rtbench").stdout


def test_port_of_newer_versions_compiles_and_what_it_logs_to_no_file_is_not_written(
    tree: Tree,
) -> None:
    tree.build("c", "newer")
    done = tree.run("c", "./newer", *THREE_JOBS, "-l", "4")
    assert done.returncode == 0, done.stderr
    assert "shown: 3" in done.stderr
    assert "hidden" not in done.stderr
    assert (tree.directory / "c" / "newer.log").read_text() == "kept\n"


def test_make_file_below_a_path_with_a_blank_says_that_make_cannot_name_it(tmp_path: Path) -> None:
    elsewhere = tmp_path / "with a blank"
    shutil.copytree(ROOT / "rtbench", elsewhere / "rtbench")
    done = Tree(tmp_path / "tree", elsewhere / "rtbench" / "generator").make("c")
    assert done.returncode == 2
    assert "make cannot name a path with a blank" in done.stderr


@pytest.mark.parametrize("level", [1, 2, 3, 4, 5])
def test_message_is_printed_up_to_the_level_that_the_user_asked_for(tree: Tree, level: int) -> None:
    tree.build("c", "levels")
    done = tree.run("c", "./levels", *THREE_JOBS, "-l", str(level))
    assert done.returncode == 0
    printed = [line for line in done.stderr.splitlines() if line.startswith("level ")]
    assert sorted(printed) == [f"level {number}" for number in range(1, level + 1)]
    own_log = (tree.directory / "c" / "levels.log").read_text()
    # Its line has level 2.
    assert own_log == (f"own log at {level}\n" if level >= 2 else "")


def test_value_of_a_port_whose_header_lacks_the_comma_has_a_column_of_its_own(tree: Tree) -> None:
    tree.build("c", "levels")
    tree.run("c", "./levels", *THREE_JOBS, "-l", "2")
    rows = started(tree.rows("c"))
    # The root of 6.25 is 2.5.
    assert [row["root(exp:2.5)"] for row in rows] == ["2.5"] * 3


def test_port_whose_init_fails_ends_with_its_own_message(tree: Tree) -> None:
    tree.build("c", "total")
    done = tree.run("c", "./total", *THREE_JOBS)
    assert (done.returncode, done.stdout) == (1, "")
    assert "wants one word, not 0" in done.stderr
    assert "benchmark_init returned -1" in done.stderr


def test_make_clean_removes_the_programs_and_nothing_of_laxity(tree: Tree) -> None:
    tree.build("c")
    assert tree.make("c", "clean").returncode == 0
    assert not (tree.directory / "c" / "total").exists()
    tree.build("c")


@pytest.mark.parametrize(
    ("asked", "columns"),
    [
        ((), COLUMNS),
        (("EXTENDED_REPORT=1",), [*COLUMNS, "first(exp:1)"]),
        (("FEAT_EXTENDED_REPORT=y",), [*COLUMNS, "first(exp:1)"]),
    ],
)
def test_port_in_cpp_has_its_column_where_the_extended_report_is_asked_for(
    tree: Tree, asked: tuple[str, ...], columns: list[str]
) -> None:
    tree.build("cxx", *asked)
    done = tree.run("cxx", "./sorted", *THREE_JOBS, "-l", "2")
    assert done.returncode == 0
    rows = tree.rows("cxx")
    assert list(rows[0]) == columns
    # The roots of 1 to 1000, in order: the first is 1, the last 31.6228.
    assert {row.get("first(exp:1)", "1") for row in started(rows)} == {"1"}


def test_message_goes_to_the_users_standard_error_from_cpp_too(tree: Tree) -> None:
    tree.build("cxx")
    done = tree.run("cxx", "./sorted", *THREE_JOBS, "-l", "3")
    assert "last root 31.623" in done.stderr


def test_feature_macros_reach_the_compiler(tree: Tree) -> None:
    words = tree.make("c", "-n", "CORE=CORE_I7", "JSON=1", "EXTENDED_REPORT=1").stdout.split()
    assert {"-DGCC", "-DX86_64", "-DCORE_I7", "-DJSON_SUPPORT", "-DEXTENDED_REPORT"} <= set(words)
    words = tree.make("c", "-n", "CORE=CORTEX_A53", "FEAT_JSON=y", "CFLAGS=-DMINE").stdout.split()
    assert {"-DAARCH64", "-DCORTEX_A53", "-DFEAT_JSON_SUPPORT=1", "-DMINE", "-O2"} <= set(words)
    assert "-DEXTENDED_REPORT" not in words


def test_switches_beside_the_generator_are_the_users_own(tree: Tree) -> None:
    (tree.directory / "options.mk").write_text("FEAT_JSON=n\nFEAT_EXTENDED_REPORT=y\n")
    words = tree.make("c", "-n").stdout.split()
    wanted = {"-DFEAT_JSON_SUPPORT=0", "-DFEAT_EXTENDED_REPORT_SUPPORT=1", "-DEXTENDED_REPORT"}
    assert wanted <= set(words)


def test_checkout_that_is_not_built_is_told_with_what_builds_it(tree: Tree, tmp_path: Path) -> None:
    done = tree.make("c", f"LAXITY_BUILD={tmp_path}/none")
    assert done.returncode == 2
    assert f"{tmp_path}/none/native/liblaxity-rtbench.a: there is no such file" in done.stderr
    assert f"build it: ninja -C {tmp_path}/none" in done.stderr
    assert tree.make("c", f"LAXITY_BUILD={tmp_path}/none", "clean").returncode == 0


def test_compiler_for_another_machine_is_told_before_anything_is_linked(
    tree: Tree, tmp_path: Path
) -> None:
    compiler = tmp_path / "foreign-gcc"
    compiler.write_text("#!/bin/sh\necho sparc64-linux-gnu\n")
    compiler.chmod(0o755)
    done = tree.make("c", f"CC={compiler}")
    assert done.returncode == 2
    assert "it is for sparc64, and" in done.stderr
    assert "LAXITY_BUILD" in done.stderr


def test_default_build_that_is_missing_is_told_with_the_command_that_sets_it_up(
    tmp_path: Path,
) -> None:
    checkout = tmp_path / "checkout"
    shutil.copytree(ROOT / "rtbench", checkout / "rtbench")
    (checkout / "meson.build").touch()
    done = Tree(tmp_path / "tree", checkout / "rtbench" / "generator").make("c")
    assert done.returncode == 2
    assert f"build it: {checkout}/laxity --version" in done.stderr


def test_installed_library_that_is_missing_is_told_with_the_command_that_installs_it(
    tmp_path: Path,
) -> None:
    prefix = tmp_path / "prefix"
    shutil.copytree(ROOT / "rtbench", prefix / "lib" / "laxity" / "rtbench")
    generator = prefix / "lib" / "laxity" / "rtbench" / "generator"
    done = Tree(tmp_path / "tree", generator).make("c")
    assert done.returncode == 2
    assert "meson install" in done.stderr


def test_skipped_deadlines_have_no_rows_where_the_port_wants_none(tree: Tree) -> None:
    # 48 MB are written in each job, which takes longer than a period on any machine.
    words = ("./total", "-p", "0.0005", "-t", "3", "-l", "2", "-b", "6000000")
    tree.build("c", "total")
    assert tree.run("c", *words).returncode == 0
    rows = tree.rows("c")
    assert len(rows) > len(started(rows)) == 3
    assert tree.make("c", "clean").returncode == 0
    tree.build("c", "total", "FEAT_PRINT_SKIPPED_DEADLINE=n")
    assert tree.run("c", *words).returncode == 0
    assert len(tree.rows("c")) == 3


@pytest.mark.parametrize("n_threads", [1, 3])
def test_every_thread_runs_once_in_each_job_and_returns_before_its_end(
    tree: Tree, n_threads: int
) -> None:
    tree.build("c", "threads")
    done = tree.run("c", "./threads", *THREE_JOBS, "-l", "2", "-b", str(n_threads))
    assert done.returncode == 0, done.stderr
    # Threads and benchmark_execution add one each: (N + 1) more in each job.
    sums = [float(row["sum"]) for row in started(tree.rows("c"))]
    assert sums == [(n_threads + 1) * job for job in (1, 2, 3)]
    assert done.stderr == "status 0\n"  # MULTITHREAD_DISABLED, after destroy_bench_threads


def test_job_whose_thread_says_that_it_failed_fails_the_run(tree: Tree) -> None:
    tree.build("c", "threads")
    done = tree.run("c", "./threads", "-p", "0.01", "-t", "9", "-l", "2", "-b", "2 fail")
    assert done.returncode == 1
    assert "one of the workload's threads said MULTITHREAD_ERR" in done.stderr
    ended = [row for row in tree.rows("c") if float(row["job_end(seconds)"]) > 0]
    assert [float(row["sum"]) for row in ended] == [3, 6]


def test_log_file_of_the_harness_goes_on_with_each_run(tree: Tree) -> None:
    tree.build("c", "newer", "FEAT_BMARK_LOG_FILE=y")
    for _ in range(2):
        done = tree.run("c", "./newer", *THREE_JOBS, "-b", "a b")
        assert done.returncode == 0, done.stderr
    assert "shown: 3" in done.stderr
    log = (tree.directory / "c" / "benchmark.log").read_text()
    assert log.count("\tNEW RUN AT: ") == 2
    assert log.count("hidden: 2\n") == 2
    assert tree.run("c", "./newer", *THREE_JOBS, "-l", "1", "-o", "own.csv").returncode == 0
    # At level 1 nothing of level 2 is logged.
    assert "hidden" not in (tree.directory / "c" / "own.log").read_text()


def test_debug_file_takes_all_that_a_port_logs(tree: Tree) -> None:
    tree.build("c", "newer", "FEAT_DEBUG_FILE=y")
    done = tree.run("c", "./newer", *THREE_JOBS, "-l", "5", "-o", "own")
    assert (done.returncode, done.stderr) == (0, "")
    log = (tree.directory / "c" / "own.log").read_text()
    assert log.endswith("hidden: 0\nshown: 3\n")


def test_log_file_that_cannot_be_written_is_refused_before_any_job(tree: Tree) -> None:
    tree.build("c", "newer", "FEAT_BMARK_LOG_FILE=y")
    done = tree.run("c", "./newer", *THREE_JOBS, "-o", "nowhere/own")
    assert (done.returncode, done.stdout) == (2, "")
    assert "cannot write nowhere/own.log: No such file or directory" in done.stderr


@pytest.mark.parametrize("asked", [(), ("EXTENDED_REPORT=1",)])
@pytest.mark.parametrize("header", ["first,second", ",first,second"])
def test_several_values_of_a_job_have_a_column_each(
    tree: Tree, asked: tuple[str, ...], header: str
) -> None:
    tree.build("c", "values", *asked)
    done = tree.run("c", "./values", *THREE_JOBS, "-l", "2", "-b", f"{header} 2")
    assert (done.returncode, done.stderr) == (0, "")
    rows = tree.rows("c")
    assert list(rows[0]) == [*COLUMNS, "first", "second"]
    # Job j has j + 0.5 and twice that; the third one says that it has none.
    values = [(row["first"], row["second"]) for row in started(rows)]
    assert values == [("1.5", "3"), ("2.5", "5"), ("nan", "nan")]


@pytest.mark.parametrize(
    ("header", "number", "columns", "reason"),
    [
        ("a,b,c", 2, ["a", "b"], "there are 2 values a job, and room for 16"),
        ("a", 2, ["a"], "there are 2 values a job, and room for 16"),
        (",".join("abcdefghijklmnopq"), 17, list("abcdefghijklmnop"), "there are 17 values a job"),
        ("a,a", 2, ["a", "a 2"], ""),
    ],
)
def test_header_that_names_another_number_of_values_is_told(
    tree: Tree, header: str, number: int, columns: list[str], reason: str
) -> None:
    tree.build("c", "values")
    done = tree.run("c", "./values", *THREE_JOBS, "-l", "2", "-b", f"{header} {number}")
    assert done.returncode == 0
    assert list(tree.rows("c")[0]) == [*COLUMNS, *columns]
    assert reason in done.stderr
    assert bool(reason) == bool(done.stderr)


def test_people_read_several_values_behind_their_names(tree: Tree) -> None:
    tree.build("c", "values")
    done = tree.run("c", "./values", *THREE_JOBS, "-l", "4", "-b", "first,second 2")
    assert ", first 1.5, second 3\n" in done.stdout


@pytest.mark.parametrize("asked", ["CORE=CORTEX_A53", "FEAT_PERF=y"])
def test_port_that_is_built_to_count_does_or_says_why_not(tree: Tree, asked: str) -> None:
    tree.build("c", "total", asked)
    done = tree.run("c", "./total", *THREE_JOBS, "-l", "2", "-b", "100")
    if COUNTS_HERE:
        assert done.returncode == 0, done.stderr
        assert list(tree.rows("c")[0]) == [*COLUMNS, *COUNTS]
    else:
        assert done.returncode == 3
        assert "build the port without CORE and FEAT_PERF" in done.stderr


def test_what_a_port_asks_of_the_build_in_vain_is_told(tree: Tree) -> None:
    done = tree.make("c", "FEAT_GCC_STATIC=y")
    assert done.returncode == 2
    assert "it is for dynamic links" in done.stderr
