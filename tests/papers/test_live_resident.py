# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""Static live sets, what runs show to be live, and lines that jobs touch, of one build.

What is live and what is touched are both parts of what is resident, and neither of the other.
"""

from pathlib import Path

import numpy as np
import pytest
from tests.cli.test_workingset_command import needs_llvm
from tests.workingset.oracle_runs import make_subject

from laxity.core.signals import forwarded_signals
from laxity.papers import live_programs
from laxity.papers.live import lines_spanned, live_lines
from laxity.papers.live_programs import analyse_live, link_program
from laxity.papers.raffeck_live import PROGRAMS
from laxity.platform.platform_file import read_platform
from laxity.platform.simulated import SimulatedPlatform
from laxity.profile.lines_count import count_lines
from laxity.store.run_directory import open_run
from laxity.workingset.data import read_working_set
from laxity.workingset.tables import INSTRUCTIONS, OBJECTS, read_program

LINE_BYTES = 64

# Bytes of all objects of a program, and lines of 64 bytes that its job touches of them (in them and
# in no others of the executable's data: the harness has none that it touches within a job).
RESIDENT = {
    # Arrays of 2048, 2048 and 512 words, 8 words of constants, 2 words: 128 + 128 + 32 + 1 + 1.
    "filter": (4 * (2048 + 2048 + 512 + 8 + 2), 128 + 128 + 32 + 1 + 1),
    # 64 * 64 bytes, 256 and 64 halves of a word, 128 words, a word: 64 + 8 + 2 + 8 + 1.
    "image": (4096 + 2 * (256 + 64) + 4 * 128 + 4, 64 + 8 + 2 + 8 + 1),
    # Three arrays of 24 * 24 words, and a word: 3 * 36 + 1.
    "matrix": (3 * 4 * 24 * 24 + 4, 3 * 36 + 1),
    # Two arrays of 1024 words, and two words in one line: 64 + 64 + 1.
    "merge": (2 * 4 * 1024 + 8, 64 + 64 + 1),
    # Two arrays of 1024 words, 1024 halves of which 7 lines are written, 64 bytes of constants that
    # begin within a line, two words in one line: 64 + 64 + 7 + 2 + 1.
    "waves": (2 * 4 * 1024 + 2 * 1024 + 64 + 8, 64 + 64 + 7 + 2 + 1),
}
MEMORY = ("stack", "global", "const", "heap", "volatile")
JOBS = """
int main(void)
{
    benchmark_init(0, 0);
    benchmark_execution(0, 0);
    benchmark_execution(0, 0);
    benchmark_teardown(0, 0);
    return 0;
}
"""


@needs_llvm
@pytest.mark.parametrize("program", PROGRAMS)
def test_what_is_live_and_what_a_job_touches_are_parts_of_what_is_resident(
    program: str, tmp_path: Path
):
    """The executable whose lines are counted is the code that was analysed."""
    resident_bytes, touched_lines = RESIDENT[program]
    assert analyse_live([program], tmp_path / "W", "W", ["laxity"]).path is not None
    (answer,) = read_working_set(open_run(tmp_path / "W")).answer.programs
    instructions = read_program(tmp_path / "W", INSTRUCTIONS, program)
    objects = read_program(tmp_path / "W", OBJECTS, program)
    sizes = objects.integers("size_bytes").tolist()
    assert (answer.resident_bits, sum(sizes)) == (8 * resident_bytes, resident_bytes)
    live_bits = np.sum([instructions.integers(f"live_{one}_bits") for one in MEMORY], axis=0)
    assert 0 < live_bits.max() <= answer.resident_bits
    resident_lines = sum(lines_spanned(one, LINE_BYTES) for one in sizes)
    sizes_bytes = dict(zip(objects.texts("name"), sizes, strict=True))
    live = [
        live_lines(named, int(bits), sizes_bytes, LINE_BYTES)
        for named, bits in zip(instructions.texts("objects"), live_bits, strict=True)
    ]
    assert 0 < max(live) <= resident_lines
    scratch = tmp_path / "linked"
    scratch.mkdir()
    linked = link_program(program, scratch)
    run = SimulatedPlatform(read_platform("opteron-6180")).program_of(str(linked.path), (), 3)
    with forwarded_signals() as signals:
        counted = count_lines(0, run, LINE_BYTES, signals)
    lines = {one.storage: one.largest.lines for one in counted.storage}
    touched = sum(lines[one] for one in ("constants", "data", "bss", "heap"))
    assert touched == touched_lines <= resident_lines


@needs_llvm
@pytest.mark.parametrize("program", PROGRAMS)
def test_bytes_that_a_run_of_jobs_shows_to_be_live_are_in_the_static_sets(
    program: str, tmp_path: Path
):
    source = Path(live_programs.__file__).parent / "live" / f"{program}.c"
    subject = make_subject(source.read_text(encoding="utf-8") + JOBS, tmp_path)
    assert subject.trace().returncode == 0
    verdict = subject.judge("--job", "benchmark_execution")
    assert (verdict["status"], verdict["violations"]) == ("covered", [])
    assert verdict["points"] > 0
    # The static sets say something: not all that lies there is called live, and something is.
    assert 0 < verdict["precision_ratio"] <= 1
