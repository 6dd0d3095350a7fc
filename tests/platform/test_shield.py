# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""What a shield moves, what it leaves, and that all of it comes back; on a made-up machine."""

import errno
import os
from pathlib import Path

import pytest
from tests.platform.made_up_kernel import (
    DEFAULT_IRQ,
    OWN_START_TICKS,
    PF_KTHREAD,
    PF_NO_SETAFFINITY,
    RT_RUNTIME,
    WORKQUEUES,
    MadeUpKernel,
)
from typing_extensions import override

from laxity.errors import ConfigError, PlatformError
from laxity.platform.fair_server import runtime_file
from laxity.platform.knobs import changing_knobs
from laxity.platform.shield import (
    NO_KNOBS,
    KnobRequest,
    check_knobs,
    raise_shield,
    shield_notes,
    used_knobs,
)
from laxity.store.manifest import Shield

IRQ = "/proc/irq/{}/smp_affinity_list"
YOUNG_TICKS = OWN_START_TICKS + 50


@pytest.fixture
def kernel(tmp_path: Path) -> MadeUpKernel:
    made = MadeUpKernel(tmp_path)
    made.put(IRQ.format(1), "0-1")
    made.put(IRQ.format(2), "0")
    made.put(IRQ.format(10), "1")
    made.start(2, flags=PF_KTHREAD)
    made.start(3, (1,), flags=PF_KTHREAD | PF_NO_SETAFFINITY)
    made.start(4, (0,), flags=PF_KTHREAD | PF_NO_SETAFFINITY)
    made.start(100)
    made.start(101, (1,), process=100)
    made.start(102, (0,), process=100)
    return made


def test_threads_and_interrupts_leave_the_shielded_cpu_and_come_back(kernel: MadeUpKernel):
    before = dict(kernel.cpus)
    with changing_knobs(kernel, pytest.fail) as knobs:
        shield = raise_shield(knobs, (1,))
        # 0-1 narrowed to 0; 1 alone sent to the rest; 0 left as it is.
        assert kernel.cpus[100] == kernel.cpus[101] == kernel.cpus[102] == {0}
        assert [kernel.read(IRQ.format(n)) for n in (1, 2, 10)] == ["0", "0", "0"]
        assert kernel.read(DEFAULT_IRQ) == kernel.read(WORKQUEUES) == "00000001"
        # The kernel's thread for CPU 1 stays; that for CPU 0 never was there.
        assert kernel.cpus[3] == {1}
        # Our own process places its tasks itself.
        assert kernel.cpus[os.getpid()] == {0, 1}
    assert shield == Shield(
        cpus="1",
        threads_moved=3,
        threads_left=0,
        threads_bound=1,
        interrupts_moved=2,
        interrupts_left=0,
        workqueues_moved=True,
    )
    assert kernel.cpus == before
    assert [kernel.read(IRQ.format(n)) for n in (1, 2, 10)] == ["0-1", "0", "1"]
    assert [kernel.read(DEFAULT_IRQ), kernel.read(WORKQUEUES)] == ["3", "00000003"]


def test_what_cannot_be_moved_is_counted_and_told(kernel: MadeUpKernel):
    kernel.refusals[100] = errno.EBUSY
    kernel.refusals[IRQ.format(10)] = errno.EIO
    kernel.refusals[WORKQUEUES] = errno.EPERM
    with changing_knobs(kernel, pytest.fail) as knobs:
        shield = raise_shield(knobs, (1,))
    assert (shield.threads_moved, shield.threads_left, shield.threads_bound) == (2, 1, 1)
    assert (shield.interrupts_moved, shield.interrupts_left) == (1, 1)
    assert shield.workqueues_moved is False
    assert shield_notes(shield) == [
        "--shield 1: left on these CPUs: 1 threads that the kernel binds to them, 1 threads that "
        "it refused to move, 1 interrupts that it refused to move, unbound work queues"
    ]


