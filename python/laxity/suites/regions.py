# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""Regions of interest of a program: timing calls that bracket them, and checks in the job.

The calls are wrapped when the guest is linked (`--wrap`), so they must be defined in another file
than that which calls them. The wrapper hands four words on and one back: enough for any function of
integers and pointers, and what is given in floating-point registers stays there.
"""

from collections.abc import Collection
from pathlib import Path

import msgspec

# Functions by which suites say where their measured part begins and ends.
_KNOWN_BRACKETS = (
    ("photonStartTiming", "photonEndTiming"),  # SD-VBS
    ("start_trigger", "stop_trigger"),  # Embench, BEEBS
    ("__parsec_roi_begin", "__parsec_roi_end"),  # PARSEC
    ("m5_work_begin", "m5_work_end"),  # gem5
    ("m5_reset_stats", "m5_dump_stats"),
    ("polybench_timer_start", "polybench_timer_stop"),  # PolyBench
    ("start_time", "stop_time"),  # CoreMark
)
# Functions that say within a job whether it is right, by returning 1: SD-VBS.
_KNOWN_CHECKS = ("selfCheck", "fSelfCheck")
_HEAD = """\
void laxity_region_begin(void);
void laxity_region_end(void);
void laxity_region_check(int value);
extern const int laxity_guest_regions;
const int laxity_guest_regions = 1;
"""
_WRAPPER = """\
long __real_{name}(long a, long b, long c, long d);
long __wrap_{name}(long a, long b, long c, long d);
long __wrap_{name}(long a, long b, long c, long d)
{{
{body}
}}
"""
_BEGIN = """\
    const long value = __real_{name}(a, b, c, d);
    laxity_region_begin();
    return value;"""
_END = """\
    laxity_region_end();
    return __real_{name}(a, b, c, d);"""
_CHECK = """\
    const long value = __real_{name}(a, b, c, d);
    laxity_region_check((int)value);
    return value;"""


class Regions(msgspec.Struct, frozen=True):
    """The functions of one program that are wrapped: brackets (begin, end), and checks."""

    brackets: tuple[tuple[str, str], ...] = ()
    checks: tuple[str, ...] = ()

    @property
    def wrapped(self) -> tuple[str, ...]:
        """All of them, as the linker is told."""
        return (*(name for pair in self.brackets for name in pair), *self.checks)


def regions_of(
    called: Collection[str], brackets: Collection[tuple[str, str]] = (), check: str = ""
) -> Regions:
    """Find the regions of a program.

    Args:
        called: Functions that one of its files calls and another one defines.
        brackets: Begin and end as the user has named them: these, and none of the known ones.
        check: A check function that the user has named, "": the known ones.
    """
    pairs = tuple(brackets) or _KNOWN_BRACKETS
    checks = (check,) if check else _KNOWN_CHECKS
    return Regions(
        tuple((begin, end) for begin, end in pairs if {begin, end} <= set(called)),
        tuple(name for name in checks if name in called),
    )


def write_wrappers(regions: Regions, to: Path) -> None:
    """Write the C file that the guest is linked with."""
    bodies = [(begin, _BEGIN) for begin, _ in regions.brackets]
    bodies += [(end, _END) for _, end in regions.brackets]
    bodies += [(name, _CHECK) for name in regions.checks]
    wrappers = [_WRAPPER.format(name=name, body=body.format(name=name)) for name, body in bodies]
    to.write_text("".join([_HEAD, *wrappers]), encoding="ascii")
