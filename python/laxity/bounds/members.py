# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""The members of bound.json as `laxity schema bound` prints them; a test compares them with it."""

from laxity.core.schedulers import Fit, Scheduler
from laxity.costs.model import Member

BOUND_SCHEMA = 1

_PPM = "parts per million"


def _pwcet(of: str, sample: str) -> tuple[Member, ...]:
    """List the members of a pWCET: whose it is, and what was sampled."""
    return tuple(
        Member(f"{of}.pwcet{name}", kind, unit, meaning)
        for name, kind, unit, meaning in (
            ("", "object, null", "", "null: not asked for, or a bound itself"),
            (".exceedance", "number", "", f"probability that one {sample} takes longer"),
            (".bound_ns", "integer", "ns", "without the margin"),
            (".confidence", "number", "", "that the bound is not too low"),
            (".method", "text", "", "how it was found"),
            (".n", "integer", "count", f"{sample}s"),
            (".threshold_ns", "integer", "ns", "above it lies the tail"),
            (".n_above", "integer", "count", f"{sample}s in the tail"),
            (".shape", "number", "", "xi of the fitted tail"),
            (".shape_low", "number", "", "lower end of its 95 % interval"),
            (".shape_high", "number", "", "upper end"),
            (".decided_by", "text", "", f"the largest of: pareto, exponential, max ({sample})"),
            (".n_decided", "integer", "count", f"{sample}s above the threshold that decides"),
            (".max_ns", "integer", "ns", f"the longest {sample}"),
            (".gates[].name", "text", "", "of the test"),
            (".gates[].asks", "text", "", "what must hold"),
            (".gates[].statistic", "number", "", "its figure"),
            (
                ".gates[].p_value",
                "number, null",
                "",
                "probability of such a figure where it holds; null: the figure itself counts",
            ),
            (".gates[].level", "number", "", "limit of p, or of the figure"),
            (".gates[].is_open", "true, false", "", "true: passed"),
        )
    )


