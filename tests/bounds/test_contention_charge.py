# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""What tasks are charged with by their contention tables."""

from contextlib import nullcontext

import msgspec
import pytest
from tests.bounds.made_up_costs import entry, gamma, model
from tests.contention.test_table import FIRST, PREEMPTED, table

from laxity.bounds.answer import CostsGiven, answer_task_set
from laxity.bounds.contention_charge import CoRunners, charged, left_out
from laxity.bounds.document import Answer
from laxity.bounds.platform_costs import Choice
from laxity.bounds.sections import blocks_of
from laxity.bounds.setup import Setup
from laxity.contention.table import RATE_ONE
from laxity.core.task_set import TaskSet, read_task_set
from laxity.errors import ConfigError
from laxity.page.terminal import text_of

SET = """
schema = 1
[[task]]
name = "planner"
workload = "dijkstra"
args = ["large"]
period = "20ms"
priority = 40
cpus = "0"
wcet = "8.8ms"
contention = "dijkstra.json"
gamma = "70us"
[[task]]
name = "control"
workload = "sha"
args = ["small"]
period = "5ms"
priority = 50
cpus = "0"
wcet = "400us"
contention = "sha.json"
"""
REGULATE = '[regulate]\ntask = "planner"\ntheta = "5%"\n'
DIJKSTRA = table()
# At most half of the time is lost: a job takes twice as long.
SHA = table(workload="sha", args=["small"], solo_ns=400_000)


def read(text: str) -> TaskSet:
    return read_task_set(text.encode())


def answered(text: str, costs: CostsGiven) -> Answer:
    task_set = read(text)
    planner, control = task_set.tasks
    charges = (charged(planner, DIJKSTRA, task_set.regulate), charged(control, SHA, None))
    tasks = tuple(task for task, _ in charges)
    contended = TaskSet(tasks, has_corunners=True, regulate=task_set.regulate)
    answer = answer_task_set(contended, costs, Setup(has_sensitivity=False))
    assert not answer.missing
    return answer


def responses(text: str, costs: CostsGiven) -> list[int | None]:
    return [task.response_time_ns for task in answered(text, costs).tasks]


def test_regulated_task_is_charged_theta_and_the_other_the_largest_rate():
    """Control takes 2 x 0.4 ms. Planner: 8.8 x 1.05 = 9.24; in 11.64 ms control comes 3 times."""
    none = CostsGiven(None, None, Choice())
    assert responses(SET + REGULATE, none) == [11_640_000, 800_000]


def test_task_that_nothing_regulates_is_charged_its_whole_table():
    """8.8 x 2 = 17.6 ms; in 21.6 ms control comes 5 times, 4 ms."""
    none = CostsGiven(None, None, Choice())
    assert responses(SET.replace("20ms", "30ms"), none) == [21_600_000, 800_000]


def test_stated_gamma_counts_in_place_of_the_working_set():
    """Control: 0.8 + 2 x 0.01 + 0.07, and a switch under way of 0.02: 0.91 ms.

    Planner: 9.24 + 0.02 + 3 x (0.8 + 0.02 + 0.07) = 11.93 ms.
    """
    costs = CostsGiven(model(entry("delta", 10_000, cpu=0)), "c", Choice())
    assert responses(SET + REGULATE, costs) == [11_930_000, 910_000]


def test_stated_gamma_has_no_number_of_samples():
    """The table shows "-" as its n: 0 would be a count of something measured."""
    costs = CostsGiven(model(entry("delta", 10_000, cpu=0)), "c", Choice())
    lines = text_of(blocks_of(answered(SET + REGULATE, costs))).splitlines()
    (of_gamma,) = [line.split() for line in lines if "stated by the task set" in line]
    assert of_gamma[of_gamma.index("modelled") + 1] == "-"


def test_profiled_gamma_counts_where_none_is_stated():
    """66.666 us and 5 % more are 70 us, seen in 12 preemptions alone and 11 with a load."""
    observed = table(preempted=PREEMPTED | {"loaded_ns": 66_666, "alone_ns": 0})
    task_set = read(SET.replace('gamma = "70us"\n', "") + REGULATE)
    planner, control = task_set.tasks
    tasks = (charged(planner, observed, task_set.regulate)[0], charged(control, SHA, None)[0])
    contended = TaskSet(tasks, has_corunners=True, regulate=task_set.regulate)
    costs = CostsGiven(model(entry("delta", 10_000, cpu=0)), "c", Choice())
    answer = answer_task_set(contended, costs, Setup(has_sensitivity=False))
    (of_gamma,) = [cost for cost in answer.costs.entries if cost.name == "gamma" and cost.n]
    assert (of_gamma.of, of_gamma.value_ns, of_gamma.n) == ("planner", 70_000, 23)
    assert (of_gamma.kind, of_gamma.verdict) == ("simulated", "observed")
    # It was measured with co-runners.
    charges = (charged(planner, observed, task_set.regulate)[1],)
    assert not any("gamma" in cost for cost in left_out(charges, answer.costs.entries))


