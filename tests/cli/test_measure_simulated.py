# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""`laxity measure --platform sim:NAME`: the probes on a model, and their figures by hand."""

import json
import os
import signal
import subprocess
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.cli.commands import children_of, finish, start
from tests.cli.laxity_command import Laxity
from tests.waiting import wait_until

# Caches as the MPC750 of Sebek has them, a nanosecond per cycle, and a kernel that uses no memory.
PLATFORM = """
schema = 1
title = "like MPC750"
architecture = "powerpc"
line = "32B"
[core]
count = 2
clock = "1000MHz"
instruction_cycles = 1
switch_cycles = 100
kernel_code = "0B"
kernel_data = "0B"
[l1i]
size = "32KiB"
ways = 8
replacement = "{replacement}"
[l1d]
size = "32KiB"
ways = 8
replacement = "{replacement}"
[[level]]
name = "L2"
size = "{l2}"
ways = 16
replacement = "lru"
hit_cycles = 11
[coherence]
transfer_cycles = 40
upgrade_cycles = 1
[memory]
clock = "1000MHz"
read_queue = 1
write_queue = 1
row = "4KiB"
request_cycles = 2
response_cycles = 3
hit_cycles = 8
empty_cycles = 8
conflict_cycles = 8
line_cycles = 4
"""
L2_HIT_NS = 11
# Request, access, transfer, response.
MEMORY_NS = 2 + 8 + 4 + 3
SWITCH_NS = 100
# Header of crpd.npy, and rows of all roles.
MANY_BYTES = 8192
SYNCHRONOUS = ("--case", "synchronous", "--evict", "write", "--pattern", "sequential")


def platform(laxity: Laxity, replacement: str = "lru", l2: str = "1MiB") -> tuple[str, str]:
    path = laxity.directory / "p.toml"
    path.write_text(PLATFORM.format(replacement=replacement, l2=l2))
    return "--platform", f"sim:{path}"


def measure(laxity: Laxity, probe: str, *words: str) -> Any:  # noqa: ANN401 - a masked array
    run = laxity.directory / "D"
    done = laxity("measure", probe, *words, "--run-dir", "D", "--no-report", "--quiet")
    assert done.returncode == 0, done.stderr
    return np.load(run / f"{probe.replace('-', '_')}.npy")


def entries(run: Path) -> list[Any]:
    found: list[Any] = json.loads((run / "costs.json").read_text())["entries"]
    return found


def gammas(run: Path) -> dict[int, Any]:
    """Return gamma by working set in KiB."""
    return {
        one["axes"]["working_set_bytes"] // 1024: one
        for one in entries(run)
        if one["axes"]["working_set_bytes"] is not None
    }


@pytest.mark.parametrize("replacement", ["lru", "plru"])
def test_reload_misses_are_those_of_sebeks_figure_7(laxity: Laxity, replacement: str):
    # A line is touched once per pass. Up to 32 KiB each of the pass's lines has been evicted: 256
    # lines in 8 KiB. Beyond, sets with 9 lines for 8 ways miss every time anyway: 33 KiB are 1056
    # lines, 32 of 128 sets have a ninth one; the 96 others reload 8 each, 768. At 36 KiB, 112.5 %,
    # every set has nine.
    expected = {8: 256, 16: 512, 24: 768, 32: 1024, 33: 768, 34: 512, 35: 256, 36: 0}
    sizes = ",".join(f"{size}KiB" for size in expected)
    measure(
        laxity,
        "crpd",
        *(*platform(laxity, replacement), *SYNCHRONOUS),
        *("--sizes", sizes, "--evict-size", "64KiB"),
    )
    found = gammas(laxity.directory / "D")
    assert {size: one["quantiles"]["0.5"] / L2_HIT_NS for size, one in found.items()} == expected
    assert {size: one["max"] / L2_HIT_NS for size, one in found.items()} == expected
    assert {one["kind"] for one in found.values()} == {"simulated"}
    # Nothing is random, so that 0 ns at 36 KiB are a figure as any other.
    assert {(one["verdict"], one["noise_floor"]) for one in found.values()} == {("ok", 0)}


