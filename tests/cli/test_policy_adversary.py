# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""The regulator's policy against many adversaries, and with faults planted into it.

A fault is a changed text of the policy, of its table, or of the machine that plays against it. Each
must break a promise, or raise a false alarm, in one of 100,000 runs.
"""

import os
import shutil
import subprocess
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

import pytest
from bench.common import ROOT

RUNS = 400_000
RUNS_OF_A_FAULT = 100_000
TIMEOUT_S = 1800
POLICY = "native/regulator/policy.c"
TABLE = "native/regulator/table.c"
MACHINE = "tests/native/regulator/adversary.c"
SETTING = "tests/native/regulator/setting.c"
BASELINES = "native/regulator/baselines.c"
SOURCES = (
    POLICY,
    BASELINES,
    TABLE,
    MACHINE,
    SETTING,
    "tests/native/regulator/test_policy_adversary.c",
)


@dataclass(frozen=True, slots=True)
class Fault:
    """A fault: texts of files, each of which stands there once, and what replaces them."""

    what: str
    changes: tuple[tuple[str, str, str], ...]


def _fault(what: str, file: str, right: str, wrong: str) -> Fault:
    return Fault(what, ((file, right, wrong),))


WINDOW = "terms->lease_ns + terms->stop_ns + terms->mark_ns"
CHARGED_STOPS = "    charge(policy, policy->terms.reload_ns * (int64_t)interval->n_stops);"
FAULTS = (
    _fault(
        "the maximum of curves is not packed",
        TABLE,
        "    laxity_contention_pack(out_curve, table->n_steps);\n",
        "",
    ),
    Fault(
        "the table is not packed",
        (
            (SETTING, "        laxity_contention_pack(curve, STEPS);\n", ""),
            (TABLE, "if (packed[i] > loss[i] + 1) {", "if (packed[i] > LAXITY_RATE_ONE) {"),
        ),
    ),
    _fault(
        "a traffic between two steps counts as the lower one",
        TABLE,
        "(traffic / step) + (traffic % step != 0)",
        "traffic / step",
    ),
    _fault(
        "stops cost nothing within an interval",
        POLICY,
        f"{CHARGED_STOPS}\n}}\n\nstatic void\nkeep_step",
        "}\n\nstatic void\nkeep_step",
    ),
    _fault(
        "stops are charged by the certificate alone",
        POLICY,
        f"{CHARGED_STOPS}\n}}\n\nstatic bool is_longer",
        "}\n\nstatic bool is_longer",
    ),
    _fault(
        "the certificate does not charge stops",
        POLICY,
        "                                 reloads_ns(policy, newest->wall_ns);",
        "                                 0;",
    ),
    _fault(
        "the certificate does not charge the time since its mark",
        POLICY,
        "lost_since_ns(policy, interval, newest, stopped_since_ns) -",
        "0 * lost_since_ns(policy, interval, newest, stopped_since_ns) -",
    ),
    _fault(
        "the certificate charges a late mark by the last traffic alone",
        POLICY,
        "if (newest->wall_ns < interval->last_ns) {",
        "if (newest->wall_ns < INT64_MIN / 2) {",
    ),
    _fault(
        "a start that is seen late costs nothing",
        POLICY,
        "loss_ns(interval->now_ns - first->wall_ns, rate)",
        "0 * loss_ns(0, rate)",
    ),
    _fault(
        "a stop between a start and its first reading is lost",
        POLICY,
        "    charge(policy, reloads_ns(policy, first->wall_ns));\n",
        "",
    ),
    _fault(
        "a mark that is seen late costs nothing",
        POLICY,
        "loss_ns(interval->last_ns - oldest_ns, joined[policy->table->n_steps - 1])",
        "0 * oldest_ns",
    ),
    _fault(
        "an interval is split at a mark",
        POLICY,
        "        charge(policy, loss_ns(interval->dt_ns, joined[interval->step]));",
        """\
        const int64_t after_ns = interval->now_ns - oldest_ns;
        const uint32_t rate = policy->table->loss[policy->phase][interval->step];
        charge(policy, loss_ns(interval->dt_ns - after_ns, rate));
        charge(policy, to == policy->table->n_phases
            ? 0 : loss_ns(after_ns, policy->table->loss[to][interval->step]));""",
    ),
    _fault(
        "an interval lasts from one clock reading to the next",
        POLICY,
        "reading->after_ns - policy->before_ns",
        "reading->after_ns - policy->after_ns",
    ),
    _fault(
        "a counter is believed after it may have wrapped",
        POLICY,
        "dt_ns <= terms->wrap_ns / 2",
        "dt_ns <= terms->wrap_ns / 2 * 9",
    ),
    _fault(
        "work that has stopped is taken for stopped throughout",
        POLICY,
        "reading->stopped_since_ns <= policy->before_ns",
        "reading->stopped_since_ns != INT64_MAX",
    ),
    _fault(
        "traffic is taken for known up to the end of a reading",
        POLICY,
        "interval->gap_ns + permitted",
        "permitted",
    ),
    _fault("there is no stop latency", POLICY, WINDOW, "terms->lease_ns + terms->mark_ns"),
    _fault("there is no mark latency", POLICY, WINDOW, "terms->lease_ns + terms->stop_ns"),
    _fault("there is no lease", POLICY, WINDOW, "terms->stop_ns + terms->mark_ns"),
    _fault(
        "a lease begins when the one before expires",
        POLICY,
        "was_allowed ? reading->after_ns + policy->terms.lease_ns",
        "was_allowed ? reading->after_ns + 2 * policy->terms.lease_ns",
    ),
    _fault(
        "a permission looks at the current phase alone",
        POLICY,
        "interval->now_ns + permitted)",
        "policy->passed_ns - 1)",
    ),
    _fault(
        "a permission looks at phases that can begin before its lease ends",
        POLICY,
        "interval->now_ns + permitted)",
        "interval->now_ns + policy->terms.lease_ns)",
    ),
    _fault(
        "a permission takes the job for where its last mark was",
        POLICY,
        "until_ns - policy->passed_ns",
        "until_ns - (policy->passed_ns > policy->after_ns ? policy->passed_ns : policy->after_ns)",
    ),
    _fault(
        "a job is taken for no quicker than the longest way to a phase",
        TABLE,
        "table->soonest_ns[q] - table->soonest_ns[phase] > wall_ns",
        "table->solo_until_ns[q] - table->solo_until_ns[phase] > wall_ns",
    ),
    _fault(
        "a job that starts unseen is in its first phase",
        POLICY,
        "laxity_contention_worst_within(policy->table, 0, permitted)",
        "laxity_contention_worst_within(policy->table, 0, -1)",
    ),
    _fault(
        "a start that is seen late is charged by the first phase",
        POLICY,
        "worst_until(policy, interval->now_ns);\n    charge",
        "worst_until(policy, policy->passed_ns - 1);\n    charge",
    ),
    _fault(
        "a permission may last into a job that cannot bear it",
        POLICY,
        "if (!may_start(policy, reading)) {",
        "if (!may_start(policy, reading) && policy->is_void) {",
    ),
    _fault(
        "work resumes before the start of a job can be known",
        POLICY,
        "reading->after_ns - policy->terms.mark_ns",
        "reading->after_ns",
    ),
    _fault(
        "a certificate resets what was charged",
        POLICY,
        "    policy->slack_ns = certified_ns > policy->slack_ns ? certified_ns : policy->slack_ns;",
        """\
    if (certified_ns > policy->slack_ns) {
        policy->slack_ns = certified_ns;
        policy->charged_ns = 0;
    }""",
    ),
    _fault(
        "the certificate takes the longest way to its mark for the way that was gone",
        POLICY,
        "newest->own_ns - table->solo_from_ns[to] -",
        "newest->own_ns - table->solo_from_ns[0] + table->solo_until_ns[to] -",
    ),
    _fault(
        "preemptions are free of alarm",
        POLICY,
        "policy->terms.preemption_ns * (int64_t)mark->preemptions;",
        "0;",
    ),
    _fault(
        "the reload after a preemption was measured alone",
        MACHINE,
        "world->preempted_ns > 0 ? 0 : setting->terms.preemption_ns;",
        "world->preempted_ns > 0 ? 0 : setting->terms.preemption_ns * (2 + world->is_running) / 2;",
    ),
    _fault(
        "solo times from a mark were measured with the job's own cache warm",
        MACHINE,
        """\
        world->done = 0;
        world->reload_ns = 0;
        world->restart_ns = 0;
        publish""",
        """\
        world->done = 0;
        publish""",
    ),
)


def _build(folder: Path, fault: Fault | None) -> Path:
    """Compile the test with a fault in a copy of its sources."""
    for name in (*SOURCES, "tests/native/test.h"):
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / name, folder / name)
    for header in (*(ROOT / "native/regulator").glob("*.h"), ROOT / MACHINE.replace(".c", ".h")):
        shutil.copy(header, folder / header.relative_to(ROOT))
    for name, right, wrong in () if fault is None else fault.changes:
        text = (folder / name).read_text()
        assert text.count(right) == 1, (name, right)
        (folder / name).write_text(text.replace(right, wrong))
    program = folder / "adversary"
    roots = (folder / "native", ROOT / "native", ROOT / "include")
    # A fault may leave something without use.
    words = ["cc", "-std=gnu17", "-O2", "-w", *(f"-I{root}" for root in roots)]
    words += [str(folder / name) for name in SOURCES]
    subprocess.run([*words, ROOT / "native/base/units.c", "-o", program], check=True)
    return program


def _run(program: Path, runs: int, first: int) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [program, str(runs), str(first)],
        capture_output=True,
        text=True,
        timeout=TIMEOUT_S,
        check=False,
    )


@pytest.mark.parametrize("fault", FAULTS, ids=[fault.what for fault in FAULTS])
def test_source_has_the_text_that_a_planted_fault_replaces_once(fault: Fault):
    for name, right, _ in fault.changes:
        assert (ROOT / name).read_text().count(right) == 1, (name, right)


@pytest.mark.slow
def test_no_adversary_breaks_the_promise(tmp_path: Path):
    program = _build(tmp_path, None)
    part = RUNS // 4
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        done = list(pool.map(lambda n: _run(program, part, 1 + n * part), range(4)))
    failed = [run.stdout for run in done if run.returncode != 0]
    assert not failed, "".join(failed)


@pytest.mark.slow
@pytest.mark.parametrize("fault", FAULTS, ids=[fault.what for fault in FAULTS])
def test_planted_fault_breaks_a_promise_or_raises_an_alarm(fault: Fault, tmp_path: Path):
    done = _run(_build(tmp_path, fault), RUNS_OF_A_FAULT, 1)
    assert done.returncode == 1, done.stdout
