# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""Of two programs of one shape the dirty one is not called clean, and the clean one is."""

from pathlib import Path

import pytest
from tests.suites.kept_pairs import KEPT
from tests.suites.program_pairs import PAIRS, Pair, write_programs

from laxity.suites.classify import Vetted
from laxity.suites.discover import discover
from laxity.suites.jobs import require_tools
from laxity.suites.observed import Mode
from laxity.suites.toolchain import Toolchain
from laxity.suites.vetting import VetRequest, vet_all

JOBS = 3
ALL = (*PAIRS, *KEPT)
QUICK = tuple(pair for pair in ALL if pair.is_quick)
OTHER = tuple(pair for pair in ALL if not pair.is_quick)


def vet_pairs(scratch: Path, pairs: tuple[Pair, ...]) -> dict[str, Vetted]:
    """Vet both programs of each."""
    require_tools()
    toolchain = Toolchain()
    root, build, vetting = scratch / "pairs", scratch / "discover", scratch / "vet"
    for one in (root, build, vetting):
        one.mkdir()
    write_programs(root, pairs)
    found = discover(root, build, toolchain)
    assert len(found.programs) == 2 * len(pairs)
    request = VetRequest(root, vetting, toolchain, JOBS)
    return {one.program: one for one in vet_all(request, found.programs, lambda _: None)}


@pytest.fixture(scope="module")
def vetted(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Vetted]:
    """Some of each kind, vetted once."""
    return vet_pairs(tmp_path_factory.mktemp("quick"), QUICK)


@pytest.mark.parametrize("pair", QUICK, ids=lambda pair: pair.name)
def test_a_dirty_program_is_not_called_clean(vetted: dict[str, Vetted], pair: Pair):
    one = vetted[f"dirty_{pair.name}"]
    assert "clean" not in one.classes
    assert pair.proof in one.classes, (one.verdict, one.evidence)


@pytest.mark.parametrize("pair", QUICK, ids=lambda pair: pair.name)
def test_a_clean_program_of_the_same_shape_is_clean(vetted: dict[str, Vetted], pair: Pair):
    one = vetted[f"clean_{pair.name}"]
    assert (one.classes, one.mode) == (("clean",), Mode.NONE), (one.verdict, one.evidence)


@pytest.mark.slow
def test_of_all_pairs_no_dirty_program_is_called_clean_and_all_clean_ones_are(tmp_path: Path):
    vetted = vet_pairs(tmp_path, OTHER)
    wrong = {
        name: (one.classes, one.mode, one.verdict, one.evidence)
        for pair in OTHER
        for name, proof in ((f"dirty_{pair.name}", pair.proof), (f"clean_{pair.name}", "clean"))
        if proof not in (one := vetted[name]).classes
        or ("clean" in one.classes) != name.startswith("clean_")
        or (proof == "clean" and one.mode is not Mode.NONE)
    }
    assert wrong == {}