def test_gamma_of_the_mpc750_grows_to_the_cache_size_and_is_none_at_nine_eighths_of_it(
    laxity: Laxity,
):
    measure(
        laxity,
        "crpd",
        *("--platform", "sim:mpc750", *SYNCHRONOUS),
        *("--sizes", "4KiB,8KiB,16KiB,24KiB,32KiB,34KiB,36KiB", "--evict-size", "64KiB"),
    )
    found = {size: one["quantiles"]["0.5"] for size, one in gammas(laxity.directory / "D").items()}
    # sim/platforms/mpc750.toml: L2 answers after 11 cycles of 1100/3 MHz, 30 ns; 32 lines per KiB.
    # A cycle is no whole number of nanoseconds.
    for size in (4, 8, 16, 24):
        assert found[size] == pytest.approx(size * 32 * 30, abs=1)
    # Where nothing is left for the kernel, its own lines take some that both roles reload.
    assert found[24] < found[32] < 32 * 32 * 30
    # docs/simulation.md, by the same words: 144 of 1024 lines.
    assert found[32] == pytest.approx(880 * 30, abs=1)
    assert found[32] > found[34] > 0
    assert found[36] == 0


def test_code_is_evicted_by_code_and_not_by_data(laxity: Laxity):
    measure(
        laxity,
        "crpd",
        *(*platform(laxity), "--case", "synchronous", "--pattern", "jumps", "--sizes", "16KiB"),
        *("--evict", "write", "--evict", "execute", "--evict-size", "64KiB"),
    )
    by_evict = {
        one["axes"]["evict"]: one["quantiles"]["0.5"]
        for one in entries(laxity.directory / "D")
        if one["axes"]["working_set_bytes"] is not None
    }
    assert by_evict["write"] == 0
    # Of each of 512 lines of 32 bytes a jump is executed: so many are fetched again.
    assert by_evict["execute"] == pytest.approx(512 * L2_HIT_NS, abs=3 * L2_HIT_NS)


@pytest.mark.parametrize("pattern", ["sequential", "chase"])
def test_every_pattern_uses_every_line_of_the_platform(laxity: Laxity, pattern: str):
    measure(
        laxity,
        "crpd",
        *(*platform(laxity), "--case", "synchronous", "--pattern", pattern, "--sizes", "16KiB"),
        *("--evict", "read", "--evict-size", "64KiB"),
    )
    (gamma,) = (
        one["quantiles"]["0.5"]
        for one in entries(laxity.directory / "D")
        if one["axes"]["working_set_bytes"] is not None
    )
    # 16 KiB are 512 lines of 32 bytes, which a pass reads again.
    assert gamma == pytest.approx(512 * L2_HIT_NS, abs=3 * L2_HIT_NS)


def test_preemption_anywhere_in_a_pass_costs_what_one_between_two_passes_does(laxity: Laxity):
    rows = measure(
        laxity,
        "crpd",
        *(*platform(laxity), "--case", "asynchronous", "--evict", "write"),
        *("--pattern", "sequential", "--sizes", "16KiB", "--evict-size", "64KiB"),
    )
    # The phase is drawn; every line is used once more after it, whatever pass that is in.
    assert len(set(rows["time_ns"] % 2048)) > 1
    (found,) = gammas(laxity.directory / "D").values()
    assert found["quantiles"]["0.5"] == pytest.approx(512 * L2_HIT_NS, abs=L2_HIT_NS)


