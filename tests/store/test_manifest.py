# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""manifest.json as others may have written it."""

import msgspec
import pytest

from laxity.errors import RecordError
from laxity.store.manifest import Manifest, Tool, decode_document, encode_document

MANIFEST = Manifest(
    tool=Tool(name="laxity", version="0.1.0"),
    kind="run",
    name="empty",
    command_line=["laxity", "run", "empty"],
    status="complete",
    started_at="2026-11-21T02:00:00Z",
    notes=["first", "second"],
)


def read(data: bytes) -> Manifest:
    return decode_document(data, Manifest, "D/manifest.json")


def test_notes_come_back_in_their_order():
    assert read(encode_document(MANIFEST)) == MANIFEST


def test_manifest_without_notes_has_none():
    table = msgspec.json.decode(encode_document(MANIFEST))
    del table["notes"]
    assert read(msgspec.json.encode(table)).notes == []


@pytest.mark.parametrize("notes", [None, "first", [1], [["first"]]])
def test_notes_that_are_no_list_of_texts_are_refused(notes: object):
    table = {**msgspec.json.decode(encode_document(MANIFEST)), "notes": notes}
    with pytest.raises(RecordError, match=r"D/manifest\.json: unreadable"):
        read(msgspec.json.encode(table))
