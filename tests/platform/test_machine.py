# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""machine.json from made-up facts."""

import hashlib
import json

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.platform import made_up_facts as made_up

from laxity.platform.facts import Facts
from laxity.platform.machine import (
    Machine,
    boot_parameters,
    caches_of,
    config_option,
    describe_machine,
    preempt_model,
    steal_ratio,
)


def test_server_has_its_topology():
    machine = describe_machine(made_up.x86_server())
    cpu7 = machine.stable.cpus[7]
    # CPU 7: 7 % 2 = core 1, 7 % 4 // 2 = socket 1; sibling 7 - 4 = 3; node 1 has 2-3 and 6-7.
    assert (cpu7.core, cpu7.socket, cpu7.node, cpu7.siblings) == (1, 1, 1, (3, 7))
    assert cpu7.max_frequency_hz == 3_500_000_000
    assert [cpu.cpu for cpu in machine.stable.cpus if cpu.is_isolated] == [3]
    assert machine.stable.nodes[1].distances == (21, 10)
    assert machine.stable.pmus == ("cpu",)


def test_shared_cache_is_listed_once_with_its_cpus():
    machine = describe_machine(made_up.x86_server())
    assert [cache.cpus for cache in machine.stable.caches] == [(0, 1, 4, 5), (2, 3, 6, 7)]
    # 22528 KiB = 22528 * 1024 bytes.
    assert caches_of(machine, 6)[0].size_bytes == 23_068_672
    assert caches_of(machine, 6)[0].kind == "unified"


def test_board_is_described_without_x86_keys():
    machine = describe_machine(made_up.realtime_board())
    stable = machine.stable
    assert stable.model == "ARM Cortex-A9 r2p10"
    assert stable.vendor == "ARM"
    assert stable.firmware["model"] == "Freescale i.MX6 Quad SABRE Lite Board"
    assert stable.firmware["compatible"] == "fsl,imx6q-sabrelite fsl,imx6q"
    assert stable.kernel.preempt_model == "rt"
    assert stable.kernel.boot_parameters == ("isolcpus=3", "nohz_full=3", "rcu_nocbs=3")
    assert stable.virtualisation.is_virtual_machine is None
    assert stable.pmus == ("armv7_cortex_a9",)
    assert stable.caches == ()
    assert machine.state.temperatures_millicelsius == {"thermal_zone0 imx_thermal_zone": 41000}


def test_unknown_arm_core_is_named_by_its_numbers():
    cpuinfo = "processor: 0\nCPU implementer: 0x99\nCPU part: 0x123\nCPU revision: 4\n"
    machine = describe_machine(Facts({"/proc/cpuinfo": cpuinfo}))
    assert machine.stable.model == "implementer 0x99 part 0x123 r0p4"


def test_virtual_machine_is_known_by_its_flag():
    machine = describe_machine(made_up.bare_vm())
    assert machine.stable.virtualisation.is_virtual_machine is True
    # 24684096 kB * 1024.
    assert machine.state.memory_bytes == 25_276_514_304
    # 2499.984 MHz, to the hertz.
    assert machine.state.frequencies_hz == {"cpu0": 2_499_984_000, "cpu1": 2_499_984_000}


def test_x86_without_the_flag_is_no_virtual_machine():
    machine = describe_machine(made_up.x86_server())
    assert machine.stable.virtualisation.is_virtual_machine is False


