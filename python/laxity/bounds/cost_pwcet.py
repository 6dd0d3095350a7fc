# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""pWCET of what the platform costs: the samples of an entry, in order of time, behind the gates."""

from collections.abc import Callable
from decimal import Decimal
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from laxity.bounds.platform_costs import PwcetOf
from laxity.core.units import exact_size
from laxity.costs.model import Axes, Entry
from laxity.errors import NoVerdict
from laxity.statistics.pwcet import bound_pwcet
from laxity.statistics.wcet_model import NoPwcet, Pwcet

# Gives the samples of an entry in order of time, ns; raises NoVerdict where they are out of reach.
SamplesOf: TypeAlias = Callable[[Entry], NDArray[np.int64]]
_Key: TypeAlias = tuple[str, Axes, tuple[str, ...]]


def pwcet_of_samples(samples_of: SamplesOf, exceedance: Decimal) -> PwcetOf:
    """Make what bounds entries by extreme values; each is computed once, when it is asked for.

    Args:
        samples_of: Where samples are from.
        exceedance: Probability that one event costs more, as `bound_pwcet`.
    """
    known: dict[_Key, Pwcet | NoPwcet] = {}

    def pwcet_of(entry: Entry) -> Pwcet:
        key = (entry.name, entry.axes, tuple(entry.runs))
        if key not in known:
            known[key] = _bound(samples_of(entry), float(exceedance))
        found = known[key]
        if isinstance(found, NoPwcet):
            raise NoVerdict(found.reason)
        return found

    def told(entry: Entry) -> Pwcet:
        try:
            return pwcet_of(entry)
        except NoVerdict as reason:
            msg = f"no pWCET of n = {entry.n} ({_place(entry)}): {reason}"
            raise NoVerdict(msg) from reason

    return told


def _bound(samples_ns: NDArray[np.int64], exceedance: float) -> Pwcet | NoPwcet:
    # Costs are differences: where noise is all there is, so may be every one of them.
    if samples_ns.size and samples_ns.max() <= 0:
        return NoPwcet(exceedance, samples_ns.size, "no sample is above 0")
    return bound_pwcet(samples_ns, exceedance)


def _place(entry: Entry) -> str:
    axes = entry.axes
    words = [axes.case, axes.evict]
    words += ["" if axes.cpu is None else f"CPU {axes.cpu}"]
    words += ["" if axes.cpu_to is None else f"to CPU {axes.cpu_to}"]
    words += ["" if axes.working_set_bytes is None else exact_size(axes.working_set_bytes)]
    return ", ".join(word for word in (*words, f"run {' '.join(entry.runs)}") if word)
