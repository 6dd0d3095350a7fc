# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""The machine, and what the doctor said of it before and after the run."""

from collections.abc import Mapping
from typing import Any, TypeVar

import msgspec

from laxity.core.cpus import format_cpus
from laxity.core.units import format_duration_ns, format_size_bytes
from laxity.jobs.run_data import PageData, RunData
from laxity.page.blocks import Block, Cell, Folded, Paragraph, Section, Table, count_noun, text_cell
from laxity.platform.doctor import Check, Diagnosis
from laxity.platform.machine import Cache, Machine, steal_ratio

Document = TypeVar("Document", Machine, Diagnosis)

_STATE_WORDS = {
    "ok": "ok",
    "warn": "to be mended",
    "bad": "bad",
    "absent": "not there",
    "unknown": "not known",
}
_NOT_KNOWN = "not known"
# What a simulated platform has; the rest is of a kernel, or of whoever runs it.
_OF_SIMULATED = frozenset({"processor", "architecture", "CPUs", "caches", "machine hash"})


def build(page: PageData) -> Section:
    """Build the section: the machine once, the doctor once per run."""
    blocks: list[Block] = []
    described = next((run for run in page.runs if run.machine), None)
    machine = None if described is None else machine_of(described)
    if machine is None or described is None:
        blocks.append(Paragraph("machine.json is missing or unreadable.", "warning"))
    else:
        blocks.append(_machine_table(machine, described))
    if len({run.manifest.machine_hash for run in page.runs}) > 1:
        text = "The runs below were made on machines that differ; do not compare them."
        blocks.append(Paragraph(text, "warning"))
    shown: set[str] = set()
    for run in page.runs:
        # Nothing disturbs a simulated platform.
        if run.kind != "simulated" and (run.view is None or not run.view.is_computed):
            blocks += _doctor_blocks(run, shown, is_named=page.is_composite)
    is_simulated = page.runs and all(run.kind == "simulated" for run in page.runs)
    title = "Machine" if is_simulated else "Machine and doctor"
    return Section("machine", title, tuple(blocks))


def machine_of(run: RunData) -> Machine | None:
    """Return machine.json of a run, None if there is none of this shape."""
    return _convert(run.machine, Machine)


def diagnosis_of(run: RunData, when: str) -> Diagnosis | None:
    """Return the diagnosis "before" or "after" a run, None if there is none of this shape."""
    return _convert(run.doctor.get(when), Diagnosis)


def unknown_of(run: RunData) -> tuple[str, ...]:
    """List what may have disturbed a run and could not be seen; a run without a doctor has none."""
    before, after = diagnosis_of(run, "before"), diagnosis_of(run, "after")
    if run.kind == "simulated" or before is None or (run.tasks and not run.has_begun):
        return ()
    if after is None:
        return ("whether anything disturbed the run, since no diagnosis was made after its end",)
    both = (before.counters, after.counters)
    unknown = []
    if any(one.pressure_us is None or one.time_ns is None for one in both):
        unknown.append("whether tasks waited for a CPU (/proc/pressure/cpu; boot with psi=1)")
    if steal_ratio(after.counters.cpu_ticks, before.counters.cpu_ticks) is None:
        unknown.append("whether a hypervisor took time (steal in /proc/stat)")
    return tuple(unknown)


def machine_line(run: RunData) -> str:
    """Name the machine in one line."""
    machine = machine_of(run)
    if machine is None:
        return "machine not known"
    stable = machine.stable
    name = stable.model or stable.vendor or stable.architecture or "unnamed processor"
    online = sum(cpu.is_online for cpu in stable.cpus)
    kernel = f"{stable.kernel.name or 'kernel'} {stable.kernel.release or _NOT_KNOWN}"
    if run.kind == "simulated":
        return f"{name}, {count_noun(online, 'CPU')}"
    virtual = ", virtual machine" if stable.virtualisation.is_virtual_machine else ""
    return f"{name}, {count_noun(online, 'CPU')}{virtual}, {kernel}"


def _convert(value: Mapping[str, Any] | None, kind: type[Document]) -> Document | None:
    if not value:
        return None
    try:
        return msgspec.convert(value, kind)
    except msgspec.ValidationError:
        return None


def _machine_table(machine: Machine, run: RunData) -> Table:
    stable, state = machine.stable, machine.state
    virtual = stable.virtualisation
    is_virtual = {True: "yes", False: "no", None: _NOT_KNOWN}[virtual.is_virtual_machine]
    names = [name for name in (virtual.hypervisor, state.container) if name]
    memory = None if state.memory_bytes is None else format_size_bytes(state.memory_bytes)
    resolution = state.clock_resolution_ns
    board = run.manifest.on
    facts = [
        *([] if board is None else [("board", board)]),
        ("processor", stable.model or _NOT_KNOWN),
        ("architecture", stable.architecture or _NOT_KNOWN),
        ("CPUs", _cpus(machine)),
        ("caches", "; ".join(_cache(cache) for cache in stable.caches) or _NOT_KNOWN),
        ("memory", memory or _NOT_KNOWN),
        ("NUMA nodes", str(len(stable.nodes)) if stable.nodes else _NOT_KNOWN),
        ("kernel", f"{stable.kernel.release or _NOT_KNOWN} ({stable.kernel.version or '?'})"),
        ("kernel preemption", stable.kernel.preempt_model),
        ("virtual machine", is_virtual + (f" ({', '.join(names)})" if names else "")),
        ("clock source", state.clocksource or _NOT_KNOWN),
        (
            "clock resolution",
            _NOT_KNOWN if resolution is None else format_duration_ns(resolution),
        ),
        # Only a run of tasks reads it.
        *([("constant-rate counter", _counter(run))] if run.manifest.tasks else []),
        ("hardware counters (PMU)", ", ".join(stable.pmus) or "none"),
        ("machine hash", machine.hash),
    ]
    if run.kind == "simulated":
        facts = [(name, value) for name, value in facts if name in _OF_SIMULATED]
    rows = tuple((text_cell(name), text_cell(value)) for name, value in facts)
    return Table("Machine", ("", ""), rows)


