# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""bound.json: what `laxity bound` answers, whole; docs/bounds.md says what is in it.

The members are a contract (`laxity schema bound`). Times are integers of nanoseconds; null means
that there is none, never zero.
"""

from dataclasses import dataclass
from typing import Literal

import msgspec

from laxity.bounds.contention_charge import ContentionCharge
from laxity.bounds.members import BOUND_SCHEMA
from laxity.bounds.platform_costs import UsedCost
from laxity.bounds.sensitivity import Sensitivity
from laxity.bounds.verdicts import (
    NOT_PROVABLE,
    NOT_SCHEDULABLE,
    SCHEDULABLE,
    CpuBound,
    Placement,
    TaskBound,
    Verdict,
)
from laxity.core.schedulers import Scheduler
from laxity.core.wording import plain_words
from laxity.errors import EXIT_DONE, EXIT_NO_VERDICT, EXIT_VIOLATED, RecordError
from laxity.statistics.wcet_model import MeasuredWcet
from laxity.store.manifest import MAX_JSON_BYTES

_EXIT_CODES = {
    SCHEDULABLE: EXIT_DONE,
    NOT_SCHEDULABLE: EXIT_VIOLATED,
    NOT_PROVABLE: EXIT_NO_VERDICT,
}
Priorities = Literal["stated", "found", "not_found", "impossible", "equal"]


@dataclass(frozen=True, slots=True)
class CostsUsed:
    """The costs of an answer: `path` None means zero overheads, as the user said."""

    path: str | None
    machine_hash: str | None
    use: str | None
    margin: str | None
    entries: tuple[UsedCost, ...]


@dataclass(frozen=True, slots=True)
class Answer:
    """What `--format json` prints; times in ns.

    `priorities`: of the file; else found, not_found, impossible (no order keeps all deadlines), or
    equal (this test is not searched with); None: they do not count.
    """

    schema: int
    verdict: Verdict
    scheduler: Scheduler
    priorities: Priorities | None
    tasks: tuple[TaskBound, ...]
    cpus: tuple[CpuBound, ...]
    partition: Placement | None
    sensitivity: Sensitivity | None
    costs: CostsUsed
    missing: tuple[str, ...]
    not_accounted: tuple[str, ...]
    notes: tuple[str, ...]
    wcet_from: tuple[MeasuredWcet, ...] = ()
    contention: tuple[ContentionCharge, ...] = ()

    @property
    def exit_code(self) -> int:
        """The verdict as `laxity bound` exits with it."""
        return _EXIT_CODES[self.verdict]


def decode_answer(data: bytes, where: str) -> Answer:
    """Read bound.json.

    Args:
        data: Content of the file.
        where: Path, for the message.

    Raises:
        RecordError: Not JSON, not this shape, or of another schema version.
    """
    if len(data) > MAX_JSON_BYTES:
        msg = f"{where}: {len(data)} bytes is too large for an answer; the run is damaged"
        raise RecordError(msg)
    try:
        answer = msgspec.json.decode(data, type=Answer)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        msg = (
            f"{where}: unreadable ({plain_words(error)}); the run is damaged or of another version"
        )
        raise RecordError(msg) from error
    if answer.schema != BOUND_SCHEMA:
        msg = f"{where}: schema {answer.schema}; this build reads {BOUND_SCHEMA}"
        raise RecordError(msg)
    return answer