def test_shield_that_left_nothing_has_nothing_to_tell():
    shield = Shield(
        cpus="1",
        threads_moved=9,
        threads_left=0,
        threads_bound=0,
        interrupts_moved=0,
        interrupts_left=0,
        workqueues_moved=None,
    )
    assert shield_notes(shield) == []


def test_machine_without_work_queues_or_interrupts_is_shielded_too(kernel: MadeUpKernel):
    kernel.path(WORKQUEUES).unlink()
    for number in (1, 2, 10):
        kernel.path(IRQ.format(number)).unlink()
    with changing_knobs(kernel, pytest.fail) as knobs:
        shield = raise_shield(knobs, (1,))
    assert shield.workqueues_moved is None
    assert shield.interrupts_moved == shield.interrupts_left == 0


def test_children_born_on_the_narrow_cpus_are_freed_with_their_parents(kernel: MadeUpKernel):
    with changing_knobs(kernel, pytest.fail) as knobs:
        raise_shield(knobs, (1,))
        # A child, its thread, a grandchild, and one whose parent has died but not its session.
        kernel.start(300, (0,), parent=100, start_ticks=YOUNG_TICKS)
        kernel.start(301, (0,), process=300, parent=100, start_ticks=YOUNG_TICKS)
        kernel.start(302, (0,), parent=300, start_ticks=YOUNG_TICKS)
        kernel.start(303, (0,), parent=1, session=100, start_ticks=YOUNG_TICKS)
    assert all(kernel.cpus[tid] == {0, 1} for tid in (300, 301, 302, 303))


def test_strangers_and_children_with_cpus_of_their_own_are_left_alone(kernel: MadeUpKernel):
    kernel.start(90, (0,), parent=1, session=90)
    with changing_knobs(kernel, pytest.fail) as knobs:
        raise_shield(knobs, (1,))
        # Older than the run, so not born on the narrow CPUs.
        kernel.start(299, (0,), parent=100, start_ticks=OWN_START_TICKS - 1)
        # Of a family that was not moved.
        kernel.start(304, (0,), parent=90, session=90, start_ticks=YOUNG_TICKS)
        # Placed by somebody.
        kernel.start(305, (1,), parent=100, start_ticks=YOUNG_TICKS)
    assert kernel.cpus[299] == kernel.cpus[304] == {0}
    assert kernel.cpus[305] == {1}


def test_thread_may_run_again_on_cpus_that_were_off_meanwhile(kernel: MadeUpKernel):
    # 0-1 are on; sched_getaffinity tells only these of 0-3.
    kernel.start(42, (0, 1))
    kernel.put("/proc/42/status", "Name:\tx\nCpus_allowed_list:\t0-3")
    with used_knobs(KnobRequest(shield=(1,)), kernel, print):
        assert kernel.cpus[42] == {0}
        kernel.put("/proc/42/status", "Name:\tx\nCpus_allowed_list:\t0")
    assert kernel.cpus[42] == {0, 1, 2, 3}


def test_threads_born_while_others_are_moved_are_moved_too(kernel: MadeUpKernel):
    class Breeding(MadeUpKernel):
        @override
        def set_affinity(self, tid: int, cpus: frozenset[int]) -> None:
            if tid == 100 and 400 not in self.cpus:
                self.start(400, (0, 1), parent=100)
            super().set_affinity(tid, cpus)

    breeding = Breeding(kernel.root)
    breeding.cpus.update(kernel.cpus)
    with changing_knobs(breeding, pytest.fail) as knobs:
        shield = raise_shield(knobs, (1,))
        assert breeding.cpus[400] == {0}
    assert shield.threads_moved == 4
    assert breeding.cpus[400] == {0, 1}


