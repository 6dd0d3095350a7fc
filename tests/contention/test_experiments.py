# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""Simulations that are kept."""

from pathlib import Path

import numpy as np
import pytest

from laxity.contention import experiments
from laxity.contention.experiments import Program, keeping, progress
from laxity.contention.table import Load
from laxity.errors import ConfigError
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


def test_files_of_others_are_not_removed(tmp_path: Path):
    kept = tmp_path / "t.json.parts"
    with keeping(kept):
        for name in ("0" * 64, ".unfinished-1", "notes"):
            (kept / name).mkdir()
    assert list(kept.iterdir()) == [kept / "notes"]
    (kept / "notes").rmdir()
    with keeping(kept):
        pass
    assert not kept.exists()


def test_simulations_are_kept_where_a_command_fails(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
):
    kept = tmp_path / "t.json.parts"

    def fail(*names: str) -> None:
        with keeping(kept):
            for name in names:
                (kept / name).mkdir()
            raise ConfigError

    with pytest.raises(ConfigError):
        fail(".unfinished-1")
    assert not kept.exists()
    with pytest.raises(ConfigError):
        fail("0" * 64)
    assert f"1 simulations are kept in {kept}; start the same" in capsys.readouterr().err
    assert list(kept.iterdir()) == [kept / ("0" * 64)]


def test_folder_that_cannot_be_created_is_refused(tmp_path: Path):
    kept = tmp_path / "t.json.parts"
    kept.write_text("a file")
    reason = r"t.json.parts: cannot be created .*; name another"
    with pytest.raises(ConfigError, match=reason), keeping(kept):
        pytest.fail("it was created")


def test_what_a_killed_command_has_left_unfinished_is_not_read(tmp_path: Path):
    progress(program(tmp_path), LOAD)
    (kept,) = tmp_path.iterdir()
    # Copied under another name: the kill came before the last file.
    unfinished = kept.rename(tmp_path / ".unfinished")
    (unfinished / "jobs.npy").unlink()
    progress(program(tmp_path), LOAD)
    assert (kept / "jobs.npy").is_file()
