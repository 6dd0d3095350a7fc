# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""How a run without tasks is read and shown."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from laxity.jobs.run_data import RunData
from laxity.page.blocks import Section
from laxity.store.run_directory import Run


@dataclass(frozen=True, slots=True)
class View:
    """How what one probe measured, or what was computed, is read and shown.

    Attributes:
        read: Gives its findings, and what of the run cannot be read.
        document: Members of the answer for programs; figures themselves are in costs.json.
        asked: What it measures, in a few words, for the card.
        sentences: What was found, for the card.
        sections: What was found, whole; the last one says how it was measured.
        is_computed: Nothing was measured, so no doctor watched.
    """

    read: Callable[[Run], tuple[Any, tuple[str, ...]]]
    document: Callable[[RunData], dict[str, Any]]
    asked: str
    sentences: Callable[[RunData], tuple[str, ...]]
    sections: tuple[Callable[[RunData], Section | None], ...]
    is_computed: bool = False
