# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""From `[regulate]`, or options of the same names, to a resolved `RegulateSpec`."""

from collections.abc import Sequence

from laxity.core.percent import parse_percent
from laxity.core.spec import SIMULATED, RegulateSpec, RegulateTable
from laxity.core.spec_tables import convert_table, read_duration_ns
from laxity.errors import ConfigError, located

_TIMES = ("period", "stop_latency", "resume_latency", "mark_latency")


def read_regulate(given: object, tasks: Sequence[str], place: str) -> RegulateSpec | None:
    """Read `[regulate]`; None: there is none.

    Args:
        given: The table.
        tasks: Names of all tasks.
        place: Platform of the run, or its board.

    Raises:
        ConfigError: Unknown key, a value that cannot be, or a platform that is not simulated.
    """
    if given is None:
        return None
    if not isinstance(given, dict):
        msg = "regulate is not a table; write [regulate]"
        raise ConfigError(msg)
    table = convert_table(given, RegulateTable, "[regulate]")
    if not place.startswith(SIMULATED):
        msg = (
            "[regulate]: co-runners are regulated on simulated platforms only, and this run is on "
            f"{place}; use platform sim:NAME, or remove [regulate]"
        )
        raise ConfigError(msg)
    with located("[regulate]"):
        name = tasks[0] if table.task is None else table.task
        if name not in tasks or (table.task is None and len(tasks) > 1):
            msg = f'task "{table.task}" is unknown' if table.task else "there are several tasks"
            msg += f"; write task = one of {' '.join(tasks)}"
            raise ConfigError(msg)
        return resolve_regulate(table, name)


def with_theta(regulate: object, theta: str | None) -> object:
    """Let the option --theta replace that of a table.

    Raises:
        ConfigError: There is no table.
    """
    if theta is None:
        return regulate
    if regulate is None:
        msg = "--theta: nothing is regulated; add --regulate TABLE.json, or [regulate] to the spec"
        raise ConfigError(msg)
    return regulate | {"theta": theta} if isinstance(regulate, dict) else regulate


def resolve_regulate(table: RegulateTable, task: str) -> RegulateSpec:
    """Make the values of a table explicit; `task` is the regulated task.

    Raises:
        ConfigError: A value cannot be.
    """
    with located("theta"):
        theta_ppm = parse_percent(table.theta)
    times = {f"{key}_ns": read_duration_ns(getattr(table, key), key) for key in _TIMES}
    if times["period_ns"] == 0:
        msg = f'period "{table.period}" is not above 0; write for example 50us'
        raise ConfigError(msg)
    return RegulateSpec(task=task, theta_ppm=theta_ppm, cpu=table.cpu, **times)
