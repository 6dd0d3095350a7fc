# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""Any bytes as a task set of rt-app: what is taken of it is a spec, or a ConfigError."""

import sys
import tomllib

import atheris

with atheris.instrument_imports(include=["laxity", "json"]):
    from laxity.core.spec_reader import read_spec_toml
    from laxity.errors import ConfigError
    from laxity.tasksets.rtapp import read_rtapp
    from laxity.tasksets.rtapp_spec import rtapp_spec_toml

USES_PER_US = 4000
CLOCK_RESOLUTION_NS = 1


def test_one_input(data: bytes) -> None:
    """Feed one input to the reader of rt-app's files."""
    try:
        found = read_rtapp(data)
        text = rtapp_spec_toml(found, USES_PER_US)
    except ConfigError as error:
        assert str(error).isprintable()
        return
    assert all(line.isprintable() for line in found.unsupported)
    document = tomllib.loads(text)
    assert [task["name"] for task in document.get("task", [])] == [one.name for one in found.tasks]
    try:
        read_spec_toml(text.encode(), {}, CLOCK_RESOLUTION_NS)
    except ConfigError as error:
        # A name that is unusable, a reservation shorter than the kernel's shortest.
        assert str(error)


atheris.Setup(sys.argv, test_one_input)
atheris.Fuzz()
