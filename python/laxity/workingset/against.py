# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""Compare with a stored run of another build; what was found becomes part of the new run."""

import math
from dataclasses import replace
from pathlib import Path

import msgspec

from laxity.errors import RecordError
from laxity.store.run_directory import Run
from laxity.workingset.document import Against, FunctionChange, ProgramAnswer, WorkingSetAnswer
from laxity.workingset.store import Found
from laxity.workingset.tables import FUNCTIONS, read_table

_LARGEST = "most_bits"
# By program and function: its largest live set; None: unbounded.
_Sizes = dict[tuple[str, str], int | None]


def compare(found: Found, old_run: Run, old: WorkingSetAnswer) -> Found:
    """Put another build beside what was found."""
    against = Against(
        run=old_run.manifest.name,
        path=str(old_run.path),
        form=old.form,
        target=old.target,
        flags=old.flags,
        programs=[_compared(one) for one in old.programs],
        functions=_functions(found, old_run.path),
    )
    return replace(found, answer=msgspec.structs.replace(found.answer, against=against))


def _compared(one: ProgramAnswer) -> ProgramAnswer:
    """Keep of another build's program what is compared."""
    return msgspec.structs.replace(one, sources=[], assumptions=[], occurrences=[], run=None)


def _functions(found: Found, old_path: Path) -> list[FunctionChange] | None:
    """List the functions that both builds have and that differ, the largest change first."""
    try:
        before = _sizes(old_path / FUNCTIONS, None)
        after: _Sizes = {}
        for program, directory in found.directories.items():
            if (directory / FUNCTIONS).is_file():
                after |= _sizes(directory / FUNCTIONS, program)
    except RecordError:
        return None
    changes = [
        FunctionChange(program=key[0], function=key[1], old_bits=before[key], new_bits=bits)
        for key, bits in after.items()
        if key in before and before[key] != bits
    ]
    return sorted(changes, key=_distance, reverse=True)


def _distance(one: FunctionChange) -> float:
    if one.old_bits is None or one.new_bits is None:
        return math.inf
    return abs(one.new_bits - one.old_bits)


def _sizes(path: Path, program: str | None) -> _Sizes:
    """Read a table of functions, of one program or of those that it names."""
    table = read_table(path)
    programs = table.texts("program") if program is None else [program] * len(table)
    rows = zip(
        programs,
        table.texts("function"),
        table.bits(_LARGEST),
        table.integers("reached"),
        table.integers("unbounded"),
        strict=True,
    )
    return {
        (name, function): None if unbounded else int(bits)
        for name, function, bits, reached, unbounded in rows
        if reached
    }
