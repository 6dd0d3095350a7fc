# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""Memory that a device reads: the oracle and the poison see what the analysis must not forget.

A device is linked with each program, in code that is neither traced nor analysed. Its registers are
at an address that the program has as a number. As the program is, the device is a thread; with a
runtime of the oracle it takes its steps between those of the program, so that a trace has one
order. It works some steps after the doorbell, while the program waits: what is called dead then is
overwritten before it reads.
"""

import shutil
from dataclasses import dataclass, replace
from pathlib import Path

import pytest
from tests.workingset.oracle_runs import Subject, make_subject, must, objects_of

# Copies `length` bytes from `from` to `to`, whichever of them is not 0, and sums them up. With
# `is_ring`, `from` is that of a descriptor (address, length) per turn, `length` their count.
REGISTERS = """
#include <stdint.h>
struct registers {
    uint32_t from_low, from_high, to_low, to_high, length, is_ring, doorbell, is_done, sum;
    uint64_t page;
};
#define DEVICE ((volatile struct registers *)0x10000000)
static inline uint32_t wait_for_device(void) {
    DEVICE->is_done = 0;
    DEVICE->doorbell = 1;
    while (!DEVICE->is_done) { }
    return DEVICE->sum;
}
"""
DEVICE = (
    REGISTERS
    + """
#include <pthread.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
void laxity_trace_read(const void *, uint64_t) __attribute__((weak));
void laxity_trace_write(const void *, uint64_t) __attribute__((weak));
struct descriptor { uint64_t address; uint64_t length; };
static uint8_t bytes[4096];

static void take(uint64_t address, size_t length) {
    if (laxity_trace_read) laxity_trace_read((void *)address, length);
    memcpy(bytes, (void *)address, length);
    for (size_t i = 0; i < length; i++) DEVICE->sum += bytes[i];
}
void laxity_device_step(void) {
    static int waited;
    if (!DEVICE->doorbell || ++waited < 5) return;
    waited = 0;
    uint64_t from = (uint64_t)DEVICE->from_high << 32 | DEVICE->from_low;
    uint64_t to = (uint64_t)DEVICE->to_high << 32 | DEVICE->to_low;
    if (DEVICE->page) from = (uint64_t)DEVICE->page << 12;
    DEVICE->sum = 0;
    if (DEVICE->is_ring) {
        for (uint32_t i = 0; i < DEVICE->length; i++) {
            struct descriptor one;
            take(from + i * sizeof one, sizeof one);
            memcpy(&one, bytes, sizeof one);
            DEVICE->sum = 0;
            take(one.address, one.length);
        }
    } else if (from) {
        take(from, DEVICE->length);
    } else {
        memset(bytes, 5, DEVICE->length);
    }
    if (to) {
        memcpy((void *)to, bytes, DEVICE->length);
        if (laxity_trace_write) laxity_trace_write((void *)to, DEVICE->length);
    }
    DEVICE->doorbell = 0;
    __sync_synchronize();
    DEVICE->is_done = 1;
}
static void *run(void *unused) {
    for (;;) { laxity_device_step(); usleep(100); }
    return unused;
}
__attribute__((constructor)) static void begin(void) {
    pthread_t thread;
    if (mmap(DEVICE_PAGE, 4096, PROT_READ | PROT_WRITE,
             MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0) != DEVICE_PAGE) abort();
    if (!laxity_trace_read && pthread_create(&thread, NULL, run, NULL)) abort();
}
""".replace("DEVICE_PAGE", "((void *)0x10000000)")
)


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


def make_given(source: str, folder: Path) -> Subject:
    """Compile a program and the device that is linked with it."""
    if shutil.which("clang-19") is None:
        pytest.skip("needs LLVM 19 (laxity setup --with workingset)")
    device = folder / "device.c"
    device.write_text(DEVICE, encoding="utf-8")
    compiled = device.with_suffix(".o")
    must("clang-19", "-O1", "-fPIC", "-w", "-c", device, "-o", compiled)
    subject = make_subject(REGISTERS + source, folder)
    return replace(subject, beside=(compiled,))


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
