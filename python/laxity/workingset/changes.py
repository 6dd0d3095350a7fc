# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""What differs between the working sets of two builds, pure."""

from dataclasses import dataclass

from laxity.workingset.document import Against, ProgramAnswer, WorkingSetAnswer


@dataclass(frozen=True, slots=True)
class Change:
    """One program of either build; None: that build has no such program."""

    program: str
    old: ProgramAnswer | None
    new: ProgramAnswer | None


def changes_of(old: Against, new: WorkingSetAnswer) -> list[Change]:
    """Put the programs of two builds beside each other, by name, those of the new one first.

    Figures are computed, not measured: any difference is one.
    """
    before = {one.program: one for one in old.programs}
    after = {one.program: one for one in new.programs}
    return [Change(name, before.get(name), after.get(name)) for name in {**after, **before}]


def differences_of(old: Against, new: WorkingSetAnswer) -> list[tuple[str, str, str]]:
    """List in which respects two builds were made differently: what, there, here."""
    made = (
        ("form", old.form, new.form),
        ("target", old.target or "this machine", new.target or "this machine"),
        ("flags", " ".join(old.flags) or "none", " ".join(new.flags) or "none"),
    )
    return [(what, there, here) for what, there, here in made if there != here]
