# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""Memory that a device reads: the oracle and the poison see what the analysis must not forget.

A device is linked with each program, in code that is neither traced nor analysed
(device_programs.py).
"""

import json
from dataclasses import dataclass
from pathlib import Path

import pytest
from tests.workingset.device_programs import (
    BRANCHES,
    make_given,
    program,
    variants,
)
from tests.workingset.oracle_runs import Subject, must, objects_of


@dataclass(frozen=True, slots=True)
class Given:
    """A program that leaves memory with the device, its exit code, and what each fault loses.

    Nothing is printed: output is flushed by code that may read what has escaped.
    """

    code: int
    source: str
    violated: dict[str, set[str]]


GIVEN = {
    "an address in two halves": Given(
        120,
        """
static unsigned char text[16];
int main(void) {
    for (int i = 0; i < 16; i++) text[i] = (unsigned char)i;
    DEVICE->from_low = (uint32_t)(uintptr_t)text;
    DEVICE->from_high = (uint32_t)((uintptr_t)text >> 32);
    DEVICE->length = 16;
    return (int)wait_for_device(); // 0 + 1 + ... + 15 = 120
}
""",
        {"device-reads-dropped": {"text"}},
    ),
    "the number of a page": Given(
        24,
        """
static unsigned char text[8] __attribute__((aligned(4096)));
int main(void) {
    for (int i = 0; i < 8; i++) text[i] = 3;
    DEVICE->length = 8;
    DEVICE->page = (uintptr_t)text >> 12;
    return (int)wait_for_device(); // 8 * 3 = 24
}
""",
        {"device-reads-dropped": {"text"}},
    ),
    "a ring of descriptors": Given(
        16,
        """
static struct { uint64_t address; uint64_t length; } ring[2];
static unsigned char first[4], second[8];
static void give(void *at) {
    DEVICE->from_low = (uint32_t)(uintptr_t)at;
    DEVICE->from_high = (uint32_t)((uintptr_t)at >> 32);
}
int main(void) {
    for (int i = 0; i < 4; i++) first[i] = 1;
    for (int i = 0; i < 8; i++) second[i] = 2;
    ring[0].address = (uintptr_t)first;
    ring[0].length = sizeof first;
    ring[1].address = (uintptr_t)second;
    ring[1].length = sizeof second;
    give(ring);
    DEVICE->is_ring = 1;
    DEVICE->length = 2;
    return (int)wait_for_device(); // of the last: 8 * 2 = 16
}
""",
        {
            "device-reads-dropped": {"ring", "first", "second"},
            "device-reach-dropped": {"first", "second"},
        },
    ),
    "a buffer in a frame": Given(
        96,
        """
static uint32_t send(unsigned char fill) {
    unsigned char text[32];
    for (int i = 0; i < 32; i++) text[i] = fill;
    DEVICE->from_low = (uint32_t)(uintptr_t)text;
    DEVICE->from_high = (uint32_t)((uintptr_t)text >> 32);
    DEVICE->length = 32;
    return wait_for_device();
}
int main(void) { return (int)(send(1) + send(2)); } // 32 * 1 + 32 * 2 = 96
""",
        {"device-reads-dropped": {"send:0:text"}},
    ),
    "an index that the device writes": Given(
        6,
        """
