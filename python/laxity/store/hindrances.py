# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""What manifest.json holds of what kept a run from running: standstills and control groups."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from laxity.core.units import format_duration_ns
from laxity.store.observation import Part

if TYPE_CHECKING:
    from laxity.store.manifest import Manifest


class Stall(Part, frozen=True, kw_only=True):
    """The run did nothing although its clock went on: stopped, frozen, in a debugger, or paused.

    `task` null: all of it; else the index of a task that a signal stopped. `to_ns` null: until the
    end. Jobs of that time are in no figure; rows and counts hold them.
    """

    task: int | None
    from_ns: int
    to_ns: int | None


class GroupUse(Part, frozen=True, kw_only=True):
    """A control group that limited what was measured, and what became of that meanwhile.

    `quota_us` null: no quota. In `throttled` of `periods` the quota had run out, and kept threads
    under SCHED_OTHER from running for `throttled_ns`. `rt_runtime_us`: budget of real-time threads
    in each `rt_period_us` (version 1); null: none of its own. `is_frozen`: at the last look.
    """

    path: str
    quota_us: int | None = None
    period_us: int | None = None
    periods: int = 0
    throttled: int = 0
    throttled_ns: int = 0
    rt_runtime_us: int | None = None
    rt_period_us: int | None = None
    is_frozen: bool = False

    @property
    def is_limited(self) -> bool:
        """Whether it may keep a thread from running."""
        has_budget = self.rt_runtime_us is not None and self.rt_runtime_us >= 0
        return self.quota_us is not None or self.throttled > 0 or self.is_frozen or has_budget


def group_lines(groups: Sequence[GroupUse], *, is_estimated: bool) -> list[str]:
    """Say what control groups took from what was measured; empty: nothing.

    Args:
        groups: Those of what was measured.
        is_estimated: Whether periods are estimated from what the threads did.
    """
    found = []
    for group in groups:
        if group.throttled > 0:
            quota = ""
            if group.quota_us is not None and group.period_us is not None:
                quota = f" ({group.quota_us} us in {group.period_us} us)"
            found.append(
                f"control group {group.path} was throttled in {group.throttled} of {group.periods} "
                f"periods, {format_duration_ns(group.throttled_ns)} in all, by its quota{quota}"
                + ("; an estimated period may be that of the quota" if is_estimated else "")
            )
        if group.is_frozen:
            found.append(f"control group {group.path} is frozen")
    return found


def stall_lines(manifest: "Manifest") -> list[str]:
    """Say when a run, or a task of it, stood still; empty: never."""
    clock = manifest.clock
    t0_ns = 0 if clock is None or clock.t0_ns is None else clock.t0_ns
    names = {task.index: f'task "{task.name}" was stopped' for task in manifest.tasks}
    found = []
    for stall in manifest.stalls:
        whose = (
            "the run stood still" if stall.task is None else names.get(stall.task, "a task stopped")
        )
        began = format_duration_ns(max(stall.from_ns - t0_ns, 0))
        end_ns = stall.to_ns if stall.to_ns is not None else None if clock is None else clock.end_ns
        lasted = "" if end_ns is None else f" for {format_duration_ns(end_ns - stall.from_ns)}"
        found.append(
            f"{whose}{lasted}, {began} after the first release; its jobs of that time are in no "
            "figure, and the run supports no verdict"
        )
    if manifest.stalls_unlisted:
        n = manifest.stalls_unlisted
        found.append(f"the run stood still {n} more times; the figures hold those jobs")
    return found
