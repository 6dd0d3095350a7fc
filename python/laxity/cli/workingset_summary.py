# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""What `laxity workingset` prints: how much is live in each program, and what else was asked."""

import shutil
import sys
from pathlib import Path

from laxity.cli.tables import print_json
from laxity.page.blocks import Paragraph
from laxity.page.terminal import text_of
from laxity.workingset.document import WorkingSetAnswer
from laxity.workingset.page import sentences_of
from laxity.workingset.section import blocks_of
from laxity.workingset.tables import INSTRUCTIONS
from laxity.workingset.words import setting_words


def print_answer(answer: WorkingSetAnswer, output_format: str, run_dir: Path | None) -> None:
    """Write the answer to stdout; csv is the table of all instructions."""
    if output_format == "json":
        print_json(answer)
    elif output_format == "csv" and run_dir is not None and (run_dir / INSTRUCTIONS).is_file():
        with (run_dir / INSTRUCTIONS).open(encoding="utf-8") as file:
            shutil.copyfileobj(file, sys.stdout)
    else:
        sys.stdout.write(answer_text(answer))


def answer_text(answer: WorkingSetAnswer) -> str:
    """Write an answer as sentences and tables."""
    sentences = [*sentences_of(answer), "; ".join(setting_words(answer))]
    return text_of([*map(Paragraph, sentences), *blocks_of(answer)])
