# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""The checks of `laxity doctor` on machines that do not exist."""

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.platform import made_up_facts as made_up
from tests.platform.made_up_facts import CPU, changed

from laxity.errors import ConfigError
from laxity.platform.doctor import (
    Check,
    Diagnosis,
    default_cpus,
    diagnose,
    drift,
    fifo_permitted,
    judge,
)
from laxity.platform.doctor_checks import CHECKS
from laxity.platform.facts import Facts

Change = dict[str, str | None]
DMI = "/sys/class/dmi/id"
THREADS = f"{CPU}/cpu0/topology/thread_siblings_list"


def checks_of(facts: Facts, cpus: tuple[int, ...] | None = None) -> dict[str, Check]:
    return {check.id: check for check in diagnose(facts, cpus).checks}


RT_RUNTIME = "/proc/sys/kernel/sched_rt_runtime_us"
# What kernels had before the fair server.
BEFORE: Change = {"@uname.release": "6.11.9"}
FAIR_SERVERS = [f"/sys/kernel/debug/sched/fair_server/cpu{cpu}/runtime" for cpu in (0, 1)]
IN_A_SLICE: Change = {
    "/proc/self/cgroup": "0::/rt/a\n",
    "/proc/self/mountinfo": "1 1 0:1 / /cg rw - cgroup2 cgroup2 rw\n",
}


def state_of(name: str, facts: Facts, change: Change) -> str:
    return checks_of(changed(facts, change))[name].state


def test_every_check_has_a_name_of_its_own_and_every_text():
    names = [entry.id for entry in CHECKS]
    assert len(set(names)) == len(names)
    for entry in CHECKS:
        assert entry.title
        assert entry.why
        assert entry.source


def test_finding_to_be_mended_says_how():
    for facts in (made_up.bare_vm(), made_up.x86_server(), made_up.unprivileged()):
        for check in diagnose(facts).checks:
            assert check.value
            if check.state in {"ok", "absent"}:
                assert not check.undo or check.fix
                continue
            # Some interrupts have nowhere else to go, some tracers no remedy but more rights.
            assert check.fix or check.state == "unknown", check.id


def test_bare_virtual_machine_is_usable_with_care():
    diagnosis = diagnose(made_up.bare_vm())
    checks = {check.id: check.state for check in diagnosis.checks}
    assert diagnosis.badge == "usable with care"
    assert diagnosis.cpus == (0, 1)
    bad = {name for name, state in checks.items() if state == "bad"}
    # 35.26 % of the last 10 s is above 25 %; 5.07 % stolen is above 1 %.
    assert bad == {"realtime-kernel", "other-jobs", "steal"}
    absent = {name for name, state in checks.items() if state == "absent"}
    assert {"pmu", "cpu-governor", "turbo", "idle-states", "numa-nodes", "full-dynticks"} <= absent
    assert checks["fifo-permission"] == "ok"
    assert checks["virtual-machine"] == "warn"


def test_board_with_everything_set_is_ready():
    diagnosis = diagnose(made_up.realtime_board())
    wrong = [check for check in diagnosis.checks if check.state in {"bad", "warn", "unknown"}]
    assert wrong == []
    assert diagnosis.cpus == (3,)
    assert diagnosis.badge == "ready"


def test_board_is_not_ready_on_a_cpu_that_is_not_set_apart():
    checks = checks_of(made_up.realtime_board(), (2,))
    found = {name for name, check in checks.items() if check.state == "warn"}
    assert {"cpu-isolation", "full-dynticks", "rcu-callbacks", "irq-affinity"} <= found
    assert "workqueue-cpus" in found
    # Not nohz_full: timers of idle CPUs may come to CPU 2.
    assert "timer-migration" in found


