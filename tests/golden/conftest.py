# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""Pages of the stored runs, each built once."""

from collections.abc import Callable
from functools import cache

import msgspec
import pytest
from tests.golden.page_text import Built, read_page
from tests.golden.stored_runs import copy_run

from laxity.report import page as pages
from laxity.report.page import Derived, write_report
from laxity.store.run_directory import open_run


@pytest.fixture(scope="session")
def build(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Built]:
    """Give the page of a stored run by its name."""
    directory = tmp_path_factory.mktemp("pages")

    @cache
    def built(name: str) -> Built:
        run = copy_run(name, directory / name)
        html = write_report(run).read_text()
        derived = msgspec.json.decode((run / "derived.json").read_bytes(), type=Derived)
        return Built(run, pages._page_of(open_run(run), None), read_page(html), derived)

    return built