@pytest.mark.parametrize(
    ("shield", "message"),
    [
        ((0, 1), "--shield 0-1: no CPU is left for everything else .online: 0-1.; leave one out"),
        ((2,), "--shield 2: no CPU 2 is online; choose among 0-1"),
        ((1, 7), "--shield 1,7: no CPU 7 is online; choose among 0-1"),
    ],
)
def test_shield_that_cannot_be_is_refused(
    kernel: MadeUpKernel, shield: tuple[int, ...], message: str
):
    with pytest.raises(ConfigError, match=message):
        check_knobs(KnobRequest(shield=shield), kernel)


def test_without_root_nothing_is_begun(kernel: MadeUpKernel, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(os, "geteuid", lambda: 1000)
    with pytest.raises(PlatformError, match=r"--no-throttling: .* run as root"):
        check_knobs(KnobRequest(no_throttling=True), kernel)
    with pytest.raises(PlatformError, match=r"--shield: .* run as root"):
        check_knobs(KnobRequest(shield=(1,)), kernel)
    check_knobs(NO_KNOBS, kernel)


def test_throttling_is_lifted_within_and_its_former_limit_stored(kernel: MadeUpKernel):
    request = KnobRequest(no_throttling=True)
    with used_knobs(request, kernel, pytest.fail) as used:
        assert used.rt_runtime_us_before == 950000
        assert used.shield is None
        assert kernel.read(RT_RUNTIME) == "-1"
    assert kernel.read(RT_RUNTIME) == "950000"


@pytest.mark.parametrize("release", ["6.11.2", "6.12.0-rt5", "7.1"])
def test_fair_server_gives_nothing_within_and_its_share_afterwards(
    kernel: MadeUpKernel, release: str
):
    kernel.put("/proc/sys/kernel/osrelease", release)
    for cpu in (0, 1):
        kernel.put(runtime_file(cpu), "50000000")
    has_one = release != "6.11.2"
    with used_knobs(KnobRequest(no_throttling=True), kernel, pytest.fail):
        assert [kernel.read(runtime_file(cpu)) for cpu in (0, 1)] == 2 * [
            "0" if has_one else "50000000"
        ]
    assert [kernel.read(runtime_file(cpu)) for cpu in (0, 1)] == 2 * ["50000000"]


def test_fair_server_that_cannot_be_reached_is_told(kernel: MadeUpKernel):
    kernel.put("/proc/sys/kernel/osrelease", "6.18.44")
    notes: list[str] = []
    with used_knobs(KnobRequest(no_throttling=True), kernel, notes.append):
        assert kernel.read(RT_RUNTIME) == "-1"
    assert notes == [
        "--no-throttling: the fair server of this kernel could not be switched off for CPU 0-1 "
        "(debugfs): ordinary tasks that wait there get up to 50 ms of each second"
    ]


def test_kernel_that_refuses_to_lift_throttling_ends_the_run(kernel: MadeUpKernel):
    kernel.refusals[RT_RUNTIME] = errno.EROFS
    with (
        pytest.raises(PlatformError, match=r"--no-throttling: .* cannot be written"),
        used_knobs(KnobRequest(no_throttling=True), kernel, print),
    ):
        pytest.fail("begun")


def test_run_without_knobs_touches_no_journal(kernel: MadeUpKernel):
    with used_knobs(NO_KNOBS, kernel, pytest.fail) as used:
        assert used is None
    assert not kernel.path("/run").exists()


def test_masks_of_more_than_32_cpus_are_written_in_groups(kernel: MadeUpKernel):
    kernel.put("/sys/devices/system/cpu/online", "0-39")
    kernel.put(WORKQUEUES, "ff,ffffffff")
    with changing_knobs(kernel, pytest.fail) as knobs:
        raise_shield(knobs, (0, 39))
        # Bits 0 and 39 cleared of ff,ffffffff: 7f,fffffffe.
        assert kernel.read(WORKQUEUES) == "0000007f,fffffffe"
    assert kernel.read(WORKQUEUES) == "ff,ffffffff"
