# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""Where the parts of a traced program are, and what becomes of one that writes too much."""

from pathlib import Path

import pytest

from laxity.errors import ToolError
from laxity.platform.tools import find_tool
from laxity.workingset import trace as working_set_trace
from laxity.workingset.oracle import TOOL
from laxity.workingset.trace import require_oracle

ARCHIVE = "libworkingset-trace.a"
PATIENCE_S = 60


def installed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An installation with the oracle in bin/; no other build is looked at."""
    try:
        tool = find_tool(TOOL)
    except ToolError:
        pytest.skip("needs LLVM 19 (laxity setup --with workingset)")
    bin_dir = tmp_path / "bin"
    bin_dir.mkdir()
    (bin_dir / TOOL).symlink_to(tool)
    monkeypatch.setenv("PATH", str(bin_dir))
    monkeypatch.setenv("LAXITY_TOOLS", str(tmp_path / "none"))
    monkeypatch.setenv("LAXITY_ROOT", str(tmp_path / "none"))
    return tmp_path


@pytest.mark.parametrize("place", ["lib", "lib/x86_64-linux-gnu", "bin", "bin/oracle"])
def test_the_archive_is_found_where_it_is_installed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, place: str
):
    to = installed(tmp_path, monkeypatch) / place
    to.mkdir(parents=True, exist_ok=True)
    (to / ARCHIVE).touch()
    assert require_oracle(PATIENCE_S).archives == to


def test_an_archive_that_is_nowhere_is_named_with_the_places(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    root = installed(tmp_path, monkeypatch)
    with pytest.raises(ToolError, match=f"{ARCHIVE}.*{root}/lib"):
        require_oracle(PATIENCE_S)


def test_a_trace_that_grows_too_large_is_no_progression_and_counts_stay(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    from tests.workingset.oracle_runs import make_subject  # noqa: PLC0415 - skips without LLVM

    # 3 words of 8 bytes for each of 100,000 passes; the limit stands at 1 MB, counts need 1 KB.
    text = """\
int table[4];
int main(void) {
  for (int i = 0; i < 100000; i++) table[i & 3] += i;
  return 0;
}
"""
    subject = make_subject(text, tmp_path)
    monkeypatch.setattr(working_set_trace, "_MOST_TRACE_BYTES", 1 << 20)
    to = tmp_path / "to"
    to.mkdir()
    request = working_set_trace.TraceRequest("it", subject.bitcode, None, (), to, True)
    found = working_set_trace.trace_programs(
        [request], working_set_trace.Inputs(), require_oracle(PATIENCE_S)
    )["it"]
    assert found.reason is None
    assert found.executions is not None
    assert ",100000\n" in found.executions.read_text()
    assert found.progression is None
    assert "larger than 1 MiB" in (found.progression_reason or "")
    assert not (to / "trace").exists()
