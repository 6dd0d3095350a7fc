# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""Kernel settings come back, whoever dies; on a made-up machine."""

import errno
import os
from pathlib import Path

import pytest
from tests.platform.made_up_kernel import OWN_START_TICKS, RT_RUNTIME, MadeUpKernel
from typing_extensions import override

from laxity.errors import PlatformError, RecordError
from laxity.platform.knob_journal import (
    DIRECTORY,
    Owner,
    Placement,
    Setting,
    encode_line,
    parse_journal,
    read_journal,
)
from laxity.platform.knobs import changing_knobs, left_journals, left_settings, restore_left

IRQ_7 = "/proc/irq/7/smp_affinity_list"


@pytest.fixture
def kernel(tmp_path: Path) -> MadeUpKernel:
    return MadeUpKernel(tmp_path)


def journals(kernel: MadeUpKernel) -> list[Path]:
    return sorted(kernel.path(DIRECTORY).glob("*"))


def owner(pid: int, boot_id: str = "boot-1") -> Owner:
    return Owner(schema=1, pid=pid, start_ticks=5, boot_id=boot_id)


def leave(kernel: MadeUpKernel, *changes: Setting | Placement, pid: int = 77, boot: str = "boot-1"):
    """Leave the journal of a laxity that was killed: there is no process of this number."""
    path = kernel.path(DIRECTORY) / f"{pid}-5.journal"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(b"".join(map(encode_line, (owner(pid, boot), *changes))))
    return path


def lifted(kernel: MadeUpKernel) -> Setting:
    kernel.put(RT_RUNTIME, "-1")
    return Setting(path=RT_RUNTIME, old="950000", new="-1")


def test_setting_has_its_new_value_within_and_its_old_one_after(kernel: MadeUpKernel):
    notes: list[str] = []
    with changing_knobs(kernel, notes.append) as knobs:
        assert knobs.set(RT_RUNTIME, "-1")
        assert kernel.read(RT_RUNTIME) == "-1"
        (path,) = journals(kernel)
        assert path.name == f"{os.getpid()}-{OWN_START_TICKS}.journal"
        assert read_journal(path) == knobs.left
    assert kernel.read(RT_RUNTIME) == "950000"
    assert journals(kernel) == []
    assert notes == []


def test_setting_comes_back_after_an_error(kernel: MadeUpKernel):
    with pytest.raises(ZeroDivisionError), changing_knobs(kernel, print) as knobs:
        assert 1 / (not knobs.set(RT_RUNTIME, "-1"))
    assert kernel.read(RT_RUNTIME) == "950000"


def test_change_is_on_the_disk_before_it_is_made(kernel: MadeUpKernel):
    class Witness(MadeUpKernel):
        seen: tuple[object, ...] = ()

        @override
        def write(self, name: str, value: str) -> None:
            if value == "-1":
                (path,) = journals(self)
                self.seen = read_journal(path).changes
            super().write(name, value)

    witness = Witness(kernel.root)
    with changing_knobs(witness, print) as knobs:
        knobs.set(RT_RUNTIME, "-1")
    assert witness.seen == (Setting(path=RT_RUNTIME, old="950000", new="-1"),)


def test_setting_that_has_the_value_already_is_not_touched(kernel: MadeUpKernel):
    kernel.put(RT_RUNTIME, "-1")
    with changing_knobs(kernel, print) as knobs:
        assert knobs.set(RT_RUNTIME, "-1")
        assert knobs.left.changes == ()
    assert kernel.read(RT_RUNTIME) == "-1"


def test_setting_that_the_kernel_refuses_or_lacks_is_not_changed(kernel: MadeUpKernel):
    kernel.refusals[RT_RUNTIME] = errno.EIO
    with changing_knobs(kernel, print) as knobs:
        assert not knobs.set(RT_RUNTIME, "-1")
        assert not knobs.set(IRQ_7, "0")
    assert kernel.read(RT_RUNTIME) == "950000"


