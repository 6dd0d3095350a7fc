# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""Describe a machine from its facts: the content of machine.json.

The description has a stable part, whose hash says whether two runs may be compared, and a state,
which a user or the weather changes between runs. Everything is a pure function of `Facts`; what a
machine does not tell is None or empty, never a guess.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Sequence
from dataclasses import dataclass

import msgspec

from laxity.platform.facts import Facts, cpu_list, integer

SCHEMA = 1
_CPU = "/sys/devices/system/cpu"
_NODE = "/sys/devices/system/node"

# Boot parameters that change how a machine times; the others (root=, console=, ids of a boot)
# differ
# between two boots of the same machine and are kept in the state only.
_TIMING_PARAMETER = re.compile(
    r"amd_pstate|clocksource|default_hugepagesz|hpet|hugepages|hugepagesz|idle"
    r"|intel_idle\.max_cstate|intel_pstate|irqaffinity|isolcpus|kthread_cpus|l1tf|lapic|maxcpus"
    r"|mds|mitigations|nmi_watchdog|nohz|nohz_full|nosmt|nosoftlockup|nowatchdog|noxsave|nr_cpus"
    r"|numa|numa_balancing|pcie_aspm|preempt|processor\.max_cstate|pti|rcu_nocb_poll|rcu_nocbs"
    r"|rcutree\.kthread_prio|rdt|retbleed|skew_tick|spectre_v2|threadirqs|transparent_hugepage"
    r"|tsc|workqueue\.unbound_cpus"
)
# (implementer, part) → name: the cores that boards of our users have.
# Source: Linux, arch/arm64/include/asm/cputype.h and arch/arm/include/asm/cputype.h.
_ARM_CORES = {
    (0x41, 0xC05): "ARM Cortex-A5",
    (0x41, 0xC07): "ARM Cortex-A7",
    (0x41, 0xC08): "ARM Cortex-A8",
    (0x41, 0xC09): "ARM Cortex-A9",
    (0x41, 0xC0F): "ARM Cortex-A15",
    (0x41, 0xD03): "ARM Cortex-A53",
    (0x41, 0xD04): "ARM Cortex-A35",
    (0x41, 0xD05): "ARM Cortex-A55",
    (0x41, 0xD07): "ARM Cortex-A57",
    (0x41, 0xD08): "ARM Cortex-A72",
    (0x41, 0xD0B): "ARM Cortex-A76",
    (0x41, 0xD0C): "ARM Neoverse-N1",
    (0x41, 0xD41): "ARM Cortex-A78",
    (0x41, 0xD49): "ARM Neoverse-N2",
    (0x4E, 0x004): "NVIDIA Carmel",
}
_ARM_IMPLEMENTERS = {0x41: "ARM", 0x4E: "NVIDIA", 0x51: "Qualcomm", 0x61: "Apple"}
_TSC_FLAGS = ("constant_tsc", "nonstop_tsc", "tsc_known_freq", "tsc_deadline_timer", "rdtscp")
# From user to steal.
_STAT_FIELDS = 8
_SIZE_UNITS = {"": 1, "K": 1024, "M": 1024**2, "G": 1024**3}
_DMI_HYPERVISORS = (
    *("KVM", "QEMU", "VMware", "VirtualBox", "Xen", "Virtual Machine", "Firecracker"),
    *("Amazon EC2", "Google Compute Engine"),
)
# Of the boards that QEMU and others make up (device tree).
_MADE_UP_BOARDS = ("dummy-virt", "riscv-virtio")
# Amazon's names for machines without a hypervisor.
_WHOLE_MACHINE = ".metal"


class Cpu(msgspec.Struct, frozen=True):
    """One logical CPU and its place; None where the kernel does not say."""

    cpu: int
    core: int | None
    socket: int | None
    node: int | None
    siblings: tuple[int, ...]
    is_online: bool
    is_isolated: bool
    capacity: int | None
    max_frequency_hz: int | None


class Cache(msgspec.Struct, frozen=True):
    """One cache, listed once, with the CPUs that share it."""

    level: int
    kind: str
    size_bytes: int | None
    ways: int | None
    line_bytes: int | None
    sets: int | None
    cpus: tuple[int, ...]


class Node(msgspec.Struct, frozen=True):
    """One NUMA node; `distances` in the order of the nodes, 10 = local."""

    node: int
    cpus: tuple[int, ...]
    distances: tuple[int, ...]


