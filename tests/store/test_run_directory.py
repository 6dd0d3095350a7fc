# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""Run directories: made, found taken, hashed, opened."""

import os
import re
import resource
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path

import msgspec
import pytest

from laxity.errors import ConfigError, PlatformError, RecordError
from laxity.store import run_directory
from laxity.store.manifest import Manifest, Tool
from laxity.store.run_directory import (
    MANIFEST,
    create_run,
    open_run,
    run_name,
    write_file,
    write_output,
)


def manifest(**fields: object):
    values: dict[str, object] = {
        "tool": Tool(name="laxity", version="0.1.0"),
        "kind": "run",
        "name": "mem",
        "command_line": ["laxity", "run", "mem"],
        "status": "complete",
        "started_at": "2026-11-21T00:31:07.000Z",
    }
    return msgspec.convert(values | fields, Manifest)


def stored_run(path: Path, **fields: object):
    path.mkdir(parents=True)
    (path / "spec.toml").write_text("schema = 1\n")
    (path / "machine.json").write_text('{"hash": "x"}')
    files = run_directory.hash_files(path)
    run_directory.write_document(path / MANIFEST, manifest(files=files, **fields))
    return path


def test_run_is_named_after_start_experiment_and_host():
    when = datetime(2026, 11, 21, 0, 31, 7, tzinfo=UTC)
    host = re.escape(run_directory.path_part(os.uname().nodename))
    assert re.fullmatch(rf"2026-11-21T00-31-07Z_crpd_{host}_[0-9a-f]{{4}}", run_name("crpd", when))


def test_awkward_name_cannot_lead_out_of_the_root():
    when = datetime(2026, 11, 21, tzinfo=UTC)
    assert "_etc-passwd_" in run_name("../../etc/passwd", when)
    assert "_run_" in run_name("..", when)


def test_root_is_laxity_runs_else_runs(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("LAXITY_RUNS", "/elsewhere")
    assert str(run_directory.default_root()) == "/elsewhere"
    monkeypatch.delenv("LAXITY_RUNS")
    assert str(run_directory.default_root()) == "runs"


def test_new_run_is_written_beside_its_name_and_locked(tmp_path: Path):
    run = create_run(tmp_path / "deep" / "D")
    assert run.tmp == tmp_path / "deep" / "D.tmp"
    assert run.tmp.is_dir()
    assert run_directory.lock_directory(run.tmp) is None
    run.release()
    again = run_directory.lock_directory(run.tmp)
    assert again is not None
    os.close(again)


@pytest.mark.parametrize("make", [lambda path: path.mkdir(), lambda path: path.write_text("")])
def test_run_directory_that_exists_is_refused(tmp_path: Path, make: Callable[[Path], object]):
    make(tmp_path / "D")
    with pytest.raises(ConfigError, match=r"run directory .*/D: exists; name another one"):
        create_run(tmp_path / "D")
    assert not (tmp_path / "D.tmp").exists()


def test_left_over_of_an_earlier_run_is_never_overwritten(tmp_path: Path):
    (tmp_path / "D.tmp").mkdir()
    with pytest.raises(
        ConfigError, match=r"left from an earlier run; laxity show .*/D recovers it"
    ):
        create_run(tmp_path / "D")


def test_path_that_cannot_be_created_is_refused(tmp_path: Path):
    (tmp_path / "file").write_text("")
    with pytest.raises(ConfigError, match=r"cannot be created .*; name another place") as caught:
        create_run(tmp_path / "file" / "D")
    assert caught.value.exit_code == 2


def test_output_that_cannot_be_written_is_told_with_its_exit_code():
    with pytest.raises(PlatformError, match=r"cannot be written") as caught:
        write_file(Path("/proc/self/x.json"), b"x")
    assert caught.value.exit_code == 3


def test_file_is_replaced_whole_and_leaves_no_trace(tmp_path: Path):
    write_file(tmp_path / "a", b"old")
    write_file(tmp_path / "a", b"new")
    assert (tmp_path / "a").read_bytes() == b"new"
    assert [path.name for path in tmp_path.iterdir()] == ["a"]


def test_device_that_is_named_as_output_stays_a_device(tmp_path: Path):
    # A file in its place would take the device from every program on the machine. The link stands
    # for it: what is not written through is renamed onto the link, and harms nobody.
    before = Path("/dev/null").stat()
    link = tmp_path / "null"
    link.symlink_to("/dev/null")
    write_output(link, b"lost")
    assert link.is_symlink()
    assert Path("/dev/null").stat().st_rdev == before.st_rdev


def test_full_device_that_is_named_as_output_is_told(tmp_path: Path):
    link = tmp_path / "full"
    link.symlink_to("/dev/full")
    with pytest.raises(PlatformError, match=r"cannot be written \(No space left on device\)"):
        write_output(link, b"lost")
    assert link.is_symlink()


def test_a_full_disk_leaves_no_part_of_a_file_behind(tmp_path: Path):
    # Beyond the limit a write fails (EFBIG), as it does on a full disk.
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (4096, hard))
    try:
        with pytest.raises(PlatformError, match="cannot be written"):
            write_output(tmp_path / "a.sarif", b"x" * 8192, "--sarif")
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
    assert list(tmp_path.iterdir()) == []


