# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""Machines that do not exist, as facts: what each test changes stands in the test."""

from collections.abc import Mapping

from laxity.platform.facts import Facts

CPU = "/sys/devices/system/cpu"
NODE = "/sys/devices/system/node"
CLOCKSOURCE = "/sys/devices/system/clocksource/clocksource0"

# Bits 14, 21, 23, 38, 39 (IPC_LOCK, SYS_ADMIN, SYS_NICE, PERFMON, BPF):
# 0x4000 + 0x200000 + 0x800000 = 0xa04000; 2^38 + 2^39 = 0xc0 << 32.
ROOT_STATUS = "Name:\tpython3\nCapEff:\t000000c000a04000\nCpus_allowed_list:\t0-1\n"
USER_STATUS = "Name:\tpython3\nCapEff:\t0000000000000000\nCpus_allowed_list:\t0-1\n"
V1_CPU_MOUNT = "32 31 0:29 / /sys/fs/cgroup/cpu rw,relatime - cgroup cgroup rw,cpu\n"
GOOD_CONFIG = "CONFIG_HZ=250\nCONFIG_BPF_SYSCALL=y\nCONFIG_RCU_NOCB_CPU=y\n"


def changed(facts: Facts, files: Mapping[str, str | None]) -> Facts:
    """The same machine with some files changed; None takes one away."""
    merged = {**facts.files, **{key: text for key, text in files.items() if text is not None}}
    gone = {key for key, text in files.items() if text is None}
    kept = {key: text for key, text in merged.items() if key not in gone}
    return Facts(kept, facts.denied, facts.truncated)


def bare_vm() -> Facts:
    """A virtual machine with two CPUs, no PMU, no cpufreq, a kernel for throughput; we are root."""
    cpuinfo = "".join(
        f"processor\t: {cpu}\nvendor_id\t: GenuineIntel\nmodel name\t: Xeon 2.50GHz\n"
        "microcode\t: 0x1\ncpu MHz\t\t: 2499.984\n"
        "flags\t\t: fpu tsc constant_tsc nonstop_tsc hypervisor\n\n"
        for cpu in (0, 1)
    )
    return Facts(
        {
            "@uname.sysname": "Linux",
            "@uname.release": "6.18.44",
            "@uname.version": "#1 SMP PREEMPT_DYNAMIC @0",
            "@uname.machine": "x86_64",
            "@hostname": "vm",
            "@euid": "0",
            "@affinity": "0,1",
            "@resolution_ns": "1",
            "@time_ns": "1000000000",
            "@rlimit.rtprio": "0 0",
            "@rlimit.memlock": "8388608 8388608",
            "@rlimit.rttime": "unlimited unlimited",
            "@access:/dev/cpu_dma_latency": "rw",
            "@config": GOOD_CONFIG + "CONFIG_PREEMPT_NONE=y\n# CONFIG_NO_HZ_FULL is not set\n",
            "/proc/cmdline": "console=ttyS0 mitigations=auto -- --preempt=full\n",
            "/proc/cpuinfo": cpuinfo,
            "/proc/filesystems": "nodev\ttracefs\n\text4\n",
            "/proc/interrupts": "  CPU0 CPU1\n 24:  1  0  IO-APIC   5-edge      ACPI:Ged\n",
            "/proc/irq/24/smp_affinity_list": "0-1\n",
            "/proc/irq/24/effective_affinity_list": "0\n",
            "/proc/irq/25/smp_affinity_list": "0\n",
            "/proc/loadavg": "0.20 0.10 0.05 1/93 7790\n",
            "/proc/meminfo": "MemTotal:       24684096 kB\nMemFree: 1 kB\n",
            "/proc/pressure/cpu": "some avg10=35.26 avg60=1.00 avg300=0.00 total=2000000\n",
            "/proc/self/cgroup": "1:cpu:/\n0::/\n",
            "/proc/self/mountinfo": V1_CPU_MOUNT,
            "/proc/self/status": ROOT_STATUS,
            "/proc/self/uid_map": "         0          0 4294967295\n",
            # 9573 of 20467 + 0 + 3260 + 154857 + 669 + 0 + 118 + 9573 = 188944 ticks: 5.07 %.
            "/proc/stat": "cpu  20467 0 3260 154857 669 0 118 9573 0 0\ncpu0 1 2 3\n",
            "/proc/swaps": "Filename\t\t\t\tType\t\tSize\n",
            "/proc/sys/kernel/sched_rt_period_us": "1000000\n",
            "/proc/sys/kernel/sched_rt_runtime_us": "950000\n",
            "/proc/sys/kernel/timer_migration": "1\n",
            "/proc/sys/kernel/nmi_watchdog": "0\n",
            "/proc/sys/kernel/perf_event_paranoid": "2\n",
            "/proc/sys/vm/stat_interval": "1\n",
            f"{CPU}/possible": "0-1\n",
            f"{CPU}/online": "0-1\n",
            f"{CPU}/isolated": "\n",
            f"{CPU}/smt/control": "notsupported\n",
            f"{CPU}/cpu0/topology/core_id": "0\n",
            f"{CPU}/cpu0/topology/thread_siblings_list": "0\n",
            f"{CPU}/cpu1/topology/core_id": "1\n",
            f"{CPU}/cpu1/topology/thread_siblings_list": "1\n",
            f"{CLOCKSOURCE}/current_clocksource": "tsc\n",
            f"{CLOCKSOURCE}/available_clocksource": "tsc acpi_pm\n",
            f"{NODE}/node0/cpulist": "0-1\n",
            "/sys/devices/virtual/workqueue/cpumask": "3\n",
            "/sys/kernel/mm/transparent_hugepage/enabled": "always [madvise] never\n",
            "/sys/fs/cgroup/cpu/cpu.rt_runtime_us": "950000\n",
            "/sys/fs/cgroup/cpu/cpu.rt_period_us": "1000000\n",
        }
    )