def test_server_names_what_shares_a_core_with_the_measured_cpu():
    checks = checks_of(made_up.x86_server(), (3,))
    # CPU 3 and CPU 3 + 4 share a core.
    assert checks["smt"].value == "CPU 3 shares its core with CPU 7"
    assert checks["smt"].fix == f"echo off > {CPU}/smt/control"
    assert checks["smt"].undo == f"echo on > {CPU}/smt/control"
    assert checks["cpu-governor"].undo == (
        f"echo powersave | tee {CPU}/cpu3/cpufreq/scaling_governor"
    )
    assert checks["turbo"].state == "warn"
    assert checks["idle-states"].value == "time to wake: C6 133 us"
    assert checks["numa-balancing"].state == "warn"
    assert checks["nmi-watchdog"].state == "warn"
    assert checks["swap"].undo == "swapon /dev/sda2"
    assert checks["transparent-hugepages"].state == "warn"
    assert checks["realtime-kernel"].value == "no PREEMPT_RT; the model is full"


def test_sibling_that_is_off_does_not_disturb():
    change: Change = {f"{CPU}/online": "0-3\n"}
    assert checks_of(changed(made_up.x86_server(), change), (3,))["smt"].state == "ok"


def test_cgroup_without_real_time_budget_makes_the_machine_unfit():
    facts = made_up.without_budget()
    diagnosis = diagnose(facts)
    assert diagnosis.badge == "unfit"
    budget = checks_of(facts)["rt-group-budget"]
    assert budget.state == "bad"
    assert "/sys/fs/cgroup/cpu/jobs/a/cpu.rt_runtime_us" in budget.fix
    assert budget.undo == "echo 0 > /sys/fs/cgroup/cpu/jobs/a/cpu.rt_runtime_us"
    assert fifo_permitted(facts) == (
        False,
        "the real-time budget of this cgroup is 0 (/sys/fs/cgroup/cpu/jobs/a/cpu.rt_runtime_us)",
    )


@pytest.mark.parametrize(
    ("budget", "expected"),
    # The machine's own limit is 950000 us of 1000000 us.
    [("0", "bad"), ("1", "warn"), ("949999", "warn"), ("950000", "ok"), ("-1", "ok")],
)
def test_budget_of_the_cgroup_is_compared_with_the_machine(budget: str, expected: str):
    change: Change = {"/sys/fs/cgroup/cpu/cpu.rt_runtime_us": budget}
    assert state_of("rt-group-budget", made_up.bare_vm(), change) == expected


def test_budget_of_another_period_is_compared_as_a_share():
    # 950000 of 10000000 us is a tenth of what the machine has, 950000 of 1000000 us.
    budget = {
        "/sys/fs/cgroup/cpu/cpu.rt_runtime_us": "950000",
        "/sys/fs/cgroup/cpu/cpu.rt_period_us": "10000000",
    }
    assert state_of("rt-group-budget", made_up.bare_vm(), budget) == "warn"


def test_fair_server_of_a_kernel_is_told_with_what_switches_it_off():
    given = dict.fromkeys(FAIR_SERVERS, "50000000\n")
    check = checks_of(changed(made_up.bare_vm(), given))["rt-throttling"]
    assert check.value == "ordinary tasks that wait get 50000 us of every 1000000 us (fair server)"
    assert check.fix.startswith(f"echo 0 | tee {' '.join(FAIR_SERVERS)} (")
    assert check.undo == f"echo 50000000 | tee {' '.join(FAIR_SERVERS)}"
    # What is off already stays so.
    given = {FAIR_SERVERS[0]: "0\n", FAIR_SERVERS[1]: "70000000\n"}
    check = checks_of(changed(made_up.bare_vm(), given))["rt-throttling"]
    assert check.undo == f"echo 70000000 | tee {FAIR_SERVERS[1]}"
    # Nobody mounts debugfs on a server of the user's.
    check = checks_of(made_up.bare_vm())["rt-throttling"]
    assert check.value.endswith("unless it was changed, which cannot be read (debugfs)")


def test_quota_that_may_not_be_read_is_not_said_to_be_none():
    facts = changed(made_up.bare_vm(), IN_A_SLICE)
    denied = Facts(facts.files, {"/cg/rt/cpu.max": "permission denied"})
    assert checks_of(denied)["cpu-quota"].state == "unknown"