class Kernel(msgspec.Struct, frozen=True):
    """The running kernel. `preempt_model` is rt, full, lazy, voluntary, none or unknown."""

    name: str | None
    release: str | None
    version: str | None
    preempt_model: str
    tick_hz: int | None
    config_sha256: str | None
    boot_parameters: tuple[str, ...]


class Virtualisation(msgspec.Struct, frozen=True):
    """Whether somebody else decides when our CPUs run; names are None where not known."""

    is_virtual_machine: bool | None
    hypervisor: str | None


class Stable(msgspec.Struct, frozen=True):
    """What stays the same from boot to boot; its hash is the machine's."""

    architecture: str | None
    vendor: str | None
    model: str | None
    microcode: str | None
    firmware: dict[str, str]
    kernel: Kernel
    virtualisation: Virtualisation
    cpus: tuple[Cpu, ...]
    caches: tuple[Cache, ...]
    nodes: tuple[Node, ...]
    tsc_flags: tuple[str, ...]
    pmus: tuple[str, ...]


class State(msgspec.Struct, frozen=True):
    """What a user, another job or the room changes between two runs; not hashed.

    The memory's size is here because MemTotal varies by some pages from boot to boot.
    """

    hostname: str | None
    container: str | None
    boot_command_line: str
    memory_bytes: int | None
    clocksource: str | None
    clock_resolution_ns: int | None
    governors: dict[str, str]
    frequencies_hz: dict[str, int]
    temperatures_millicelsius: dict[str, int]
    steal_ratio: float | None
    load_average: float | None
    knobs: dict[str, str]


class Machine(msgspec.Struct, frozen=True):
    """The content of machine.json."""

    schema: int
    hash: str
    stable: Stable
    state: State


@dataclass(frozen=True, kw_only=True)
class SimulatedFacts(Facts):
    """Of a simulated platform, which has no files but what its CPUs may be used for."""

    machine: Machine


def describe_machine(facts: Facts) -> Machine:
    """Describe the machine that `facts` were read from."""
    if isinstance(facts, SimulatedFacts):
        return facts.machine
    stable = Stable(
        architecture=facts.text("@uname.machine"),
        vendor=_vendor(facts),
        model=_model(facts),
        microcode=facts.text(f"{_CPU}/cpu0/microcode/version") or cpuinfo(facts).get("microcode"),
        firmware=_firmware(facts),
        kernel=_kernel(facts),
        virtualisation=describe_virtualisation(facts),
        cpus=_cpus(facts),
        caches=_caches(facts),
        nodes=_nodes(facts),
        tsc_flags=tuple(flag for flag in _TSC_FLAGS if flag in cpu_flags(facts)),
        pmus=hardware_pmus(facts),
    )
    return Machine(SCHEMA, machine_hash(stable), stable, _state(facts))


def machine_hash(stable: Stable) -> str:
    """Hash the stable part: SHA-256 over its JSON with sorted keys, in hexadecimal."""
    canonical = msgspec.json.encode(stable, order="sorted")
    return hashlib.sha256(canonical).hexdigest()


def caches_of(machine: Machine, cpu: int) -> tuple[Cache, ...]:
    """List the caches that one CPU uses, nearest first."""
    return tuple(cache for cache in machine.stable.caches if cpu in cache.cpus)


def cpuinfo(facts: Facts) -> dict[str, str]:
    """Read /proc/cpuinfo: the first value of each key, keys in lower case."""
    values: dict[str, str] = {}
    for line in (facts.text("/proc/cpuinfo") or "").splitlines():
        key, separator, value = line.partition(":")
        if separator:
            values.setdefault(key.strip().lower(), value.strip())
    return values


def cpu_flags(facts: Facts) -> frozenset[str]:
    """Read the CPU's feature flags (`flags` on x86, `Features` on ARM)."""
    values = cpuinfo(facts)
    return frozenset((values.get("flags") or values.get("features") or "").split())


def boot_parameters(facts: Facts) -> dict[str, str]:
    """Read the kernel's boot parameters, the last of each name; words after -- are init's."""
    pairs = (word.partition("=") for word in _boot_words(facts))
    return {name: value for name, _, value in pairs}


def _boot_words(facts: Facts) -> list[str]:
    words = (facts.text("/proc/cmdline") or "").split()
    return words[: words.index("--")] if "--" in words else words


