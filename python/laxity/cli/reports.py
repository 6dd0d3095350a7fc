# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""Building a report from a command."""

import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from laxity.page.blocks import Section
from laxity.store.run_directory import Run

_MATPLOTLIB_DIRECTORY = "MPLCONFIGDIR"


def build_report(run_dir: Path, exceedance: float | None = None) -> Path:
    """Write the report of a run; give its path.

    Args:
        run_dir: The run.
        exceedance: Of the section about pWCET; None: there is none.

    Raises:
        LaxityError: As `laxity.report.page.write_report`.
    """
    with _usable_matplotlib_directory():
        # matplotlib takes longer to load than the rest of a command.
        from laxity.report.page import write_report  # noqa: PLC0415

        return write_report(run_dir, exceedance)


def build_paper_page(run: Run, folder: Path) -> Path:
    """Write the Markdown page of a reproduction, with its pictures; give its path.

    Args:
        run: The run.
        folder: Where to.

    Raises:
        LaxityError: The run is damaged, or a file cannot be written.
    """
    with _usable_matplotlib_directory():
        from laxity.papers.paper import paper_of  # noqa: PLC0415 - with the above
        from laxity.papers.result import read_reproduction  # noqa: PLC0415 - with the above
        from laxity.papers.section import overview, sections  # noqa: PLC0415 - heavy
        from laxity.report.markdown import write_markdown  # noqa: PLC0415 - likewise

        document = read_reproduction(run.path)
        about = Section("about", "", overview(document))
        return write_markdown(
            paper_of(document.paper).title, (about, *sections(run)), document.paper, folder
        )


@contextmanager
def _usable_matplotlib_directory() -> Iterator[None]:
    """Return matplotlib a place for its files where it has none: it would complain on stderr."""
    if os.environ.get(_MATPLOTLIB_DIRECTORY) or _has_configuration_directory():
        yield
        return
    with tempfile.TemporaryDirectory(prefix="laxity-matplotlib-") as directory:
        os.environ[_MATPLOTLIB_DIRECTORY] = directory
        try:
            yield
        finally:
            del os.environ[_MATPLOTLIB_DIRECTORY]


def _has_configuration_directory() -> bool:
    """Whether matplotlib can write where it would by itself (its `get_configdir`)."""
    base = os.environ.get("XDG_CONFIG_HOME") or Path("~/.config").expanduser()
    try:
        path = Path(base, "matplotlib")
        path.mkdir(parents=True, exist_ok=True)
    except (OSError, RuntimeError):
        return False
    return os.access(path, os.W_OK)
