# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""`laxity platform derive`: from a platform that is known, its own values come back."""

import json
import shutil
from dataclasses import replace
from pathlib import Path

import pytest
from tests.cli.laxity_command import Laxity, make_laxity
from tests.cli.test_measure_simulated import L2_HIT_NS, MEMORY_NS, PLATFORM, SWITCH_NS
from tests.golden.stored_runs import RUNS, copy_run

from laxity.costs.derive.data import Seen, read_seen
from laxity.costs.derive.values import derive_platform
from laxity.costs.memory_latency.cache_levels import Claim, Level, compare_levels
from laxity.costs.memory_latency.data import Judged, read_findings
from laxity.platform.platform_file import PlatformModel, read_platform
from laxity.store.run_directory import open_run

CYCLE_OF_SABRELITE_PS = 1e6 / 1200
CHASE = ("--cpus", "1", "--case", "chase", "--case", "stream_read")

PREEMPTION = ("--quantity", "preemption", "--evict-size", "16KiB")


def written(laxity: Laxity, l2: str) -> str:
    path = laxity.directory / "p.toml"
    path.write_text(PLATFORM.format(replacement="lru", l2=l2))
    return f"sim:{path}"


def measured(laxity: Laxity, probe: str, platform: str, run: str, *words: str) -> Path:
    words = ("--platform", platform, *words, "--run-dir", run, "--no-report", "--quiet")
    done = laxity("measure", probe, *words, "--seed", "1")
    assert done.returncode == 0, done.stderr
    return laxity.directory / run


