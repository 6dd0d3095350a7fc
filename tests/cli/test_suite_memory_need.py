# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""`laxity profile memory-need --suite DIR`: what programs need, not what isolates their jobs."""

import json
import re
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest
from tests.cli.laxity_command import Laxity, of_simulator, take_vetted, vet_programs

from laxity.jobs.rows import finished
from laxity.store.run_directory import open_run

PAGE = 4096
# It goes on adding where the job before has ended, so that it is right in mode restore alone. The
# job asks for 1 MiB and touches it, 64 pages of static data and 32 of its stack.
KNOWN = """#include <stdio.h>
#include <stdlib.h>

static unsigned total;
static unsigned char table[64 * 4096];

static void fill(volatile unsigned char *bytes, unsigned n)
{
    for (unsigned i = 0; i < n; i++) {
        bytes[i] = 1;
    }
}

int main(void)
{
    unsigned char frame[32 * 4096];
    unsigned char *heap = malloc(1 << 20);
    total++;
    fill(frame, sizeof frame);
    fill(heap, 1 << 20);
    fill(table, sizeof table);
    printf("%u\\n", total);
    free(heap);
    return 0;
}
"""
# Its init asks for 1000 bytes.
KEEPS = """#include <stdlib.h>

static volatile char *kept;

void keeps_init(void) { kept = malloc(1000); }
void keeps_main(void) { kept[0] = 1; }
int keeps_return(void) { return kept[0] != 1; }
int main(void) { keeps_init(); keeps_main(); return keeps_return(); }
"""
LEFT_OUT = "mode fork: each job is a process, and memory need is that of a task's own"


@pytest.fixture(scope="module")
def once(tmp_path_factory: pytest.TempPathFactory) -> Laxity:
    """Vet some programs for this machine, once for all tests."""
    directory = tmp_path_factory.mktemp("vetted")
    for name, source in (("known", KNOWN), ("keeps", KEEPS)):
        (directory / "suite" / name).mkdir(parents=True)
        (directory / "suite" / name / f"{name}.c").write_text(source)
    return vet_programs(directory, ("clean_sum", "appends_file", "libc_state"), 0)


@pytest.fixture
def vetted(once: Laxity, laxity: Laxity) -> Laxity:
    """A directory with the checkout `suite` and its vetting.toml."""
    return take_vetted(once, laxity)


def need(laxity: Laxity, *words: str) -> "subprocess.CompletedProcess[str]":
    common = ("--suite", "suite", "--quiet", "--run-dir", "P")
    return laxity("profile", "memory-need", *common, *words)


def document(laxity: Laxity) -> dict[str, Any]:
    found: dict[str, Any] = json.loads((laxity.directory / "P" / "profile.json").read_text())
    return found


def set_mode(laxity: Laxity, program: str, mode: str) -> None:
    """Let vetting.toml say that a program is right in another mode."""
    path = laxity.directory / "vetting.toml"
    before, is_there, after = path.read_text().partition(f'name = "{program}"')
    assert is_there
    path.write_text(
        before + is_there + re.sub('mode = "[a-z]*"', f'mode = "{mode}"', after, count=1)
    )


