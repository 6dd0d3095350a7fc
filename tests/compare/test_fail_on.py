# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""The language of --fail-on."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from laxity.compare.fail_on import QUANTITIES, STATISTICS, FailOn, Threshold, Unit, parse_fail_on
from laxity.costs.model import COST_NAMES
from laxity.errors import ConfigError

GAMMA_AXES = (
    ("working_set_bytes", 262_144), ("cpu", 1), ("case", "synchronous_chase"), ("evict", "write"),
)  # fmt: skip


@pytest.mark.parametrize(
    ("text", "task", "name", "statistic", "threshold"),
    [
        ("response.p99 > +5%", None, "response", "p99", Threshold(50_000, Unit.PPM, True)),
        ("response.p99.9>+5%", None, "response", "p99.9", Threshold(50_000, Unit.PPM, True)),
        ("control.response.max > +20us", "control", "response", "max",
         Threshold(20_000, Unit.NS, True)),
        ("alone/a.b.execution.median > 2ms", "alone/a.b", "execution", "median",
         Threshold(2_000_000, Unit.NS, False)),
        ("release_latency.p90 > -1us", None, "release_latency", "p90",
         Threshold(-1_000, Unit.NS, True)),
        ("misses > 0", None, "misses", None, Threshold(0, Unit.COUNT, False)),
        ("a.misses > +2", "a", "misses", None, Threshold(2, Unit.COUNT, True)),
        ("misses > 0.1%", None, "misses", None, Threshold(1_000, Unit.PPM, False)),
        ("delta.median > + 15%", None, "delta", "median", Threshold(150_000, Unit.PPM, True)),
    ],
)  # fmt: skip
def test_a_statement_is_read(
    text: str, task: str | None, name: str, statistic: str | None, threshold: Threshold
):
    assert parse_fail_on(text) == FailOn(text, task, name, (), statistic, True, threshold)


def test_below_is_a_comparison_too():
    assert not parse_fail_on("execution.median < -5%").is_above


def test_a_cost_may_state_axes():
    text = "gamma@256KiB, cpu=1, case=synchronous_chase, evict=write.median > +15%"
    found = parse_fail_on(text)
    assert (found.name, found.axes, found.is_of_cost) == ("gamma", GAMMA_AXES, True)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "compares nothing; write for example response.p99 > +5%"),
        ("response.p99", "compares nothing"),
        ("response.p99 >= +5%", '">=" is no comparison of figures with noise; use > or <'),
        ("response.p99 == 5ms", '"==" is no comparison'),
        ("> 5%", "nothing stands left of the comparison"),
        ("response.p99 >", "nothing stands right of the comparison"),
        ("response > +5%", '"response" names no statistic; add .median, .p90, .p99, .p99.9, .max'),
        ("gamma@64KiB > +5%", '"gamma@64KiB" names no statistic; add .median or .max'),
        (".misses > 0", '".misses": no task stands left of the first dot'),
        ("response.p95 > +5%", '"p95" is no statistic; did you mean "p99"?'),
        ("respnse.p99 > +5%", '"respnse" is neither a quantity of jobs nor a cost; '
         'did you mean "response"?'),
        ("gama.median > +5%", 'did you mean "gamma"?'),
        ("miss > 0", '"miss" is no figure; did you mean "misses"?'),
        ("response.p99 > 5%", '"5%" is a share of what? For a change against the baseline '
         'write "+5%"'),
        ("response.p99 > +5", '"5" has no unit'),
        ("misses > +1%", "a change of misses is counted"),
        ("misses > 1ms", '"1ms" is no count of jobs'),
        ("gamma.p99 > +5%", "a cost is compared by its median or max"),
        ("gamma@64KB.median > +5%", 'unknown unit "KB"'),
        ("gamma@cup=1.median > +5%", 'axis "cup=1": unknown; did you mean "cpu"?'),
        ("gamma@cpu=one.median > +5%", '"one" is no number'),
        ("gamma@cpu=1,cpu=2.median > +5%", "states an axis twice"),
    ],
)  # fmt: skip
def test_what_is_no_statement_is_refused_with_advice(text: str, message: str):
    with pytest.raises(ConfigError) as refused:
        parse_fail_on(text)
    assert str(refused.value).startswith(f'--fail-on "{text}": ')
    assert message in str(refused.value)


def check_read_or_refused(text: str):
    try:
        found = parse_fail_on(text)
    except ConfigError:
        return
    assert found.text == text


@given(st.text(max_size=60))
def test_any_text_is_read_or_refused(text: str):
    check_read_or_refused(text)


PARTS = st.sampled_from(
    [*QUANTITIES, *STATISTICS, *COST_NAMES, "misses", "@", ".", ",", ">", "<", "=", "+", "-", "5%",
     "1ms", "64KiB", "cpu=1", " ", "7", "x"]
)  # fmt: skip


@given(st.lists(PARTS, max_size=10).map("".join))
def test_any_arrangement_of_its_words_is_read_or_refused(text: str):
    check_read_or_refused(text)


@given(
    task=st.none() | st.from_regex(r"[A-Za-z][A-Za-z0-9_.-]{0,8}[a-z]", fullmatch=True),
    quantity=st.sampled_from(QUANTITIES),
    statistic=st.sampled_from(STATISTICS),
    operator=st.sampled_from("<>"),
    value_ns=st.integers(0, 10**15),
    sign=st.sampled_from(["", "+", "-"]),
)
def test_every_statement_about_jobs_means_what_was_written(
    task: str | None, quantity: str, statistic: str, operator: str, value_ns: int, sign: str
):
    subject = quantity if task is None else f"{task}.{quantity}"
    found = parse_fail_on(f"{subject}.{statistic} {operator} {sign}{value_ns}ns")
    assert (found.task, found.name, found.statistic) == (task, quantity, statistic)
    assert found.is_above == (operator == ">")
    value = -value_ns if sign == "-" else value_ns
    assert found.threshold == Threshold(value, Unit.NS, bool(sign))