@pytest.mark.parametrize(
    ("files", "is_virtual"),
    [
        ({"/proc/device-tree/compatible": "linux,dummy-virt\0"}, True),
        ({"/proc/device-tree/model": "riscv-virtio,qemu\0"}, True),
        ({f"{DMI}/sys_vendor": "Amazon EC2\n", f"{DMI}/product_name": "m7g.large\n"}, True),
        ({f"{DMI}/sys_vendor": "Amazon EC2\n", f"{DMI}/product_name": "m7g.metal\n"}, False),
        ({f"{DMI}/product_name": "Google Compute Engine\n"}, True),
        ({}, False),
    ],
)
def test_virtual_machines_without_a_flag_of_the_processor_are_known_by_their_board(
    files: Change, is_virtual: bool
):
    found = state_of("virtual-machine", made_up.realtime_board(), files)
    assert found == ("warn" if is_virtual else "ok")


def test_undo_gives_each_cpu_back_what_it_had():
    base = f"{CPU}/cpu{{}}/cpufreq/scaling_governor"
    change = {base.format(0): "powersave\n", base.format(1): "schedutil\n"}
    check = checks_of(changed(made_up.bare_vm(), change))["cpu-governor"]
    assert check.undo == (
        f"echo powersave | tee {base.format(0)}; echo schedutil | tee {base.format(1)}"
    )
    change = {base.format(0): "ondemand\n", base.format(1): "performance\n"}
    check = checks_of(changed(made_up.bare_vm(), change))["cpu-governor"]
    assert check.fix == f"echo performance | tee {base.format(0)}"
    assert check.undo == f"echo ondemand | tee {base.format(0)}"
    # One that nobody could read is not said to be performance.
    facts = changed(made_up.bare_vm(), {base.format(0): "performance\n"})
    denied = Facts(facts.files, {base.format(1): "permission denied"})
    assert checks_of(denied)["cpu-governor"].state == "unknown"


def test_idle_states_are_those_of_the_slowest_cpu_and_undone_one_by_one():
    state = f"{CPU}/cpu{{}}/cpuidle/state{{}}"
    change: Change = {}
    for cpu, number, latency_us, disable in ((0, 2, 220, 0), (1, 2, 130, 0), (1, 3, 300, 1)):
        where = state.format(cpu, number)
        change |= {
            f"{where}/name": "C6\n" if number == 2 else "C8\n",
            f"{where}/latency": f"{latency_us}\n",
            f"{where}/disable": f"{disable}\n",
        }
    check = checks_of(changed(made_up.bare_vm(), change))["idle-states"]
    files = f"{state.format(0, 2)}/disable {state.format(1, 2)}/disable"
    assert check.value == "time to wake: C6 220 us"
    assert check.fix.endswith(f"echo 1 | tee {files}")
    # C8 was off before.
    assert check.undo == f"echo 0 | tee {files}"


def test_user_without_rights_is_told_which():
    facts = made_up.unprivileged()
    diagnosis = diagnose(facts)
    checks = {check.id: check for check in diagnosis.checks}
    assert diagnosis.badge == "unfit"
    assert fifo_permitted(facts) == (
        False,
        "RLIMIT_RTPRIO is 0 and this process lacks CAP_SYS_NICE",
    )
    # 8388608 bytes / 1024.
    assert checks["memory-lock"].value == "at most 8192 KiB may be locked"
    assert checks["idle-control"].state == "warn"
    assert checks["perf-permission"].state == "warn"
    assert checks["bpf-tracing"].value == "BTF present, not permitted"
    assert checks["tracefs"].value == "/sys/kernel/tracing: permission denied"


@pytest.mark.parametrize(
    ("limit", "permitted", "state"),
    [
        ("0 0", False, "bad"),
        ("1 1", True, "warn"),
        ("98 98", True, "warn"),
        ("99 99", True, "ok"),
        ("unlimited unlimited", True, "ok"),
        # The soft limit holds, not the hard one.
        ("0 99", False, "bad"),
    ],
)
def test_priority_limit_decides_without_capability(limit: str, permitted: bool, state: str):
    facts = changed(made_up.unprivileged(), {"@rlimit.rtprio": limit})
    assert fifo_permitted(facts)[0] is permitted
    assert checks_of(facts)["fifo-permission"].state == state


