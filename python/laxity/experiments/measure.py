# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""Measure a cost of the platform: plan it, run the probe, store it as a run."""

import re
import secrets
import shutil
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import msgspec

from laxity.errors import ConfigError, LaxityError, PlatformError
from laxity.experiments.run_once import new_manifest, write_after, write_diagnosis
from laxity.model.cpus import format_cpus, parse_cpus
from laxity.model.manifest import Fallback, Manifest, Measurement
from laxity.model.units import format_size_bytes
from laxity.runner import finish
from laxity.runner.doctor import Diagnosis, default_cpus, diagnose
from laxity.runner.facts import Facts, collect_facts
from laxity.runner.finish import Finished
from laxity.runner.machine import Machine, caches_of, describe_machine
from laxity.runner.measured import probe_argv
from laxity.runner.native import follow
from laxity.runner.placement import Cpus
from laxity.runner.progress import LINE_EVERY_S, State
from laxity.runner.signals import Forwarder
from laxity.store import run_directory
from laxity.store.run_directory import MACHINE, MANIFEST, NewRun

_SEED_BITS = 32
_SMALLEST_BYTES = 4096
_LARGEST_BYTES = 64 << 20
_L2, _FIRST_SHARED = 2, 2
# Around the L2, where the curve bends, sizes lie closer: in quarters of it.
_QUARTERS = (3, 5, 6)
# Of what is free, so that nothing is swapped: working set, evicting buffer, and the rest.
_MEMORY_SHARE = 8
# Instruction sets whose user may flush a line (native/base/port/flush.h).
_FLUSHES = frozenset({"x86_64", "aarch64"})
_NS_PER_S = 10**9


@dataclass(frozen=True, slots=True)
class Asked:
    """What the user asked of `measure crpd`; None: chosen for the machine.

    Attributes:
        cpus: Measured one after the other.
        sizes_bytes: Working sets; empty: chosen.
        max_bytes: Largest working set that is chosen.
        evict_sizes_bytes: What the preemptor writes or reads; several: gamma over its length.
    """

    cpus: tuple[int, ...] = ()
    sizes_bytes: tuple[int, ...] = ()
    max_bytes: int | None = None
    evict_sizes_bytes: tuple[int, ...] = ()
    cases: tuple[str, ...] = ()
    patterns: tuple[str, ...] = ()
    evicts: tuple[str, ...] = ()
    repetitions: int = 60
    priority: int = 80
    preemption_ns: int = 0
    timeout_ns: int = 600 * _NS_PER_S


@dataclass(frozen=True, slots=True)
class MeasureRequest:
    """What is measured, where it is stored, and what was typed."""

    measurement: Measurement
    fallbacks: tuple[Fallback, ...]
    final: Path
    command_line: list[str]
    seed: int | None = None
    allow_unprivileged: bool = False
    is_quiet: bool = False


def plan_crpd(asked: Asked, facts: Facts, cpus: Cpus) -> tuple[Measurement, tuple[Fallback, ...]]:
    """Decide what `measure crpd` measures on a machine.

    Args:
        asked: What the user chose.
        facts: The machine.
        cpus: What this process may use.

    Returns:
        The measurement, and what was left out and why.

    Raises:
        ConfigError: There is no such CPU.
        PlatformError: A CPU that this process may not use, or a way to evict that it lacks.
    """
    machine = describe_machine(facts)
    chosen = asked.cpus or _default_cpu(facts, cpus)
    _check_cpus(chosen, cpus)
    evicts, fallbacks = _ways_to_evict(asked, machine)
    limit_bytes = size_limit_bytes(machine, chosen[0], available_bytes(facts))
    measurement = Measurement(
        probe="crpd",
        cpus=format_cpus(chosen),
        priority=asked.priority,
        repetitions=asked.repetitions,
        working_sets_bytes=list(
            asked.sizes_bytes
            or sizes_bytes(cache_bytes(machine, chosen[0])[0], asked.max_bytes or limit_bytes)
        ),
        cases=list(asked.cases or ("synchronous", "asynchronous")),
        patterns=list(asked.patterns or ("sequential", "chase")),
        evicts=evicts,
        evict_sizes_bytes=list(asked.evict_sizes_bytes or (limit_bytes,)),
        preemption_ns=asked.preemption_ns,
        timeout_ns=asked.timeout_ns,
    )
    return measurement, fallbacks


