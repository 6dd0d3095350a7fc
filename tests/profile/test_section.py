# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""What the page of a profile says."""

from pathlib import Path

import msgspec
import pytest
from tests.profile.made_up_profile import write_profile

from laxity.page.blocks import Paragraph, Table, show_count
from laxity.profile.document import MetRecord, QuantileRecord, TimesRecord, names_of, read_profile
from laxity.profile.section import _beyond, _met_sentence, sections
from laxity.store.run_directory import PROFILE, open_run, write_document


def test_jobs_that_were_aborted_are_named_beside_the_times_that_lack_them(tmp_path: Path):
    path = write_profile(tmp_path / "D")
    assert not warnings_of(path)
    asked = read_profile(path)
    times = [
        msgspec.structs.replace(one, aborted=2) if one.scenario == 1 else one for one in asked.times
    ]
    write_document(path / PROFILE, msgspec.structs.replace(asked, times=times))
    said = "writers: 2 jobs of mem did not come to an end; the longest are missing."
    assert warnings_of(path) == [said]
    write_document(path / PROFILE, msgspec.structs.replace(asked, times=asked.times[:1]))
    assert warnings_of(path) == ["writers: no process of mem ended well, so no job of it counts."]


def warnings_of(path: Path) -> list[str]:
    (section,) = sections(open_run(path))
    return [
        block.text
        for block in section.blocks
        if isinstance(block, Paragraph) and block.tone == "warning"
    ]


def test_few_processes_have_quantiles_without_an_interval(tmp_path: Path):
    (section,) = sections(open_run(write_profile(tmp_path / "D")))
    first = next(block for block in section.blocks if isinstance(block, Table))
    row = [cell.text for cell in first.rows[0]]
    # 40 jobs support a median and a p90, 368 a p99.
    assert row[7] == "needs 368 jobs"
    assert [first.rows[0][at].remark for at in (5, 6)] == ["", ""]


def test_two_thousand_jobs_have_a_pwcet_or_the_gate_that_closed(tmp_path: Path):
    path = write_profile(tmp_path / "D", n_jobs=2000)
    found = {one.scenario: one.pwcet for one in read_profile(path).times if one.pwcet}
    assert set(found) == {0, 1}
    # The rarest probability is 1 / (2000 * 200).
    assert {one.exceedance for one in found.values()} == {2.5e-6}
    assert all((one.bound_ns is None) != (one.reason is None) for one in found.values())
    (section,) = sections(open_run(path))
    said = [one.text for one in section.blocks if isinstance(one, Paragraph)]
    assert sum(f"WCET of mem, alone, n = {show_count(2000)} jobs: " in one for one in said) == 1
    assert not [one for one in read_profile(write_profile(tmp_path / "E")).times if one.pwcet]


def test_slowdown_whose_medians_may_be_the_same_is_not_told_from_noise(tmp_path: Path):
    path = write_profile(tmp_path / "D")
    asked = read_profile(path)

    def with_median(one: TimesRecord, low_ns: int, high_ns: int) -> TimesRecord:
        median = QuantileRecord(q=0.5, value_ns=low_ns, low_ns=low_ns, high_ns=high_ns, reason=None)
        return msgspec.structs.replace(one, quantiles=[median])

    for busy, remark in (((190, 300), "not told from noise"), ((201, 300), "")):
        times = [with_median(one, *(busy if one.scenario else (100, 200))) for one in asked.times]
        write_document(path / PROFILE, msgspec.structs.replace(asked, times=times))
        (section,) = sections(open_run(path))
        table = next(block for block in section.blocks if isinstance(block, Table))
        assert [row[8].remark for row in table.rows] == ["", remark]


@pytest.mark.parametrize(
    ("share", "shown"),
    # 1 − 0.05^(1/9) = 0.28313: "< 28 %" was no upper limit.
    [(0.28313, "< 29 %"), (0.29, "< 29 %"), (0.00741, "< 0.75 %"), (0.9502, "< 96 %")],
)
def test_a_limit_of_a_share_is_rounded_up(share: float, shown: str):
    assert _beyond(share, "measured") == shown


def test_a_program_without_a_job_has_met_no_deadline(tmp_path: Path):
    path = write_profile(tmp_path / "D")
    asked = msgspec.structs.replace(read_profile(path), analyses=["schedulability"], met=[])
    (name, *_) = names_of(asked)
    point = MetRecord(
        target=0, scenario=0, utilisation_percent=80, deadline_ns=5, met=3, jobs=3, low=None,
        high=None,
    )  # fmt: skip
    nothing = _met_sentence(asked, 0, name)
    assert nothing == f"{name}: nobody tells which deadlines it meets: no process of it ended well."
    some = _met_sentence(msgspec.structs.replace(asked, met=[point]), 0, name)
    first, *others = [one.name for one in asked.scenarios]
    known = f"{name}: all jobs met their deadlines up to 80 % ({first})"
    assert some == f"{known} (not known: {', '.join(others)}); {asked.kind}."
    late = msgspec.structs.replace(point, met=2)
    never = _met_sentence(msgspec.structs.replace(asked, met=[late]), 0, name)
    assert f"all jobs met their deadlines at no utilisation ({first})" in never