def test_need_of_a_program_is_known_by_construction_and_holds_nothing_of_its_isolation(
    vetted: Laxity,
):
    done = need(vetted, "known", "clean_sum", "--processes", "1")
    assert done.returncode == 0, done.stderr
    told = document(vetted)
    named = [(one["workload"], one["isolation"]) for one in told["targets"]]
    assert named == [("clean_sum", "none"), ("known", "restore")]
    nothing, known = told["needs"]
    # Mode restore keeps a copy of the 64 pages, tables of blocks, and clears 64 KiB of stack.
    assert (known["requested"]["peak_bytes"], known["requested"]["total_bytes"]) == (
        1 << 20,
        1 << 20,
    )
    assert known["is_confirmed"] is True
    assert (nothing["requested"]["total_bytes"], nothing["mapped"]["total_bytes"]) == (0, 0)
    if known["method"] != "PAGEMAP_SCAN":
        pytest.skip("needs PAGEMAP_SCAN (Linux 6.7)")
    # 64 pages, and up to one more for the rest of its static data.
    assert known["static_bytes"] in {64 * PAGE, 65 * PAGE}
    # A mapping of 257 pages for the block (16 bytes of the allocator's before it), and its stack:
    # up to 3 pages for where its frames begin and for printf's.
    assert 257 + 32 <= known["mapped"]["peak_bytes"] / PAGE <= 257 + 32 + 3
    # These and the table, which begins within a page, and up to 2 of the C library's own data.
    for quantity in ("touched", "written"):
        pages = known[quantity]["peak_bytes"] / PAGE
        assert 257 + 32 + 64 <= pages <= 257 + 32 + 64 + 3 + 1 + 2
    # Of a program that adds 64 numbers in static data of a page only that one may be seen.
    assert nothing["touched"]["peak_bytes"] <= PAGE


def test_jobs_of_a_process_are_as_many_as_its_mode_bears(vetted: Laxity):
    done = need(vetted, "known", "keeps", "clean_sum", "-t", "3", "--processes", "1")
    assert done.returncode == 0, done.stderr
    started = {}
    for child in open_run(vetted.directory / "P").children:
        (task,) = child.manifest.tasks
        right = finished(child.stream("jobs"))["right"].tolist()
        assert right == [1] * task.started
        started[child.path.name] = task.started
    assert started == {
        "harness": 3,
        "00-clean_sum-00": 3,
        "01-keeps-00": 3,
        "01-keeps-kept": 3,
        "01-keeps-crossed": 3,
        "02-known-00": 1,
        "02-known-kept": 1,
        "02-known-crossed": 1,
    }
    (kept,) = (one for one in document(vetted)["needs"] if one["target"] == 1)
    # Mode none: init once.
    assert kept["requested"]["total_bytes"] == 1000
    page = (vetted.directory / "P" / "report.html").read_text()
    for text in (done.stdout, page):
        assert "known ran one job a process" in text
        assert "clean_sum ran one job" not in text


def test_init_before_each_job_is_in_the_need_of_mode_reinit(vetted: Laxity):
    set_mode(vetted, "keeps", "reinit")
    done = need(vetted, "keeps", "-t", "3", "--processes", "1")
    assert done.returncode == 0, done.stderr
    (kept,) = document(vetted)["needs"]
    # Before each of 3 jobs, and behind the last one for the next.
    assert kept["requested"]["total_bytes"] in {3 * 1000, 4 * 1000}


def test_programs_whose_jobs_are_processes_are_left_out_and_named(vetted: Laxity):
    done = need(vetted, "--processes", "1", "-t", "2")
    assert done.returncode == 4, done.stderr
    assert "complete: 1 of 5 programs were left out" in done.stdout
    told = [one["workload"] for one in document(vetted)["targets"]]
    assert told == ["appends_file", "clean_sum", "keeps", "known"]
    assert f"libc_state  {LEFT_OUT}" in done.stdout
    page = (vetted.directory / "P" / "report.html").read_text()
    assert "mode fork: each job is a process" in page


def test_nothing_is_stored_where_no_program_has_a_process_for_its_jobs(vetted: Laxity):
    set_mode(vetted, "known", "exec")
    done = need(vetted, "known", "libc_state")
    assert done.returncode == 4
    assert f"libc_state: {LEFT_OUT}" in done.stderr
    assert "known: mode exec: each job is a process" in done.stderr
    assert not (vetted.directory / "P").exists()