def test_hash_covers_the_stable_part_as_sorted_json():
    machine = describe_machine(made_up.x86_server())
    stable = msgspec.to_builtins(machine.stable)
    canonical = json.dumps(stable, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    assert machine.hash == hashlib.sha256(canonical.encode()).hexdigest()


@pytest.mark.parametrize(
    "change",
    [
        {"/proc/loadavg": "9.00 9.00 9.00 1/2 3\n"},
        {f"{made_up.CPU}/cpu3/cpufreq/scaling_governor": "performance\n"},
        {f"{made_up.CPU}/cpu3/cpufreq/scaling_cur_freq": "1000000\n"},
        {"/proc/meminfo": "MemTotal: 24684000 kB\n"},
        {"/proc/sys/vm/stat_interval": "10\n"},
        {"@hostname": "another", "@time_ns": "5"},
        {"/proc/cmdline": "BOOT_IMAGE=/b root=UUID=2 isolcpus=3 preempt=full\n"},
    ],
)
def test_hash_stays_when_only_the_state_changes(change: dict[str, str]):
    before = describe_machine(made_up.x86_server())
    after = describe_machine(made_up.changed(made_up.x86_server(), change))
    assert after.hash == before.hash


@pytest.mark.parametrize(
    "change",
    [
        {"@uname.release": "6.1.91"},
        {"@config.sha256": "00"},
        {"/proc/cmdline": "isolcpus=3 preempt=full idle=poll\n"},
        {f"{made_up.CPU}/online": "0-3\n"},
        {f"{made_up.CPU}/cpu0/cache/index3/size": "1024K\n"},
    ],
)
def test_hash_changes_with_what_makes_runs_incomparable(change: dict[str, str]):
    before = describe_machine(made_up.x86_server())
    after = describe_machine(made_up.changed(made_up.x86_server(), change))
    assert after.hash != before.hash


def test_words_for_init_are_no_boot_parameters():
    facts = made_up.bare_vm()
    assert boot_parameters(facts) == {"console": "ttyS0", "mitigations": "auto"}
    assert describe_machine(facts).state.boot_command_line == "console=ttyS0 mitigations=auto"


@pytest.mark.parametrize(
    ("change", "expected"),
    [
        ({}, "none"),
        ({"/proc/cmdline": "preempt=full\n"}, "full"),
        ({"/sys/kernel/debug/sched/preempt": "none voluntary (lazy)\n"}, "lazy"),
        ({"@config": None}, "unknown"),
        ({"@uname.version": "#1 SMP PREEMPT RT Mon"}, "rt"),
        ({"/sys/kernel/realtime": "1\n"}, "rt"),
        ({"@uname.version": "#1 SMP PREEMPT Mon", "@config": None}, "full"),
        ({"@uname.version": None, "@config": None}, "unknown"),
    ],
)
def test_preemption_model_of_a_kernel(change: dict[str, str | None], expected: str):
    assert preempt_model(made_up.changed(made_up.bare_vm(), change)) == expected


def test_option_that_is_not_set_differs_from_one_that_is_not_known():
    facts = made_up.bare_vm()
    assert config_option(facts, "HZ") == "250"
    assert config_option(facts, "NO_HZ_FULL") == "n"
    assert config_option(Facts({}), "HZ") is None


def test_stolen_time_is_a_share_of_all_time():
    # 10 of 10 + 30 + 60 = 100 ticks; between the readings 5 of 50.
    assert steal_ratio([30, 0, 0, 60, 0, 0, 0, 10]) == 0.1
    assert steal_ratio([60, 0, 0, 75, 0, 0, 0, 15], [30, 0, 0, 60, 0, 0, 0, 10]) == 0.1
    assert steal_ratio([]) is None
    assert steal_ratio([0] * 8) is None


def test_nothing_known_gives_a_description_of_nothing():
    machine = describe_machine(Facts({}))
    assert machine.stable.model is None
    assert machine.stable.cpus == ()
    assert machine.state.memory_bytes is None


def test_description_survives_json():
    machine = describe_machine(made_up.x86_server())
    assert msgspec.json.decode(msgspec.json.encode(machine), type=Machine) == machine


@given(st.data())
def test_any_text_in_any_file_is_described(data: st.DataObject):
    facts = data.draw(st.sampled_from([made_up.x86_server(), made_up.realtime_board()]))
    keys = st.sampled_from(sorted(facts.files))
    change = data.draw(st.dictionaries(keys, st.text() | st.none(), max_size=5))
    msgspec.json.encode(describe_machine(made_up.changed(facts, change)))
