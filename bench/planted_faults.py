#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""Faults that are planted into the engine of simulated platforms: which tests catch each?

bench/README.md says how to read the table.
"""

import json
import os
import shlex
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

import click
from bench.common import ROOT

from laxity.core.text_table import format_table

TESTS = (
    "hand",
    "hand_budgets",
    "hand_caches",
    "hand_debts",
    "hand_observer",
    "hand_programs",
    "hand_regions",
    "samples",
    "properties",
    "equal",
)
# The tests take seconds; a fault may make an engine go on for ever.
_TIMEOUT_S = 300
_COPIED = ("engine", "model")


@dataclass(frozen=True, slots=True)
class Fault:
    """What is wrong then, and the words of a file below sim/ that become others."""

    what: str
    file: str
    right: str
    wrong: str


FAULTS = (
    Fault(
        "a channel decides twice at one tick",
        "model/memory.cpp",
        "first_ = now + 1;",
        "first_ = now;",
    ),
    Fault(
        "the bus turns round for nothing",
        "model/memory.cpp",
        "has_decided_ && was_read_ != is_read ? memory_.turnaround_ticks : 0",
        "0",
    ),
    Fault(
        "there is no refresh",
        "model/memory.cpp",
        "next_refresh_ = memory.refresh_interval;",
        "next_refresh_ = NEVER;",
    ),
    Fault(
        "a refresh leaves rows open",
        "model/memory.cpp",
        "for (Bank &bank : banks_) {\n        bank.row = NEVER;\n    }",
        "",
    ),
    Fault(
        "requests of open rows do not go first",
        "model/memory.cpp",
        "banks_.data()[pending.bank].row == pending.row",
        "false",
    ),
    Fault(
        "reads and writes take turns whatever was taken",
        "model/memory.cpp",
        "is_turn_of_reads_ = queue == &writes_;",
        "is_turn_of_reads_ = !is_turn_of_reads_;",
    ),
    Fault(
        "nobody is blamed for a row that another core has opened",
        "model/memory.cpp",
        "is_conflict && bank.opened_by != pending.core",
        "false",
    ),
    Fault(
        "a queue takes one read more than its limit",
        "model/memory.hpp",
        "reads_.n_undecided >= reads_.limit",
        "reads_.n_undecided > reads_.limit",
    ),
    Fault(
        "fifo goes by uses",
        "model/replacement.hpp",
        "if (how_ == LAXITY_SIM_LRU) {",
        "if (how_ == LAXITY_SIM_LRU || how_ == LAXITY_SIM_FIFO) {",
    ),
    Fault(
        "a use turns a tree's bits to the place",
        "model/replacement.hpp",
        "path.away |= is_upper ? 0 : std::uint64_t{1} << node;",
        "path.away |= is_upper ? std::uint64_t{1} << node : 0;",
    ),
    Fault(
        "masks of ways are not kept",
        "model/cache.hpp",
        "way_mask == 0 ? all_ways_ : way_mask & all_ways_",
        "way_mask == 0 ? all_ways_ : all_ways_",
    ),
    Fault(
        "ways after the last whole eight have no tags",
        "model/cache.hpp",
        "(ways_ + Tags::PLACES - 1) / Tags::PLACES",
        "ways_ / Tags::PLACES",
    ),
    Fault(
        "pages have no colour",
        "model/frames.hpp",
        "(drawn & ~colour) | (page & colour)",
        "drawn | (colour & 0)",
    ),
    Fault(
        "a stride need not come twice",
        "model/strides.hpp",
        "stride != 0 && stride == entry.stride",
        "stride != 0",
    ),
    Fault(
        "a counter of branches never is at its most",
        "model/branches.hpp",
        "counter < MOST",
        "counter < WEAKLY_TAKEN",
    ),
    Fault(
        "a join is not counted",
        "engine/hierarchy.cpp",
        "counts(touch.core).joins++;",
        "",
    ),
    Fault(
        "an upgrade is forgotten",
        "engine/hierarchy.cpp",
        "touch.kind == Kind::Store && place->is_shared();",
        "touch.kind == Kind::Store && false;",
    ),
    Fault(
        "one load too many is outstanding",
        "engine/hierarchy.cpp",
        "own.requests.count(touch.kind) >= limit",
        "own.requests.count(touch.kind) > limit",
    ),
    Fault(
        "who has taken a line is forgotten",
        "engine/hierarchy.cpp",
        "cause = cause == Cause::Own ? lost : cause;",
        "(void)lost;",
    ),
    Fault(
        "another core is blamed for what was evicted on this one",
        "engine/hierarchy.cpp",
        "tasks_[space].core == core ? Cause::Reload : Cause::Shared",
        "tasks_[space].core == core ? Cause::Shared : Cause::Shared",
    ),
    Fault(
        "nobody pays for the room that it owes",
        "engine/hierarchy.cpp",
        "!own.debts.empty() && !pays(own)",
        "false",
    ),
    Fault(
        "what merges is not sent before somebody reads it",
        "engine/hierarchy.cpp",
        "if (touch.kind != Kind::Store) {\n            send(request, touch.core, now);",
        "if (touch.kind != Kind::Store) {",
    ),
    Fault(
        "a load joins ahead of its turn what may be there by then",
        "engine/hierarchy.cpp",
        "request.is_merging || request.done != NEVER || now < request.pending_until;",
        "true;",
    ),
    Fault(
        "a load that joins ahead of its turn is forgotten",
        "engine/hierarchy.cpp",
        "own.loaded.push_back(request.number);",
        "",
    ),
    Fault(
        "accesses to one line go on behind what merging has filled",
        "engine/run_ahead.cpp",
        "is_full = hierarchy_.is_full(*merging);",
        "",
    ),
    Fault(
        "accesses to one line go on behind the fetch of another",
        "engine/run_ahead.cpp",
        "is_fetched ? part.until : std::min(part.until, fetches.next->index)",
        "part.until",
    ),
    Fault(
        "accesses to one line go on beyond its end",
        "engine/run_ahead.cpp",
        "index < least || index >= until || from > last",
        "index < least || index >= until",
    ),
    Fault(
        "accesses to one line go on to what may not be stored",
        "engine/reader.hpp",
        "               !shared_.has(address, bytes);",
        "               true;",
    ),
    Fault(
        "a load makes registers of earlier loads known",
        "engine/core.cpp",
        "waiting_ |= step.writes;",
        "waiting_ = step.writes;",
    ),
    Fault(
        "a first level lacks a line that it has got since",
        "engine/hierarchy.cpp",
        "    cores_[touch.core].absent = NEVER;\n",
        "",
    ),
    Fault(
        "one request that is done makes room for all of its kind",
        "engine/requests.hpp",
        "n_of_kind(one.kind)--;",
        "n_of_kind(one.kind) = 0;",
    ),
    Fault(
        "an instruction that goes on fetches its lines again",
        "engine/run_ahead.cpp",
        "block.fetches_from(position.index + (is_within ? 1 : 0))",
        "block.fetches_from(position.index)",
    ),
    Fault(
        "an instruction that goes on forgets its loads",
        "engine/run_ahead.cpp",
        "bool is_loading = !own_.loaded.empty();",
        "bool is_loading = false; own_.loaded.clear();",
    ),
    Fault(
        "all that wait for room wait on, whoever comes before them",
        "engine/horizon.cpp",
        "if (first == nullptr || turns_[core].is_before(*first)) {",
        "if (true) {",
    ),
    Fault(
        "a core goes on where another comes at the same tick",
        "engine/horizon.cpp",
        "turn.tick >= std::min(tick, decision)",
        "turn.tick > std::min(tick, decision)",
    ),
    Fault(
        "a write-back into a level is lost",
        "engine/levels.cpp",
        "allocate(i, victim.line(), at, core, task, is_dirty);",
        "allocate(i, victim.line(), at, core, task, false);",
    ),
    Fault(
        "a line is prefetched from the next page",
        "engine/levels.cpp",
        "line == request.line || !frames_.is_same_page(line, request.line)",
        "line == request.line",
    ),
    Fault(
        "a line on its way is there already",
        "engine/levels.cpp",
        "read == nullptr ? NO_READ : *read",
        "read == nullptr ? NO_READ : NO_READ",
    ),
    Fault(
        "what an inclusive level evicts is clean",
        "engine/levels.cpp",
        "if (place->is_dirty()) {\n            victim.set_dirty();\n        }",
        "",
    ),
    Fault(
        "what an exclusive level gives up is clean",
        "engine/levels.cpp",
        "if (!moved.is_dirty()) {",
        "if (true) {",
    ),
    Fault(
        "a walk begins at the last table",
        "engine/pages.cpp",
        "walk_page_ >> TABLE_BITS * level",
        "walk_page_ >> TABLE_BITS * (platform_.walk_loads - 1 - level)",
    ),
    Fault(
        "a core stops one instruction late",
        "engine/core.cpp",
        "if (!is_asked_ && now_ < horizon) {",
        "if (now_ < horizon) {",
    ),
    Fault(
        "an instruction does not wait for what it overwrites",
        "engine/reader.cpp",
        "    step.needs |= step.writes;\n",
        "",
    ),
    Fault(
        "the timer interrupts at the end of its interval, too",
        "engine/kernel.cpp",
        "(now_ / interval + 1) * interval",
        "((now_ - 1) / interval + 1) * interval",
    ),
    Fault(
        "a core goes on to the horizon itself",
        "engine/run_ahead.cpp",
        "begun + step.offset < horizon;",
        "begun + step.offset <= horizon;",
    ),
    Fault(
        "a line is not fetched again behind a stop",
        "engine/scheduler.cpp",
        "task.position.fetched = NEVER;",
        "",
    ),
    Fault(
        "equals go by their numbers",
        "engine/scheduler.cpp",
        "std::tuple{rank_of(*task->asked, task->deadline), task->queued, task->job.task}",
        "std::tuple{rank_of(*task->asked, task->deadline), task->job.task}",
    ),
    Fault(
        "a job ends one tick behind its timeout",
        "engine/scheduler.cpp",
        "if (task.timeout <= now) {",
        "if (task.timeout < now) {",
    ),
    Fault(
        "a task does not go back to the core that it was on",
        "engine/scheduler.cpp",
        "keep_first(found.idle, last, last.task == NONE &&",
        "keep_first(found.idle, last, false &&",
    ),
    Fault(
        "parts of an execution are rounded each for itself",
        "engine/scheduler.cpp",
        "*parts[i] = until_ns - before_ns;",
        "*parts[i] = clock_.floor_ns(spent.stalls[i]);",
    ),
    Fault(
        "a co-runner that was asked to stop goes on with its next pass",
        "engine/scheduler.cpp",
        "if (is_asked && seat.task != NONE) {",
        "if (false) {",
    ),
    Fault(
        "a budget is not refilled",
        "engine/horizon.cpp",
        "task.refill = 0;\n    task.budget = clock_.ticks_of(reservation.runtime_ns);",
        "task.refill = 0;",
    ),
    Fault(
        "a task that has slept keeps its old deadline",
        "engine/horizon.cpp",
        "task.deadline <= now ||",
        "task.deadline < now ||",
    ),
    Fault(
        "a core of less number goes first, however long others have waited",
        "engine/turn.hpp",
        "since() < other.since()",
        "false",
    ),
    Fault(
        "a budget that equals its share is replaced at a wake-up",
        "engine/horizon.cpp",
        "Wide{task.budget} * deadline > Wide{task.deadline - now} * runtime",
        "Wide{task.budget} * deadline >= Wide{task.deadline - now} * runtime",
    ),
    Fault(
        "who waits is not counted as executing",
        "engine/samples.cpp",
        "taken.exec_ticks += seats_[task.last_core].core.waited(now);",
        "",
    ),
    Fault(
        "a core that may go on waits as long as one that is stopped",
        "engine/observer.cpp",
        "is_forbidden ? observer.stop_ns : observer.resume_ns",
        "observer.stop_ns",
    ),
    Fault(
        "each answer puts off the one on its way",
        "engine/observer.cpp",
        "} else if (seat.changes_at == NEVER) {",
        "} else {",
    ),
    Fault(
        "no answer is called off",
        "engine/observer.cpp",
        "        seat.changes_at = NEVER;\n    } else if",
        "    } else if",
    ),
    Fault(
        "a mark is seen when it is as old as the latency",
        "engine/observer.cpp",
        "seen.time_ns < observer_ns_ - observer.mark_ns",
        "seen.time_ns <= observer_ns_ - observer.mark_ns",
    ),
    Fault(
        "marks are seen in the order in which cores run ahead",
        "engine/observer.cpp",
        "std::ranges::upper_bound(unseen_, key(seen), {}, key)",
        "unseen_.end()",
    ),
    Fault(
        "an observer that ends leaves cores forbidden",
        "engine/observer.cpp",
        "!is_last && (allowed",
        "(allowed",
    ),
    Fault(
        "cores run ahead of a tick of the observer",
        "engine/horizon.cpp",
        "std::min(horizon_, next_sample())",
        "std::min(horizon_, sample_tick_)",
    ),
    Fault(
        "cores run ahead of an answer",
        "engine/observer.cpp",
        "        horizon_ = std::min(horizon_, seat.changes_at);\n",
        "",
    ),
    Fault(
        "a task goes back to its core though it is forbidden",
        "engine/scheduler.cpp",
        " && !last.is_forbidden",
        "",
    ),
    Fault(
        "the observer interrupts nobody",
        "engine/observer.cpp",
        "seats_[observer.core].core.probe(observer_tick_);",
        "",
    ),
    Fault(
        "an observer never sees that a job was aborted",
        "engine/scheduler.cpp",
        "    if (task.has_started) {\n        const std::uint64_t exec_ticks",
        "    if (false) {\n        const std::uint64_t exec_ticks",
    ),
    Fault(
        "a delay loop goes beyond the horizon",
        "engine/run_ahead.cpp",
        "const std::uint64_t most = (horizon - 1 - now_) / block.ticks;",
        "const std::uint64_t most = (horizon - 1 - now_) / block.ticks + 1;",
    ),
    Fault(
        "the last turn of a delay loop takes another's accesses",
        "engine/reader.hpp",
        "while (end_ - next_ > 1 && next_[1] == *first &&",
        "while (end_ - next_ > 1 && *next_ == *first &&",
    ),
    Fault(
        "a job lasts to the end of the block that it ends in",
        "engine/reader.cpp",
        "certain_[last] = 0;",
        "certain_[last] += 0;",
    ),
    Fault(
        "a co-runner goes on for ever while a job waits for memory",
        "engine/horizon.cpp",
        "const std::uint64_t from = std::min(turn.tick, decision);",
        "const std::uint64_t from = turn.tick;",
    ),
    Fault(
        "no job ends by an access out of order",
        "engine/reader.cpp",
        "if (at == nullptr || access.index() < least || access.index() >= at->steps.size() ||",
        "if (at == nullptr ||",
    ),
    Fault(
        "an observer sees the time of the task in place of that of its job",
        "engine/observer.cpp",
        ".exec_ticks = exec_ticks,",
        ".exec_ticks = exec_ticks + task.past.exec_ticks,",
    ),
    Fault(
        "a mark has counts of what is executed after it",
        "engine/run_ahead.cpp",
        "std::max<std::size_t>(mark.index, from) + 1",
        "until",
    ),
)


class Engine:
    """The engine with a fault, or without one, and its tests."""

    def __init__(self, build: Path, folder: Path) -> None:
        """Begin with what a build has compiled; what a fault changes goes into a folder."""
        self._build, self._folder = build, folder
        self._commands = dict(_commands(build))
        self._objects = {source: str(path) for source, (path, _) in self._commands.items()}

    def plant(self, fault: Fault) -> None:
        """Put a fault in, and compile what has it.

        Raises:
            click.ClickException: Its place is not what it was, or there are several.
        """
        for part in _COPIED:
            shutil.copytree(ROOT / "sim" / part, self._folder / part)
        path = self._folder / fault.file
        text = path.read_text()
        if text.count(fault.right) != 1:
            msg = f"sim/{fault.file} has {text.count(fault.right)} places for: {fault.what}"
            raise click.ClickException(msg)
        path.write_text(text.replace(fault.right, fault.wrong))
        # Headers are of all.
        changed = [fault.file] if fault.file in self._objects else list(self._objects)
        with ThreadPoolExecutor(os.cpu_count()) as pool:
            self._objects.update(zip(changed, pool.map(self._compile, changed), strict=True))

    def caught_by(self) -> Iterator[str]:
        """Name the tests that fail, one after the other."""
        return (test for test in TESTS if not self._passes(test))

    def _compile(self, source: str) -> str:
        _, words = self._commands[source]
        compiled = self._folder / Path(source).with_suffix(".o").name
        # A compiler cache stands before the compiler.
        first_option = next(i for i, word in enumerate(words) if word.startswith("-"))
        # A fault may leave something without use; and it need not run fast.
        own = [*words[:first_option], f"-I{self._folder}", *words[first_option:]]
        own += ["-w", "-O1", "-g0", "-o", str(compiled), "-c", str(self._folder / source)]
        subprocess.run(own, cwd=self._build, check=True)
        return str(compiled)

    def _passes(self, test: str) -> bool:
        program = self._folder / f"test_{test}"
        (main,) = (self._build / f"sim/test_engine_{test}.p").glob("*.o")
        libraries = ("sim/libnaive.a", "native/libsegment.a", "native/libbase.a")
        link = ["c++", str(main), *self._objects.values(), *libraries, "-o", str(program)]
        subprocess.run(link, cwd=self._build, check=True)
        try:
            done = subprocess.run([program], capture_output=True, timeout=_TIMEOUT_S, check=False)
        except subprocess.TimeoutExpired:
            return False
        return done.returncode == 0


def _commands(build: Path) -> Iterator[tuple[str, tuple[Path, list[str]]]]:
    """Of each file of the engine: what it is compiled to, and by which words."""
    for entry in json.loads((build / "compile_commands.json").read_text()):
        if entry["output"].startswith("sim/libengine.a.p/"):
            words = shlex.split(entry["command"])
            source = str(Path(*Path(entry["file"]).parts[-2:]))
            yield source, (build / entry["output"], words[: words.index("-MD")])


def catchers(build: Path, fault: Fault | None) -> Iterator[str]:
    """Name the tests that catch a fault; those that fail without one if there is none."""
    with tempfile.TemporaryDirectory() as folder:
        engine = Engine(build, Path(folder))
        if fault is not None:
            engine.plant(fault)
        yield from engine.caught_by()


@click.command()
@click.option("--build", type=click.Path(path_type=Path), default=ROOT / "build" / "sets" / "sim")
@click.option("--only", default="", help="Faults whose words have this.")
def main(build: Path, only: str) -> None:
    """Plant one fault after the other, and tell by which tests it is caught."""
    build = build.resolve()
    if any(catchers(build, None)):
        msg = "tests fail without a fault, too"
        raise click.ClickException(msg)
    rows = []
    for fault in FAULTS:
        if only in fault.what:
            rows.append((fault.what, fault.file, " ".join(catchers(build, fault)) or "NOBODY"))
            click.echo("  ".join(rows[-1]), err=True)
    click.echo(format_table(("fault", "file", "caught by"), rows), nl=False)
    n = sum(row[2] != "NOBODY" for row in rows)
    click.echo(f"{n} of {len(rows)} are caught")


if __name__ == "__main__":
    main()
