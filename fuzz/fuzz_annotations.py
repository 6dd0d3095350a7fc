# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""Any bytes as annotations of `laxity workingset`: read, or a ConfigError."""

import sys

import atheris

with atheris.instrument_imports(include=["laxity", "tomllib"]):
    from laxity.errors import ConfigError
    from laxity.workingset.annotations import read_annotations


def test_one_input(data: bytes) -> None:
    """Feed one input to the reader of annotations."""
    try:
        annotations = read_annotations(data)
    except ConfigError as error:
        assert str(error)
        return
    assert all(levels > 0 for levels in annotations.recursion.values())
    assert all(one.instances or one.bytes for one in annotations.objects.values())
    assert all(use in ("reads", "writes", "both") for use in annotations.buffers.values())


atheris.Setup(sys.argv, test_one_input)
atheris.Fuzz()
