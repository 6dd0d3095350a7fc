# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""Simulations that are kept."""

from pathlib import Path

import numpy as np
import pytest

from laxity.contention import experiments
from laxity.contention.experiments import Program, progress
from laxity.contention.table import Load
from laxity.platform.platform_file import read_platform

LOAD = Load(reads=0, delay=0, cpus=[1])


def program(kept: Path | None) -> Program:
    model = read_platform("sabrelite-partitioned")
    return Program(model, "sim:sabrelite-partitioned", "corners", ("sim",), 0, kept)


def test_kept_simulation_is_read_in_place_of_a_second_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    first_ns, first = progress(program(tmp_path), LOAD)
    assert len(list(tmp_path.iterdir())) == 1
    monkeypatch.setattr(experiments, "program_folder", _never)
    again_ns, again = progress(program(tmp_path), LOAD)
    assert again_ns == first_ns
    assert np.array_equal(again.traffic_bytes, first.traffic_bytes)
    assert np.array_equal(again.marks_ns, first.marks_ns)


def _never() -> None:
    pytest.fail("simulated again")


def test_simulation_with_another_load_is_none_that_is_kept(tmp_path: Path):
    alone_ns, _ = progress(program(tmp_path), None)
    loaded_ns, _ = progress(program(tmp_path), LOAD)
    assert loaded_ns > alone_ns
    assert len(list(tmp_path.iterdir())) == 2


def test_what_a_killed_command_has_left_unfinished_is_not_read(tmp_path: Path):
    progress(program(tmp_path), LOAD)
    (kept,) = tmp_path.iterdir()
    # Copied under another name: the kill came before the last file.
    unfinished = kept.rename(tmp_path / ".unfinished")
    (unfinished / "jobs.npy").unlink()
    progress(program(tmp_path), LOAD)
    assert (kept / "jobs.npy").is_file()