def test_root_of_a_rootless_container_may_not_use_fifo():
    facts = changed(made_up.bare_vm(), {"/proc/self/uid_map": "0 1000 1\n"})
    assert fifo_permitted(facts)[0] is False


def test_rights_that_are_not_known_are_tried():
    assert fifo_permitted(Facts({})) == (True, "the limits of this process are not known")
    assert checks_of(Facts({}))["fifo-permission"].state == "unknown"


@pytest.mark.parametrize(
    ("name", "change", "expected"),
    [
        ("left-settings", {"@knobs.left": ""}, "ok"),
        ("left-settings", {"@knobs.left": "left changed by a laxity that was killed"}, "bad"),
        ("left-settings", {"@knobs.left": None}, "absent"),
        ("rt-throttling", BEFORE | {RT_RUNTIME: "-1"}, "ok"),
        ("rt-throttling", BEFORE | {RT_RUNTIME: "1000000"}, "ok"),
        ("rt-throttling", BEFORE | {RT_RUNTIME: "999999"}, "warn"),
        ("rt-throttling", BEFORE | {RT_RUNTIME: "0"}, "bad"),
        ("rt-throttling", BEFORE | {RT_RUNTIME: None}, "absent"),
        ("rt-throttling", BEFORE | {RT_RUNTIME: "much"}, "unknown"),
        # From 6.12 on the limit is no witness, only what the fair server gives.
        ("rt-throttling", {RT_RUNTIME: "-1"}, "warn"),
        ("rt-throttling", {RT_RUNTIME: None}, "warn"),
        ("rt-throttling", dict.fromkeys(FAIR_SERVERS, "0\n"), "ok"),
        ("rt-throttling", {FAIR_SERVERS[0]: "0\n"}, "warn"),
        ("rt-throttling", {FAIR_SERVERS[0]: "0\n", FAIR_SERVERS[1]: "50000000\n"}, "warn"),
        ("cpu-quota", {"/proc/self/cgroup": None}, "absent"),
        ("cpu-quota", {**IN_A_SLICE, "/cg/rt/a/cpu.max": "max 100000\n"}, "ok"),
        ("cpu-quota", {**IN_A_SLICE, "/cg/rt/a/cpu.max": "20000 100000\n"}, "warn"),
        # systemd sets it on the slice.
        ("cpu-quota", {**IN_A_SLICE, "/cg/rt/cpu.max": "20000 100000\n"}, "warn"),
        # 64 MiB = 67108864 bytes.
        ("memory-lock", {"/proc/self/status": "", "@rlimit.memlock": "67108864 0"}, "ok"),
        ("memory-lock", {"/proc/self/status": "", "@rlimit.memlock": "67108863 0"}, "warn"),
        ("memory-lock", {"/proc/self/status": "", "@rlimit.memlock": "0 0"}, "bad"),
        ("cpu-time-limit", {"@rlimit.rttime": "200000 200000"}, "warn"),
        ("measured-cpus", {f"{CPU}/online": "0\n"}, "bad"),
        ("cpu-isolation", {f"{CPU}/isolated": "0-1\n"}, "ok"),
        ("cpu-isolation", {f"{CPU}/isolated": None}, "absent"),
        ("cpu-isolation", {f"{CPU}/online": "0\n"}, "absent"),
        ("rcu-callbacks", {"/proc/cmdline": "rcu_nocbs\n"}, "ok"),
        ("rcu-callbacks", {"/proc/cmdline": "rcu_nocbs=all\n"}, "ok"),
        ("rcu-callbacks", {"/proc/cmdline": "rcu_nocbs=1\n"}, "warn"),
        ("rcu-callbacks", {f"{CPU}/nohz_full": "0-1\n"}, "ok"),
        # A kernel without CONFIG_NO_HZ_FULL ignores it.
        ("rcu-callbacks", {"/proc/cmdline": "nohz_full=0-1\n"}, "warn"),
        ("rcu-callbacks", {"/proc/cmdline": "rcu_nocbs=1-N\n"}, "unknown"),
        ("workqueue-cpus", {"/sys/devices/virtual/workqueue/cpumask": "4\n"}, "ok"),
        ("nmi-watchdog", {"/proc/sys/kernel/nmi_watchdog": "1\n"}, "ok"),
        ("stat-interval", {"/proc/sys/vm/stat_interval": "9\n"}, "warn"),
        ("stat-interval", {"/proc/sys/vm/stat_interval": "10\n"}, "ok"),
        ("other-jobs", {"/proc/pressure/cpu": "some avg10=4.99 total=1\n"}, "ok"),
        ("other-jobs", {"/proc/pressure/cpu": "some avg10=5.00 total=1\n"}, "warn"),
        ("other-jobs", {"/proc/pressure/cpu": "some avg10=25.00 total=1\n"}, "bad"),
        ("other-jobs", {"/proc/pressure/cpu": None}, "absent"),
        # Half of two CPUs is a load of 1.
        ("load-average", {"/proc/loadavg": "1.00 0 0 1/1 1\n"}, "ok"),
        ("load-average", {"/proc/loadavg": "1.01 0 0 1/1 1\n"}, "warn"),
        ("smt", {THREADS: "0-1\n"}, "warn"),
        ("smt", {THREADS: None}, "unknown"),
        ("turbo", {f"{CPU}/cpufreq/boost": "1\n"}, "warn"),
        ("turbo", {f"{CPU}/cpufreq/boost": "0\n"}, "ok"),
        ("idle-states", {"/proc/cmdline": "idle=poll\n"}, "ok"),
        ("idle-control", {"@access:/dev/cpu_dma_latency": None}, "absent"),
        ("clocksource", {f"{made_up.CLOCKSOURCE}/current_clocksource": "acpi_pm"}, "bad"),
        ("clocksource", {f"{made_up.CLOCKSOURCE}/current_clocksource": "xen"}, "warn"),
        ("clock-resolution", {"@resolution_ns": "1000"}, "ok"),
        ("clock-resolution", {"@resolution_ns": "4000000"}, "bad"),
        ("tsc", {"/proc/cpuinfo": "flags : tsc constant_tsc\n"}, "warn"),
        ("temperature", {"/sys/class/thermal/thermal_zone0/temp": "84999"}, "ok"),
        ("temperature", {"/sys/class/thermal/thermal_zone0/temp": "85000"}, "warn"),
        ("throttling", {f"{CPU}/cpu1/thermal_throttle/core_throttle_count": "3"}, "warn"),
        # 1 of 1000 ticks, and 1 of 1001.
        ("steal", {"/proc/stat": "cpu 999 0 0 0 0 0 0 1\n"}, "warn"),
        ("steal", {"/proc/stat": "cpu 1000 0 0 0 0 0 0 1\n"}, "ok"),
        ("page-merging", {"/sys/kernel/mm/ksm/run": "1\n"}, "warn"),
        ("cache-partitioning", {"/proc/filesystems": "nodev resctrl\n"}, "warn"),
        ("cache-partitioning", {"/sys/fs/resctrl/info/L3/num_closids": "16\n"}, "ok"),
        ("tracefs", {"/sys/kernel/tracing/available_tracers": "function nop\n"}, "ok"),
        (
            "tracefs",
            {"@pid_namespace": "own", "/sys/kernel/tracing/available_tracers": "nop\n"},
            "absent",
        ),
        (
            "bpf-tracing",
            {"@pid_namespace": "own", "@access:/sys/kernel/btf/vmlinux": "r"},
            "absent",
        ),
        ("lockdown", {"/sys/kernel/security/lockdown": "none [integrity] x\n"}, "ok"),
        ("lockdown", {"/sys/kernel/security/lockdown": "none [confidentiality]\n"}, "warn"),
        ("debug-kernel", {"@config": "CONFIG_PROVE_LOCKING=y\n"}, "bad"),
        ("debug-kernel", {"@config": None}, "unknown"),
    ],
)
def test_check_draws_its_line(name: str, change: Change, expected: str):
    assert state_of(name, made_up.bare_vm(), change) == expected