def config_option(facts: Facts, name: str) -> str | None:
    """Look up one option of the kernel's configuration.

    Returns:
        Its value ("y", "250"), "n" if it is not set, None if the configuration cannot be read.
    """
    text = facts.text("@config")
    if text is None:
        return None
    found = re.search(rf"^CONFIG_{re.escape(name)}=(.*)$", text, re.MULTILINE)
    return found.group(1).strip() if found else "n"


def preempt_model(facts: Facts) -> str:
    """Tell how the kernel lets itself be preempted: rt, full, lazy, voluntary, none or unknown.

    A PREEMPT_DYNAMIC kernel decides at boot: debugfs shows the mode in parentheses, else preempt=
    sets it, else the configuration's default holds.
    """
    version = facts.text("@uname.version") or ""
    if facts.text("/sys/kernel/realtime") == "1" or "PREEMPT_RT" in version.replace(" ", "_"):
        return "rt"
    active = re.search(r"\((\w+)\)", facts.text("/sys/kernel/debug/sched/preempt") or "")
    if active:
        return active.group(1)
    if "PREEMPT_DYNAMIC" in version and boot_parameters(facts).get("preempt"):
        return boot_parameters(facts)["preempt"]
    for option, model in (
        ("_LAZY", "lazy"),
        ("_VOLUNTARY", "voluntary"),
        ("_NONE", "none"),
        ("", "full"),
    ):
        if config_option(facts, f"PREEMPT{option}") == "y":
            return model
    if "PREEMPT_DYNAMIC" in version or not version:
        return "unknown"
    return "full" if "PREEMPT" in version else "unknown"


def describe_virtualisation(facts: Facts) -> Virtualisation:
    """Tell whether the machine is virtual."""
    hypervisor = facts.text("/sys/hypervisor/type") or facts.text(
        "/proc/device-tree/hypervisor/compatible"
    )
    if not hypervisor:
        names = " ".join(_firmware(facts).values())
        known = () if _WHOLE_MACHINE in names else _DMI_HYPERVISORS
        hypervisor = next((name for name in known if name in names), None)
    if not hypervisor:
        board = (
            f"{facts.text('/proc/device-tree/compatible')} {facts.text('/proc/device-tree/model')}"
        )
        hypervisor = next((name for name in _MADE_UP_BOARDS if name in board), None)
    if hypervisor or "hypervisor" in cpu_flags(facts):
        return Virtualisation(True, hypervisor)
    is_x86 = (facts.text("@uname.machine") or "") in {"x86_64", "i686", "i586"}
    # Only x86 has a flag whose absence says "no hypervisor".
    return Virtualisation(False if is_x86 and cpu_flags(facts) else None, None)


def container(facts: Facts) -> str | None:
    """Name the kind of container that this process runs in; None: no sign of one."""
    marks = {"/run/.containerenv": "podman", "/.dockerenv": "docker"}
    return next((kind for path, kind in marks.items() if facts.text(path) is not None), None)


def hardware_pmus(facts: Facts) -> tuple[str, ...]:
    """List the core PMUs that perf knows: `cpu` on x86, `armv8_pmuv3_0` and the like on ARM."""
    found = (m[1] for m in facts.matching(r"/sys/bus/event_source/devices/([^/]+)/type"))
    return tuple(name for name in found if re.match(r"cpu(?:_|$)|armv\d|apple_.*pmu|riscv", name))


def steal_ratio(now: Sequence[int], before: Sequence[int] | None = None) -> float | None:
    """Tell which share of the CPUs' time the hypervisor gave to others.

    Args:
        now: `cpu_ticks` at the end.
        before: `cpu_ticks` at the beginning; None: since boot.

    Returns:
        Ratio 0 to 1; None if it is not known.
    """
    start = before if before is not None else [0] * _STAT_FIELDS
    if len(now) != _STAT_FIELDS or len(start) != _STAT_FIELDS:
        return None
    passed = [late - early for late, early in zip(now, start, strict=True)]
    return max(passed[-1], 0) / sum(passed) if sum(passed) > 0 else None