def test_need_of_programs_goes_on_and_builds_elsewhere(vetted: Laxity):
    words = ("known", "clean_sum", "--processes", "2", "--no-report")
    assert need(vetted, *words).returncode == 0
    path = vetted.directory / "P"
    figures = document(vetted)["needs"]
    # As if it had been killed in its last process.
    shutil.rmtree(path / "runs" / "01-known-crossed")
    path.rename(vetted.directory / "P.tmp")
    left = inodes(vetted.directory / "P.tmp" / "runs")
    done = need(vetted, *words)
    assert done.returncode == 0, done.stderr
    assert left.items() <= inodes(path / "runs").items()
    assert document(vetted)["needs"] == figures
    other = need(vetted, "known", "--no-report")
    assert other.returncode == 2
    assert "holds another profile (workload: clean_sum, known, and not known)" in other.stderr


def inodes(runs: Path) -> dict[str, int]:
    return {one.name: one.stat().st_ino for one in runs.iterdir()}


def test_job_that_is_not_like_a_fresh_process_is_a_failure(vetted: Laxity):
    set_mode(vetted, "known", "none")
    done = need(vetted, "known", "-t", "2", "--processes", "1")
    assert done.returncode == 1, done.stderr
    # The second of 2 jobs, in three processes.
    assert "3 jobs were not like a fresh process: known" in done.stdout


def test_program_that_writes_files_leaves_no_directory_behind(vetted: Laxity):
    places = vetted.directory / "places"
    places.mkdir()
    common = ("profile", "memory-need", "--suite", "suite", "--quiet", "--run-dir", "P")
    done = vetted(*common, "appends_file", environment={"TMPDIR": str(places)})
    assert done.returncode == 0, done.stderr
    assert list(places.iterdir()) == []


def test_second_job_of_mode_restore_is_refused_where_need_is_measured(vetted: Laxity):
    words = ("--only", "known", "-p", "5ms", "--policy", "other", "--memory-need", "-t", "2")
    done = vetted("suite", "run", "suite", *words, "--run-dir", "R")
    assert done.returncode == 2
    assert "in isolation restore what a job leaves is not taken back" in done.stderr


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--suite", "suite", "clean_sun"), 'NAME: no program "clean_sun"; did you mean'),
        (("--suite", "suite", "-b", "1"), "-b: programs of a suite have those of their"),
        (("mem", "--vetting", "vetting.toml"), "--vetting: is of a suite; add --suite DIR"),
        ((), "nothing to profile; name a workload"),
    ],
)
def test_what_cannot_be_meant_is_refused(vetted: Laxity, words: tuple[str, ...], said: str):
    done = vetted("profile", "memory-need", *words, "--run-dir", "P")
    assert (done.returncode, said in done.stderr) == (2, True), done.stderr
    assert not (vetted.directory / "P").exists()


def test_lines_of_programs_are_counted_on_a_simulated_platform(vetted: Laxity):
    if not of_simulator("armhf-run-linked.o").exists():
        pytest.skip("no compiler for armhf, or simulated platforms are not built")
    words = ("known", "clean_sum", "appends_file", "-t", "2", "--platform", "sim:sabrelite")
    done = need(vetted, *words)
    assert done.returncode == 4, done.stderr
    assert "it writes files, which are not simulated" in done.stdout
    assert "known touches " in done.stdout
    assert "Among them is the call that catches how the job" in done.stdout
    told = document(vetted)
    assert told["kind"] == "simulated"
    assert [one["workload"] for one in told["targets"]] == ["clean_sum", "known"]
    small, known = (
        {one["storage"]: one["largest"]["written_lines"] for one in record["storage"]}
        for record in told["lines"]
    )
    assert {one["jobs"] for one in told["lines"]} == {2}
    # In lines of 32 B: 64 pages, 1 MiB and 32 pages, and of each some that are not the program's
    # alone: of the call that catches its end, printf and the allocator.
    for kind, n_bytes in (("bss", 64 * PAGE), ("heap", 1 << 20), ("stack", 32 * PAGE)):
        assert n_bytes // 32 <= known[kind] <= n_bytes // 32 + 40
        assert small[kind] < 40