def test_tracer_that_runs_is_named():
    change: Change = {
        "/sys/kernel/tracing/available_tracers": "function nop\n",
        "/sys/kernel/tracing/current_tracer": "function\n",
    }
    check = checks_of(changed(made_up.bare_vm(), change))["tracefs"]
    assert check.state == "warn"
    assert check.undo == "echo function > /sys/kernel/tracing/current_tracer"


def test_interrupts_are_named_and_their_old_places_kept_for_undo():
    check = checks_of(made_up.bare_vm(), (1,))["irq-affinity"]
    # Of 24 (0-1) and 25 (0) only the first may come to CPU 1.
    assert check.value == "1 of 2 may be delivered to CPU 1: 24 ACPI:Ged"
    assert "for i in 24; do echo 0 > /proc/irq/$i/smp_affinity_list; done" in check.fix
    assert "for i in 24; do echo 0-1 > /proc/irq/$i/smp_affinity_list; done" in check.undo


def test_measured_cpus_that_are_all_leave_the_last_one_to_advise():
    checks = checks_of(made_up.bare_vm())
    assert checks["cpu-isolation"].fix == (
        "boot with isolcpus=managed_irq,domain,1 and measure on CPU 1"
    )
    # Mask without CPU 1.
    assert checks["workqueue-cpus"].fix == "echo 1 > /sys/devices/virtual/workqueue/cpumask"


