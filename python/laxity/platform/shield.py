# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""`--shield` and `--no-throttling`: what a run changes in the kernel.

docs/architecture/settings.md, "Knobs".

A shield moves everybody else's threads, the interrupts and the unbound work queues away from some
CPUs. What the kernel keeps there (its threads for that CPU, some interrupts) is counted.
"""

import errno
import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass

from laxity.core.cpus import format_cpus, parse_cpus
from laxity.errors import ConfigError, PlatformError
from laxity.platform.fair_server import USUAL_RUNTIME_NS, has_fair_server, runtime_file
from laxity.platform.kernel import Kernel
from laxity.platform.knob_journal import Placement
from laxity.platform.knobs import Knobs, changing_knobs
from laxity.store.manifest import KnobsUsed, Shield

RT_RUNTIME = "/proc/sys/kernel/sched_rt_runtime_us"
_ONLINE = "/sys/devices/system/cpu/online"
_RELEASE = "/proc/sys/kernel/osrelease"
_DEFAULT_IRQ = "/proc/irq/default_smp_affinity"
_WORKQUEUES = "/sys/devices/virtual/workqueue/cpumask"
_UNLIMITED = "-1"
# Threads that appear while others are moved have mostly inherited the old CPUs.
_PASSES = 5
_MASK_DIGITS = 8
_BITS = 32


@dataclass(frozen=True, slots=True)
class KnobRequest:
    """What the user wants changed; the shielded CPUs are ascending, empty = none."""

    no_throttling: bool = False
    shield: tuple[int, ...] = ()

    def __bool__(self) -> bool:
        """Whether anything is to be changed at all."""
        return self.no_throttling or bool(self.shield)


NO_KNOBS = KnobRequest()


def check_knobs(request: KnobRequest, kernel: Kernel) -> None:
    """Refuse before anything is changed what cannot be.

    Raises:
        ConfigError: A shielded CPU is not there, or none is left for the rest of the system.
        PlatformError: This process may not change the kernel's settings.
    """
    if request.shield:
        online = _online(kernel)
        missing = set(request.shield) - online
        what = f"--shield {format_cpus(request.shield)}"
        if missing:
            msg = (
                f"{what}: no CPU {format_cpus(missing)} is online; choose among "
                f"{format_cpus(online)}"
            )
            raise ConfigError(msg)
        if online == set(request.shield):
            msg = (
                f"{what}: no CPU is left for everything else (online: {format_cpus(online)}); "
                "leave one out"
            )
            raise ConfigError(msg)
    option = "--no-throttling" if request.no_throttling else "--shield"
    if request and os.geteuid() != 0:
        msg = f"{option}: changes settings of the kernel, which needs root; run as root"
        raise PlatformError(msg)


@contextmanager
def used_knobs(
    request: KnobRequest, kernel: Kernel, on_note: Callable[[str], None]
) -> Iterator[KnobsUsed | None]:
    """Change what the request wants during a block, and put it back at its end.

    Args:
        request: `check_knobs` has been at it; empty: nothing is done.
        kernel: The machine.
        on_note: Told, in one sentence each, what could not be moved or put back.

    Yields:
        What was changed; None: nothing was asked for.

    Raises:
        PlatformError: The kernel refuses, or another laxity has changed settings now.
    """
    if not request:
        yield None
        return
    with changing_knobs(kernel, on_note) as knobs:
        runtime_us = _lift_throttling(knobs, on_note) if request.no_throttling else None
        shield = None
        if request.shield:
            shield = raise_shield(knobs, request.shield)
            for note in shield_notes(shield):
                on_note(note)
        yield KnobsUsed(rt_runtime_us_before=runtime_us, shield=shield)


def raise_shield(knobs: Knobs, cpus: Sequence[int]) -> Shield:
    """Move away from `cpus` what can be moved.

    Args:
        knobs: Writes down and changes.
        cpus: The shielded ones; at least one other is online.
    """
    shielded = frozenset(cpus)
    rest = _online(knobs.kernel) - shielded
    moved, left = 0, 0
    for path in knobs.kernel.interrupts():
        outcome = _narrow_setting(knobs, path, shielded, rest)
        moved += outcome is True
        left += outcome is False
    # For interrupts of devices that appear during the run.
    _narrow_setting(knobs, _DEFAULT_IRQ, shielded, rest)
    threads = _move_threads(knobs, shielded, rest)
    return Shield(
        cpus=format_cpus(shielded),
        threads_moved=threads.moved,
        threads_left=threads.left,
        threads_bound=threads.bound,
        interrupts_moved=moved,
        interrupts_left=left,
        workqueues_moved=_narrow_setting(knobs, _WORKQUEUES, shielded, rest),
    )


def shield_notes(shield: Shield) -> list[str]:
    """Tell what is still on shielded CPUs; empty if nothing is."""
    parts = [
        (shield.threads_bound, "threads that the kernel binds to them"),
        (shield.threads_left, "threads that it refused to move"),
        (shield.interrupts_left, "interrupts that it refused to move"),
    ]
    said = [f"{n} {what}" for n, what in parts if n]
    if shield.workqueues_moved is False:
        said.append("unbound work queues")
    return [f"--shield {shield.cpus}: left on these CPUs: {', '.join(said)}"] if said else []


@dataclass(slots=True)
class _Threads:
    moved: int = 0
    left: int = 0
    bound: int = 0


def _move_threads(knobs: Knobs, shielded: frozenset[int], rest: frozenset[int]) -> _Threads:
    """Move all threads but our own, until a pass finds no new one."""
    count = _Threads()
    seen: set[tuple[int, int]] = set()
    for _ in range(_PASSES):
        batch = _placements(knobs.kernel, shielded, rest, seen, count)
        if not batch:
            break
        for refusal in knobs.move(batch):
            count.moved += refusal == 0
            # One that has ended meanwhile is on no CPU.
            count.left += refusal not in {0, errno.ESRCH}
    return count


def _placements(
    kernel: Kernel,
    shielded: frozenset[int],
    rest: frozenset[int],
    seen: set[tuple[int, int]],
    count: _Threads,
) -> list[Placement]:
    batch: list[Placement] = []
    for thread in kernel.threads():
        identity = (thread.tid, thread.start_ticks)
        if thread.is_dead or thread.process == os.getpid() or identity in seen:
            continue
        seen.add(identity)
        try:
            current = kernel.affinity(thread.tid)
            old = kernel.allowed(thread.tid)
        except OSError:
            continue
        if not current & shielded:
            continue
        if thread.is_bound:
            count.bound += 1
            continue
        batch.append(
            Placement(
                tid=thread.tid,
                start_ticks=thread.start_ticks,
                old=format_cpus(old),
                new=format_cpus(current - shielded or rest),
            )
        )
    return batch


def _narrow_setting(
    knobs: Knobs, path: str, shielded: frozenset[int], rest: frozenset[int]
) -> bool | None:
    """Take CPUs out of a setting.

    Returns:
        Whether it could be done; None: there is no such setting, or it names none of them.
    """
    is_mask = path in {_DEFAULT_IRQ, _WORKQUEUES}
    try:
        text = knobs.kernel.read(path)
        old = _parse_mask(text) if is_mask else frozenset(parse_cpus(text))
    except (OSError, ConfigError, ValueError):
        return None
    if not old & shielded:
        return None
    new = old - shielded or rest
    return knobs.set(path, _format_mask(new) if is_mask else format_cpus(new))


def _lift_throttling(knobs: Knobs, on_note: Callable[[str], None]) -> int | None:
    """Let real-time tasks use all of a CPU's time; give what they might use before."""
    _stop_fair_server(knobs, on_note)
    try:
        before = knobs.kernel.read(RT_RUNTIME)
    except OSError:
        # A kernel without real-time throttling has nothing to lift.
        return None
    if not knobs.set(RT_RUNTIME, _UNLIMITED):
        msg = (
            f"--no-throttling: {RT_RUNTIME} cannot be written; run where /proc/sys is writable, "
            "or leave the option out"
        )
        raise PlatformError(msg)
    return int(before)


