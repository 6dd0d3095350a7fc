# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""What pyproject.toml says of the package, and what tools/release makes of it."""

import re
import tomllib
from pathlib import Path

import msgspec
import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name
from tests.cli.laxity_command import ROOT

PYPROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
PYTHON = ROOT / "deps" / "python"


def locked(name: str) -> dict[str, str]:
    text = (PYTHON / f"{name}.lock").read_text(encoding="utf-8")
    return dict(re.findall(r"^([\w.-]+)==(\S+)", text, flags=re.MULTILINE))


def wanted(name: str) -> set[str]:
    lines = (PYTHON / f"{name}.in").read_text(encoding="utf-8").splitlines()
    return {line for line in lines if line and not line.startswith(("#", "-"))}


def test_package_depends_on_what_a_checkout_runs_with_but_its_build_system():
    named = [Requirement(text) for text in PYPROJECT["project"]["dependencies"]]
    assert {canonicalize_name(one.name) for one in named} == wanted("run") - {"meson"}
    versions = locked("run")
    for one in named:
        assert one.specifier.contains(versions[one.name]), one


def test_release_builds_with_a_backend_that_the_package_admits():
    requires = [Requirement(text) for text in PYPROJECT["build-system"]["requires"]]
    assert [one.name for one in requires] == ["meson-python"]
    assert requires[0].specifier.contains(locked("release")["meson-python"])


@pytest.mark.parametrize(
    "path", sorted((ROOT / ".github").rglob("*.yml")), ids=lambda path: path.stem
)
def test_forms_and_workflows_of_a_forge_can_be_read(path: Path):
    document = msgspec.yaml.decode(path.read_bytes(), type=dict[object, object])
    assert document["name"]
    assert {"body", "jobs"} & document.keys()


def test_licence_at_the_top_is_that_of_the_files():
    assert (ROOT / "LICENSE").read_bytes() == (ROOT / "LICENSES" / "MIT.txt").read_bytes()