def test_access_time_has_the_steps_of_the_platform_to_the_tick(laxity: Laxity):
    measure(
        laxity,
        "memory-latency",
        *(*platform(laxity, l2="256KiB"), "--cpus", "1", "--case", "chase"),
        *("--sizes", "4KiB,16KiB,32KiB,64KiB,128KiB,512KiB,1MiB"),
    )
    found = {
        one["axes"]["working_set_bytes"] // 1024: one["quantiles"]["0.5"]
        for one in entries(laxity.directory / "D")
        if one["axes"]["working_set_bytes"] is not None
    }
    # Eight loads in a row, and two instructions of the loop: 1.25 cycles of 1 ns.
    first = 1250
    second = first + 1000 * L2_HIT_NS
    memory = second + 1000 * MEMORY_NS
    assert {size: found[size] for size in (4, 16, 64, 128, 1024)} == {
        4: first, 16: first, 64: second, 128: second, 1024: memory,
    }  # fmt: skip


def test_array_is_in_the_last_cache_that_holds_it_however_large(laxity: Laxity):
    # 98,304 lines, more than the chain goes along before it is timed.
    sizes = ("--sizes", "3MiB", "--cpus", "1")
    rows = measure(laxity, "memory-latency", *platform(laxity, l2="4MiB"), *sizes, "--case", "read")
    # Of 4096 reads nearly all miss the first cache and wait for the second one, none for memory.
    per_read_ns = (rows["elapsed_ns"] - rows["empty_ns"]) / rows["accesses"]
    assert per_read_ns.max() < 5 + L2_HIT_NS < 5 + L2_HIT_NS + MEMORY_NS


def test_level_that_a_curve_does_not_show_is_not_blamed_on_pages(laxity: Laxity):
    # Two sizes within the L2 are no plateau, which takes three.
    sizes = ("--sizes", "4KiB,8KiB,16KiB,64KiB,128KiB,1MiB,2MiB,4MiB")
    words = (*platform(laxity, l2="256KiB"), "--cpus", "1", "--case", "chase", *sizes)
    measure(laxity, "memory-latency", *words)
    told = laxity("show", "D").stdout
    assert "the platform file says" in told
    assert "a level shows over an octave of sizes, where the next one is 1.5 times as slow" in told
    for native in ("the system", "TLB", "--pages huge"):
        assert native not in told


def test_switch_takes_the_cycles_of_the_platform(laxity: Laxity):
    rows = measure(laxity, "switch", *platform(laxity), "--cpus", "0", "--evict-size", "64KiB")
    period_ns = int(rows["period_ns"][0])
    found = {(one["name"], one["axes"]["case"]): one for one in entries(laxity.directory / "D")}
    assert {name for name, _ in found} == {
        "preempt_in", "preempt_out", "delta", "switch_sync", "timer_latency",
    }  # fmt: skip
    # Between a stamp and the next there may be a period of the victim's loop; where everything was
    # evicted, its line and the other task's are fetched again.
    for name in ("preempt_in", "preempt_out", "delta"):
        for case, most_ns in (("best", period_ns), ("worst", period_ns + 2 * L2_HIT_NS)):
            assert SWITCH_NS <= found[name, case]["quantiles"]["0.5"] <= SWITCH_NS + most_ns
    assert found["timer_latency", "busy"]["max"] - SWITCH_NS <= period_ns
    assert found["timer_latency", "idle"]["max"] == SWITCH_NS
    # A turn ends with the instruction that takes its time.
    assert found["switch_sync", "best"]["max"] == SWITCH_NS + 1
    assert {one["verdict"] for one in found.values()} == {"ok"}
    assert {one["kind"] for one in found.values()} == {"simulated"}