def cache_bytes(machine: Machine, cpu: int) -> tuple[int | None, int | None]:
    """Give the sizes of the second-level and of the last-level cache of a CPU; None: not known."""
    data = [one for one in caches_of(machine, cpu) if one.kind.lower() != "instruction"]
    sizes = {one.level: one.size_bytes for one in data if one.size_bytes}
    last = sizes[max(sizes)] if sizes and max(sizes) >= _FIRST_SHARED else None
    return sizes.get(_L2), last


def size_limit_bytes(machine: Machine, cpu: int, free_bytes: int | None) -> int:
    """Bound working sets: min(4 x L2 per core, 2 x last level, 64 MiB, 1/8 of free memory).

    What is not known bounds nothing.
    """
    second, last = cache_bytes(machine, cpu)
    limits = [
        _LARGEST_BYTES,
        *([4 * second] if second else []),
        *([2 * last] if last else []),
        *([free_bytes // _MEMORY_SHARE] if free_bytes else []),
    ]
    return max(_SMALLEST_BYTES, min(limits))


def sizes_bytes(second_level_bytes: int | None, limit_bytes: int) -> list[int]:
    """Choose working sets: powers of two, and quarters of the L2 around it.

    Args:
        second_level_bytes: L2 per core; None: not known.
        limit_bytes: None is larger.

    Returns:
        Ascending, at least one.
    """
    sizes = {1 << power for power in range(12, 64) if 1 << power <= limit_bytes}
    if second_level_bytes:
        sizes |= {quarters * second_level_bytes // 4 for quarters in (*_QUARTERS, 4)}
    return sorted(size for size in sizes if _SMALLEST_BYTES <= size <= limit_bytes)


def available_bytes(facts: Facts) -> int | None:
    """Give the memory that can be had without swapping; None: not known."""
    text = facts.text("/proc/meminfo") or ""
    match = re.search(r"^MemAvailable:\s+(\d{1,15}) kB", text, re.MULTILINE)
    return None if match is None else int(match[1]) * 1024


def run_measurement(request: MeasureRequest, signals: Forwarder) -> Finished:
    """Run a probe and store what it finds.

    Returns:
        Where it is and how it ended; the exit code is in the manifest.

    Raises:
        ConfigError: The directory cannot be created.
        LaxityError: As the runner; then no directory is left.
        KeyboardInterrupt: Interrupted before anything was started; no directory is left.
    """
    run = run_directory.create_run(request.final)
    try:
        manifest, before = _write_before(run, request)
        cpus = before.cpus
        if signals.has_received:
            shutil.rmtree(run.tmp)
            raise KeyboardInterrupt
        display = _Lines(_count_rows(request.measurement, len(cpus)), is_quiet=request.is_quiet)

        def argv(progress_fd: int, parent_fd: int) -> list[str]:
            fds = (progress_fd, parent_fd)
            return probe_argv(manifest, run.tmp, fds, allow_unprivileged=request.allow_unprivileged)

        returncode = follow(argv, run, iter(cpus), display, signals)
        write_after(run, before, collect_facts())
        return finish.finish_run(run.tmp, has_survived=True, returncode=returncode)
    except LaxityError:
        if not (run.tmp / "crpd.npy").exists():
            shutil.rmtree(run.tmp, ignore_errors=True)
        raise
    finally:
        run.release()


def _default_cpu(facts: Facts, cpus: Cpus) -> tuple[int, ...]:
    suited = [cpu for cpu in default_cpus(facts) if cpu in cpus.allowed] or sorted(cpus.allowed)
    return (suited[-1],)


def _check_cpus(chosen: Sequence[int], cpus: Cpus) -> None:
    absent = sorted(set(chosen) - cpus.present)
    if absent:
        msg = (
            f"--cpus {format_cpus(chosen)}: no CPU {format_cpus(absent)} on this machine; "
            f"choose among {format_cpus(cpus.present)}"
        )
        raise ConfigError(msg)
    if not set(chosen) <= cpus.allowed:
        msg = (
            f"--cpus {format_cpus(chosen)}: this process may only use "
            f"{format_cpus(cpus.allowed)} (cpuset or affinity); choose among them or widen the set"
        )
        raise PlatformError(msg)


def _ways_to_evict(asked: Asked, machine: Machine) -> tuple[list[str], tuple[Fallback, ...]]:
    if asked.evicts:
        return list(asked.evicts), ()
    if machine.stable.architecture in _FLUSHES:
        return ["write", "read", "flush"], ()
    reason = (
        f"a user of {machine.stable.architecture or 'this processor'} has no instruction for it"
    )
    fallback = Fallback(what="evict flush", used="write and read only", reason=reason)
    return ["write", "read"], (fallback,)


def _count_rows(measurement: Measurement, n_cpus: int) -> int:
    n_sizes = len(measurement.evict_sizes_bytes)
    rows = sum(1 if evict == "flush" else n_sizes for evict in set(measurement.evicts))
    for axis in (measurement.working_sets_bytes, measurement.cases, measurement.patterns):
        rows *= len(set(axis))
    return 3 * measurement.repetitions * n_cpus * rows


def _write_before(run: NewRun, request: MeasureRequest) -> tuple[Manifest, Diagnosis]:
    facts = collect_facts()
    machine = describe_machine(facts)
    seed = secrets.randbits(_SEED_BITS) if request.seed is None else request.seed
    manifest = msgspec.structs.replace(
        new_manifest("measure", request.measurement.probe, request.command_line, machine.hash),
        seed=seed,
        measurement=request.measurement,
        fallbacks=list(request.fallbacks),
    )
    run_directory.write_document(run.tmp / MANIFEST, manifest)
    run_directory.write_document(run.tmp / MACHINE, machine)
    before = diagnose(facts, parse_cpus(request.measurement.cpus))
    write_diagnosis(run.tmp, before, None)
    return manifest, before


class _Lines:
    """A line every 10 s on stderr; on a terminal one line that is written over each second."""

    def __init__(self, total: int, *, is_quiet: bool) -> None:
        self._total = total
        self._is_quiet = is_quiet
        self._is_terminal = sys.stderr.isatty()
        self._last_s = time.monotonic()

    def show(self, state: State) -> None:
        now_s = time.monotonic()
        if self._is_quiet or now_s - self._last_s < (1 if self._is_terminal else LINE_EVERY_S):
            return
        self._last_s = now_s
        text = (
            f"crpd: {state.elapsed_ns // _NS_PER_S}s, {state.started} of {self._total} observations"
        )
        sys.stderr.write(f"\r{text}" if self._is_terminal else f"{text}\n")
        sys.stderr.flush()

    def close(self) -> None:
        if self._is_terminal and not self._is_quiet:
            sys.stderr.write("\r\033[K")
            sys.stderr.flush()


def describe(measurement: Measurement) -> str:
    """Say in one line what is measured."""
    sizes = measurement.working_sets_bytes
    return (
        f"{len(sizes)} working sets from {format_size_bytes(min(sizes))} to "
        f"{format_size_bytes(max(sizes))} on CPU {measurement.cpus}, evicting by "
        f"{', '.join(measurement.evicts)} "
        f"({', '.join(map(format_size_bytes, measurement.evict_sizes_bytes))}), "
        f"{measurement.repetitions} times each"
    )