def test_what_somebody_else_wrote_meanwhile_stays_and_is_told(kernel: MadeUpKernel):
    notes: list[str] = []
    with changing_knobs(kernel, notes.append) as knobs:
        knobs.set(RT_RUNTIME, "-1")
        kernel.put(RT_RUNTIME, "500000")
    assert kernel.read(RT_RUNTIME) == "500000"
    assert notes == [
        f"{RT_RUNTIME}: holds 500000, which somebody else wrote meanwhile; left so, it was 950000 "
        "before the run"
    ]


def test_value_that_the_kernel_made_its_own_of_comes_back_too(kernel: MadeUpKernel):
    class Rounding(MadeUpKernel):
        @override
        def write(self, name: str, value: str) -> None:
            super().write(name, "0-1" if value == "0" else value)

    rounding = Rounding(kernel.root)
    rounding.put(IRQ_7, "1")
    with changing_knobs(rounding, pytest.fail) as knobs:
        assert knobs.set(IRQ_7, "0")
        assert rounding.read(IRQ_7) == "0-1"
    assert rounding.read(IRQ_7) == "1"


def test_two_runs_at_once_are_refused(kernel: MadeUpKernel):
    with (
        changing_knobs(kernel, print) as knobs,
        pytest.raises(PlatformError, match="are changed for another run; wait until it has ended"),
        changing_knobs(kernel, print),
    ):
        pass
    assert knobs.left.changes == ()
    with changing_knobs(kernel, print):
        pass


def test_next_command_puts_back_what_a_killed_run_left(kernel: MadeUpKernel):
    path = leave(kernel, lifted(kernel))
    assert restore_left(kernel) == [
        "a laxity that was killed (process 77) had left kernel settings changed; put back: "
        f"{RT_RUNTIME} = 950000"
    ]
    assert kernel.read(RT_RUNTIME) == "950000"
    assert not path.exists()
    assert restore_left(kernel) == []


def test_what_was_put_back_before_the_journal_could_be_removed_is_no_change(kernel: MadeUpKernel):
    leave(kernel, lifted(kernel))
    kernel.put(RT_RUNTIME, "950000")
    assert restore_left(kernel) == []
    assert journals(kernel) == []


def test_what_is_left_is_described_without_being_changed(kernel: MadeUpKernel):
    kernel.start(200, (0,))
    leave(kernel, lifted(kernel), Placement(tid=200, start_ticks=10, old="0-1", new="0"))
    assert left_settings(kernel) == [
        "left changed by a laxity that was killed (process 77): "
        f"{RT_RUNTIME} is -1, was 950000, 1 thread moved to other CPUs"
    ]
    assert kernel.read(RT_RUNTIME) == "-1"
    assert kernel.cpus[200] == {0}


def test_user_who_may_not_put_back_is_told_who_may(
    kernel: MadeUpKernel, monkeypatch: pytest.MonkeyPatch
):
    leave(kernel, lifted(kernel))
    monkeypatch.setattr(os, "access", lambda *_: False)
    (told,) = restore_left(kernel)
    assert told.endswith(f"{RT_RUNTIME} is -1, was 950000; run laxity doctor as root")
    assert kernel.read(RT_RUNTIME) == "-1"


def test_run_that_lives_keeps_its_settings(kernel: MadeUpKernel):
    leave(kernel, lifted(kernel))
    kernel.start(77, start_ticks=5)
    assert restore_left(kernel) == []
    assert kernel.read(RT_RUNTIME) == "-1"


def test_run_that_lives_in_another_pid_namespace_keeps_its_settings(kernel: MadeUpKernel):
    """Its number is unknown here: the next command put back what it still used."""
    with changing_knobs(kernel, print) as knobs:
        knobs.set(RT_RUNTIME, "-1")
        kernel.end(os.getpid())
        assert restore_left(kernel) == []
        assert kernel.read(RT_RUNTIME) == "-1"
    assert kernel.read(RT_RUNTIME) == "950000"