def test_task_that_moves_fetches_its_written_lines_from_the_other_core(laxity: Laxity):
    rows = measure(
        laxity,
        "migration",
        *(*platform(laxity), "--pattern", "sequential", "--sizes", "8KiB,16KiB"),
    )
    found = {
        (one["axes"]["cpu"], one["axes"]["working_set_bytes"]): one["quantiles"]["0.5"]
        for one in entries(laxity.directory / "D")
        if one["name"] == "migration" and one["axes"]["working_set_bytes"] is not None
    }
    # Of every line a byte is read and the next one written: it is dirty in the other core's cache,
    # comes from there, 40 ns, and is shared then, so that writing it takes an upgrade of 1 ns. Code
    # of the pass, one line, lies in the other core's cache by the second time.
    assert found == {
        (cpu, size): (size // 32) * (40 + 1) for cpu in (0, 1) for size in (8192, 16384)
    }
    assert set(rows["cpu_to"]) == {0, 1}


def test_cores_are_of_no_node_whatever_the_host_has(laxity: Laxity):
    named = platform(laxity)
    path = laxity.directory / "p.toml"
    path.write_text(path.read_text().replace("count = 2", "count = 4"))
    words = ("--pattern", "sequential", "--sizes", "8KiB")
    rows = measure(laxity, "migration", *named, *words)
    # As many as a host hardly has in one node, and more than small ones have; INT32_MIN: none.
    assert set(rows["cpu"]) == {0, 1, 2, 3}
    assert set(rows["node"]) == {-(1 << 31)}


def test_two_measurements_are_the_same_to_the_byte(laxity: Laxity):
    words = (*platform(laxity), "--sizes", "8KiB,64KiB", "--seed", "7", "--evict-size", "64KiB")
    for name in ("A", "B"):
        done = laxity("measure", "crpd", *words, "--run-dir", name, "--no-report", "--quiet")
        assert done.returncode == 0, done.stderr
    first, second = laxity.directory / "A", laxity.directory / "B"
    assert (first / "crpd.npy").read_bytes() == (second / "crpd.npy").read_bytes()
    clocks = [json.loads((one / "manifest.json").read_text())["clock"] for one in (first, second)]
    assert clocks[0] == clocks[1]
    assert clocks[0]["name"] == "simulated"


def test_what_no_platform_has_is_left_out_and_named(laxity: Laxity):
    sim = platform(laxity)
    done = laxity("measure", "switch", *sim, "--run-dir", "S", "--evict-size", "16KiB")
    assert done.returncode == 0, done.stderr
    assert "quantities release, spin, wakeup, kernel, irq: nothing" in done.stderr
    done = laxity("measure", "crpd", *sim, "--run-dir", "C", "--sizes", "8KiB", "--evict", "flush")
    assert done.returncode == 3
    assert "a simulated platform has no instruction that flushes a line" in done.stderr
    done = laxity("measure", "switch", *sim, "--quantity", "irq", "--run-dir", "I")
    assert done.returncode == 3
    assert "--quantity irq" in done.stderr


@pytest.mark.parametrize("cores", [2, 1])
def test_all_that_a_platform_has_is_measured_and_the_rest_is_named_once(laxity: Laxity, cores: int):
    named = platform(laxity, l2="64KiB")
    path = laxity.directory / "p.toml"
    path.write_text(path.read_text().replace("count = 2", f"count = {cores}"))
    words = ("--run-dir", "D", "--no-report", "--seed", "1")
    done = laxity("measure", "all", *named, *words)
    assert done.returncode == 0, done.stderr
    moving = ["migration"] if cores > 1 else []
    manifest = json.loads((laxity.directory / "D" / "manifest.json").read_text())
    assert manifest["runs"] == ["switch", "crpd", *moving, "memory-latency", "cache-misses"]
    assert "The counters l1i_refill, l1d_refill and l2_refill agree" in done.stdout
    assert manifest["platform"] == "sim:platform.toml"
    found = entries(laxity.directory / "D")
    assert {one["kind"] for one in found} == {"simulated"}
    costs = {"delta", "gamma", "gamma_code", "memory_latency", *moving}
    assert {one["name"] for one in found} >= costs
    # Half and the whole of each cache, of 32 and 64 KiB.
    assert set(gammas(laxity.directory / "D")) >= {16, 32, 64}
    for what in ("migration-jobs: not measured", "quantities release", "evict flush"):
        assert done.stderr.count(f"laxity measure all: {what}") == 1
    assert done.stderr.count("laxity measure all: migration: not measured") == 2 - cores


def test_platform_that_is_simulated_is_on_no_board(laxity: Laxity):
    done = laxity("measure", "crpd", *platform(laxity), "--on", "ssh://root@board")
    assert done.returncode == 2
    assert "is simulated here, not on a board" in done.stderr


TASKS = """
schema = 1
[[task]]
name = "a"
period = "1ms"
wcet = "100us"
working_set = "16KiB"
priority = 60
cpus = "1"
[[task]]
name = "b"
period = "5ms"
wcet = "1ms"
working_set = "16KiB"
priority = 50
cpus = "1"
"""


def test_bound_counts_with_what_was_measured_on_a_platform(laxity: Laxity):
    sim = (*platform(laxity), "--cpus", "1", "--no-report", "--quiet")
    (laxity.directory / "tasks.toml").write_text(TASKS)
    for words in (
        ("switch", "--quantity", "preemption", "--evict-size", "64KiB"),
        ("crpd", "--sizes", "16KiB", "--evict-size", "64KiB", *SYNCHRONOUS),
    ):
        done = laxity("measure", words[0], *sim, *words[1:], "--run-dir", words[0])
        assert done.returncode == 0, done.stderr
    laxity("costs", "merge", "switch", "crpd", "-o", "costs.json")
    done = laxity("bound", "tasks.toml", "--costs", "costs.json")
    assert done.returncode == 0, done.stderr
    assert "Schedulable: 2 tasks" in done.stdout
    # gamma of b: 512 lines of 11 ns.
    assert "5.632 µs  simulated" in done.stdout
    for word in ("irq", "ticks", "sched_rt_runtime_us"):
        assert word not in done.stdout


def test_report_shows_the_platform_and_speaks_of_no_linux(laxity: Laxity):
    done = laxity(
        *("measure", "crpd", *platform(laxity), "--run-dir", "D", "--sizes", "8KiB"),
        *SYNCHRONOUS,
    )
    assert done.returncode == 0, done.stderr
    page = (laxity.directory / "D" / "report.html").read_text()
    assert "like MPC750: every value, and where it is from" in page
    for word in ("kernel preemption", "interrupts", "stolen", "on this machine", "clock source"):
        assert word not in page, word


def begun(laxity: Laxity) -> "subprocess.Popen[str]":
    """Begin a measurement that would last for long, and wait until it has written some rows."""
    process = start(
        *("measure", "crpd", *platform(laxity), "--repetitions", "100000", "--sizes", "8KiB"),
        *("--no-report", "--run-dir", laxity.directory / "D", *SYNCHRONOUS),
        is_own_session=True,
    )
    rows = laxity.directory / "D.tmp" / "crpd.npy"
    wait_until(lambda: rows.exists() and rows.stat().st_size > MANY_BYTES, "rows of crpd")
    return process


def check_left(laxity: Laxity, status: str) -> None:
    """Check that what was measured is there, and that it can be shown."""
    assert len(np.load(laxity.directory / "D" / "crpd.npy")) > 0
    manifest = json.loads((laxity.directory / "D" / "manifest.json").read_text())
    assert manifest["status"] == status
    shown = laxity("show", "D")
    assert "Gamma (simulated)" in shown.stdout


def test_interrupted_measurement_keeps_what_it_has(laxity: Laxity):
    process = begun(laxity)
    os.killpg(process.pid, signal.SIGINT)
    assert finish(process).code == 130
    check_left(laxity, "interrupted")


def test_measurement_whose_simulator_was_killed_can_be_read(laxity: Laxity):
    process = begun(laxity)
    (simulator,) = children_of(process.pid, "laxity-sim-probe")
    os.kill(simulator, signal.SIGKILL)
    assert finish(process).code != 0
    check_left(laxity, "recovered")
