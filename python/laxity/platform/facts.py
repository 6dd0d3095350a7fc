# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""One snapshot of the /proc and /sys files that describe a machine, as text.

Nothing is interpreted here. `machine.py` and `doctor.py` are pure functions of a `Facts`, so a
board needs only to send the same files (`facts_wire.py`), and a test only to make them up.

Keys are absolute paths (`/proc/cpuinfo`). What is no file has a key that starts with `@`:

    @uname.release @uname.version @uname.machine @hostname @euid @clk_tck @page_bytes
    @affinity               CPUs this process may use, as the kernel writes lists ("0-1,3")
    @pid_namespace          "first": of the machine, "own": of a container
    @rlimit.rtprio          "SOFT HARD", "unlimited" for no limit; also .memlock .rttime
    @resolution_ns          resolution of CLOCK_MONOTONIC
    @time_ns                CLOCK_MONOTONIC at the end of the snapshot, the base of every rate
    @access:PATH            any of "r", "w" that this process may do with PATH (empty: neither)
    @knobs.left             sentences on kernel settings that killed runs have left changed
    @config                 the lines of the kernel's configuration that we use
    @config.sha256          hash of the whole configuration
"""

from __future__ import annotations

import errno
import hashlib
import os
import re
import resource
import socket
import stat
import time
import zlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from laxity.core.cpus import format_cpus, parse_cpus
from laxity.errors import LaxityError
from laxity.platform.kernel import Kernel
from laxity.platform.knobs import left_settings

FILE_LIMIT_BYTES = 64 * 1024
# The configuration of a distribution's kernel has 250 to 300 KiB; a "gzip bomb" must not fill our
# memory.
CONFIG_LIMIT_BYTES = 4 * 1024 * 1024
CONFIG_GZ = "/proc/config.gz"

_CPU = "/sys/devices/system/cpu"
# Directory pattern → names of the files read in each directory that matches.
FILES: tuple[tuple[str, tuple[str, ...]], ...] = (
    ("/proc", ("cmdline", "cpuinfo", "filesystems", "interrupts", "loadavg", "meminfo", "stat")),
    ("/proc", ("swaps", "uptime", "version")),
    ("/proc/pressure", ("cpu", "memory")),
    ("/proc/self", ("cgroup", "mountinfo", "status", "uid_map")),
    ("/proc/irq", ("default_smp_affinity",)),
    ("/proc/irq/[0-9]*", ("smp_affinity_list", "effective_affinity_list")),
    ("/proc/device-tree", ("model", "compatible", "hypervisor/compatible")),
    ("/proc/sys/kernel", ("sched_rt_runtime_us", "sched_rt_period_us", "timer_migration")),
    ("/proc/sys/kernel", ("nmi_watchdog", "watchdog_cpumask", "numa_balancing")),
    ("/proc/sys/kernel", ("perf_event_paranoid", "unprivileged_bpf_disabled", "ftrace_enabled")),
    ("/proc/sys/vm", ("stat_interval", "swappiness", "nr_hugepages")),
    (_CPU, ("possible", "present", "online", "isolated", "nohz_full", "smt/control", "smt/active")),
    (_CPU, ("intel_pstate/status", "intel_pstate/no_turbo", "cpufreq/boost")),
    (_CPU, ("cpuidle/current_driver", "cpuidle/current_governor")),
    (f"{_CPU}/vulnerabilities", ("meltdown", "spectre_v2", "mds", "retbleed", "l1tf")),
    (f"{_CPU}/cpu[0-9]*", ("cpu_capacity", "microcode/version")),
    (
        f"{_CPU}/cpu[0-9]*/topology",
        ("core_id", "cluster_id", "die_id", "physical_package_id", "thread_siblings_list"),
    ),
    (
        f"{_CPU}/cpu[0-9]*/cache/index[0-9]*",
        ("level", "type", "size", "ways_of_associativity", "coherency_line_size"),
    ),
    (f"{_CPU}/cpu[0-9]*/cache/index[0-9]*", ("number_of_sets", "shared_cpu_list")),
    (
        f"{_CPU}/cpu[0-9]*/cpufreq",
        ("scaling_governor", "scaling_driver", "scaling_cur_freq", "cpuinfo_max_freq"),
    ),
    (f"{_CPU}/cpu[0-9]*/cpufreq", ("scaling_min_freq", "scaling_max_freq", "base_frequency")),
    (f"{_CPU}/cpu[0-9]*/cpuidle/state[0-9]*", ("name", "latency", "disable")),
    (f"{_CPU}/cpu[0-9]*/thermal_throttle", ("core_throttle_count", "package_throttle_count")),
    ("/sys/devices/system/node", ("online",)),
    ("/sys/devices/system/node/node[0-9]*", ("cpulist", "distance", "meminfo")),
    (
        "/sys/devices/system/clocksource/clocksource0",
        ("current_clocksource", "available_clocksource"),
    ),
    ("/sys/devices/virtual/workqueue", ("cpumask",)),
    ("/sys/bus/event_source/devices/*", ("type",)),
    ("/sys/kernel", ("realtime", "security/lockdown", "debug/sched/preempt")),
    ("/sys/kernel/debug/sched/fair_server/cpu[0-9]*", ("runtime", "period")),
    ("/sys/kernel/mm", ("transparent_hugepage/enabled", "ksm/run")),
    ("/sys/kernel/tracing", ("available_tracers", "current_tracer")),
    ("/sys/kernel/debug/tracing", ("available_tracers", "current_tracer")),
    ("/sys/fs/resctrl/info/*", ("num_closids", "mon_features")),
    ("/sys/class/thermal/thermal_zone[0-9]*", ("type", "temp")),
    (
        "/sys/class/dmi/id",
        ("sys_vendor", "product_name", "board_name", "bios_vendor", "bios_version", "bios_date"),
    ),
    ("/sys/hypervisor", ("type",)),
    ("", (".dockerenv", "run/.containerenv")),
)
ACCESS_PATHS = ("/dev/cpu_dma_latency", "/sys/kernel/btf/vmlinux", "/dev/hugepages")
_CGROUP_FILES = {
    "cpu": ("cpu.rt_runtime_us", "cpu.rt_period_us", "cpu.cfs_quota_us", "cpu.cfs_period_us"),
    "cpuset": ("cpuset.cpus", "cpuset.effective_cpus", "cpuset.cpu_exclusive"),
    "": ("cpu.max", "cpuset.cpus.effective", "cpuset.cpus.partition"),
}
_CONFIG_LINE = re.compile(
    r"(?:# )?(CONFIG_(?:HZ(?:_\d+)?|PREEMPT\w*|NO_HZ\w*|RT_GROUP_SCHED|PROVE_LOCKING|LOCKDEP"
    r"|KASAN|KCSAN|KMSAN|KFENCE|UBSAN|DEBUG_PREEMPT|DEBUG_OBJECTS|DEBUG_LOCK_ALLOC|DEBUG_PAGEALLOC"
    r"|SLUB_DEBUG_ON|SCHED_DEBUG|SCHEDSTATS|DEBUG_INFO_BTF|BPF_SYSCALL|PERF_EVENTS|HIGH_RES_TIMERS"
    r"|CPU_ISOLATION|RCU_NOCB_CPU|FTRACE|TIMERLAT_TRACER|OSNOISE_TRACER|NUMA|X86_CPU_RESCTRL"
    r"|VIRT_CPU_ACCOUNTING_GEN|CPU_FREQ|CPU_IDLE))(?:=| is not set)"
)
# PROC_PID_INIT_INO in the kernel's proc_ns.h.
_FIRST_PID_NAMESPACE = 0xEFFFFFFC
_NAME_AND_NUMBER = 2
ABSENT_ERRORS = {errno.ENOENT, errno.ENOTDIR, errno.ENODEV, errno.ENXIO, errno.EOPNOTSUPP}


@dataclass(frozen=True, slots=True)
class Absent:
    """The machine has no such file: a feature it lacks, not a failure to read it."""


@dataclass(frozen=True, slots=True)
class Denied:
    """The file may exist, but could not be read; `reason` says why."""

    reason: str


ABSENT = Absent()


@dataclass(frozen=True)
class Facts:
    """What was read from one machine at one moment.

    Attributes:
        files: Text by key (see the module's docstring).
        denied: Reason by key, for what exists but could not be read.
        truncated: Keys whose text was cut at 64 KiB, after a whole line.
    """

    files: Mapping[str, str]
    denied: Mapping[str, str] = field(default_factory=dict)
    truncated: tuple[str, ...] = ()

    def read(self, key: str) -> str | Absent | Denied:
        """Return the text of `key` without surrounding blanks, or why there is none."""
        if key in self.files:
            return self.files[key].strip(" \t\r\n\0")
        if key in self.denied:
            return Denied(self.denied[key])
        return ABSENT

    def text(self, key: str) -> str | None:
        """Return the text of `key`; None if it is absent or denied."""
        found = self.read(key)
        return found if isinstance(found, str) else None

    def integer(self, key: str) -> int | None:
        """Return the number that `key` holds; None if there is none."""
        return integer(self.text(key))

    def cpus(self, key: str) -> tuple[int, ...] | None:
        """Return the CPUs of a kernel list ("0-1,3"); None if there is no readable list."""
        return cpu_list(self.text(key))

    def matching(self, pattern: str) -> Iterator[re.Match[str]]:
        """Yield the match of every key of a file that matches `pattern` whole, sorted by key."""
        compiled = re.compile(pattern)
        for key in sorted(self.files):
            match = compiled.fullmatch(key)
            if match:
                yield match


def integer(text: str | None) -> int | None:
    """Read a decimal number as the kernel prints it; None if `text` is none."""
    # 20 digits hold every 64-bit number; more is not the kernel's.
    number = re.fullmatch(r"[+-]?[0-9]{1,20}", (text or "").strip())
    return None if number is None else int(number[0])


def cpu_list(text: str | None) -> tuple[int, ...] | None:
    """Read a kernel CPU list; an empty one is (), one that is none is None."""
    if text is None:
        return None
    if not text.strip() or text.strip() == "(null)":
        return ()
    try:
        return tuple(parse_cpus(text.strip()))
    except (LaxityError, ValueError):
        return None


def cpu_mask(text: str | None) -> tuple[int, ...] | None:
    """Read a kernel CPU mask in hexadecimal ("ff,ffffffff"); None if it is none."""
    digits = (text or "").strip().replace(",", "")
    # 8192 CPUs, the kernel's largest NR_CPUS, are 2048 digits.
    if not re.fullmatch(r"[0-9a-fA-F]{1,2048}", digits):
        return None
    mask = int(digits, 16)
    return tuple(cpu for cpu in range(mask.bit_length()) if mask >> cpu & 1)


def collect_facts(root: Path = Path("/"), groups: str | None = None) -> Facts:
    """Read this machine's facts, or those of a copy of another machine's /proc and /sys.

    Args:
        root: Directory that holds proc, sys and boot. Facts that are no files (keys with `@`, but
            for the configuration) are collected for "/" alone: of a copy they would describe the
            wrong machine.
        groups: /proc/PID/cgroup of the process whose control groups are read; None: this process.

    Returns:
        The snapshot; a file that is absent has no key.
    """
    reader = _Reader(root)
    for directory, names in FILES:
        for found in _directories(root, directory):
            for name in names:
                reader.read(f"{found}/{name}")
    if groups is not None:
        reader.files["/proc/self/cgroup"] = groups
    for path in cgroup_files(reader.snapshot()):
        reader.read(path)
    _read_config(reader)
    if root == Path("/"):
        _read_process(reader)
    return reader.snapshot()


def cgroup_files(facts: Facts) -> tuple[str, ...]:
    """List the control files of this process's cgroups, its own first, then those above it.

    Source:
        cgroups(7): /proc/self/cgroup gives the group, /proc/self/mountinfo where each hierarchy is
        mounted (field 4 = the group that is the mount's root: not "/" in a container).
    """
    found = cgroup_directories(
        facts.text("/proc/self/cgroup") or "", facts.text("/proc/self/mountinfo") or ""
    )
    return tuple(
        f"{directory}/{name}"
        for controller, directory in found
        for name in _CGROUP_FILES.get(controller, ())
    )


def cgroup_directories(groups: str, mountinfo: str) -> Iterator[tuple[str, str]]:
    """Give controller ("" for version 2) and directory of a process's cgroups and those above.

    Args:
        groups: /proc/PID/cgroup.
        mountinfo: /proc/self/mountinfo.
    """
    mounts = _cgroup_mounts(mountinfo)
    for line in groups.splitlines():
        _, _, rest = line.partition(":")
        controllers, _, group = rest.partition(":")
        for controller in controllers.split(","):
            mounted = mounts.get(controller)
            if mounted is not None:
                for directory in _upwards(_below_mount(group, *mounted), mounted[1]):
                    yield controller, directory


def _upwards(directory: str, mount_point: str) -> Iterator[str]:
    """Give a directory and all above it, up to the mount point of its hierarchy."""
    top = mount_point.rstrip("/")
    while directory.startswith(f"{top}/"):
        yield directory
        directory = directory.rpartition("/")[0]
    yield directory


def _cgroup_mounts(mountinfo: str) -> dict[str, tuple[str, str]]:
    """Map each v1 controller, and "" for v2, to (root of the mount, mount point)."""
    mounts: dict[str, tuple[str, str]] = {}
    for line in mountinfo.splitlines():
        before, separator, after = line.partition(" - ")
        fields, kind = before.split(" "), after.split(" ")
        # Fields 4 and 5 of proc_pid_mountinfo(5); then "type source options" behind the dash.
        if not separator or len(fields) < 5 or len(kind) < 3:  # noqa: PLR2004
            continue
        if kind[0] == "cgroup2":
            mounts.setdefault("", (fields[3], fields[4]))
        if kind[0] == "cgroup":
            for option in kind[2].split(","):
                mounts.setdefault(option, (fields[3], fields[4]))
    return mounts


def _below_mount(group: str, mount_root: str, mount_point: str) -> str:
    """Return the directory of `group` where the hierarchy is mounted."""
    inside = group
    if mount_root != "/" and (group + "/").startswith(mount_root + "/"):
        inside = group[len(mount_root) :]
    return mount_point.rstrip("/") + inside.rstrip("/")


def _directories(root: Path, pattern: str) -> list[str]:
    if not any(letter in pattern for letter in "*["):
        return [pattern]
    return sorted(f"/{found.relative_to(root)}" for found in root.glob(pattern.lstrip("/")))


class _Reader:
    """Collects text and refusals while a snapshot is taken."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.files: dict[str, str] = {}
        self.denied: dict[str, str] = {}
        self.truncated: list[str] = []

    def snapshot(self) -> Facts:
        return Facts(dict(self.files), dict(self.denied), tuple(self.truncated))

    def path(self, key: str) -> Path:
        return self.root / key.lstrip("/")

    def read(self, key: str) -> None:
        """Read one file, at most 64 KiB of it."""
        try:
            data = _read_file(self.path(key), FILE_LIMIT_BYTES + 1)
        except OSError as error:
            if error.errno not in ABSENT_ERRORS:
                self.denied[key] = os.strerror(error.errno or 0).lower()
            return
        if data is None:
            self.denied[key] = "not a regular file"
            return
        if len(data) > FILE_LIMIT_BYTES:
            data = whole_lines(data[:FILE_LIMIT_BYTES])
            self.truncated.append(key)
        self.files[key] = data.decode("utf-8", "replace")


def _read_file(path: Path, limit_bytes: int) -> bytes | None:
    """Read a regular file, without blocking on a pipe or a device; None if it is none."""
    descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_NOCTTY | os.O_CLOEXEC)
    try:
        if not stat.S_ISREG(os.fstat(descriptor).st_mode):
            return None
        # /proc gives at most one page per read.
        chunks: list[bytes] = []
        remaining = limit_bytes
        while remaining > 0:
            chunk = os.read(descriptor, remaining)
            if not chunk:
                break
            chunks.append(chunk)
            remaining -= len(chunk)
        return b"".join(chunks)
    finally:
        os.close(descriptor)


def _read_config(reader: _Reader) -> None:
    """Store the lines that we use of the kernel's configuration, and the hash of the whole."""
    release = os.uname().release if reader.root == Path("/") else "*"
    boot = sorted(reader.root.glob(f"boot/config-{release}"))
    for path in [reader.root / CONFIG_GZ.lstrip("/"), *boot]:
        try:
            values = config_values(str(path), _read_file(path, CONFIG_LIMIT_BYTES) or b"")
        except (OSError, zlib.error):
            continue
        reader.files.update(values)
        return


def config_values(path: str, data: bytes) -> dict[str, str]:
    """Return `@config` and `@config.sha256` of a configuration, compressed if `path` says so.

    Raises:
        zlib.error: It is not gzip.
    """
    if path.endswith(".gz"):
        # 31 = the largest window, and a gzip header (zlib's inflateInit2).
        data = zlib.decompressobj(31).decompress(data, CONFIG_LIMIT_BYTES)
    lines = data.decode("utf-8", "replace").splitlines()
    return {
        "@config": "\n".join(line for line in lines if _CONFIG_LINE.match(line)),
        "@config.sha256": hashlib.sha256(data).hexdigest(),
    }


def whole_lines(data: bytes) -> bytes:
    """Drop the last line of a text that was cut."""
    return data.rpartition(b"\n")[0]


def _read_process(reader: _Reader) -> None:
    """Add what this process is and may do."""
    name = os.uname()
    values = {
        "@uname.sysname": name.sysname,
        "@uname.release": name.release,
        "@uname.version": name.version,
        "@uname.machine": name.machine,
        "@hostname": socket.gethostname(),
        "@euid": str(os.geteuid()),
        "@clk_tck": str(os.sysconf("SC_CLK_TCK")),
        "@page_bytes": str(os.sysconf("SC_PAGE_SIZE")),
        "@affinity": format_cpus(os.sched_getaffinity(0)),
        "@pid_namespace": _pid_namespace(),
        "@resolution_ns": str(round(time.clock_getres(time.CLOCK_MONOTONIC) * 1e9)),
        "@rlimit.rtprio": _rlimit(resource.RLIMIT_RTPRIO),
        "@rlimit.memlock": _rlimit(resource.RLIMIT_MEMLOCK),
        "@rlimit.rttime": _rlimit(resource.RLIMIT_RTTIME),
        "@knobs.left": "\n".join(left_settings(Kernel(reader.root))),
    }
    for path in ACCESS_PATHS:
        if Path(path).exists():
            allowed = (("r", os.R_OK), ("w", os.W_OK))
            values[f"@access:{path}"] = "".join(
                way for way, mode in allowed if os.access(path, mode)
            )
    values["@time_ns"] = str(time.monotonic_ns())
    reader.files.update(values)


def _pid_namespace() -> str:
    """Tell whether this process numbers processes as the machine does, as native/facts does."""
    try:
        status = Path("/proc/self/status").read_text(encoding="utf-8", errors="replace")
        inode = Path("/proc/self/ns/pid").stat().st_ino
    except OSError:
        return "first"  # a kernel without PID namespaces
    numbers = next((line for line in status.splitlines() if line.startswith("NSpid:")), "")
    is_first = inode == _FIRST_PID_NAMESPACE and len(numbers.split()) <= _NAME_AND_NUMBER
    return "first" if is_first else "own"


def _rlimit(which: int) -> str:
    limits = resource.getrlimit(which)
    return " ".join("unlimited" if n == resource.RLIM_INFINITY else str(n) for n in limits)