@pytest.fixture(scope="module")
def measured_once(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Access times of the platform with an L2 of 256 KiB."""
    laxity = make_laxity(tmp_path_factory.mktemp("measured"))
    return measured(laxity, "memory-latency", written(laxity, "256KiB"), "D", *CHASE)


@pytest.fixture
def run(laxity: Laxity, measured_once: Path) -> Path:
    """That run as D, to be changed."""
    return Path(shutil.copytree(measured_once, laxity.directory / "D"))


def derived(laxity: Laxity, *runs: str) -> tuple[PlatformModel, str]:
    done = laxity("platform", "derive", *runs, "-o", "derived.toml")
    assert done.returncode == 0, done.stderr
    return read_platform(f"sim:{laxity.directory}/derived.toml"), done.stdout


def levels(run: Path) -> tuple[Level, ...]:
    found, problems = read_findings(open_run(run))
    assert not problems
    (hierarchy,) = found.hierarchies
    return hierarchy.levels


@pytest.mark.usefixtures("run")
def test_caches_of_a_known_platform_come_back_to_the_cycle(laxity: Laxity):
    measured(laxity, "switch", written(laxity, "256KiB"), "S", "--cpus", "1", *PREEMPTION)
    model, told = derived(laxity, "D", "S")
    assert (model.cores, int(model.clock_hz), model.line_bytes) == (2, 10**9, 32)
    assert [model.number(f"{cache}.size") for cache in ("l1i", "l1d", "L2")] == [
        *(32 << 10, 32 << 10, 256 << 10)
    ]
    assert [model.number(f"{cache}.ways") for cache in ("l1i", "l1d", "L2")] == [8, 8, 16]
    assert model.levels == ("L2",)
    assert (model.number("L2.shared_by"), model.number("L2.hit_cycles")) == (1, L2_HIT_NS)
    parts = ("request", "hit", "line", "response")
    # A row takes the same as any other, and is in the way.
    assert sum(model.number(f"memory.{part}_cycles") for part in parts) == MEMORY_NS
    # delta: the switch, and up to a period of the victim's loop.
    assert SWITCH_NS <= model.number("core.switch_cycles") <= SWITCH_NS + 20
    values = model.values
    assert values["L2.size"].source == (
        "simulated: D, 256KiB fit, 320KiB do not; the system says 256KiB"
    )
    assert values["L2.hit_cycles"].source.startswith("simulated: D, median of n = ")
    assert values["L2.ways"].source == "D: machine.json"
    assert values["core.switch_cycles"].source.startswith("simulated: S, median of n = ")
    # What a curve does not show has no source, and is named in the answer and in the file.
    assert values["l1d.replacement"].origin == "default"
    for text in (told, model.text.decode()):
        assert "L2: replacement inclusion prefetch partition" in text
        assert "fill_buffers" in text


def test_caches_of_three_and_twelve_ways_come_back(laxity: Laxity):
    path = laxity.directory / "odd.toml"
    text = PLATFORM.format(replacement="lru", l2="384KiB").replace("ways = 16", "ways = 12")
    path.write_text(text.replace('"32KiB"\nways = 8', '"48KiB"\nways = 3'))
    measured(laxity, "memory-latency", f"sim:{path}", "D", *CHASE)
    model, _ = derived(laxity, "D")
    # 48 KiB / 3 / 32 B = 512 sets; 384 KiB / 12 / 32 B = 1024.
    sizes = [model.number(f"{cache}.size") for cache in ("l1i", "l1d", "L2")]
    assert sizes == [48 << 10, 48 << 10, 384 << 10]
    assert [model.number(f"{cache}.ways") for cache in ("l1i", "l1d", "L2")] == [3, 3, 12]


def test_sizes_of_the_sabrelite_come_back_and_its_latencies_within_a_cycle(laxity: Laxity):
    first = levels(measured(laxity, "memory-latency", "sim:sabrelite", "D", *CHASE))
    model, _ = derived(laxity, "D")
    assert (model.number("l1d.size"), model.number("L2.size")) == (32 << 10, 1 << 20)
    assert (model.cores, model.number("L2.shared_by"), model.number("L2.ways")) == (4, 0, 16)
    again = levels(measured(laxity, "memory-latency", "sim:./derived.toml", "E", *CHASE))
    assert len(first) == len(again) == 3
    for one, other in zip(first, again, strict=True):
        assert one.fits_bytes == other.fits_bytes
        assert abs(other.latency_ps - one.latency_ps) <= CYCLE_OF_SABRELITE_PS


def test_derived_platform_runs_tasks_and_is_measured(laxity: Laxity):
    measured(laxity, "memory-latency", written(laxity, "64KiB"), "D", *CHASE)
    derived(laxity, "D")
    platform = ("--platform", "sim:derived.toml", "--no-report")
    done = laxity("run", "mem", "-b", "64KiB", "-p", "1ms", "-t", "3", *platform)
    assert done.returncode == 0, done.stderr
    run = measured(laxity, "all", "sim:derived.toml", "A")
    names = {one["name"] for one in json.loads((run / "costs.json").read_text())["entries"]}
    assert names >= {"delta", "gamma", "migration", "memory_latency"}


def claiming(seen: Seen, *l2_bytes: int) -> Seen:
    """What was seen on a machine whose system tells of this L2, or of none."""
    claims = [
        one.comparison.claim for one in seen.hierarchy.claims if one.comparison.claim.level == 1
    ]
    claims += [Claim(2, size) for size in l2_bytes]
    judged = tuple(Judged(one, ()) for one in compare_levels(claims, seen.hierarchy.levels))
    return replace(seen, hierarchy=replace(seen.hierarchy, claims=judged))


def test_cores_that_each_cluster_numbers_from_zero_are_several(laxity: Laxity, run: Path):
    path = run / "machine.json"
    machine = json.loads(path.read_text())
    # As Linux tells of clusters on a device tree: what a core is, its siblings say.
    for cpu in machine["stable"]["cpus"]:
        cpu["core"] = 0
        cpu["siblings"] = [cpu["cpu"]]
    path.write_text(json.dumps(machine))
    assert derived(laxity, "D")[0].cores == 2


def test_what_a_cpu_gets_of_a_larger_cache_is_that_cache(run: Path):
    # More than 4 times what was found is another level, but there is no other.
    derived = derive_platform(claiming(read_seen([run]), 32 << 20))
    assert derived.left_out == ()
    assert derived.model.values["L2.size"].source == (
        "simulated: D, 256KiB fit, 320KiB do not; the system says 32MiB"
    )
    assert derived.model.number("L2.size") == 256 << 10
    assert derived.model.number("L2.hit_cycles") == L2_HIT_NS


def test_level_that_the_system_does_not_tell_of_is_a_cache_all_the_same(run: Path):
    model = derive_platform(claiming(read_seen([run]))).model
    assert model.levels == ("L2",)
    assert model.values["L2.size"].source == (
        "simulated: D, 256KiB fit, 320KiB do not; the system tells of no such cache"
    )
    assert model.values["L2.ways"].origin == "assumed"
    assert model.number("L2.hit_cycles") == L2_HIT_NS


def test_cache_that_seems_full_early_is_as_large_as_the_system_says(run: Path):
    seen = replace(claiming(read_seen([run]), 512 << 10), has_colours=True)
    model = derive_platform(seen).model
    # 512 <= 2 * 320, and pages that lie anywhere collide in it as they did on the machine.
    assert model.number("L2.size") == 512 << 10
    assert 'placement = "random"' in model.text.decode()
    # Of no L2 that the system tells of, 320 KiB are three quarters: 426 KiB, 256 as a power of two.
    model = derive_platform(replace(claiming(seen), has_colours=True)).model
    assert model.number("L2.size") == 256 << 10
    # In order, as huge pages are, 320 KiB would have fitted.
    model = derive_platform(replace(seen, has_colours=False)).model
    assert model.number("L2.size") == 256 << 10
    assert "random" not in model.text.decode()


def test_level_that_the_curve_does_not_show_is_left_out_and_named(laxity: Laxity):
    # Two sizes within the L2 are no plateau, which takes three.
    sizes = ("--sizes", "4KiB,8KiB,16KiB,64KiB,128KiB,1MiB,2MiB,4MiB")
    measured(laxity, "memory-latency", written(laxity, "256KiB"), "D", *CHASE, *sizes)
    model, told = derived(laxity, "D")
    assert model.levels == ()
    assert "left out: L2 of 256KiB: not told apart" in told
    assert "# Left out: L2 of 256KiB: not told apart" in model.text.decode()


@pytest.mark.parametrize(
    ("name", "code", "message"),
    [
        ("crpd", 2, "measured no access times; make a run that has: laxity measure memory-latency"),
        # Three sizes, and its first two are of different levels.
        ("memory-latency", 4, "no level can be told in its curve"),
        ("absent", 2, "absent"),
    ],
)
def test_run_that_nothing_can_be_derived_from_is_refused(
    laxity: Laxity, name: str, code: int, message: str
):
    if name in RUNS:
        copy_run(name, laxity.directory / name)
    done = laxity("platform", "derive", name, "-o", "derived.toml")
    assert (done.returncode, message in done.stderr) == (code, True), done.stderr
    assert not (laxity.directory / "derived.toml").exists()


@pytest.mark.usefixtures("run")
def test_file_that_exists_is_left_as_it_is(laxity: Laxity):
    (laxity.directory / "derived.toml").write_text("mine")
    done = laxity("platform", "derive", "D", "-o", "derived.toml")
    assert done.returncode == 2
    assert "derived.toml: exists; remove it or name another file" in done.stderr
    assert (laxity.directory / "derived.toml").read_text() == "mine"
