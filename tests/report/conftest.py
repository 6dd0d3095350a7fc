# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""What tests of whole reports share."""

import pytest


@pytest.fixture
def without_drawing(monkeypatch: pytest.MonkeyPatch) -> None:
    """Leave out the slow last step of each figure; test_browser.py looks at real drawings."""
    monkeypatch.setattr("laxity.page.figures.to_svg", lambda *_: "<svg></svg>")