def _cpus(machine: Machine) -> str:
    online = tuple(cpu.cpu for cpu in machine.stable.cpus if cpu.is_online)
    isolated = tuple(cpu.cpu for cpu in machine.stable.cpus if cpu.is_isolated)
    return (
        f"{format_cpus(online)} online, isolated: {format_cpus(isolated) if isolated else 'none'}"
    )


def _cache(cache: Cache) -> str:
    size = _NOT_KNOWN if cache.size_bytes is None else format_size_bytes(cache.size_bytes)
    kind = {"data": "d", "instruction": "i"}.get(cache.kind.lower(), "")
    cpus = f"CPU {cache.cpus[0]}" if len(cache.cpus) == 1 else f"CPUs {format_cpus(cache.cpus)}"
    return f"L{cache.level}{kind} {size} ({cpus})"


def _counter(run: RunData) -> str:
    counter = run.manifest.counter
    if counter is None:
        return "none"
    if counter.rate_hz is None:
        return f"{counter.name}, rate not known"
    return f"{counter.name}, {counter.rate_hz / 1e6:.6g} MHz"


def _doctor_blocks(run: RunData, shown: set[str], *, is_named: bool) -> list[Block]:
    """Say what the doctor said of one run; tables that `shown` names are not repeated."""
    before, after = diagnosis_of(run, "before"), diagnosis_of(run, "after")
    of_run = f" (run “{run.label}”)" if is_named else ""
    if before is None:
        return [Paragraph(f"No diagnosis{of_run} was stored.", "note")]
    blocks: list[Block] = [
        Paragraph(f"Doctor before the start{of_run}: {before.badge} ({before.reason}).")
    ]
    if after is None:
        blocks.append(
            Paragraph(f"No diagnosis was made after the end{of_run}: the run was cut off.", "note")
        )
    drift = [str(item) for item in run.manifest.doctor_drift]
    if drift:
        blocks.append(Paragraph("Changed during the run: " + "; ".join(drift) + ".", "warning"))
    elif after is not None:
        blocks.append(Paragraph(_calm_text(run)))
    return blocks + _check_blocks(before, after, shown, of_run)


def _calm_text(run: RunData) -> str:
    calm = "Nothing that the doctor watches drifted during the run"
    unknown = unknown_of(run)
    return f"{calm}. Not known: {'; '.join(unknown)}." if unknown else f"{calm}."


def _check_blocks(
    before: Diagnosis, after: Diagnosis | None, shown: set[str], of_run: str
) -> list[Block]:
    """Tables of what stands out, folded ones of the rest; one line if they were shown before."""
    later = {} if after is None else {check.id: check for check in after.checks}
    same = repr([(one.id, one.state, later.get(one.id, one).state) for one in before.checks])
    if same in shown:
        return [Paragraph("Its checks gave the same verdicts as those shown above.")]
    shown.add(same)
    blocks: list[Block] = []
    notable = [check for check in before.checks if check.state in {"bad", "warn", "unknown"}]
    others = [check for check in before.checks if check not in notable]
    if notable:
        blocks.append(_checks_table(f"What stands out{of_run}", notable, later))
    if others:
        table = _checks_table("Checks that found nothing, or nothing to check", others, later)
        blocks.append(Folded(f"{count_noun(len(others), 'other check')}{of_run}", (table,)))
    blocks.append(_capabilities(before, of_run))
    return blocks


def _checks_table(caption: str, checks: list[Check], later: Mapping[str, Check]) -> Table:
    rows: list[tuple[Cell, ...]] = []
    for check in checks:
        after = later.get(check.id)
        value = check.value
        if after is not None and (after.value, after.state) != (check.value, check.state):
            value = f"before: {check.value}; after: {after.value}"
        fix = f"fix: {check.fix}" if check.fix else ""
        fix += f"; undo: {check.undo}" if check.fix and check.undo else ""
        rows.append(
            (
                text_cell(check.title, check.source),
                Cell(_STATE_WORDS.get(check.state, check.state), mark=f"state-{check.state}"),
                text_cell(value),
                text_cell(check.why, fix),
            )
        )
    return Table(caption, ("check", "state", "found", "why it matters, what mends it"), tuple(rows))


def _capabilities(before: Diagnosis, of_run: str) -> Folded:
    rows = tuple(
        (text_cell(one.name), text_cell(one.available), text_cell(one.detail))
        for one in before.capabilities
    )
    table = Table("What can be measured here", ("quantity", "available", "detail"), rows)
    return Folded(f"What can be measured here{of_run}", (table,))
