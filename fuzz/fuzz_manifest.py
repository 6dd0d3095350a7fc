# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""Any bytes as a suite's manifest: read and put in words for a checkout, or a ConfigError."""

import sys
from pathlib import Path

import atheris

with atheris.instrument_imports(include=["laxity", "tomllib"]):
    from laxity.errors import ConfigError
    from laxity.suites.manifest import read_manifest
    from laxity.suites.outfit import Context

# Nothing is there: what a manifest names is looked for and never opened.
ROOT = Path("/nonexistent/suite")


def test_one_input(data: bytes) -> None:
    """Feed one input to the reader of manifests."""
    try:
        manifest = read_manifest(data)
        context = Context(ROOT, ROOT.parent, manifest, "arm-linux-gnueabihf")
        outfits = [
            context.outfit(scope, size, ROOT / "program")
            for scope in (None, *manifest.programs)
            for size in context.sizes_of(scope)
        ]
    except ConfigError as error:
        assert str(error)
        return
    for outfit in outfits:
        for one in outfit.given.inputs:
            assert not Path(one.name).is_absolute()
            assert ".." not in Path(one.name).parts
            assert "\0" not in one.name


atheris.Setup(sys.argv, test_one_input)
atheris.Fuzz()
