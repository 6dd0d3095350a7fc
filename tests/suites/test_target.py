# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""Targets as users name them, and what each of them lacks."""

from pathlib import Path

import pytest

from laxity import __version__
from laxity.errors import ConfigError, PlatformError, ToolError
from laxity.suites.target import Link, Target, Wanted, find_target, machine_of


def test_this_machine_loads_shared_objects_unless_a_static_link_is_asked_for():
    target, cc = find_target(Wanted())
    assert target == Target()
    assert cc == ("cc",)
    linked, _ = find_target(Wanted(link=Link.STATIC))
    assert linked.runner(Path("/g")) == ("/g",)
    assert linked.link_words[0] == "-static"


def test_an_unknown_target_is_answered_with_the_one_that_may_be_meant():
    with pytest.raises(ConfigError, match='did you mean "armhf"'):
        find_target(Wanted("armfh"))


def test_an_emulator_that_is_not_there_is_named_with_its_cure():
    with pytest.raises(PlatformError, match="nowhere: not found; install qemu-user"):
        find_target(Wanted(link=Link.STATIC, emulator=("nowhere",)))


def test_a_compiler_that_is_not_there_is_named():
    with pytest.raises(PlatformError, match="no-such-cc: does not say what it compiles for"):
        find_target(Wanted(link=Link.STATIC, cc=("no-such-cc",)))


def kit(directory: Path, version: str, machine: str) -> None:
    """Make what a build leaves, of some version for some machine."""
    directory.mkdir(parents=True)
    (directory / "laxity-guest.link").write_text(f"{version} {machine} -static\n")


@pytest.mark.parametrize(
    ("version", "machine", "error", "words"),
    [
        ("0.0.1", machine_of(("cc",)), ToolError, "is of version 0.0.1"),
        (__version__, "vax", ConfigError, "--cc: compiles for"),
    ],
)
def test_archives_of_another_version_or_machine_are_refused(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    version: str,
    machine: str,
    error: type[Exception],
    words: str,
):
    kit(tmp_path / "tools", version, machine)
    monkeypatch.setenv("LAXITY_TOOLS", str(tmp_path / "tools"))
    with pytest.raises(error, match=words):
        find_target(Wanted(link=Link.STATIC))


def test_archives_are_found_where_a_package_has_them(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    place = tmp_path / "tools" / "lib" / "laxity" / "guests"
    kit(place, __version__, machine_of(("cc",)))
    monkeypatch.setenv("LAXITY_TOOLS", str(tmp_path / "tools"))
    target, _ = find_target(Wanted(link=Link.STATIC))
    assert target.kit == place
