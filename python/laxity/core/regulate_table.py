# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""From `[regulate]`, or options of the same names, to a resolved `RegulateSpec`."""

from collections.abc import Sequence

from laxity.core.percent import parse_percent
from laxity.core.spec import NATIVE_PLATFORM, SIMULATED, RegulateSpec, RegulateTable
from laxity.core.spec_tables import convert_table, read_duration_ns
from laxity.errors import ConfigError, located

# On simulated platforms, and on Linux: a decision costs a core some 10 us there, and an interrupt
# may be that late.
_TIMES = {
    "period": ("50us", "200us"),
    "stop_latency": ("10us", "500us"),
    "resume_latency": ("5us", "5us"),
    "mark_latency": ("1us", "100us"),
}


def read_regulate(given: object, tasks: Sequence[str], place: str) -> RegulateSpec | None:
    """Read `[regulate]`; None: there is none.

    Args:
        given: The table.
        tasks: Names of all tasks.
        place: Platform of the run, or its board.

    Raises:
        ConfigError: Unknown key, a value that cannot be, or the run is on a board.
    """
    if given is None:
        return None
    if not isinstance(given, dict):
        msg = "regulate is not a table; write [regulate]"
        raise ConfigError(msg)
    table = convert_table(given, RegulateTable, "[regulate]")
    is_native = place == NATIVE_PLATFORM
    if not is_native and not place.startswith(SIMULATED):
        msg = (
            f"[regulate]: co-runners are not regulated on boards ({place}); run laxity there, or "
            "remove [regulate]"
        )
        raise ConfigError(msg)
    with located("[regulate]"):
        name = tasks[0] if table.task is None else table.task
        if name not in tasks or (table.task is None and len(tasks) > 1):
            msg = f'task "{table.task}" is unknown' if table.task else "there are several tasks"
            msg += f"; write task = one of {' '.join(tasks)}"
            raise ConfigError(msg)
        return resolve_regulate(table, name, is_native=is_native)


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


def resolve_regulate(table: RegulateTable, task: str, *, is_native: bool = False) -> RegulateSpec:
    """Make the values of a table explicit.

    Args:
        table: As written.
        task: The regulated task.
        is_native: The run is on this machine, else on a simulated platform.

    Raises:
        ConfigError: A value cannot be.
    """
    with located("theta"):
        theta_ppm = parse_percent(table.theta)
    written = {key: getattr(table, key) for key in _TIMES}
    times = {
        f"{key}_ns": read_duration_ns(default[is_native] if given is None else given, key)
        for (key, given), default in zip(written.items(), _TIMES.values(), strict=True)
    }
    if times["period_ns"] == 0:
        msg = f'period "{table.period}" is not above 0; write for example 50us'
        raise ConfigError(msg)
    return RegulateSpec(task=task, theta_ppm=theta_ppm, cpu=table.cpu, **times)