BOUND_MEMBERS = (
    Member("schema", "integer", "", str(BOUND_SCHEMA)),
    Member("verdict", "text", "", "schedulable, not_schedulable (by an exact test), not_provable"),
    Member("scheduler", "text", "", ", ".join(Scheduler)),
    Member(
        "priorities",
        "text, null",
        "",
        "stated in the file; where it states none: found, not_found, impossible (with none that "
        "differ are all deadlines kept, whatever the costs), equal (not looked for with this "
        "test); null: they do not count",
    ),
    Member("tasks[].name", "text", "", "in the order of the file"),
    Member(
        "tasks[].cpu",
        "integer, null",
        "",
        "where it runs, 0 where the file names none; null: on any, or none had room for it",
    ),
    Member("tasks[].priority", "integer, null", "", "larger is higher; null: it does not count"),
    Member("tasks[].verdict", "text", "", "as above, of this task"),
    Member(
        "tasks[].response_time_ns",
        "integer, null",
        "ns",
        "bound, also beyond the deadline; null: the busy window does not end, or a cost is missing",
    ),
    Member("tasks[].deadline_ns", "integer", "ns", "from the release"),
    Member("tasks[].period_ns", "integer", "ns", ""),
    Member("tasks[].test", "text", "", "name of the test"),
    Member("tasks[].source", "text", "", "the papers it is from"),
    Member(
        "tasks[].exact",
        "true, false",
        "",
        "the verdict could not be another one; where priority counts the bound is reached, too",
    ),
    Member(
        "tasks[].jobs",
        "integer, null",
        "count",
        "of the busy window, up to the one that responds last; null: no bound, or by another test",
    ),
    Member("tasks[].jitter_ns", "integer", "ns", "with the timer latency"),
    Member(
        "tasks[].window_ns",
        "integer, null",
        "ns",
        "response = jitter + window - (jobs - 1) period; null: as jobs",
    ),
    Member(
        "tasks[].breakdown",
        "object, null",
        "",
        "where the window goes: its parts sum up to it; null: as jobs",
    ),
    Member("tasks[].breakdown.wcet_ns", "integer", "ns", "C of its own jobs in the window"),
    Member("tasks[].breakdown.interference_ns", "integer", "ns", "C of jobs of other tasks"),
    Member(
        "tasks[].breakdown.contention_ns",
        "integer",
        "ns",
        "what co-runners on other CPUs make all of them longer (overhead_ratio)",
    ),
    Member("tasks[].breakdown.delta_ns", "integer", "ns", "2 delta of all of them"),
    Member("tasks[].breakdown.gamma_ns", "integer", "ns", "what is loaded again after preemptions"),
    Member(
        "tasks[].breakdown.migration_ns",
        "integer",
        "ns",
        "the same after migrations; 0: tasks keep to their CPUs",
    ),
    Member(
        "tasks[].breakdown.interrupts_ns",
        "integer",
        "ns",
        "ticks, timers of tasks that may not run yet",
    ),
    Member("tasks[].breakdown.blocking_ns", "integer", "ns", "as the file states"),
    Member("tasks[].breakdown.switch_blocking_ns", "integer", "ns", "one switch under way"),
    Member("tasks[].reason", "text, null", "", "why not more is proven; null: schedulable"),
    Member("cpus[].cpus", "list of integer", "", "CPUs whose tasks a test looks at together"),
    Member("cpus[].verdict", "text", "", "as above, of all their tasks"),
    Member("cpus[].test", "text", "", "name of the test"),
    Member("cpus[].source", "text", "", "the papers it is from"),
    Member("cpus[].exact", "true, false", "", "the verdict could not be the other one"),
    Member("cpus[].utilisation_ppm", "integer", _PPM, "of one CPU, without the platform's costs"),
    Member(
        "cpus[].interval_ns",
        "integer, null",
        "ns",
        "length of an interval with more work than time; null: none, or the test knows none",
    ),
    Member("cpus[].demand_ns", "integer, null", "ns", "that work"),
    Member("cpus[].reason", "text, null", "", "why not more is proven; null: schedulable"),
    Member("partition", "object, null", "", "who was placed where; null: none was asked for"),
    Member("partition.fit", "text", "", ", ".join(f"{one} fit" for one in Fit)),
    Member("partition.cpus[].cpu", "integer", "", ""),
    Member("partition.cpus[].tasks", "list of text", "", "names, in the order of placement"),
    Member("partition.unplaced", "list of text", "", "names of tasks that had room nowhere"),
    Member(
        "sensitivity",
        "object, null",
        "",
        "each figure varied alone; null: a cost is missing, or tasks take turns",
    ),
    Member("sensitivity.wcet", "object", "", "largest factor on C of all tasks"),
    Member(
        "sensitivity.delta",
        "object, null",
        "",
        "largest factor on delta, 0 included; null: switches cost nothing",
    ),
    Member(
        "sensitivity.gamma",
        "object, null",
        "",
        "largest factor on gamma, 0 included; null: no task loads anything again",
    ),
    Member(
        "sensitivity.speed",
        "object",
        "",
        "least speed at which all is in time: C / speed, costs as they are",
    ),
    Member(
        "sensitivity.*.factor_ppm",
        "integer, null",
        _PPM,
        "in thousandths, on the safe side, to 1000 times; null: none keeps all deadlines",
    ),
    Member(
        "sensitivity.*.critical_task",
        "text, null",
        "",
        "who is late one step further, with factor_ppm null at any; null: nobody up to the end",
    ),
    Member("costs.path", "text, null", "", "as given; null: none, zero overheads"),
    Member("costs.machine_hash", "text, null", "", "of the machine that was measured"),
    Member("costs.use", "text, null", "", "which figure of each cost: max, p99.9, pwcet:1e-9"),
    Member("costs.margin", "text, null", "", "what was added to each: 20%"),
    Member("costs.entries[].name", "text", "", "of the entry of costs.json"),
    Member("costs.entries[].of", "text, null", "", "the task it is of; null: of all"),
    Member("costs.entries[].value_ns", "integer", "ns", "that counts, with the margin"),
    Member(
        "costs.entries[].kind",
        "text",
        "",
        "measured, simulated, modelled (also: extrapolated, a pWCET), proven",
    ),
    Member("costs.entries[].n", "integer", "count", "samples behind it"),
    Member("costs.entries[].verdict", "text", "", "ok, not_measurable"),
    Member("costs.entries[].case", "text, null", "", "as in costs.json"),
    Member("costs.entries[].evict", "text, null", "", "as in costs.json"),
    Member("costs.entries[].cpu", "integer, null", "", "where it was measured"),
    Member("costs.entries[].cpu_to", "integer, null", "", "of a migration: to which CPU"),
    Member("costs.entries[].working_set_bytes", "integer, null", "bytes", "where on the curve"),
    Member("costs.entries[].runs", "list of text", "", "the runs that measured it"),
    *_pwcet("costs.entries[]", "sample"),
    Member("missing", "list of text", "", "without these nothing is proven; what to do"),
    Member("not_accounted", "list of text", "", "costs that are left out of the bound"),
    Member("notes", "list of text", "", "what weakens the answer, or was chosen for it"),
    Member("wcet_from[].task", "text", "", "a task whose C is from a run"),
    Member("wcet_from[].run", "text", "", "as the task set names it"),
    Member("wcet_from[].run_task", "text", "", "the task of that run"),
    Member("wcet_from[].machine_hash", "text, null", "", "of the machine of that run"),
    Member("wcet_from[].kind", "text", "", "measured; modelled: extrapolated, a pWCET"),
    Member("wcet_from[].wcet_ns", "integer", "ns", "that counts, with the margin"),
    Member("wcet_from[].use", "text", "", "which figure: max, p99.9, pwcet:1e-9"),
    Member("wcet_from[].n", "integer", "count", "jobs behind it"),
    Member("wcet_from[].max_ns", "integer", "ns", "the longest of them"),
    *_pwcet("wcet_from[]", "job"),
    Member("wcet_from[].notes", "list of text", "", "what the run does not tell"),
)
