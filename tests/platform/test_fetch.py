# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""What a board sends is taken only where laxity-run writes such a file."""

import io
import tarfile
from contextlib import suppress
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from laxity.platform.fetch import unpack_streams


def tar_of(*members: tuple[str, bytes, bytes]) -> bytes:
    """Make a tar stream of (name, type, content)."""
    stream = io.BytesIO()
    with tarfile.open(fileobj=stream, mode="w") as archive:
        for name, kind, data in members:
            member = tarfile.TarInfo(name)
            member.type, member.size, member.linkname = kind, len(data), "/etc/passwd"
            archive.addfile(member, io.BytesIO(data))
    return stream.getvalue()


def test_streams_are_taken_under_another_name_until_all_are_there(tmp_path: Path):
    stream = tar_of(
        ("./jobs.npy", tarfile.REGTYPE, b"rows"),
        ("./native.json", tarfile.REGTYPE, b"{}"),
        ("output.log", tarfile.REGTYPE, b""),
    )
    assert unpack_streams(io.BytesIO(stream), tmp_path) == ["jobs.npy", "native.json", "output.log"]
    assert (tmp_path / "jobs.npy.part").read_bytes() == b"rows"
    assert {path.name for path in tmp_path.iterdir()} == {
        "jobs.npy.part",
        "native.json.part",
        "output.log.part",
    }


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        ("manifest.json", tarfile.REGTYPE),
        ("spec.toml", tarfile.REGTYPE),
        ("../jobs.npy", tarfile.REGTYPE),
        ("/etc/jobs.npy", tarfile.REGTYPE),
        ("a/jobs.npy", tarfile.REGTYPE),
        ("jobs.npy", tarfile.SYMTYPE),
        ("jobs.npy", tarfile.LNKTYPE),
        ("jobs.npy", tarfile.DIRTYPE),
        ("jobs.npy", tarfile.FIFOTYPE),
        (".native.json.new", tarfile.REGTYPE),
    ],
)
def test_anything_else_is_left_out(tmp_path: Path, name: str, kind: bytes):
    assert unpack_streams(io.BytesIO(tar_of((name, kind, b""))), tmp_path) == []
    assert list(tmp_path.iterdir()) == []


def test_file_that_claims_holes_of_a_terabyte_is_left_out(tmp_path: Path):
    stream = io.BytesIO()
    with tarfile.open(fileobj=stream, mode="w", format=tarfile.PAX_FORMAT) as archive:
        member = tarfile.TarInfo("jobs.npy")
        member.pax_headers = {"GNU.sparse.map": "0,0", "GNU.sparse.size": str(1 << 40)}
        archive.addfile(member)
    stream.seek(0)
    assert unpack_streams(stream, tmp_path) == []


def test_damaged_extended_header_is_an_error_of_tar(tmp_path: Path):
    stream = io.BytesIO()
    with tarfile.open(fileobj=stream, mode="w", format=tarfile.PAX_FORMAT) as archive:
        member = tarfile.TarInfo("jobs.npy")
        member.pax_headers = {"GNU.sparse.map": "x"}
        archive.addfile(member)
    stream.seek(0)
    with pytest.raises(tarfile.TarError, match="damaged header"):
        unpack_streams(stream, tmp_path)


def test_stream_that_breaks_off_is_an_error_and_its_parts_go_at_the_next_try(tmp_path: Path):
    whole = tar_of(("jobs.npy", tarfile.REGTYPE, b"x" * 5000))
    with pytest.raises(tarfile.TarError):
        unpack_streams(io.BytesIO(whole[:4000]), tmp_path)
    unpack_streams(io.BytesIO(tar_of(("output.log", tarfile.REGTYPE, b""))), tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == ["output.log.part"]


@given(data=st.binary(), place=st.integers(0, 511))
def test_any_stream_is_taken_or_refused(
    tmp_path_factory: pytest.TempPathFactory, data: bytes, place: int
):
    directory = tmp_path_factory.mktemp("fetch")
    stream = tar_of(("jobs.npy", tarfile.REGTYPE, b"rows"))
    for sent in (data, stream[:place] + data + stream[place + len(data) :]):
        with suppress(tarfile.TarError):
            unpack_streams(io.BytesIO(sent), directory)
    assert {path.suffix for path in directory.iterdir()} <= {".part"}
