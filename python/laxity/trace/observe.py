# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""Observe a program that runs already: record the scheduler, make jobs, store them as a run.

The program is neither stopped nor changed; nothing but the trace touches it.
"""

import os
import shutil
import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import msgspec

from laxity.core.cpus import parse_cpus
from laxity.core.progress import Meter
from laxity.core.signals import Forwarder
from laxity.core.spec import TRACE_AUTO
from laxity.core.units import exact_duration
from laxity.errors import LaxityError, PlatformError
from laxity.jobs import finish
from laxity.jobs.finish import Finished
from laxity.jobs.run_once import new_manifest, store_groups, write_after, write_diagnosis
from laxity.platform.doctor import Diagnosis, diagnose
from laxity.platform.facts import collect_facts
from laxity.platform.groups import GroupWatch, groups_text
from laxity.platform.machine import describe_machine
from laxity.platform.native import away_from
from laxity.platform.processes import (
    Ends,
    Target,
    members_of,
    scheduling_of,
    state_of,
    threads_of,
)
from laxity.store import run_directory
from laxity.store.manifest import Event, Interrupts, Manifest, SampleCost, Sampling
from laxity.store.observation import Observation
from laxity.store.run_directory import MACHINE, MANIFEST, NewRun
from laxity.trace.count_blocks import BlockCounter, ThreadBlocks
from laxity.trace.record import Recorder
from laxity.trace.sampling_cost import least_period_ns, measure_sampling_cost

_LOOK_S = 0.2
_COUNT_EVERY_S = 0.5
_NS_PER_S = 10**9
# proc_pid_stat(5): stopped by a signal, stopped by a tracer.
_STOPPED_STATES = frozenset("Tt")


@dataclass(frozen=True, slots=True)
class ObserveRequest:
    """What is observed, for how long, and what was typed.

    Attributes:
        n_jobs: Ends when a thread has so many; None: never.
        duration_ns: Ends then; None: never.
        deadline_ns: Relative deadline of every job; None: none.
        is_split: Each wake-up begins a job, also within a period.
        events: Counted on every CPU and read by interrupts; none: nothing is.
        sample_every_ns: By a timer, so often; None: by the first event.
        sample_overflow: By the first event, whenever it came so often; None: by a timer.
    """

    target: Target
    named: str
    final: Path
    command_line: list[str]
    n_jobs: int | None = None
    duration_ns: int | None = None
    deadline_ns: int | None = None
    is_split: bool = False
    backend: str = TRACE_AUTO
    events: tuple[str, ...] = ()
    sample_every_ns: int | None = None
    sample_overflow: int | None = None
    most_overhead: float | None = None
    is_quiet: bool = False


def observe(request: ObserveRequest, signals: Forwarder) -> Finished:
    """Observe a program and store its jobs.

    Returns:
        Where the run is and how it ended; the exit code is in the manifest.

    Raises:
        ConfigError: The directory cannot be created.
        NoVerdict: The program ended before it could be observed.
        PlatformError: The scheduler may not be recorded here.
        KeyboardInterrupt: Interrupted before recording began; no directory is left.
    """
    ends = Ends(request.target)
    try:
        run = run_directory.create_run(request.final)
        try:
            return _observe(request, run, ends, signals)
        except LaxityError:
            if not (run.tmp / "sched.npy").exists():
                shutil.rmtree(run.tmp, ignore_errors=True)
            raise
        finally:
            run.release()
    finally:
        ends.close()


def _observe(request: ObserveRequest, run: NewRun, ends: Ends, signals: Forwarder) -> Finished:
    groups = groups_text(request.target.pids[0])
    manifest, before = _write_before(run, request, groups)
    if signals.has_received:
        shutil.rmtree(run.tmp)
        raise KeyboardInterrupt
    recorder, watch = Recorder(run), _Watch(request, run)
    with away_from(before.cpus):
        cost = measure_sampling_cost(request.events) if request.events else None
        if cost is not None:
            request = _within_overhead(request, cost)
            manifest = _with_sampling(run, request, manifest, cost)
        more = _sampling_words(request)
        reason = recorder.start(request.backend, frozenset(before.cpus), more)
        if reason is not None:
            msg = f"trace: {reason}"
            raise PlatformError(msg)
        try:
            watch.until_the_end(recorder, ends, signals)
        finally:
            recorder.stop()
    seen = msgspec.structs.replace(manifest, observation=watch.observation)
    run_directory.write_document(run.tmp / MANIFEST, seen)
    store_groups(run, watch.groups, watch.stopped())
    write_after(run, before, lambda: diagnose(collect_facts(groups=groups), before.cpus))
    return finish.finish_run(run.tmp, has_survived=True)


def _write_before(
    run: NewRun, request: ObserveRequest, groups: str | None
) -> tuple[Manifest, Diagnosis]:
    # The control groups that matter are those of the program.
    facts = collect_facts(groups=groups)
    machine = describe_machine(facts)
    name = f"observe-{request.target.name}"
    manifest = msgspec.structs.replace(
        new_manifest("observe", name, request.command_line, machine.hash),
        observation=_first_look(request),
    )
    run_directory.write_document(run.tmp / MANIFEST, manifest)
    run_directory.write_document(run.tmp / MACHINE, machine)
    looks = manifest.observation.scheduling if manifest.observation else []
    cpus = sorted({cpu for one in looks for cpu in parse_cpus(one.cpus)})
    before = diagnose(facts, cpus or sorted(os.sched_getaffinity(0)))
    write_diagnosis(run.tmp, before, None)
    return manifest, before


def _within_overhead(request: ObserveRequest, cost: SampleCost) -> ObserveRequest:
    """Read less often if a sample takes more than the request allows."""
    every_ns, most = request.sample_every_ns, request.most_overhead
    least_ns = None if most is None else least_period_ns(cost, most)
    if every_ns is None or least_ns is None or least_ns <= every_ns:
        return request
    return replace(request, sample_every_ns=least_ns)


def _with_sampling(
    run: NewRun, request: ObserveRequest, manifest: Manifest, cost: SampleCost
) -> Manifest:
    """Put what is to be sampled into the manifest, and what a sample takes."""
    interrupts = Interrupts(every_count=request.sample_overflow, cost=cost)
    planned = msgspec.structs.replace(
        manifest,
        events=[Event(name=name) for name in request.events],
        sampling=Sampling(bucket_ns=request.sample_every_ns, interrupts=interrupts),
    )
    run_directory.write_document(run.tmp / MANIFEST, planned)
    return planned


def _sampling_words(request: ObserveRequest) -> list[str]:
    """Return the options by which laxity-trace samples."""
    words = [word for event in request.events for word in ("--event", event)]
    if request.sample_every_ns is not None:
        words += ["--sample-every", f"{request.sample_every_ns}ns"]
    if request.sample_overflow is not None:
        words += ["--sample-overflow", str(request.sample_overflow)]
    return words


def _first_look(request: ObserveRequest) -> Observation:
    target = request.target
    return Observation(
        target=request.named,
        processes=target.pids,
        program=list(target.processes[0].words),
        cgroup=None if target.cgroup is None else str(target.cgroup),
        deadline_ns=request.deadline_ns,
        is_split=request.is_split,
        scheduling=scheduling_of(threads_of(target.pids)),
    )


class _Watch:
    """Waits for the end of an observation; says meanwhile how far it is."""

    def __init__(self, request: ObserveRequest, run: NewRun) -> None:
        self.observation = _first_look(request)
        self.groups = GroupWatch()
        self.groups.look(request.target.pids)
        self._request = request
        self._counter = BlockCounter(run.tmp / "sched.npy", request.deadline_ns)
        self._meter = Meter(f"observe {request.target.name}", is_quiet=request.is_quiet)
        self._counted_s = 0.0
        self._n_jobs = 0

    def until_the_end(self, recorder: Recorder, ends: Ends, signals: Forwarder) -> None:
        """Wait; then `observation` says what ended it, and what was met until then."""
        begun_s = time.monotonic()
        while True:
            has_ended = ends.wait(_LOOK_S)
            now_s = time.monotonic() - begun_s
            ended_by = "program" if has_ended else self._ended_by(now_s, recorder, signals)
            self._look()
            if ended_by is not None:
                break
            self._show(now_s)
        self._meter.close()
        self.observation = msgspec.structs.replace(self.observation, ended_by=ended_by)

    def _ended_by(self, now_s: float, recorder: Recorder, signals: Forwarder) -> str | None:
        duration_ns, n_jobs = self._request.duration_ns, self._request.n_jobs
        if signals.has_received:
            return "interrupt"
        if recorder.has_ended:
            return "recorder"
        if duration_ns is not None and now_s * _NS_PER_S >= duration_ns:
            return "duration"
        if n_jobs is not None and now_s - self._counted_s >= _COUNT_EVERY_S:
            self._counted_s = now_s
            self._n_jobs = max((one.n for one in self._known().values()), default=0)
            return "jobs" if self._n_jobs >= n_jobs else None
        return None

    def _look(self) -> None:
        """See which processes and threads there are now, and what their control groups counted."""
        seen, cgroup = self.observation, self._request.target.cgroup
        pids = set(seen.processes) | (members_of(cgroup) if cgroup is not None else set())
        self.groups.look(pids)
        known = {one.tid for one in seen.scheduling}
        new = [tid for tid in threads_of(sorted(pids)) if tid not in known]
        if new or pids != set(seen.processes):
            self.observation = msgspec.structs.replace(
                seen,
                processes=sorted(pids),
                scheduling=[*seen.scheduling, *scheduling_of(new)],
            )

    def stopped(self) -> list[str]:
        """Say which processes are stopped, and so make no jobs."""
        states = {pid: state_of(pid) for pid in self.observation.processes}
        return [
            f"process {pid} is stopped (SIGSTOP, Ctrl-Z or a debugger): continue it (kill -CONT)"
            for pid, state in states.items()
            if state in _STOPPED_STATES
        ]

    def _show(self, now_s: float) -> None:
        duration_ns, n_jobs = self._request.duration_ns, self._request.n_jobs
        words, shares, left_s = f"{now_s:.0f}s", [], None
        if duration_ns is not None:
            words += f" of {exact_duration(duration_ns)}"
            shares.append(now_s * _NS_PER_S / duration_ns)
            left_s = duration_ns / _NS_PER_S - now_s
        if n_jobs is not None:
            words += f", {self._n_jobs} of {n_jobs} jobs"
            shares.append(self._n_jobs / n_jobs)
            left_s = None  # how soon there are so many is learned
        self._meter.show(words, max(shares, default=None), left_s, self._lines)

    def _known(self) -> dict[int, ThreadBlocks]:
        """Tell what is known of the threads that were ever seen."""
        return self._counter.look(one.tid for one in self.observation.scheduling)

    def _lines(self) -> Sequence[str]:
        """Say how long after a wake-up the threads blocked, if that disturbs none of them."""
        from laxity.jobs.live import (  # noqa: PLC0415 - shown on a terminal only
            MOST_ROWS,
            LiveRow,
            is_away_from,
            live_lines,
        )

        seen = self.observation
        if not is_away_from(cpu for one in seen.scheduling for cpu in parse_cpus(one.cpus)):
            return ()
        known = self._known()
        most = sorted(known, key=lambda tid: -known[tid].n)
        has_deadline = self._request.deadline_ns is not None
        rows = [
            LiveRow(
                f"thread {tid}",
                "wake-up to block",
                known[tid].counts,
                known[tid].n_late if has_deadline else None,
            )
            for tid in most[:MOST_ROWS]
        ]
        return live_lines(rows, len(most) - len(rows))
