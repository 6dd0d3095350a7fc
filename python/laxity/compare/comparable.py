# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""What two runs differ in besides their figures: whatever is listed here may be the reason."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import msgspec

from laxity.store.manifest import Manifest, kind_of_figures

# Keys of [run] that say how long a run is and what it does with its figures, not what it measures.
# The seed differs in every run that was given none. What was used of the last three the manifest
# tells.
_HARMLESS_RUN_KEYS = frozenset(
    {"jobs", "duration", "seed", "keep", "max_misses", "max_response", "fail_fast", "stop_on"}
    | {"platform", "on", "snapshots"}
)
# Likewise of a measurement, and what are axes of its costs: entries of one side alone are named.
_HARMLESS_MEASUREMENT_KEYS = frozenset(
    {"repetitions", "timeout_ns", "budget_ns", "spin_ns", "gamma", "cpus", "to_cpus", "pairs"}
    | {"working_sets_bytes", "nodes", "cases", "patterns", "evicts", "quantities", "changes"}
)
# Keys of [[task]] for `laxity bound`, which a run ignores.
_HARMLESS_TASK_KEYS = frozenset(
    {"wcet", "wcet_from", "jitter", "blocking", "working_set", "ucb", "ecb", "overhead_ratio"}
    | {"contention", "gamma"}
)
# But for the regulated task, whose promise they make.
_PROMISE_KEYS = frozenset({"wcet", "gamma"})
_ABSENT = "none"
_SHORT = 12
_MOST_SHOWN = 80


@dataclass(frozen=True, slots=True)
class Difference:
    """One thing that is not the same on both sides."""

    what: str
    base: str
    new: str


def differences(
    base: Manifest, new: Manifest, base_spec: Mapping[str, Any], new_spec: Mapping[str, Any]
) -> list[Difference]:
    """List why figures of two runs may differ although nothing that is judged has changed.

    Args:
        base: Manifest of the baseline.
        new: Manifest of the other run.
        base_spec: Its spec.toml as read; empty where it has none.
        new_spec: Likewise.
    """
    found = machine_difference(base.machine_hash, new.machine_hash)
    facts = (
        ("kind of run", base.kind, new.kind),
        *(() if _are_simulated(base, new) else (("platform", base.platform, new.platform),)),
        ("board", base.on, new.on),
        ("clock", _name(base.clock), _name(new.clock)),
        ("snapshots", _mode(base), _mode(new)),
        ("policies used", _policies(base), _policies(new)),
        ("observed program", _program(base), _program(new)),
        ("real-time throttling", _throttling(base), _throttling(new)),
        ("shield", _shield(base), _shield(new)),
        ("trace recorded by", _backend(base), _backend(new)),
    )
    found += [
        Difference(what, _text(one), _text(other)) for what, one, other in facts if one != other
    ]
    found += _measurement_differences(base, new)
    return found + spec_differences(base_spec, new_spec)


def machine_difference(base: str | None, new: str | None) -> list[Difference]:
    """Compare the hashes of two machines; one that is not known is another one."""
    if base == new and base:
        return []
    shown = [one[:_SHORT] if one else "not known" for one in (base, new)]
    return [Difference("machine", *shown)]


def spec_differences(base: Mapping[str, Any], new: Mapping[str, Any]) -> list[Difference]:
    """Compare two resolved experiments key by key; tasks are matched by name."""
    found = _table("[run]", base.get("run", {}), new.get("run", {}), _HARMLESS_RUN_KEYS)
    old_tasks, new_tasks = _by_name(base), _by_name(new)
    regulated = {spec.get("regulate", {}).get("task") for spec in (base, new)}
    for name in (*old_tasks, *(name for name in new_tasks if name not in old_tasks)):
        one, other = old_tasks.get(name), new_tasks.get(name)
        if one is None or other is None:
            ends = ["there" if task is not None else "not there" for task in (one, other)]
            found.append(Difference(f'task "{name}"', *ends))
            continue
        promise = _PROMISE_KEYS if name in regulated else frozenset()
        found += _table(f'task "{name}"', one, other, _HARMLESS_TASK_KEYS - promise)
    found += _table("[regulate]", base.get("regulate", {}), new.get("regulate", {}), frozenset())
    return found + _corunners(base.get("interfere", []), new.get("interfere", []))


def _table(
    where: str, base: Mapping[str, Any], new: Mapping[str, Any], harmless: frozenset[str]
) -> list[Difference]:
    keys = dict.fromkeys((*base, *new))
    return [
        Difference(f"{where} {key}", _text(base.get(key)), _text(new.get(key)))
        for key in keys
        if key not in harmless and base.get(key) != new.get(key)
    ]


def _corunners(base: Sequence[Any], new: Sequence[Any]) -> list[Difference]:
    if list(base) == list(new):
        return []
    return [Difference("co-runners", _corunner_text(base), _corunner_text(new))]


def _corunner_text(tables: Sequence[Mapping[str, Any]]) -> str:
    shown = [
        f"{' '.join(one.get('exec') or [one.get('workload', '?'), *one.get('args', [])])}"
        f"@{one.get('cpus', '?')}"
        + (f" {one['policy']}" if one.get("policy", "other") != "other" else "")
        for one in tables
    ]
    return "; ".join(shown) or _ABSENT


def _by_name(spec: Mapping[str, Any]) -> dict[str, Mapping[str, Any]]:
    return {str(task.get("name")): task for task in spec.get("task", [])}


def _measurement_differences(base: Manifest, new: Manifest) -> list[Difference]:
    if base.measurement is None or new.measurement is None:
        return []
    one, other = (msgspec.to_builtins(side.measurement) for side in (base, new))
    return _table("measurement", one, other, _HARMLESS_MEASUREMENT_KEYS)


def _are_simulated(*manifests: Manifest) -> bool:
    """Tell whether all are: which platform the hash of the machine says, whatever it is called."""
    return all(kind_of_figures(one) == "simulated" for one in manifests)


def _name(clock: Any) -> str | None:  # noqa: ANN401 - Clock or None
    return None if clock is None else str(clock.name)


def _mode(manifest: Manifest) -> str | None:
    return None if manifest.snapshots is None else manifest.snapshots.mode


def _policies(manifest: Manifest) -> str | None:
    """Name the policies in effect: a fallback to `other` shows here and not in the spec."""
    if manifest.observation is not None:
        return None
    return ", ".join(f"{task.name} {task.policy}" for task in manifest.tasks) or None


def _program(manifest: Manifest) -> str | None:
    seen = manifest.observation
    return None if seen is None else " ".join(seen.program) or seen.target


def _throttling(manifest: Manifest) -> str:
    used = manifest.knobs
    return "as it was" if used is None or used.rt_runtime_us_before is None else "lifted"


def _shield(manifest: Manifest) -> str | None:
    used = manifest.knobs
    return None if used is None or used.shield is None else used.shield.cpus


def _backend(manifest: Manifest) -> str | None:
    return None if manifest.trace is None else manifest.trace.backend


def _text(value: object) -> str:
    if value is None:
        return _ABSENT
    text = " ".join(map(str, value)) if isinstance(value, list) else str(value)
    return text if len(text) <= _MOST_SHOWN else f"{text[:_MOST_SHOWN]}..."
