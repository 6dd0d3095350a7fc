# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""What commands that read a run say of one that is damaged."""

import sys

from laxity.errors import EXIT_DONE, EXIT_NO_VERDICT
from laxity.store.run_directory import Run


def tell_damage(run: Run) -> int:
    """Say on stderr what of a run cannot be read.

    Returns:
        Exit code: no verdict if anything is damaged, else done.
    """
    from laxity.jobs.integrity import find_damage  # noqa: PLC0415 - loads numpy

    problems = find_damage(run)
    sys.stdout.flush()
    for problem in problems:
        print(f"laxity: {problem}", file=sys.stderr)
    return EXIT_NO_VERDICT if problems else EXIT_DONE