def _stop_fair_server(knobs: Knobs, on_note: Callable[[str], None]) -> None:
    """Let ordinary tasks have nothing of a CPU that real-time tasks keep busy."""
    try:
        release = knobs.kernel.read(_RELEASE)
    except OSError:
        return
    if not has_fair_server(release):
        return
    cpus = sorted(_online(knobs.kernel))
    left = [cpu for cpu in cpus if not knobs.set(runtime_file(cpu), "0")]
    if left:
        on_note(
            f"--no-throttling: the fair server of this kernel could not be switched off for CPU "
            f"{format_cpus(left)} (debugfs): ordinary tasks that wait there get up to "
            f"{USUAL_RUNTIME_NS // 1_000_000} ms of each second"
        )


def _online(kernel: Kernel) -> frozenset[int]:
    try:
        return frozenset(parse_cpus(kernel.read(_ONLINE)))
    except (OSError, ConfigError):
        return frozenset(os.sched_getaffinity(0))


def _parse_mask(text: str) -> frozenset[int]:
    """Read a mask as the kernel writes it: `3`, `00000003`, `ffffffff,00000000`."""
    mask = int(text.replace(",", ""), 16)
    return frozenset(cpu for cpu in range(mask.bit_length()) if mask >> cpu & 1)


def _format_mask(cpus: frozenset[int]) -> str:
    """Write a mask as the kernel reads it: groups of 32 bits."""
    mask = sum(1 << cpu for cpu in cpus)
    groups = []
    while True:
        groups.append(f"{mask & ((1 << _BITS) - 1):0{_MASK_DIGITS}x}")
        mask >>= _BITS
        if not mask:
            return ",".join(reversed(groups))
