# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""What `laxity bound` reads from runs, `wcet_from`, and what it says of that."""

from collections.abc import Sequence
from pathlib import Path

from laxity.bounds.platform_costs import USE_PWCET, Choice
from laxity.core.task_set import RunWcet, TaskSet, read_task_set
from laxity.core.text_table import format_table
from laxity.core.units import decimal_duration
from laxity.statistics.wcet_model import MeasuredWcet, Pwcet

_DECIDED_BY = {
    "pareto": "the fitted tail decides",
    "exponential": "an exponential tail decides",
    "max": "the largest sample decides",
}


def read_with_runs(
    data: bytes, base: Path, choice: Choice
) -> tuple[TaskSet, tuple[MeasuredWcet, ...]]:
    """Read a task set, and the runs that its tasks were measured in.

    Args:
        data: Content of the file.
        base: What `wcet_from` is relative to.
        choice: Which figure of a run.

    Raises:
        ConfigError: As `read_task_set`.
        NoVerdict: A run does not tell how long jobs take.
    """
    measured: list[MeasuredWcet] = []

    def read_wcet(run: str, task: str) -> RunWcet:
        from laxity.bounds.wcet_from_runs import read_measured_wcet  # noqa: PLC0415 - loads numpy

        measured.append(read_measured_wcet(base, run, task, choice))
        return RunWcet(measured[-1].wcet_ns, measured[-1].max_ns)

    return read_task_set(data, read_wcet), tuple(measured)


def wcet_notes(
    measured: Sequence[MeasuredWcet], costs_machine: str | None, *, may_differ: bool
) -> tuple[str, ...]:
    """Say what makes measured times weaker than they look.

    Args:
        measured: Of all tasks with `wcet_from`.
        costs_machine: Hash of the machine of the costs; None: --costs none.
        may_differ: Whether times and costs may be of different machines.

    Raises:
        NoVerdict: They are, and may not.
    """
    if not measured:
        return ()
    from laxity.bounds.wcet_from_runs import check_machines  # noqa: PLC0415 - loads numpy

    notes = check_machines(measured, costs_machine, may_differ=may_differ)
    if measured[0].pwcet is not None:
        notes += ("each job may exceed its pWCET: what is said holds while none does",)
    notes += tuple(
        f"{one.task}: a job took {decimal_duration(one.max_ns)}, longer than its wcet by "
        f"{one.use}: what is said holds while none does"
        for one in measured
        if one.max_ns > one.wcet_ns
    )
    return notes + tuple(f"{one.task}: {note}" for one in measured for note in one.notes)


def wcet_text(measured: Sequence[MeasuredWcet]) -> str:
    """Write C of each task that was measured, and what a pWCET rests on."""
    if not measured:
        return ""
    headers = ("task", "wcet", "use", "kind", "n", "longest", "run", "its task")
    rows = [
        (
            one.task,
            decimal_duration(one.wcet_ns),
            one.use,
            one.kind,
            str(one.n),
            decimal_duration(one.max_ns),
            one.run,
            one.run_task,
        )
        for one in measured
    ]
    table = format_table(headers, rows, right=(1, 4, 5))
    parts = [
        pwcet_text(one.task, "a job", one.use, one.pwcet)
        for one in measured
        if one.pwcet is not None
    ]
    return "".join([f"\nwcet of runs: observed, not proven\n{table}", *parts])


def pwcet_text(of: str, event: str, use: str, found: Pwcet) -> str:
    """Write what a pWCET rests on.

    Args:
        of: Task or cost.
        event: What exceeds it: a job.
        use: As the option writes it: pwcet:1e-9.
        found: The pWCET.
    """
    probability = use.removeprefix(USE_PWCET)
    return (
        f"\npWCET of {of}: {event} exceeds {decimal_duration(found.bound_ns)} with "
        f"probability {probability} at most; {100 * found.confidence:.0f} % confidence, "
        f"n = {found.n}\n"
        f"  {found.method}; {_DECIDED_BY[found.decided_by]} "
        f"({found.n_decided} above its threshold)\n"
        f"  lowest threshold {decimal_duration(found.threshold_ns)}, {found.n_above} above it; "
        f"shape {found.shape:.3f}, 95 % interval {found.shape_low:.3f} to {found.shape_high:.3f}\n"
        f"  {len(found.gates)} gates passed: {', '.join(gate.name for gate in found.gates)}\n"
    )
