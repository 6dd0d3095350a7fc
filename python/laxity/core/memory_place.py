# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""What a task says of where its memory lies: `place`, `data+bss=lmu,stack=scratchpad@4`."""

import re
from dataclasses import dataclass

from laxity.errors import ConfigError, suggestion

# sim/interface/storage.h
CLASSES = ("code", "constants", "data", "bss", "heap", "stack")
# The region that the main memory is, and that of what nothing is said of.
MAIN_REGION = "memory"
_PART = re.compile(r"([a-z+]+)=([A-Za-z][A-Za-z0-9_-]*)(?:@([0-9]{1,3}))?", re.ASCII)


@dataclass(frozen=True, slots=True)
class MemoryPlace:
    """Where memory of a class lies.

    Attributes:
        storage: The class: `stack`.
        region: As the platform file calls it, or `memory`.
        at: The core or domain that has it; None: that of the task, or the only one.
    """

    storage: str
    region: str
    at: int | None


def read_memory_places(text: object) -> tuple[MemoryPlace, ...]:
    """Read `place` of a task or co-runner; empty: nothing is said.

    Raises:
        ConfigError: It is none.
    """
    places: dict[str, MemoryPlace] = {}
    for part in text.replace(" ", "").split(",") if isinstance(text, str) and text else ():
        match = _PART.fullmatch(part)
        if match is None:
            msg = f'place "{part}" is no CLASS=REGION; write for example stack=scratchpad@4'
            raise ConfigError(msg)
        for storage in match[1].split("+"):
            if storage not in CLASSES:
                advice = suggestion(storage, CLASSES, f"use one of {' '.join(CLASSES)}")
                msg = f'place: "{storage}" is no class of memory; {advice}'
                raise ConfigError(msg)
            if storage in places:
                msg = f'place: {storage} lies in "{places[storage].region}" already; say it once'
                raise ConfigError(msg)
            at = None if match[3] is None else int(match[3])
            places[storage] = MemoryPlace(storage, match[2], at)
    if not isinstance(text, str):
        msg = "place: is no text; write for example stack=scratchpad@4"
        raise ConfigError(msg)
    return tuple(places.values())