def cpu_ticks(facts: Facts) -> list[int]:
    """Read the time of all CPUs by kind, in kernel ticks; empty if it is not known.

    Source:
        proc_stat(5): "cpu user nice system idle iowait irq softirq steal guest guest_nice"; guest
        is contained in user.
    """
    words = (facts.text("/proc/stat") or "").partition("\n")[0].split()
    ticks = [integer(word) for word in words[1 : 1 + _STAT_FIELDS]]
    known = [tick for tick in ticks if tick is not None]
    return known if len(known) == _STAT_FIELDS and words[0] == "cpu" else []


def _vendor(facts: Facts) -> str | None:
    values = cpuinfo(facts)
    implementer = _hexadecimal(values.get("cpu implementer"))
    if implementer is not None:
        return _ARM_IMPLEMENTERS.get(implementer, f"implementer {implementer:#04x}")
    return values.get("vendor_id") or values.get("mvendorid")


def _model(facts: Facts) -> str | None:
    values = cpuinfo(facts)
    implementer, part = (
        _hexadecimal(values.get("cpu implementer")),
        _hexadecimal(values.get("cpu part")),
    )
    if implementer is not None and part is not None:
        unknown = f"implementer {implementer:#04x} part {part:#05x}"
        variant = _hexadecimal(values.get("cpu variant")) or 0
        name = _ARM_CORES.get((implementer, part), unknown)
        return f"{name} r{variant}p{values.get('cpu revision', '?')}"
    for key in ("model name", "uarch", "cpu", "processor", "isa"):
        if values.get(key) and integer(values[key]) is None:
            return values[key]
    return None


def _hexadecimal(text: str | None) -> int | None:
    return int(text, 16) if text and re.fullmatch(r"0x[0-9a-fA-F]{1,8}", text) else None


def _firmware(facts: Facts) -> dict[str, str]:
    """Return the board and its firmware as DMI or the device tree names them."""
    firmware = {m[1]: facts.text(m[0]) or "" for m in facts.matching(r"/sys/class/dmi/id/(\w+)")}
    for key in ("model", "compatible"):
        text = facts.text(f"/proc/device-tree/{key}")
        if text:
            firmware[key] = text.replace("\0", " ")
    return firmware


def _kernel(facts: Facts) -> Kernel:
    parameters = boot_parameters(facts)
    return Kernel(
        name=facts.text("@uname.sysname"),
        release=facts.text("@uname.release"),
        version=facts.text("@uname.version"),
        preempt_model=preempt_model(facts),
        tick_hz=integer(config_option(facts, "HZ")),
        config_sha256=facts.text("@config.sha256"),
        boot_parameters=tuple(
            f"{name}={value}" if value else name
            for name, value in sorted(parameters.items())
            if _TIMING_PARAMETER.fullmatch(name)
        ),
    )


def _cpus(facts: Facts) -> tuple[Cpu, ...]:
    possible = facts.cpus(f"{_CPU}/possible") or facts.cpus(f"{_CPU}/present")
    listed = {int(m[1]) for m in facts.matching(rf"{_CPU}/cpu(\d{{1,4}})/.*")}
    online = facts.cpus(f"{_CPU}/online")
    isolated = facts.cpus(f"{_CPU}/isolated") or ()
    nodes = {cpu: node.node for node in _nodes(facts) for cpu in node.cpus}
    return tuple(
        _cpu(
            facts, number, nodes.get(number), online is None or number in online, number in isolated
        )
        for number in sorted(possible or listed)
    )


def _cpu(facts: Facts, number: int, node: int | None, is_online: bool, is_isolated: bool) -> Cpu:
    base = f"{_CPU}/cpu{number}"
    kilohertz = facts.integer(f"{base}/cpufreq/cpuinfo_max_freq")
    return Cpu(
        cpu=number,
        core=facts.integer(f"{base}/topology/core_id"),
        socket=facts.integer(f"{base}/topology/physical_package_id"),
        node=node,
        siblings=facts.cpus(f"{base}/topology/thread_siblings_list") or (number,),
        is_online=is_online,
        is_isolated=is_isolated,
        capacity=facts.integer(f"{base}/cpu_capacity"),
        max_frequency_hz=None if kilohertz is None else kilohertz * 1000,
    )


