# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""Any bytes as a spec: resolved and writable again, or a ConfigError."""

import sys

import atheris

with atheris.instrument_imports(include=["laxity", "tomllib"]):
    from laxity.core.spec import spec_to_toml
    from laxity.core.spec_reader import parse_interfere_option, read_spec_toml
    from laxity.errors import ConfigError

CLOCK_RESOLUTION_NS = 1


def test_one_input(data: bytes) -> None:
    """Feed one input to the readers of specs and of `--interfere`."""
    try:
        spec = read_spec_toml(data, {}, CLOCK_RESOLUTION_NS)
    except ConfigError as error:
        assert str(error)
    else:
        # What was resolved is stored, and read again by bound and report.
        again = read_spec_toml(spec_to_toml(spec).encode(), {}, CLOCK_RESOLUTION_NS)
        assert again == spec
    try:
        parse_interfere_option(data.decode(errors="replace"))
    except ConfigError as error:
        assert str(error)


atheris.Setup(sys.argv, test_one_input)
atheris.Fuzz()