static int at, table[8];
int main(int argc, char **argv) {
    (void)argv;
    for (int i = 0; i < 8; i++) table[i] = i + argc;
    DEVICE->to_low = (uint32_t)(uintptr_t)&at;
    DEVICE->to_high = (uint32_t)((uintptr_t)&at >> 32);
    DEVICE->length = 1; // the device fills it with 5
    wait_for_device();
    return table[at]; // table[5] = 5 + 1 = 6
}
""",
        {"device-writes-dropped": {"table"}},
    ),
}


@pytest.mark.parametrize("name", GIVEN)
def test_what_a_device_reads_later_is_live_and_survives_poison(name: str, tmp_path: Path) -> None:
    subject = make_given(GIVEN[name].source, tmp_path)
    assert subject.run_plain().returncode == GIVEN[name].code
    assert subject.trace().returncode == GIVEN[name].code
    verdict = subject.judge()
    assert verdict["status"] == "covered", verdict["violations"]
    poisoned, _ = subject.run_poisoned()
    assert poisoned.returncode == GIVEN[name].code


@pytest.mark.parametrize(
    ("name", "fault"), [(name, fault) for name in GIVEN for fault in GIVEN[name].violated]
)
def test_oracle_sees_what_an_analysis_without_devices_calls_dead(
    name: str, fault: str, tmp_path: Path
) -> None:
    subject = make_given(GIVEN[name].source, tmp_path)
    assert subject.trace().returncode == GIVEN[name].code
    verdict = subject.judge_faulty(f"--fault={fault}")
    assert verdict["status"] == "violated"
    assert objects_of(verdict) == GIVEN[name].violated[fault]


def test_poison_reaches_a_device_that_the_analysis_forgets(tmp_path: Path) -> None:
    # What the device sums up is what the poison left, not 0 + ... + 15 = 120.
    given = GIVEN["an address in two halves"]
    subject = make_given(given.source, tmp_path)
    assert subject.trace().returncode == given.code
    table = subject.path(".table")
    subject.judge_faulty("--fault=device-reads-dropped", "--poison", str(table))
    poisoned, amount = subject.run_poisoned()
    assert amount > 0
    assert poisoned.returncode not in {given.code, 99}  # 99: the poison gave up


# All of them take minutes; every fifth has each place, store and message once at least.
VARIANTS = [
    pytest.param(name, marks=() if number % 5 == 0 else pytest.mark.slow)
    for number, name in enumerate(variants())
]


@pytest.mark.parametrize("name", VARIANTS)
def test_an_address_is_followed_to_the_device_in_every_form(name: str, tmp_path: Path) -> None:
    subject = make_given(variants()[name], tmp_path)
    assert subject.run_plain().returncode == 0
    assert subject.trace().returncode == 0
    verdict = subject.judge()
    assert verdict["status"] == "covered", verdict["violations"]
    poisoned, _ = subject.run_poisoned()
    assert poisoned.returncode == 0
    # A volatile store may go to the text itself, as far as the analysis knows, and keeps that live.
    if not name.startswith("volatile"):
        verdict = subject.judge_faulty("--fault=device-reads-dropped")
        assert verdict["status"] == "violated"


def assumptions_of(subject: Subject, folder: Path) -> list[str]:
    """What the tool says of devices."""
    must(subject.tool.with_name("laxity-workingset"), subject.bitcode, "--out", folder / "out")
    summary = json.loads((folder / "out/summary.json").read_text(encoding="utf-8"))
    return [note for note in summary["assumptions"] if note.startswith("devices:")]


@pytest.mark.parametrize("name", BRANCHES)
def test_an_address_that_branches_send_is_named_and_kept_where_that_is_annotated(
    name: str, tmp_path: Path
) -> None:
    subject = make_given(program("mmap", BRANCHES[name], "BITS"), tmp_path)
    assert subject.run_plain().returncode == 0
    assert subject.trace().returncode == 0
    assert objects_of(subject.judge()) == {"send.text"}
    [note] = assumptions_of(subject, tmp_path)
    assert note.endswith("list in [devices] buffers: send.text")
    annotations = tmp_path / "annotations.json"
    annotations.write_text('{"buffers": {"send.text": "reads"}}', encoding="utf-8")
    verdict = subject.judge("--annotations", str(annotations))
    assert verdict["status"] == "covered", verdict["violations"]


def test_branches_on_numbers_and_comparisons_of_pointers_are_no_doubt(tmp_path: Path) -> None:
    # The length is stored with no address, and a comparison of two pointers is no address.
    source = """
static int length = 3, first, second;
int main(int argc, char **argv) {
    (void)argv;
    int *one = argc > 1 ? &first : &second;
    if (length > argc) DEVICE->length = 1; else DEVICE->length = 2;
    if (one == &first) DEVICE->page = 1; else DEVICE->page = 2;
    return 0;
}
"""
    assert assumptions_of(make_given(source, tmp_path), tmp_path) == []
