# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""Any bytes as a platform file: a model whose settings can be written, or a ConfigError."""

import sys

import atheris

with atheris.instrument_imports(include=["laxity"]):
    from laxity.errors import ConfigError
    from laxity.platform.platform_file import parse_platform
    from laxity.platform.simulated import describe_model, settings_of


def test_one_input(data: bytes) -> None:
    """Feed one input to the reader of platform files."""
    try:
        model = parse_platform(data, "x")
    except ConfigError as error:
        assert str(error)
        return
    assert settings_of(model)
    assert describe_model(model).hash


atheris.Setup(sys.argv, test_one_input)
atheris.Fuzz()