def test_cpu_outside_the_cpuset_makes_the_machine_unfit():
    change: Change = {
        "/proc/self/cgroup": "0::/box\n",
        "/proc/self/mountinfo": "1 1 0:1 / /sys/fs/cgroup rw - cgroup2 cgroup2 rw\n",
        "/sys/fs/cgroup/box/cpuset.cpus.effective": "0\n",
    }
    diagnosis = diagnose(changed(made_up.bare_vm(), change), (1,))
    check = {check.id: check for check in diagnosis.checks}["measured-cpus"]
    assert diagnosis.badge == "unfit"
    assert check.value == ("CPU 1 outside CPU 0 (/sys/fs/cgroup/box/cpuset.cpus.effective)")


def test_isolated_partition_counts_as_isolation():
    change: Change = {
        "/proc/self/cgroup": "0::/box\n",
        "/proc/self/mountinfo": "1 1 0:1 / /sys/fs/cgroup rw - cgroup2 cgroup2 rw\n",
        "/sys/fs/cgroup/box/cpuset.cpus.partition": "isolated\n",
        "/sys/fs/cgroup/box/cpuset.cpus.effective": "1\n",
    }
    facts = changed(made_up.bare_vm(), change)
    assert checks_of(facts, (1,))["cpu-isolation"].state == "ok"


def test_cpu_that_the_machine_lacks_is_refused():
    with pytest.raises(ConfigError, match=r"2: no CPU 2 on this machine; choose among 0-1"):
        diagnose(made_up.bare_vm(), (2,))


def test_isolated_cpus_are_judged_by_default():
    assert default_cpus(made_up.realtime_board()) == (3,)
    assert default_cpus(made_up.bare_vm()) == (0, 1)


def check_with(state: str, severity: str) -> Check:
    text = {"id": "x", "title": "x", "value": "", "why": "", "fix": "", "undo": "", "source": ""}
    return msgspec.convert({**text, "state": state, "severity": severity}, Check)


@pytest.mark.parametrize(
    ("state", "severity", "badge"),
    [
        ("bad", "blocking", "unfit"),
        ("warn", "blocking", "usable with care"),
        ("unknown", "blocking", "usable with care"),
        ("bad", "distorting", "usable with care"),
        ("warn", "distorting", "usable with care"),
        # What could not be read must not read as a pass.
        ("unknown", "distorting", "usable with care"),
        ("absent", "distorting", "ready"),
        ("ok", "blocking", "ready"),
        ("bad", "limiting", "ready"),
        ("unknown", "limiting", "ready"),
    ],
)
def test_badge_follows_the_stated_rule(state: str, severity: str, badge: str):
    assert judge([check_with("ok", "distorting"), check_with(state, severity)])[0] == badge


def test_capabilities_tell_what_can_be_measured():
    found = {one.name: one.available for one in diagnose(made_up.unprivileged()).capabilities}
    assert found["times in nanoseconds"] == "yes"
    assert found["real-time tasks (SCHED_FIFO)"] == "no"
    assert found["hardware counters (PMU)"] == "no"
    assert found["scheduler trace by perf switch records"] == "limited"
    assert found["release latency without deep idle states"] == "limited"