def _caches(facts: Facts) -> tuple[Cache, ...]:
    caches: set[Cache] = set()
    for match in facts.matching(rf"({_CPU}/cpu(\d{{1,4}})/cache/index\d+)/level"):
        base = match[1]
        level = facts.integer(f"{base}/level")
        if level is None:
            continue
        caches.add(
            Cache(
                level=level,
                kind=(facts.text(f"{base}/type") or "unknown").lower(),
                size_bytes=_size_bytes(facts.text(f"{base}/size")),
                # Some firmware gives 0 for "not known".
                ways=facts.integer(f"{base}/ways_of_associativity") or None,
                line_bytes=facts.integer(f"{base}/coherency_line_size") or None,
                sets=facts.integer(f"{base}/number_of_sets") or None,
                cpus=facts.cpus(f"{base}/shared_cpu_list") or (int(match[2]),),
            )
        )
    return tuple(sorted(caches, key=lambda cache: (cache.level, cache.kind, cache.cpus)))


def _size_bytes(text: str | None) -> int | None:
    found = re.fullmatch(r"(\d{1,15})([KMG]?)", text or "")
    return int(found[1]) * _SIZE_UNITS[found[2]] if found else None


def _nodes(facts: Facts) -> tuple[Node, ...]:
    nodes: list[Node] = []
    for match in facts.matching(rf"({_NODE}/node(\d{{1,4}}))/cpulist"):
        words = (facts.text(f"{match[1]}/distance") or "").split()
        distances = tuple(value for value in map(integer, words) if value is not None)
        nodes.append(Node(int(match[2]), cpu_list(facts.text(match[0])) or (), distances))
    return tuple(sorted(nodes, key=lambda node: node.node))


def _state(facts: Facts) -> State:
    memory = re.search(
        r"^MemTotal:\s+(\d{1,15}) kB", facts.text("/proc/meminfo") or "", re.MULTILINE
    )
    load = re.match(r"\d{1,9}\.\d{1,9}", facts.text("/proc/loadavg") or "")
    return State(
        hostname=facts.text("@hostname"),
        container=container(facts),
        boot_command_line=" ".join(_boot_words(facts)),
        memory_bytes=int(memory[1]) * 1024 if memory else None,
        clocksource=facts.text("/sys/devices/system/clocksource/clocksource0/current_clocksource"),
        clock_resolution_ns=facts.integer("@resolution_ns"),
        governors={
            m[1]: facts.text(m[0]) or ""
            for m in facts.matching(rf"{_CPU}/(cpu\d+)/cpufreq/scaling_governor")
        },
        frequencies_hz=frequencies_hz(facts),
        temperatures_millicelsius=temperatures_millicelsius(facts),
        steal_ratio=steal_ratio(cpu_ticks(facts)),
        load_average=float(load[0]) if load else None,
        knobs={m[0]: facts.text(m[0]) or "" for m in facts.matching(_KNOBS)},
    )


_KNOBS = (
    r"/proc/sys/.*|/sys/kernel/mm/.*"
    r"|/sys/devices/system/cpu/(?:smt|cpuidle|intel_pstate|cpufreq)/.*"
)


def frequencies_hz(facts: Facts) -> dict[str, int]:
    """Read the frequency each CPU runs at now, from cpufreq, or else /proc/cpuinfo."""
    frequencies: dict[str, int] = {}
    for match in facts.matching(rf"{_CPU}/(cpu\d+)/cpufreq/scaling_cur_freq"):
        kilohertz = facts.integer(match[0])
        if kilohertz is not None:
            frequencies[match[1]] = kilohertz * 1000
    if frequencies:
        return frequencies
    pairs = re.findall(
        r"^processor\s*:\s*(\d{1,4})\n(?:.+\n)*?cpu MHz\s*:\s*(\d{1,6})\.(\d{3})",
        facts.text("/proc/cpuinfo") or "",
        re.MULTILINE,
    )
    return {f"cpu{cpu}": (int(mhz) * 1000 + int(khz)) * 1000 for cpu, mhz, khz in pairs}


def temperatures_millicelsius(facts: Facts) -> dict[str, int]:
    """Read the thermal zones: "thermal_zone0 x86_pkg_temp" → thousandths of a degree Celsius."""
    temperatures: dict[str, int] = {}
    for match in facts.matching(r"/sys/class/thermal/(thermal_zone\d+)/temp"):
        value = facts.integer(match[0])
        if value is not None:
            kind = facts.text(f"/sys/class/thermal/{match[1]}/type") or ""
            temperatures[f"{match[1]} {kind}".strip()] = value
    return temperatures
