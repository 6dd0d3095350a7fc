# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""The report of a run that measured gamma."""

import json
import re
from pathlib import Path

import pytest
from tests.costs.made_up_measurement import ended, left_measurement

from laxity.costs.merge import read_costs
from laxity.jobs.finish import finish_run
from laxity.report.page import write_report

KIB = 1024
# 0.5 ns per byte up to 16 KiB, then it falls.
CURVE = {4 * KIB: 2_048, 8 * KIB: 4_096, 16 * KIB: 8_192, 20 * KIB: 6_144, 24 * KIB: 4_096}

GAMMA = "\N{GREEK SMALL LETTER GAMMA}"


def report_of(path: Path, gamma_ns: dict[int, int], n: int = 20, pattern: int = 1) -> str:
    tmp = path.with_name(path.name + ".tmp")
    left_measurement(tmp, gamma_ns, n, result=ended(), pattern=pattern)
    run = finish_run(tmp, has_survived=True, returncode=0).path
    return write_report(run).read_text()


def text_of(page: str) -> str:
    return re.sub(r"\s+", " ", re.sub(r"<[^>]+>", " ", page))


def test_page_says_where_gamma_is_highest_and_how_it_rises(tmp_path: Path):
    text = text_of(report_of(tmp_path / "D", CURVE))
    assert f"costs the caches up to 8.19 µs ({GAMMA}, evicted by writing; median, n = 20" in text
    assert "at a working set of 16 KiB, synchronous chase, on CPU 1." in text
    # 0.5 ns * 1024
    assert "it rises by 512 ns per KiB" in text
    # 8192 - 6144 = 2048 per 4 KiB: 4096 ns are gone after another 8 KiB.
    assert "its fall would meet zero at 32 KiB" in text


def test_too_few_observations_are_no_verdict_and_not_a_small_gamma(tmp_path: Path):
    text = text_of(report_of(tmp_path / "D", CURVE, n=1))
    assert f"the caches ({GAMMA}, evicted by writing): no verdict, too few observations." in text
    assert "no verdict on gamma at any working set, too few observations" in text
    assert "gamma is not measurable here" not in text


def test_gamma_of_instructions_has_a_section_of_its_own(tmp_path: Path):
    # Pattern 3 is code, by a jump per line.
    page = report_of(tmp_path / "D", CURVE, pattern=3)
    text = text_of(page)
    assert (
        f"the caches of instructions up to 8.19 µs ({GAMMA}, evicted by writing; median, n = 20"
        in text
    )
    assert "at a working set of 16 KiB, synchronous jumps, on CPU 1." in text
    assert "Cache-related preemption delay of instructions" in text
    assert "nothing to show" not in text
    assert len(re.findall(r"<svg.*?</svg>", page, re.DOTALL)) == 1
    derived = json.loads((tmp_path / "D" / "derived.json").read_text())
    name = f"gamma_code_cpu1_synchronous_jumps_write{4 << 20}B_{16 * KIB}B_p50"
    assert name in {one["name"] for one in derived["quantities"]}
    assert "of instructions" not in text_of(report_of(tmp_path / "E", CURVE))


def test_figure_follows_the_colours_of_the_page(tmp_path: Path):
    page = report_of(tmp_path / "D", CURVE)
    (svg,) = re.findall(r"<svg.*?</svg>", page, re.DOTALL)
    assert "var(--fig-alone)" in svg
    assert "#0102" not in svg
    assert "n ≥ 20 preemptions each, measured" in page


def test_what_is_not_measurable_is_said_and_never_zero(tmp_path: Path):
    page = report_of(tmp_path / "D", {4 * KIB: 0, 8 * KIB: 1})
    text = text_of(page)
    assert f"costs the caches ({GAMMA}, evicted by writing) is not measurable here." in text
    assert text.count("not measurable ") >= 3
    assert "rises by" not in text


def test_too_few_observations_have_no_noise_floor(tmp_path: Path):
    text = text_of(report_of(tmp_path / "D", CURVE, n=5))
    assert "needs 6 observations" in text
    assert "complete, no verdict" in text


def test_every_number_stands_in_derived_json(tmp_path: Path):
    report_of(tmp_path / "D", CURVE)
    derived = json.loads((tmp_path / "D" / "derived.json").read_text())
    names = {one["name"]: one for one in derived["quantities"]}
    assert len(names) == 2 * len(CURVE)
    one = names[f"gamma_cpu1_synchronous_chase_write{4 << 20}B_{16 * KIB}B_p50"]
    assert (one["unit"], one["n"], one["kind"]) == ("ns", 20, "measured")
    assert one["value"] == pytest.approx(8_192, abs=4)


def test_damaged_stream_is_told_on_the_page(tmp_path: Path):
    report_of(tmp_path / "D", CURVE)
    (tmp_path / "D" / "crpd.npy").write_bytes(b"gone")
    text = text_of(write_report(tmp_path / "D").read_text())
    assert "crpd.npy: not a NumPy file" in text
    assert "No observation was kept" in text


def test_counter_that_nothing_read_is_not_said_to_be_absent(tmp_path: Path):
    assert "constant-rate counter" not in text_of(report_of(tmp_path / "D", CURVE))


def test_simulated_gamma_of_nothing_is_zero_and_measurable(tmp_path: Path):
    nothing = dict.fromkeys((4 * KIB, 8 * KIB, 16 * KIB), 0)
    tmp = tmp_path / "D.tmp"
    left_measurement(tmp, nothing, 6, result=ended(), pattern=3, platform="sim:x", spread_ns=1)
    run = finish_run(tmp, has_survived=True, returncode=0).path
    assert {(one.verdict, one.noise_floor, one.max) for one in read_costs(run).entries} == {
        ("ok", 0, 0)
    }
    text = text_of(write_report(run).read_text())
    said = "at any working set, but for the rounding of times (medians"
    whole = f"the caches of instructions nothing ({GAMMA}, evicted by writing)"
    assert f"{whole} {said} of n ≥ 6, simulated)." in text
    assert "rises by" not in text
    assert "not measurable here" not in text


def test_measured_gamma_of_nothing_is_not_measurable_however_coarse_the_clock(tmp_path: Path):
    left_measurement(tmp_path / "D.tmp", {4 * KIB: 0}, 6, result=ended(), spread_ns=1)
    run = finish_run(tmp_path / "D.tmp", has_survived=True, returncode=0).path
    assert {(one.verdict, one.noise_floor) for one in read_costs(run).entries} == {
        ("not_measurable", 1)
    }
