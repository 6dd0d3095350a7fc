# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""Which test the options of `laxity bound` select, and whether it covers the tasks of the file."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

import click

from laxity.bounds.crpd_sets import Method, Policy
from laxity.bounds.setup import CacheSets, Setup
from laxity.core import spec
from laxity.core.cpus import format_cpus, parse_cpus
from laxity.core.schedulers import Fit, Scheduler
from laxity.core.task_set import DeclaredTask, TaskSet
from laxity.core.units import parse_duration_ns
from laxity.errors import ConfigError, located

Command = TypeVar("Command", bound=Callable[..., Any])
_GAMMA = "gamma"
# Words of the command line: "ECB union multiset" is ecb-union-multiset.
_METHODS = {method.value.lower().replace(" ", "-"): method for method in Method}
_FITS = {f"{fit}-fit": fit for fit in Fit}
# Beyond any cache there is, so that only slips are refused.
_MOST_WAYS = 1024


@dataclass(frozen=True, slots=True, kw_only=True)
class SetupWords:
    """The options as click gives them; None: not given."""

    scheduler: str
    crpd: str
    cache_policy: str | None
    cache_ways: int | None
    block_reload: str | None
    partition: str | None
    cpus: str | None


_OPTIONS = (
    click.option(
        "--scheduler",
        type=click.Choice([one.value for one in Scheduler]),
        default=Scheduler.FIXED_PRIORITY.value,
        show_default=True,
        help="Who orders jobs, on one CPU each or, if global, on any of --cpus.",
    ),
    click.option(
        "--crpd",
        type=click.Choice([_GAMMA, *_METHODS]),
        metavar="METHOD",
        default=_GAMMA,
        show_default=True,
        help="What a preemption makes a task load again: gamma of its working set as measured, "
        f"or by ucb and ecb of the tasks: {', '.join(_METHODS)}.",
    ),
    click.option(
        "--cache-policy",
        type=click.Choice([one.value for one in Policy]),
        help="How the cache that ucb and ecb are of replaces blocks.",
    ),
    click.option(
        "--cache-ways",
        type=click.IntRange(1, _MOST_WAYS),
        metavar="N",
        help="Blocks of each set of that cache; needed unless direct-mapped.",
    ),
    click.option(
        "--block-reload",
        metavar="TIME",
        help="To load one block again.  [default: memory_latency of the costs]",
    ),
    click.option(
        "--partition",
        type=click.Choice(list(_FITS)),
        help="Share the tasks out to --cpus, whatever cpus the file names.",
    ),
    click.option("--cpus", metavar="LIST", help="CPUs of --partition or of a global scheduler."),
)


def setup_options(command: Command) -> Command:
    """Return a command the options that select a test."""
    for option in reversed(_OPTIONS):
        command = option(command)
    return command


def read_setup(words: SetupWords, task_set: TaskSet, where: str) -> Setup:
    """Choose the test; `where` names the task set in messages about its tasks.

    Raises:
        ConfigError: Options that contradict one another, or tasks that the test does not cover.
    """
    scheduler = Scheduler(words.scheduler)
    with located(where):
        _check_policies(scheduler, task_set.tasks)
    return Setup(
        scheduler=scheduler,
        sets=_read_sets(words, scheduler),
        fit=None if words.partition is None else _FITS[words.partition],
        cpus=_read_cpus(words, scheduler, task_set.tasks),
    )


def _check_policies(scheduler: Scheduler, tasks: Sequence[DeclaredTask]) -> None:
    by_deadline = [one for one in tasks if one.policy is spec.Policy.DEADLINE]
    if not by_deadline:
        return
    first = by_deadline[0].name
    if not scheduler.is_edf:
        msg = (
            f'task "{first}": policy deadline has no fixed priority; use --scheduler '
            f"{' or '.join(one for one in Scheduler if one.is_edf)}"
        )
        raise ConfigError(msg)
    if len(by_deadline) < len(tasks):
        msg = (
            f'task "{first}": policy deadline runs before all tasks of other policies; '
            "give it to all of them, or bound them apart"
        )
        raise ConfigError(msg)


def _read_sets(words: SetupWords, scheduler: Scheduler) -> CacheSets | None:
    if words.crpd == _GAMMA:
        for name, value in (
            ("--cache-policy", words.cache_policy),
            ("--cache-ways", words.cache_ways),
            ("--block-reload", words.block_reload),
        ):
            if value is not None:
                msg = f"{name}: --crpd gamma reads no cache sets; leave it out or choose a method"
                raise ConfigError(msg)
        return None
    if scheduler.is_global:
        msg = f"--crpd {words.crpd}: no cache sets bound what a migration loses; use --crpd gamma"
        raise ConfigError(msg)
    method = _METHODS[words.crpd]
    if words.cache_policy is None:
        msg = f"--crpd {words.crpd}: holds for some caches only; name --cache-policy"
        raise ConfigError(msg)
    policy = Policy(words.cache_policy)
    return CacheSets(method, policy, _ways(words, policy), _reload_ns(words.block_reload))


def _ways(words: SetupWords, policy: Policy) -> int:
    if policy is Policy.DIRECT_MAPPED:
        if words.cache_ways not in {None, 1}:
            msg = f"--cache-ways {words.cache_ways}: a direct-mapped cache has one; leave it out"
            raise ConfigError(msg)
        return 1
    if words.cache_ways is None:
        msg = f"--cache-policy {policy}: name --cache-ways, what a preemption costs grows with them"
        raise ConfigError(msg)
    return words.cache_ways


def _reload_ns(text: str | None) -> int | None:
    if text is None:
        return None
    with located("--block-reload"):
        return parse_duration_ns(text)


def _read_cpus(
    words: SetupWords, scheduler: Scheduler, tasks: Sequence[DeclaredTask]
) -> tuple[int, ...]:
    if scheduler.is_global and words.partition is not None:
        msg = f"--partition: tasks of --scheduler {scheduler} move; leave one of the two out"
        raise ConfigError(msg)
    if words.cpus is not None:
        if words.partition is None and not scheduler.is_global:
            msg = "--cpus: tasks stay where the file has them; name --partition FIT to share them"
            raise ConfigError(msg)
        with located("--cpus"):
            return parse_cpus(words.cpus)
    if words.partition is not None:
        msg = f"--partition {words.partition}: name the CPUs to share tasks out to, --cpus 0-1"
        raise ConfigError(msg)
    if scheduler.is_global:
        return _cpus_of_all(scheduler, tasks)
    _check_single(tasks)
    return ()


def _cpus_of_all(scheduler: Scheduler, tasks: Sequence[DeclaredTask]) -> tuple[int, ...]:
    first = tasks[0].cpus
    apart = next((one for one in tasks if one.cpus != first), None)
    if not first or apart is not None:
        why = "the file names none" if apart is None else f'task "{apart.name}" has others'
        msg = f"--scheduler {scheduler}: every task needs the same cpus, and {why}; name --cpus"
        raise ConfigError(msg)
    return first


def _check_single(tasks: Sequence[DeclaredTask]) -> None:
    for one in tasks:
        if len(one.cpus) > 1:
            cpus = format_cpus(one.cpus)
            msg = (
                f'task "{one.name}": cpus "{cpus}": the test is of tasks that keep to one CPU; '
                f"name one, or use --partition first-fit --cpus {cpus} or a global --scheduler"
            )
            raise ConfigError(msg)
