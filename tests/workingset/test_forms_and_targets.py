# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""The proof holds in all forms of the code, and where pointers have 32 bits."""

from pathlib import Path

import pytest
from tests.workingset.oracle_programs import PROGRAMS
from tests.workingset.oracle_runs import ARM, Subject, make_subject
from tests.workingset.random_programs import random_program


def check(subject: Subject) -> None:
    """Coverage, and the same output with garbage in dead bytes and values."""
    plain = subject.run_plain()
    traced = subject.trace()
    assert (traced.returncode, traced.stdout) == (plain.returncode, plain.stdout)
    assert subject.judge()["status"] == "covered"
    # Optimised code may leave nothing that dies.
    for done, _ in (subject.run_poisoned(), subject.run_with_poisoned_values()):
        assert (done.returncode, done.stdout) == (plain.returncode, plain.stdout)


@pytest.mark.parametrize("form", ["o0", "inline", "o2"])
@pytest.mark.parametrize(
    "name",
    [
        "a struct by value",
        "a struct by value in a function that only reads",
        "recursion that needs its frames afterwards",
        "elements that qsort() compares",
        "text that the C library reads and writes",
    ],
)
def test_other_forms_are_covered(name: str, form: str, tmp_path: Path) -> None:
    check(make_subject(PROGRAMS[name], tmp_path, form=form))


@pytest.mark.parametrize("form", ["o0", "inline", "o2"])
@pytest.mark.parametrize("language", ["c", "cpp"])
def test_random_programs_in_other_forms_are_covered(
    language: str, form: str, tmp_path: Path
) -> None:
    check(make_subject(random_program(1, language), tmp_path, language, form))


@pytest.mark.parametrize(
    "name",
    [
        "a struct by value",
        "blocks of the heap",
        "elements that qsort() compares",
        "variables of the C library",
    ],
)
def test_programs_of_32_bits_are_covered(name: str, tmp_path: Path) -> None:
    check(make_subject(PROGRAMS[name], tmp_path, target=ARM))


def test_jumps_of_32_bits_are_covered(tmp_path: Path) -> None:
    check(make_subject(random_program(2), tmp_path, target=ARM))


@pytest.mark.slow
@pytest.mark.parametrize("form", ["o0", "inline", "o2"])
@pytest.mark.parametrize("seed", range(2, 32))
def test_many_random_programs_in_other_forms_are_covered(
    seed: int, form: str, tmp_path: Path
) -> None:
    language = "cpp" if seed % 2 else "c"
    check(make_subject(random_program(seed, language), tmp_path, language, form))


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(3, 33))
def test_many_random_programs_of_32_bits_are_covered(seed: int, tmp_path: Path) -> None:
    check(make_subject(random_program(seed), tmp_path, target=ARM))