def test_link_that_is_named_as_output_stays_a_link(tmp_path: Path):
    (tmp_path / "link").symlink_to(tmp_path / "file")
    write_output(tmp_path / "link", b"first")
    assert (tmp_path / "file").read_bytes() == b"first"
    assert (tmp_path / "link").is_symlink()


@pytest.mark.parametrize("name", ["file", "link", "directory"])
def test_output_never_replaces_what_exists(tmp_path: Path, name: str):
    (tmp_path / "file").write_bytes(b"old")
    (tmp_path / "link").symlink_to(tmp_path / "file")
    (tmp_path / "directory").mkdir()
    with pytest.raises(ConfigError, match=f"-o .*{name}: exists; remove it or name another file"):
        write_output(tmp_path / name, b"new")
    assert (tmp_path / "file").read_bytes() == b"old"


def test_output_into_a_directory_that_is_not_there_is_refused(tmp_path: Path):
    with pytest.raises(ConfigError, match="no directory; make it"):
        write_output(tmp_path / "missing" / "file", b"new")


def test_hashes_leave_out_what_is_rebuilt_and_what_holds_them(tmp_path: Path):
    for name in ("jobs.npy", "manifest.json", "report.html", "derived.json", "native.json"):
        (tmp_path / name).write_bytes(b"")
    (tmp_path / "segment").symlink_to("/nowhere/x")
    # SHA-256 of nothing.
    empty = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"
    assert run_directory.hash_files(tmp_path) == {"jobs.npy": empty}


def test_run_is_opened_with_its_documents(tmp_path: Path):
    run = open_run(stored_run(tmp_path / "D"))
    assert run.manifest.name == "mem"
    assert run.machine == {"hash": "x"}
    assert run.verify() == []


def test_changed_missing_and_added_files_are_found(tmp_path: Path):
    path = stored_run(tmp_path / "D")
    (path / "spec.toml").write_text("schema = 2\n")
    (path / "machine.json").unlink()
    (path / "extra.npy").write_bytes(b"")
    (path / "report.html").write_text("rebuilt at will")
    assert open_run(path).verify() == [
        "machine.json: No such file or directory",
        "spec.toml: changed",
        "extra.npy: not in the manifest",
    ]


def test_hash_of_a_file_outside_the_run_is_not_followed(tmp_path: Path):
    path = stored_run(tmp_path / "D")
    outside = manifest(files={"../../etc/passwd": "0", "/etc/passwd": "0"})
    run_directory.write_document(path / MANIFEST, outside)
    assert "/etc/passwd: path leads out of the run" in open_run(path).verify()


def test_run_of_several_runs_verifies_those_below(tmp_path: Path):
    stored_run(tmp_path / "D" / "runs" / "alone")
    path = tmp_path / "D"
    files = run_directory.hash_files(path)
    assert list(files) == ["runs/alone/manifest.json"]
    run_directory.write_document(
        path / MANIFEST, manifest(kind="demo", runs=["alone"], files=files)
    )
    run = open_run(path)
    assert [child.path.name for child in run.children] == ["alone"]
    assert run.verify() == []
    (path / "runs" / "alone" / "spec.toml").write_text("changed")
    assert open_run(path).verify() == ["runs/alone/spec.toml: changed"]


def test_run_below_that_leads_out_is_refused(tmp_path: Path):
    path = stored_run(tmp_path / "D", runs=["../../other"])
    with pytest.raises(RecordError, match=r"leads out of the run"):
        _ = open_run(path).children


@pytest.mark.parametrize("make", [lambda _: None, lambda path: path.mkdir()])
def test_path_that_is_no_run_is_a_usage_error(tmp_path: Path, make: Callable[[Path], object]):
    make(tmp_path / "D")
    with pytest.raises(ConfigError, match=r"name a directory that laxity wrote") as caught:
        open_run(tmp_path / "D")
    assert caught.value.exit_code == 2


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "unreadable"),
        ("[]", "unreadable"),
        ('{"schema": 1}', "unreadable"),
        ('{"schema": 1, "perod": 3}', "unreadable"),
    ],
)
def test_damaged_manifest_gives_no_verdict(tmp_path: Path, text: str, message: str):
    path = stored_run(tmp_path / "D")
    (path / MANIFEST).write_text(text)
    with pytest.raises(RecordError, match=rf"manifest.json: {message}") as caught:
        open_run(path)
    assert caught.value.exit_code == 4


def test_manifest_of_another_version_is_refused_by_number(tmp_path: Path):
    path = stored_run(tmp_path / "D")
    other = msgspec.structs.replace(manifest(), schema=2)
    run_directory.write_document(path / MANIFEST, other)
    with pytest.raises(RecordError, match=r"schema 2; this build reads 1"):
        open_run(path)


def test_missing_document_is_a_record_error(tmp_path: Path):
    run = open_run(stored_run(tmp_path / "D"))
    with pytest.raises(RecordError, match=r"doctor.json: cannot be read"):
        _ = run.doctor
    assert not run.has_stream("jobs")
    with pytest.raises(RecordError, match=r"jobs.npy: cannot be read"):
        run.stream("jobs")


def test_name_taken_meanwhile_leaves_the_run_where_it_is(tmp_path: Path):
    run = create_run(tmp_path / "D")
    (tmp_path / "D").mkdir()
    with pytest.raises(ConfigError, match=r"cannot be named so .exists.; the run is in .*D.tmp"):
        run_directory.rename_run(run.tmp, run.final)
    assert run.tmp.is_dir()
    run.release()
