# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""A directory of programs that only print a version: enough to be found."""

from pathlib import Path


def program(path: Path, text: str) -> Path:
    """Write a shell script that prints a line."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f"#!/bin/sh\necho '{text}'\n")
    path.chmod(0o755)
    return path


def tools_directory(root: Path, version: str = "0.1.0") -> Path:
    """Make laxity-run and the workloads mem and bandwidth below a directory."""
    program(root / "native" / "laxity-run", f"laxity-run {version}")
    program(root / "workloads" / "mem", "")
    program(root / "workloads" / "bandwidth", "")
    return root