def realtime_board() -> Facts:
    """A quad Cortex-A9 (ARMv7) with PREEMPT_RT and CPU 3 set apart in every way; we are root."""
    core = (
        "processor\t: {}\nmodel name\t: ARMv7 Processor rev 10 (v7l)\nBogoMIPS\t: 7.54\n"
        "Features\t: half thumb fastmult vfp edsp neon vfpv3\nCPU implementer\t: 0x41\n"
        "CPU architecture: 7\nCPU variant\t: 0x2\nCPU part\t: 0xc09\nCPU revision\t: 10\n\n"
    )
    topology = {
        f"{CPU}/cpu{cpu}/topology/{name}": text
        for cpu in range(4)
        for name, text in (
            ("core_id", f"{cpu}\n"),
            ("thread_siblings_list", f"{cpu}\n"),
        )
    }
    return Facts(
        {
            **topology,
            "@uname.sysname": "Linux",
            "@uname.release": "6.1.90-rt30",
            "@uname.version": "#1 SMP PREEMPT_RT Mon Jun 1",
            "@uname.machine": "armv7l",
            "@hostname": "sabre",
            "@affinity": "0-3",
            "@resolution_ns": "1",
            "@time_ns": "1000000000",
            "@rlimit.rtprio": "99 99",
            "@rlimit.memlock": "unlimited unlimited",
            "@rlimit.rttime": "unlimited unlimited",
            "@access:/dev/cpu_dma_latency": "rw",
            "@config": GOOD_CONFIG + "CONFIG_PREEMPT_RT=y\nCONFIG_NO_HZ_FULL=y\n",
            "/proc/cmdline": "root=/dev/mmcblk0p1 isolcpus=3 nohz_full=3 rcu_nocbs=3\n",
            "/proc/cpuinfo": "".join(core.format(cpu) for cpu in range(4))
            + "Hardware\t: Freescale i.MX6 Quad/DualLite (Device Tree)\nRevision\t: 0000\n",
            "/proc/device-tree/model": "Freescale i.MX6 Quad SABRE Lite Board\0",
            "/proc/device-tree/compatible": "fsl,imx6q-sabrelite\0fsl,imx6q\0",
            "/proc/irq/default_smp_affinity": "7\n",
            "/proc/irq/55/smp_affinity_list": "0-2\n",
            "/proc/loadavg": "0.01 0.02 0.00 1/90 400\n",
            "/proc/pressure/cpu": "some avg10=0.10 avg60=0.00 avg300=0.00 total=100\n",
            "/proc/self/cgroup": "0::/\n",
            "/proc/self/mountinfo": "30 23 0:26 / /sys/fs/cgroup rw - cgroup2 cgroup2 rw\n",
            "/proc/self/status": ROOT_STATUS,
            "/proc/self/uid_map": "0 0 4294967295\n",
            "/proc/stat": "cpu  10 0 10 80 0 0 0 0 0 0\n",
            "/proc/swaps": "Filename Type Size\n",
            "/proc/sys/kernel/sched_rt_period_us": "1000000\n",
            "/proc/sys/kernel/sched_rt_runtime_us": "-1\n",
            "/proc/sys/kernel/timer_migration": "1\n",
            "/proc/sys/vm/stat_interval": "10\n",
            f"{CPU}/possible": "0-3\n",
            f"{CPU}/online": "0-3\n",
            f"{CPU}/isolated": "3\n",
            f"{CPU}/nohz_full": "3\n",
            f"{CPU}/cpu3/cpufreq/scaling_governor": "performance\n",
            f"{CPU}/cpu3/cpufreq/scaling_cur_freq": "996000\n",
            f"{CPU}/cpu3/cpuidle/state0/name": "WFI\n",
            f"{CPU}/cpu3/cpuidle/state0/latency": "1\n",
            f"{CPU}/cpu3/cpuidle/state0/disable": "0\n",
            f"{CLOCKSOURCE}/current_clocksource": "arch_sys_counter\n",
            "/sys/bus/event_source/devices/armv7_cortex_a9/type": "8\n",
            "/sys/class/thermal/thermal_zone0/type": "imx_thermal_zone\n",
            "/sys/class/thermal/thermal_zone0/temp": "41000\n",
            "/sys/devices/virtual/workqueue/cpumask": "7\n",
            "/sys/kernel/realtime": "1\n",
        }
    )


