# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""Which events are counted while programs are profiled, and what is said of them."""

from dataclasses import dataclass

from laxity.core.spec import SIMULATED
from laxity.errors import PlatformError
from laxity.platform.platform_file import read_platform
from laxity.platform.simulated_events import modelled_events
from laxity.platform.tools import list_events

LEVELS = ("l1i", "l1d", "l2", "llc")
TRAFFIC = ("mem_read_bytes", "mem_write_bytes")
# Those that follow are counted where there is room for them.
_WANTED = (
    *("instructions", "cycles"),
    *(f"{level}_{what}" for level in ("l1d", "llc", "l2", "l1i") for what in ("refill", "access")),
    *TRAFFIC,
)
_STALLS = ("stall_own_ns", "stall_reload_ns", "stall_moved_ns", "stall_shared_ns")


@dataclass(frozen=True, slots=True)
class Ratio:
    """What is shown of events: a sum of columns of jobs over another column.

    Attributes:
        name: As tables call it.
        over: Columns that are added.
        under: The column below.
        per: The unit of the denominator: misses per 1000 instructions.
        is_share: It is shown in percent.
    """

    name: str
    over: tuple[str, ...]
    under: str
    per: int = 1
    is_share: bool = False


MISS_RATIOS = tuple(
    Ratio(f"{level} miss ratio", (f"{level}_refill",), f"{level}_access", is_share=True)
    for level in LEVELS
)
MISSES_PER_1000 = tuple(
    Ratio(f"{level} misses / 1000 instr.", (f"{level}_refill",), "instructions", 1000)
    for level in LEVELS
)
BYTES_PER_INSTRUCTION = Ratio("memory bytes / instr.", TRAFFIC, "instructions")
PER_CYCLE = Ratio("instr. / cycle", ("instructions",), "cycles")
# Also for the caches below the first.
WAITING = Ratio("waiting for memory", _STALLS, "exec_ns", is_share=True)
RATIOS = (*MISS_RATIOS, *MISSES_PER_1000, BYTES_PER_INSTRUCTION, PER_CYCLE, WAITING)


def events_to_count(platform: str) -> tuple[str, ...]:
    """Name the events that are counted in each job.

    Args:
        platform: As `--platform` names it.

    Raises:
        PlatformError: Nothing counts what a cache does.
        ConfigError: There is no such platform.
    """
    if platform.startswith(SIMULATED):
        known = modelled_events(read_platform(platform.removeprefix(SIMULATED)))
        return tuple(name for name in _WANTED if name in known)
    found = {one.name: one.reason or "" for one in list_events().events}
    counted = tuple(name for name in _WANTED if not found.get(name, "unknown"))
    if not any(name.endswith("_refill") for name in counted):
        reason = next((found[name] for name in _WANTED if found.get(name)), "")
        msg = (
            f"nothing here counts cache misses ({reason}); a simulated platform does: "
            "--platform sim:NAME"
        )
        raise PlatformError(msg)
    return counted