def test_losses_after_other_tasks_are_charged_where_tasks_share_the_cpu():
    planner, control = read(SET).tasks
    longer = table(preempted=PREEMPTED)
    assert charged(planner, longer, None, [control])[1].overhead_ppm == 1_000_000
    higher = [0, RATE_ONE // 4, 3 * RATE_ONE // 4]
    longer = table(preempted=PREEMPTED, phases=[FIRST | {"shared_loss": higher}])
    # Three quarters of the time are lost: four times as long.
    assert charged(planner, longer, None, [control])[1].overhead_ppm == 3_000_000
    assert charged(planner, longer, None)[1].overhead_ppm == 1_000_000


def test_job_that_nothing_regulates_is_charged_the_worst_load_of_each_part():
    """10 - 8.8 ms and a fifth, and 2 % of 10 ms: 1.64 ms; 8.8 ms + 18.6364 %."""
    planner, control = read(SET).tasks
    found = table(solo_ns=8_800_000, contended_ns=10_000_000)
    assert charged(planner, found, None)[1].overhead_ppm == 186_364
    # Nothing was measured after jobs of other tasks.
    assert charged(planner, found, None, [control])[1].overhead_ppm == 1_000_000


def test_charge_says_what_it_is_from():
    planner, control = read(SET + REGULATE).tasks
    regulate = read(SET + REGULATE).regulate
    _, of_planner = charged(planner, DIJKSTRA, regulate)
    _, of_control = charged(control, SHA, regulate)
    assert (of_planner.theta_ppm, of_planner.contention_ns) == (50_000, 440_000)
    assert (of_control.theta_ppm, of_control.overhead_ppm) == (None, 1_000_000)
    assert (of_control.table, of_control.loads) == ("sha.json", 1)


def test_costs_without_co_runners_are_named():
    text = SET.replace('gamma = "70us"', 'working_set = "64KiB"')
    costs = CostsGiven(model(entry("delta", 10_000, cpu=0), gamma(64, 5_000)), "c", Choice())
    answer = answer_task_set(read(text), costs, Setup(has_sensitivity=False))
    planner, control = read(text).tasks
    charges = (charged(planner, DIJKSTRA, None)[1], charged(control, SHA, None)[1])
    _, _, of_gamma, of_switches = left_out(charges, answer.costs.entries)
    assert of_gamma.startswith("what co-runners add to gamma of planner")
    assert of_switches.startswith("what co-runners add to switches")
    assert len(list(left_out(charges, ()))) == len(charges)
    assert list(left_out((), answer.costs.entries)) == []


def test_bound_says_what_its_tables_were_observed_with():
    """No profile excludes that other work costs more: of the same traffic if it is regulated."""
    planner, control = read(SET + REGULATE).tasks
    regulate = read(SET + REGULATE).regulate
    charges = (charged(planner, DIJKSTRA, regulate)[1], charged(control, SHA, regulate)[1])
    loads = "load on CPUs 1 (0 of 10 reads, delay 0)"
    assert list(left_out(charges, ())) == [
        f"co-runners that cost planner more at the same traffic than {loads}: dijkstra.json is "
        "observed, not proven",
        f"co-runners that cost control more than {loads}: sha.json is observed, not proven",
    ]


def test_task_that_nothing_charges_for_co_runners_is_named():
    planner, control = read(SET).tasks
    mixed = TaskSet((charged(planner, DIJKSTRA, None)[0], control), has_corunners=True)
    answer = answer_task_set(mixed, CostsGiven(None, None, Choice()), Setup(has_sensitivity=False))
    assert any("slow jobs of control down" in note for note in answer.notes)


@pytest.mark.parametrize(
    ("changed", "reason"),
    [
        ({"args": ["small"]}, "is of 'dijkstra small', the task runs 'dijkstra large'"),
        ({"cpu": 1}, "is of CPU 1, the task is on CPU 0"),
        ({"solo_ns": 8_800_001}, "a job alone took 8800001ns"),
        (
            {"phases": [msgspec.to_builtins(FIRST) | {"loss": [0, RATE_ONE // 2, RATE_ONE]}]},
            "a job may lose all of its time",
        ),
    ],
)
def test_table_that_bounds_nothing_of_the_task_is_refused(changed: dict[str, object], reason: str):
    planner, _ = read(SET).tasks
    with pytest.raises(ConfigError, match=reason):
        charged(planner, table(**changed), None)


def test_regulated_task_needs_a_table():
    text = SET.replace('contention = "dijkstra.json"\n', "")
    with pytest.raises(ConfigError, match='task "planner" has no table; add contention'):
        read(text + REGULATE)


def test_contention_is_stated_once():
    with pytest.raises(ConfigError, match="contention and overhead_ratio both say"):
        read(SET + 'overhead_ratio = "5%"\n')


@pytest.mark.parametrize(
    ("old", "new", "regulate", "reason"),
    [
        # DIJKSTRA has loads on CPU 1 alone.
        ("", "", REGULATE, None),
        ("1-3", "1", REGULATE, None),
        ("1-3", "0-1", "", None),
        ("1-3", "1-2", REGULATE, "co-runners are on CPUs 1-2; put .* on CPUs 1,"),
        ("1-3", "1-2", "", "co-runners are on CPUs 1-2; put .* on CPUs 1,"),
        ("1-3", "0-1", REGULATE, "co-runners are on CPUs 0-1; put .* on CPUs 1,"),
        ('cpus = "0"\nwcet = "400us"', 'cpus = "1"\nwcet = "400us"', REGULATE, "never stopped"),
        ('cpus = "0"\nwcet = "400us"', 'cpus = "1"\nwcet = "400us"', "", None),
        ('cpus = "0"\nwcet = "400us"', 'cpus = "2"\nwcet = "400us"', "", "tasks on CPUs 2, the"),
        ("", "", REGULATE.replace("5%", "0.1%"), "theta 0.1% allows a loss of 8.8 µs"),
    ],
)
def test_traffic_that_the_table_does_not_cover_is_refused(
    old: str, new: str, regulate: str, reason: str | None
):
    """`laxity run` refuses what is regulated and not covered; a bound promises no more."""
    loads = '[[interfere]]\nworkload = "load"\ncpus = "1-3"\n' if old == "1-3" else ""
    task_set = read((SET + loads).replace(old, new) + regulate)
    planner, control = task_set.tasks
    assert task_set.corunner_cpus is not None
    refusal = nullcontext() if reason is None else pytest.raises(ConfigError, match=reason)
    with refusal:
        corunners = CoRunners(task_set.corunner_cpus, task_set.corunners)
        charged(planner, DIJKSTRA, task_set.regulate, [control], corunners)


# Of a profile with loads on CPU 1, and on 1 and 2: 3 to 7 reads with a delay of 20, and on CPU 1
# alone without one.
LOADS = [
    {"reads": reads, "delay": delay, "cpus": cpus, "overhead_ppm": 0, "traffic_bytes_per_s": 0}
    for reads in (3, 7)
    for delay, cpus in ((0, [1]), (20, [1]), (20, [1, 2]))
]
OVERHEADS = [[0, 0, 0, 0]] * 2


@pytest.mark.parametrize(
    ("args", "cpus", "is_covered"),
    [
        ("4MiB 5 20", "1-2", True),
        ("4MiB 7 21", "1-2", True),
        ("4MiB 5 19", "1-2", False),
        ("4MiB 5 19", "1", True),
        ("4MiB 2 20", "1-2", False),
        ("4MiB 8 20", "1-2", False),
        # Without delay, and with writes alone.
        ("4MiB 3", "1", True),
        ("4MiB 3", "1-2", False),
        ("4MiB", "1", False),
    ],
)
@pytest.mark.parametrize("regulate", ["", REGULATE])
def test_load_that_costs_more_than_those_of_the_profile_is_refused(
    args: str, cpus: str, regulate: str, is_covered: bool
):
    loads = f'[[interfere]]\nworkload = "load"\nargs = {args.split()}\ncpus = "{cpus}"\n'
    task_set = read(SET + loads + regulate)
    planner, control = task_set.tasks
    assert task_set.corunner_cpus is not None
    corunners = CoRunners(task_set.corunner_cpus, task_set.corunners)
    profiled = table(loads=LOADS, phases=[FIRST | {"overheads": OVERHEADS}])
    reason = (
        rf"'load {args}' on . CPUs is not covered: the profile had load on CPUs 1-2 \(3 to 7 of"
    )
    refusal = nullcontext() if is_covered else pytest.raises(ConfigError, match=reason)
    with refusal:
        charged(planner, profiled, task_set.regulate, [control], corunners)


def test_program_that_is_no_load_cannot_be_compared_and_is_said():
    loads = '[[interfere]]\nworkload = "mem"\nargs = ["4MiB"]\ncpus = "1"\n'
    task_set = read(SET + loads)
    planner, control = task_set.tasks
    corunners = CoRunners((1,), task_set.corunners)
    assert task_set.corunners == (("mem", "4MiB"),)
    _, charge = charged(planner, DIJKSTRA, None, [control], corunners)
    assert "more than load on CPUs 1" in next(left_out([charge], ()))
