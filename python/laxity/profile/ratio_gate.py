# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""`laxity versus --fail-on`: whether a command takes more times as long as the first than stated.

The interval of the ratio decides, as that of a difference does in `laxity compare`: all of it
beyond the limit is a violation, all of it on this side holds, in between there is no verdict.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from laxity.errors import EXIT_DONE, EXIT_NO_VERDICT, EXIT_VIOLATED, ConfigError
from laxity.profile.document import GateAnswer, GateRecord, read_profile

VIOLATED: GateAnswer = "violated"
HOLDS: GateAnswer = "holds"
UNKNOWN: GateAnswer = "no_verdict"

_EXIT_CODES = {VIOLATED: EXIT_VIOLATED, UNKNOWN: EXIT_NO_VERDICT, HOLDS: EXIT_DONE}
_RATIO = re.compile(r"\s*ratio\s*([<>])\s*([0-9]{1,6}(?:\.[0-9]{1,6})?)\s*", re.ASCII)


@dataclass(frozen=True, slots=True)
class RatioLimit:
    """A stated limit; `is_above`: larger ratios are the violation, else smaller ones."""

    text: str
    is_above: bool
    ratio: float

    def judge(self, ratio: float | None, low: float | None, high: float | None) -> GateAnswer:
        """Hold a ratio against the limit.

        Args:
            ratio: Measured or simulated; None: no round has both times.
            low: Lower end of its interval; of an exact ratio the ratio itself; None: unknown.
            high: Upper end.
        """
        if ratio is None or low is None or high is None:
            return UNKNOWN
        if self.is_above:
            return VIOLATED if low > self.ratio else HOLDS if high <= self.ratio else UNKNOWN
        return VIOLATED if high < self.ratio else HOLDS if low >= self.ratio else UNKNOWN


def parse_ratio_limit(text: str) -> RatioLimit:
    """Read a limit such as `ratio > 1.05`.

    Raises:
        ConfigError: The text is no limit of a ratio; the message shows an example.
    """
    found = _RATIO.fullmatch(text)
    if found is None or float(found[2]) <= 0:
        msg = f'--fail-on "{text}": compares no ratio; write for example ratio > 1.05'
        raise ConfigError(msg)
    return RatioLimit(text, found[1] == ">", float(found[2]))


def overall(gates: Sequence[GateRecord]) -> GateAnswer:
    """Join answers: a violation outweighs an unknown ratio, and that outweighs a pass."""
    answers = {gate.answer for gate in gates}
    return VIOLATED if VIOLATED in answers else UNKNOWN if UNKNOWN in answers else HOLDS


def judge_ratios(directory: Path) -> tuple[int, str]:
    """Give the exit code of a profile with limits, and the reason.

    Raises:
        RecordError: profile.json is damaged.
    """
    gates = read_profile(directory).gates
    answer = overall(gates)
    broken = dict.fromkeys(gate.expression for gate in gates if gate.answer == answer)
    reason = "" if answer == HOLDS else f"{answer.replace('_', ' ')}: {', '.join(broken)}"
    return _EXIT_CODES[answer], reason