def after(facts: Facts, change: Change) -> list[str]:
    """What `drift` says when `change` happened within 10 s."""
    later: Change = {"@time_ns": "11000000000", **change}
    return drift(diagnose(facts), diagnose(changed(facts, later)))


def test_machine_that_stayed_the_same_did_not_drift():
    assert after(made_up.x86_server(), {}) == []


def test_load_and_averages_alone_are_no_drift():
    change: Change = {
        "/proc/loadavg": "7.00 7.00 7.00 1/1 1\n",
        "/proc/pressure/cpu": "some avg10=90.00 avg60=0.00 avg300=0.00 total=2000000\n",
    }
    assert after(made_up.bare_vm(), change) == []


@pytest.mark.parametrize(
    ("change", "expected"),
    [
        # 5 % of 2400 MHz are 120 MHz.
        ({f"{CPU}/cpu3/cpufreq/scaling_cur_freq": "2280000"}, []),
        (
            {f"{CPU}/cpu3/cpufreq/scaling_cur_freq": "2279999"},
            ["frequency of CPU 3: 2400 MHz before, 2279 MHz after"],
        ),
        # CPU 0 is not measured.
        ({f"{CPU}/cpu0/cpufreq/scaling_cur_freq": "800000"}, []),
        (
            {f"{CPU}/cpu3/thermal_throttle/core_throttle_count": "2"},
            ["cpu3 slowed down for its temperature 2 times"],
        ),
        # 999,999 us of 10 s are just below 10 %.
        ({"/proc/pressure/cpu": "some avg10=0.00 total=999999\n"}, []),
        (
            {"/proc/pressure/cpu": "some avg10=0.00 total=1000000\n"},
            [
                "other work: some task waited for a CPU during 10 % of the run"
                " (its own tasks and co-runners count)"
            ],
        ),
        # 10 of 1000 ticks since the first reading.
        (
            {"/proc/stat": "cpu 10 0 10 1070 0 0 0 10 0 0\n"},
            ["the hypervisor took 1.00 % of the CPUs' time during the run"],
        ),
        (
            {f"{made_up.CLOCKSOURCE}/current_clocksource": "hpet"},
            ["clock source: tsc before, hpet after"],
        ),
    ],
)
def test_drift_names_what_changed(change: Change, expected: list[str]):
    assert after(made_up.x86_server(), change) == expected


@pytest.mark.parametrize(("late", "count"), [("50999", 0), ("51000", 1)])
def test_ten_degrees_are_a_drift(late: str, count: int):
    # 41 degrees before.
    change: Change = {"/sys/class/thermal/thermal_zone0/temp": late}
    assert len(after(made_up.realtime_board(), change)) == count


def test_diagnosis_survives_json():
    diagnosis = diagnose(made_up.x86_server())
    assert msgspec.json.decode(msgspec.json.encode(diagnosis), type=Diagnosis) == diagnosis


def test_nothing_known_is_not_ready():
    diagnosis = diagnose(Facts({}))
    assert diagnosis.badge == "usable with care"
    assert diagnosis.cpus == ()


@given(st.data())
def test_any_text_in_any_file_is_judged(data: st.DataObject):
    machines = [made_up.bare_vm(), made_up.realtime_board(), made_up.x86_server()]
    facts = data.draw(st.sampled_from(machines))
    keys = st.sampled_from(sorted(facts.files))
    change = data.draw(st.dictionaries(keys, st.text() | st.none(), max_size=5))
    # An affinity that is not readable leaves the machine's CPUs to be judged.
    try:
        diagnosis = diagnose(changed(facts, change))
    except ConfigError:
        return
    drift(diagnosis, diagnose(facts, diagnosis.cpus or None))
    msgspec.json.encode(diagnosis)


@given(st.dictionaries(st.text(), st.text()), st.dictionaries(st.text(), st.text()))
def test_any_files_and_refusals_are_judged(files: dict[str, str], denied: dict[str, str]):
    diagnose(Facts(files, denied))
