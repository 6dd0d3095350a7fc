# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""Whole commands where the kernel refuses what it grants elsewhere."""

from pathlib import Path

import pytest
from tests.cli.commands import BUILT, finish, manifest_of, start


def test_workload_that_would_outlive_its_supervisor_is_told(tmp_path: Path):
    deny = BUILT.tools / "tests" / "native" / "deny_death_signal"
    words = ("run", "empty", "-p", "5ms", "-t", "3", "--policy", "other", "--no-report")
    outcome = finish(start(*words, "--run-dir", tmp_path / "D", prefix=(deny,)))
    if outcome.code == 77:
        pytest.skip("needs seccomp filters")
    assert outcome.code == 0, outcome.err
    reason = (
        "prctl(PR_SET_PDEATHSIG): Operation not permitted; "
        "if the supervisor is killed, kill this process too"
    )
    assert f'"empty": end with the supervisor: used nothing instead: {reason}\n' in outcome.err
    told = [(one.what, one.used, one.reason) for one in manifest_of(tmp_path / "D").fallbacks]
    assert ("empty: end with the supervisor", "nothing", reason) in told
