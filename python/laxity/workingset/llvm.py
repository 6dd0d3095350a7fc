# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""Where the programs of LLVM are that `laxity workingset` drives: one version, and no other."""

import os
import shutil
from pathlib import Path

from laxity.errors import ToolError

# Bitcode is read by the version that wrote it; workingset/ is built on this one.
LLVM_VERSION = 19
_OWN_DIRECTORY = Path(f"/usr/lib/llvm-{LLVM_VERSION}/bin")
_SETUP = "run ./laxity setup --with workingset"


def find_llvm(name: str) -> str:
    """Find a program of LLVM by its plain name, such as `llvm-link`.

    Along PATH with the version in its name, then where Debian keeps that version.

    Raises:
        ToolError: It is not installed.
    """
    versioned = f"{name}-{LLVM_VERSION}"
    found = shutil.which(versioned)
    if found is not None:
        return found
    own = _OWN_DIRECTORY / name
    if os.access(own, os.X_OK):
        return str(own)
    msg = f"{versioned}: not found along PATH or in {_OWN_DIRECTORY}; {_SETUP}"
    raise ToolError(msg)
