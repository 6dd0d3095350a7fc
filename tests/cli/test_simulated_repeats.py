# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""A simulated run is the same wherever and however it is made, and says so."""

import json
import os
import pwd
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest
from tests.cli.commands import CPU, finish, start
from tests.cli.laxity_command import Laxity

PLATFORM = Path(__file__).with_name("one-core.toml")
MEM = ("run", "mem", "-b", "100KiB", "-p", "1ms", "-t", "10", "--no-report", "--quiet")
# Another limit of the stack, no standard output at all, and one processor.
ELSEWHERE = ("bash", "-c", 'ulimit -s 1234; exec taskset -c "$0" "$@" >&-')


def manifest_of(laxity: Laxity, name: str) -> dict[str, Any]:
    found: dict[str, Any] = json.loads((laxity.directory / name / "manifest.json").read_text())
    return found


def simulate(laxity: Laxity, name: str, platform: str | Path = PLATFORM) -> dict[str, Any]:
    done = laxity(*MEM, "--platform", f"sim:{platform}", "--run-dir", name)
    assert done.returncode == 0, done.stderr
    return manifest_of(laxity, name)


def test_result_is_the_same_in_other_surroundings(laxity: Laxity):
    result = simulate(laxity, "A")["result_hash"]
    beside = start(*MEM, "--platform", "sim:sabrelite", "--run-dir", laxity.directory / "C")
    (laxity.directory / "a" / "much" / "longer" / "path").mkdir(parents=True)
    there = "a/much/longer/path/B"
    words = (*MEM, "--platform", f"sim:{PLATFORM}", "--run-dir", there)
    # With streams of its own, so that the program is executed there, too.
    cache = {"XDG_CACHE_HOME": str(laxity.directory / "cache")}
    surroundings = {"X": "x" * 5000, "HOME": "/", "USER": "somebody", **cache}
    done = laxity(*words, prefix=(*ELSEWHERE, str(CPU)), environment=surroundings)
    assert finish(beside).code == 0
    assert done.returncode == 0, done.stderr
    assert manifest_of(laxity, there)["result_hash"] == result


def test_result_is_the_same_for_another_user(laxity: Laxity, open_path: Path):
    if os.geteuid() != 0:
        pytest.skip("needs root")
    result = simulate(laxity, "A", "sabrelite")["result_hash"]
    nobody = pwd.getpwnam("nobody")
    os.chown(open_path, nobody.pw_uid, nobody.pw_gid)
    prefix = ("setpriv", f"--reuid={nobody.pw_uid}", f"--regid={nobody.pw_gid}", "--clear-groups")
    words = (*MEM, "--platform", "sim:sabrelite", "--run-dir", str(open_path / "B"))
    cache = {"XDG_CACHE_HOME": str(open_path / "cache")}
    done = laxity(*words, prefix=(*prefix, "--"), environment=cache)
    assert done.returncode == 0, done.stderr
    assert len(list(open_path.glob("cache/laxity/streams/*.lxs"))) == 1
    assert manifest_of(laxity, str(open_path / "B"))["result_hash"] == result


def test_result_hash_is_what_sha256sum_prints(laxity: Laxity):
    result = simulate(laxity, "A")["result_hash"]
    command = "export LC_ALL=C; sha256sum *.npy | sha256sum"
    printed = subprocess.run(
        ["bash", "-c", command],
        cwd=laxity.directory / "A",
        capture_output=True,
        text=True,
        check=True,
    )
    assert printed.stdout.split()[0] == result
    shown = laxity("show", "A")
    assert ["result", "hash", result] in [line.split() for line in shown.stdout.splitlines()]


def test_copy_of_a_platform_file_is_the_same_platform(laxity: Laxity):
    (laxity.directory / "other").mkdir()
    shutil.copy(PLATFORM, laxity.directory / "other" / "copy.toml")
    manifests = [simulate(laxity, "A"), simulate(laxity, "B", "./other/copy.toml")]
    for member in ("platform", "machine_hash", "result_hash"):
        assert manifests[0][member] == manifests[1][member]
    compared = laxity("compare", "A", "B")
    assert compared.returncode == 0, compared.stderr
    same = "BASE and NEW are identical: all streams are the same to the byte."
    assert compared.stdout.startswith(same)
    # Nothing is random, so that there is no noise to be told by further runs.
    assert "--noise" not in compared.stdout
    assert laxity("compare", "A", "B", "--fail-on", "response.p99 > +0%").returncode == 0


def test_stored_spec_repeats_the_run_without_the_platform_file(laxity: Laxity):
    copy = laxity.directory / "copy.toml"
    shutil.copy(PLATFORM, copy)
    result = simulate(laxity, "A", "./copy.toml")["result_hash"]
    copy.unlink()
    done = laxity("run", "A/spec.toml", "--run-dir", "B", "--no-report", "--quiet")
    assert done.returncode == 0, done.stderr
    assert manifest_of(laxity, "B")["result_hash"] == result


def test_platform_in_a_spec_is_found_from_there_and_one_of_an_option_from_here(laxity: Laxity):
    for name in ("there", "here"):
        (laxity.directory / name).mkdir()
    shutil.copy(PLATFORM, laxity.directory / "there" / "mine.toml")
    spec = 'schema = 1\n[run]\nplatform = "sim:./mine.toml"\njobs = 3\n'
    task = '[[task]]\nworkload = "mem"\nargs = ["8KiB"]\nperiod = "1ms"\n'
    (laxity.directory / "there" / "spec.toml").write_text(spec + task)
    words = ("run", "there/spec.toml", "--no-report", "--quiet", "--run-dir")
    assert laxity(*words, "A").returncode == 0
    refused = laxity(*words, "B", "--platform", "sim:./mine.toml")
    assert refused.returncode == 2
    assert "mine.toml: cannot be read" in refused.stderr


def test_runs_on_platforms_that_differ_are_not_compared(laxity: Laxity):
    text = PLATFORM.read_text()
    simulate(laxity, "A")
    changed = text.replace("switch_cycles = 2400", "switch_cycles = 1200")
    assert changed != text
    (laxity.directory / "changed.toml").write_text(changed)
    other = simulate(laxity, "B", "./changed.toml")
    assert other["result_hash"] != manifest_of(laxity, "A")["result_hash"]
    compared = laxity("compare", "A", "B")
    assert compared.returncode == 4
    assert "differs from BASE in machine" in compared.stdout
    allowed = laxity("compare", "A", "B", "--allow-different")
    assert "BASE and NEW are not identical" in allowed.stdout


def test_run_that_failed_has_no_result_hash(laxity: Laxity):
    done = laxity(*MEM, "--platform", f"sim:{PLATFORM}", "--run-dir", "A", "-b", "1B")
    assert done.returncode == 1
    assert manifest_of(laxity, "A")["result_hash"] is None
