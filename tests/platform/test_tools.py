# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""Where programs are found, and which are refused."""

from collections.abc import Callable
from pathlib import Path

import pytest
from tests.platform.made_up_tools import program, tools_directory

from laxity.errors import ConfigError, ToolError
from laxity.platform import tools


@pytest.fixture(autouse=True)
def nothing_installed(monkeypatch: pytest.MonkeyPatch, tmp_path: Path):
    """No checkout, no package tools, an empty PATH: each test adds what it needs."""
    monkeypatch.setattr(tools, "_PACKAGE", tmp_path / "nowhere" / "python" / "laxity")
    for name in ("LAXITY_TOOLS", "LAXITY_ROOT"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("PATH", str(tmp_path / "path"))


def test_places_are_searched_in_the_order_of_the_design(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
):
    on_path = program(tmp_path / "path" / "laxity-run", "laxity-run 0.1.0")
    monkeypatch.setenv("PATH", f"{tmp_path / 'path'}:/bin:/usr/bin")
    assert tools.find_tool("laxity-run") == on_path
    monkeypatch.setenv("LAXITY_ROOT", str(tmp_path / "root"))
    built = program(tmp_path / "root" / "build" / "native" / "laxity-run", "laxity-run 0.1.0")
    assert tools.find_tool("laxity-run") == built
    packaged = program(tools._PACKAGE / "_tools" / "laxity-run", "laxity-run 0.1.0")
    assert tools.find_tool("laxity-run") == packaged
    named = program(tmp_path / "named" / "laxity-run", "laxity-run 0.1.0")
    monkeypatch.setenv("LAXITY_TOOLS", str(tmp_path / "named"))
    assert tools.find_tool("laxity-run") == named


def test_set_with_a_build_of_its_own_is_found_below_the_root_once_it_is_installed(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
):
    monkeypatch.setenv("PATH", "/bin:/usr/bin")
    monkeypatch.setenv("LAXITY_TOOLS", str(tmp_path / "named"))
    built = program(tmp_path / "named" / "sets" / "sim" / "sim" / "laxity-sim", "laxity-sim 0.1.0")
    # Its set-up is not at its end.
    with pytest.raises(ToolError, match="not found"):
        tools.find_tool("laxity-sim")
    (tmp_path / "named" / "sets" / "sim" / ".stamp-set").touch()
    assert tools.find_tool("laxity-sim") == built
    assert tools.find_in_build("sim/laxity-sim") == built


@pytest.mark.parametrize("code", [0, 3])
def test_set_of_the_checkout_is_brought_up_to_date_before_it_is_used(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, code: int
):
    monkeypatch.setenv("PATH", "/bin:/usr/bin")
    root = tmp_path / "root"
    monkeypatch.setenv("LAXITY_ROOT", str(root))
    built = program(root / "build" / "sets" / "sim" / "sim" / "laxity-sim", "laxity-sim 0.1.0")
    (root / "build" / "sets" / "sim" / ".stamp-set").touch()
    script = program(root / "tools" / "setup-set", "")
    script.write_text(f'#!/bin/sh\necho "$*" >>{root}/asked\nexit {code}\n')
    if code:
        with pytest.raises(ToolError, match='set "sim": not up to date; run laxity setup --with'):
            tools.find_tool("laxity-sim")
        return
    # Once per process; never where the user names the directory.
    tools._refresh.cache_clear()
    monkeypatch.setenv("LAXITY_TOOLS", str(root / "build"))
    assert tools.find_tool("laxity-sim") == built
    assert not (root / "asked").exists()
    monkeypatch.delenv("LAXITY_TOOLS")
    tools._refresh.cache_clear()
    assert [tools.find_tool("laxity-sim") for _ in range(2)] == [built] * 2
    assert (root / "asked").read_text() == "--refresh sim\n"


@pytest.mark.parametrize("text", ["laxity-run 0.2.0", "laxity-run 0.1.0-dirty", "", "0.1.0"])
def test_tool_of_another_version_is_refused_not_passed_over(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, text: str
):
    program(tmp_path / "named" / "laxity-run", text)
    program(tmp_path / "root" / "build" / "native" / "laxity-run", "laxity-run 0.1.0")
    monkeypatch.setenv("LAXITY_TOOLS", str(tmp_path / "named"))
    monkeypatch.setenv("LAXITY_ROOT", str(tmp_path / "root"))
    with pytest.raises(ToolError, match=r"is not laxity-run 0\.1\.0 .*; rebuild it") as caught:
        tools.find_tool("laxity-run")
    assert caught.value.exit_code == 3


def test_tool_that_cannot_be_started_is_refused(monkeypatch: pytest.MonkeyPatch, tmp_path: Path):
    path = program(tmp_path / "named" / "laxity-run", "x")
    path.write_bytes(b"\x7fELF no program")
    monkeypatch.setenv("LAXITY_TOOLS", str(tmp_path / "named"))
    with pytest.raises(ToolError, match=r"is not laxity-run"):
        tools.find_tool("laxity-run")


def test_missing_tool_names_the_places_searched(monkeypatch: pytest.MonkeyPatch, tmp_path: Path):
    monkeypatch.setenv("LAXITY_TOOLS", str(tmp_path / "named"))
    with pytest.raises(
        ToolError, match=r"laxity-run: not found in .*named.*_tools or PATH; build it"
    ):
        tools.find_tool("laxity-run")


def manifest_in(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, text: str):
    path = tmp_path / "root" / "workloads" / "manifest.toml"
    path.parent.mkdir(parents=True)
    path.write_text(text)
    monkeypatch.setenv("LAXITY_ROOT", str(tmp_path / "root"))


MEM = '[[workload]]\nname = "mem"\nsummary = "moves"\nclass = "portable"\n'


def test_workload_is_found_by_name_and_by_path(monkeypatch: pytest.MonkeyPatch, tmp_path: Path):
    root = tools_directory(tmp_path / "named")
    monkeypatch.setenv("LAXITY_TOOLS", str(root))
    assert tools.find_workload("mem") == root / "workloads" / "mem"
    own = program(tmp_path / "own" / "w", "--harness=job,")
    assert tools.find_workload(str(own)) == own


def test_unknown_workload_is_refused_with_a_suggestion(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
):
    manifest_in(tmp_path, monkeypatch, MEM)
    with pytest.raises(
        ConfigError, match=r'workload "mme": unknown; did you mean "mem"?'
    ) as caught:
        tools.find_workload("mme")
    assert caught.value.exit_code == 2
    with pytest.raises(ConfigError, match=r'workload "zzz": unknown; laxity list shows'):
        tools.find_workload("zzz")


def test_listed_workload_that_is_not_built_is_a_tool_error(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
):
    manifest_in(tmp_path, monkeypatch, MEM)
    with pytest.raises(ToolError, match=r'workload "mem": not built .*; run ninja -C build'):
        tools.find_workload("mem")


@pytest.mark.parametrize("make", [lambda _: None, lambda path: path.write_text("")])
def test_workload_path_that_is_no_program_is_refused(
    tmp_path: Path, make: Callable[[Path], object]
):
    make(tmp_path / "w")
    with pytest.raises(ConfigError, match=r"no executable file; build it or correct the path"):
        tools.find_workload(str(tmp_path / "w"))


def test_manifest_of_the_bundled_workloads_is_read(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.undo()
    names = [workload.name for workload in tools.list_workloads()]
    assert {"empty", "cpu", "mem", "bandwidth", "latency"} <= set(names)


@pytest.mark.parametrize("text", ["[[workload]]\nname = 3", "x =", MEM + "perod = 1"])
def test_damaged_manifest_of_workloads_is_refused(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, text: str
):
    manifest_in(tmp_path, monkeypatch, text)
    with pytest.raises(
        ToolError, match=r"manifest.toml: .*; the installation is of another version"
    ):
        tools.list_workloads()
