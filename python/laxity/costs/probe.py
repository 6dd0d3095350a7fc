# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""What there is to say of a probe. It is said once, in costs/NAME/probe.py, as `PROBE`.

A probe is loaded when it is asked for: most commands need none.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from importlib import import_module
from typing import Any, get_args

from laxity.costs.model import Entry
from laxity.costs.options import SIMULATED_REPETITIONS, Option
from laxity.costs.pace import Pace
from laxity.jobs.view import View
from laxity.platform.facts import Facts
from laxity.platform.placement import Cpus
from laxity.store.manifest import Fallback
from laxity.store.measurements import Measured

NS_PER_S = 10**9
# Every probe, as its measurement names it.
NAMES: tuple[str, ...] = tuple(one.__struct_config__.tag for one in get_args(Measured))


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """What the user asks of every probe; what is left out is chosen for the machine.

    Attributes:
        cpus: To measure; empty: chosen.
        repetitions: Observations at each place.
        priority: Of what is measured.
        timeout_ns: The measurement is ended then.
    """

    cpus: tuple[int, ...] = ()
    repetitions: int = 100
    priority: int = 80
    timeout_ns: int = 600 * NS_PER_S


@dataclass(frozen=True, slots=True)
class Source:
    """What one run measured.

    Attributes:
        run: Its name.
        streams: Rows (masked arrays) by the name of their stream.
        asked: The measurement as its probe's type.
        is_exact: Whether it was simulated, so that only what is drawn makes its samples differ.
    """

    run: str
    streams: Mapping[str, Any]
    asked: Any
    is_exact: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Probe:
    """One probe: what is asked of it, how that is planned, what its rows are, how they are shown.

    Attributes:
        help: Of its command.
        asked: Type of what its command asks; its defaults are those of the command.
        options: Of its command, beside those that all have.
        plan: Decides on a machine what is measured. Gives also what was left out and why.
        describe: Says in one line what is measured.
        words: Its own options of laxity-probe.
        streams: What it writes; the first is there if anything was measured.
        measured: What the rows of one run or of several say, joined.
        entries: That as entries of a cost model.
        samples: The same entries with their samples (arrays of ns, in the order of the rows); those
            without samples of their own, as curves, left out. None: no sample is one event.
        view: How it is read and shown.
        simulated: What is asked of a simulated platform in place of a default of `asked`.
        paced: Tells how long observations take on a machine. None: all alike, there and simulated.
    """

    help: str
    asked: type[Asked]
    options: tuple[Option, ...]
    plan: Callable[[Any, Facts, Cpus], tuple[Measured, tuple[Fallback, ...]]]
    describe: Callable[[Any], str]
    words: Callable[[Any], list[str]]
    streams: tuple[str, ...]
    measured: Callable[[Sequence[Source]], Any]
    entries: Callable[[Any], list[Entry]]
    samples: Callable[[Any], list[tuple[Entry, Any]]] | None = None
    view: View
    simulated: Mapping[str, Any] = field(
        default_factory=lambda: {"repetitions": SIMULATED_REPETITIONS}
    )
    paced: Callable[[Any], Pace | None] | None = None

    def pace(self, asked: Measured, *, is_simulated: bool) -> Pace | None:
        """Return what is known of how long observations take; None: too little to tell a time."""
        if self.paced is None:
            return Pace()
        return None if is_simulated else self.paced(asked)

    def costs(self, sources: Sequence[Source]) -> list[Entry]:
        """Return the entries from all samples of one run or of several."""
        return self.entries(self.measured(sources))


def probe_of(name: str) -> Probe:
    """Return a probe by the name that its measurement has."""
    probe: Probe = import_module(f"laxity.costs.{name}.probe").PROBE
    return probe


def repeated(option: str, words: Sequence[str]) -> list[str]:
    """Write an option that may be repeated."""
    return [part for word in words for part in (option, word)]