def test_later_process_of_the_same_number_is_not_the_owner(kernel: MadeUpKernel):
    leave(kernel, lifted(kernel))
    kernel.start(77, start_ticks=6)
    assert restore_left(kernel)
    assert kernel.read(RT_RUNTIME) == "950000"


def test_finisher_knows_that_the_owner_dies_before_the_process_table_does(kernel: MadeUpKernel):
    leave(kernel, lifted(kernel))
    kernel.start(77, start_ticks=5)
    assert restore_left(kernel, owner(77))
    assert kernel.read(RT_RUNTIME) == "950000"


def test_journal_of_an_earlier_boot_is_dropped_for_its_settings_went_with_it(kernel: MadeUpKernel):
    leave(kernel, Setting(path=RT_RUNTIME, old="950000", new="-1"), boot="boot-0")
    kernel.put(RT_RUNTIME, "-1")
    assert restore_left(kernel) == []
    assert kernel.read(RT_RUNTIME) == "-1"
    assert journals(kernel) == []


def test_setting_that_cannot_be_put_back_keeps_its_journal(kernel: MadeUpKernel):
    leave(kernel, lifted(kernel))
    kernel.refusals[RT_RUNTIME] = errno.EROFS
    (told,) = restore_left(kernel)
    assert told.startswith(f"{RT_RUNTIME}: cannot be put back to 950000")
    assert len(left_journals(kernel)[0]) == 1


def test_unfinished_last_line_stands_for_a_change_that_never_happened(kernel: MadeUpKernel):
    path = leave(kernel, lifted(kernel))
    with path.open("ab") as file:
        file.write(b'{"kind":"setting","path":"/pro')
    assert len(restore_left(kernel)) == 1
    assert kernel.read(RT_RUNTIME) == "950000"


@pytest.mark.parametrize(
    "change",
    [
        Setting(path="/etc/passwd", old="root::0:0::/:", new="x"),
        Setting(path="/proc/irq/7/../../sys/kernel/x", old="0", new="1"),
        Setting(path=RT_RUNTIME, old="950000\n", new="-1"),
        Setting(path=RT_RUNTIME, old="", new="-1"),
        Setting(path=IRQ_7, old="0;1", new="0"),
        Placement(tid=0, start_ticks=1, old="0-1", new="0"),
        Placement(tid=9, start_ticks=-1, old="0-1", new="0"),
        Placement(tid=9, start_ticks=1, old="all", new="0"),
    ],
)
def test_change_that_laxity_never_makes_is_not_believed(change: Setting | Placement):
    data = encode_line(owner(77)) + encode_line(change)
    with pytest.raises(RecordError, match="damaged"):
        parse_journal(data, Path("77-5.journal"))


def test_journal_that_others_can_write_is_not_believed(kernel: MadeUpKernel):
    path = leave(kernel, lifted(kernel))
    path.chmod(0o666)
    (told,) = restore_left(kernel)
    assert "others than root can write it" in told
    assert kernel.read(RT_RUNTIME) == "-1"


def test_moved_thread_gets_its_cpus_back_and_a_later_one_of_its_number_is_left(
    kernel: MadeUpKernel,
):
    kernel.start(200, (0,), start_ticks=10)
    kernel.start(201, (0,), start_ticks=99)
    leave(
        kernel,
        Placement(tid=200, start_ticks=10, old="0-1", new="0"),
        Placement(tid=201, start_ticks=10, old="0-1", new="0"),
        Placement(tid=202, start_ticks=10, old="0-1", new="0"),
    )
    (told,) = restore_left(kernel)
    assert told.endswith("put back: the CPUs of 1 thread")
    assert kernel.cpus[200] == {0, 1}
    assert kernel.cpus[201] == {0}


def test_thread_that_somebody_else_moved_stays_there_and_is_counted(kernel: MadeUpKernel):
    kernel.start(200, (1,), start_ticks=10)
    leave(kernel, Placement(tid=200, start_ticks=10, old="0-1", new="0"))
    (told,) = restore_left(kernel)
    assert told == "1 thread got other CPUs from somebody else meanwhile; left so"
    assert kernel.cpus[200] == {1}