def x86_server() -> Facts:
    """Two sockets, two cores each, two hardware threads each: CPU n and n + 4 share a core."""
    topology: dict[str, str] = {}
    for cpu in range(8):
        core, socket = cpu % 2, cpu % 4 // 2
        base = f"{CPU}/cpu{cpu}"
        topology[f"{base}/topology/core_id"] = f"{core}\n"
        topology[f"{base}/topology/physical_package_id"] = f"{socket}\n"
        topology[f"{base}/topology/thread_siblings_list"] = f"{cpu % 4},{cpu % 4 + 4}\n"
        topology[f"{base}/cpufreq/scaling_governor"] = "powersave\n"
        topology[f"{base}/cpufreq/scaling_cur_freq"] = "2400000\n"
        topology[f"{base}/cpufreq/cpuinfo_max_freq"] = "3500000\n"
        topology[f"{base}/cpuidle/state1/name"] = "C6\n"
        topology[f"{base}/cpuidle/state1/latency"] = "133\n"
        topology[f"{base}/cpuidle/state1/disable"] = "0\n"
        topology[f"{base}/thermal_throttle/core_throttle_count"] = "0\n"
        topology[f"{base}/cache/index3/level"] = "3\n"
        topology[f"{base}/cache/index3/type"] = "Unified\n"
        topology[f"{base}/cache/index3/size"] = "22528K\n"
        topology[f"{base}/cache/index3/ways_of_associativity"] = "11\n"
        topology[f"{base}/cache/index3/coherency_line_size"] = "64\n"
        shared = "0-1,4-5" if socket == 0 else "2-3,6-7"
        topology[f"{base}/cache/index3/shared_cpu_list"] = f"{shared}\n"
    cpuinfo = "processor\t: 0\nvendor_id\t: GenuineIntel\nmodel name\t: Xeon Gold 6134\n"
    cpuinfo += "flags\t\t: fpu tsc constant_tsc nonstop_tsc\n"
    return changed(
        bare_vm(),
        {
            **topology,
            "@affinity": "0-7",
            "@uname.version": "#1 SMP PREEMPT_DYNAMIC Debian 6.1.90-1",
            "/proc/cmdline": "BOOT_IMAGE=/vmlinuz root=UUID=1 isolcpus=3 preempt=full quiet\n",
            "/proc/cpuinfo": cpuinfo,
            "/proc/pressure/cpu": "some avg10=0.00 avg60=0.00 avg300=0.00 total=0\n",
            "/proc/stat": "cpu  10 0 10 80 0 0 0 0 0 0\n",
            "/proc/swaps": "Filename Type\n/dev/sda2 partition 1 0 -2\n",
            "/proc/sys/kernel/numa_balancing": "1\n",
            "/proc/sys/kernel/nmi_watchdog": "1\n",
            f"{CPU}/possible": "0-7\n",
            f"{CPU}/online": "0-7\n",
            f"{CPU}/isolated": "3\n",
            f"{CPU}/smt/control": "on\n",
            f"{CPU}/intel_pstate/no_turbo": "0\n",
            f"{NODE}/node0/cpulist": "0-1,4-5\n",
            f"{NODE}/node0/distance": "10 21\n",
            f"{NODE}/node1/cpulist": "2-3,6-7\n",
            f"{NODE}/node1/distance": "21 10\n",
            "/sys/bus/event_source/devices/cpu/type": "4\n",
            "/sys/class/dmi/id/product_name": "PowerEdge R740\n",
            "/sys/devices/virtual/workqueue/cpumask": "ff\n",
            "/sys/kernel/mm/transparent_hugepage/enabled": "[always] madvise never\n",
        },
    )


def without_budget() -> Facts:
    """The virtual machine, but our cgroup may not have real-time tasks."""
    return changed(
        bare_vm(),
        {
            "/proc/self/cgroup": "1:cpu:/jobs/a\n0::/\n",
            "/sys/fs/cgroup/cpu/cpu.rt_runtime_us": None,
            "/sys/fs/cgroup/cpu/jobs/a/cpu.rt_runtime_us": "0\n",
            "/sys/fs/cgroup/cpu/jobs/a/cpu.rt_period_us": "1000000\n",
        },
    )


def unprivileged() -> Facts:
    """The virtual machine, but we are a user without any right; some files are root's."""
    facts = changed(
        bare_vm(),
        {
            "@euid": "1000",
            "/proc/self/status": USER_STATUS,
            "@access:/dev/cpu_dma_latency": "",
            "@access:/sys/kernel/btf/vmlinux": "r",
        },
    )
    return Facts(facts.files, {"/sys/kernel/tracing/available_tracers": "permission denied"})
