# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""The short answer after `laxity measure`, by probe, and of `laxity bound`."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from laxity.cli.bound_answer import answer_text
from laxity.cli.experiment_summary import experiment_document, experiment_text
from laxity.cli.gamma_summary import gamma_document, gamma_text
from laxity.cli.memory_summary import memory_document, memory_text
from laxity.cli.migration_jobs_summary import migration_jobs_document, migration_jobs_text
from laxity.cli.migration_summary import migration_document, migration_text
from laxity.cli.switch_summary import switch_document, switch_text
from laxity.report.bound_data import Bounded
from laxity.report.run_data import RunData


@dataclass(frozen=True, slots=True)
class Answer:
    """One probe's answer: for people, and as members of the document for programs."""

    text: Callable[[RunData], str]
    document: Callable[[RunData], dict[str, Any]]


_ANSWERS = {
    "crpd": Answer(text=gamma_text, document=gamma_document),
    "memory_latency": Answer(text=memory_text, document=memory_document),
    "switch": Answer(text=switch_text, document=switch_document),
    "migration": Answer(text=migration_text, document=migration_document),
    "migration_jobs": Answer(text=migration_jobs_text, document=migration_jobs_document),
}


def measured_text(data: RunData) -> str:
    """Write what was found for people; empty for a run of tasks."""
    if isinstance(data.findings, Bounded):
        answer = data.findings.answer
        return "" if answer is None else answer_text(answer)
    if data.manifest.experiment is not None:
        return experiment_text(data)
    asked = data.manifest.measurement
    return "" if asked is None else _ANSWERS[asked.probe].text(data)


def measured_document(data: RunData) -> dict[str, Any]:
    """Write what was found for programs; empty for a run of tasks."""
    if isinstance(data.findings, Bounded):
        return {"bound": data.findings.answer}
    if data.manifest.experiment is not None:
        return experiment_document(data)
    asked = data.manifest.measurement
    return {} if asked is None else _ANSWERS[asked.probe].document(data)
