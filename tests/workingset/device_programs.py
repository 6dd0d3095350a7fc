# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""A device that is linked with a program, and programs that leave addresses with it in many ways.

Its registers are at an address that the program has as a number. With the program as it is, the
device is a thread; with a runtime of the oracle it takes its steps between those of the program, so
that a trace has one order. It works some steps after the doorbell, while the program waits: what is
called dead then is overwritten before it reads.
"""

import shutil
from dataclasses import dataclass, replace
from pathlib import Path

import pytest
from tests.workingset.oracle_runs import Subject, make_subject, must

# Copies `length` bytes from `from` to `to`, whichever of them is not 0, and sums them up. With
# `is_ring`, `from` is that of a descriptor (address, length) per turn, `length` their count. With
# `encoding`, an address lies at `place`, or in the device's own page where that is 0.
REGISTERS = """
#include <stdint.h>
struct registers {
    uint32_t from_low, from_high, to_low, to_high, length, is_ring, doorbell, is_done, sum;
    uint32_t encoding;
    uint64_t page, place, own_page;
};
enum { WHOLE = 1, PAGE, COMPLEMENT, DIGITS, BITS };
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
static uint64_t decode(const uint8_t *at) {
    uint64_t word, bits = 0, digits = 0;
    memcpy(&word, at, sizeof word);
    for (int i = 0; i < 64; i++) bits |= (uint64_t)(at[i] & 1) << i;
    for (int i = 0; i < 16; i++)
        digits |= (uint64_t)(at[i] <= '9' ? at[i] - '0' : at[i] - 'a' + 10) << 4 * i;
    switch (DEVICE->encoding) {
    case PAGE: return word << 12;
    case COMPLEMENT: return ~word;
    case DIGITS: return digits;
    case BITS: return bits;
    default: return word;
    }
}
void laxity_device_step(void) {
    static int waited;
    if (!DEVICE->doorbell || ++waited < 5) return;
    waited = 0;
    uint64_t from = (uint64_t)DEVICE->from_high << 32 | DEVICE->from_low;
    uint64_t to = (uint64_t)DEVICE->to_high << 32 | DEVICE->to_low;
    if (DEVICE->page) from = (uint64_t)DEVICE->page << 12;
    if (DEVICE->encoding) from = decode((void *)(DEVICE->place ?: DEVICE->own_page));
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
    if (mmap(DEVICE_PAGE, 8192, PROT_READ | PROT_WRITE,
             MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0) != DEVICE_PAGE) abort();
    DEVICE->own_page = 0x10001000;
    if (!laxity_trace_read && pthread_create(&thread, NULL, run, NULL)) abort();
}
""".replace("DEVICE_PAGE", "((void *)0x10000000)")
)

# Memory of unknown origin, in which the program leaves a message; `place` is its address. No value
# for the device is computed from it, where a message could be found by that alone.
PLACES = {
    "a number": "void *place = (void *)0x10001000;",
    "mmap": "void *place = mmap((void *)0x20000000, 4096, PROT_READ | PROT_WRITE,"
    "    MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);"
    "DEVICE->place = 0x20000000;",
    "posix_memalign": "void *place; if (posix_memalign(&place, 4096, 4096)) return 99;"
    "DEVICE->place = (uintptr_t)place;",
    "a register": "void *place = (void *)(uintptr_t)DEVICE->own_page;",
    "a register that is a pointer": "void *place = *(void *volatile *)&DEVICE->own_page;",
    "halves of a register": "const volatile uint32_t *half ="
    "    (const volatile uint32_t *)&DEVICE->own_page;"
    "void *place = (void *)((uintptr_t)half[1] << 32 | half[0]);",
    "a table of numbers": "static const uintptr_t pages[] = {0x10002000, 0x10001000};"
    "void *place = (void *)pages[argc];",
    "a table of pointers": "static void *const pages[] = {(void *)0x10002000, (void *)0x10001000};"
    "void *place = pages[argc];",
}
# How a message of 64 bits gets there.
STORES = {
    "plain": "*(uint64_t *)place = message; __sync_synchronize();",
    "volatile": "*(volatile uint64_t *)place = message;",
    "release": "__atomic_store_n((uint64_t *)place, message, __ATOMIC_RELEASE);",
    "exchange": "__atomic_exchange_n((uint64_t *)place, message, __ATOMIC_SEQ_CST);",
    "compare and swap": "uint64_t old = *(uint64_t *)place;"
    "__sync_val_compare_and_swap((uint64_t *)place, old, message);",
    "sum": "__atomic_fetch_add((uint64_t *)place, message - *(uint64_t *)place, __ATOMIC_RELAXED);",
    "copy": "memcpy(place, &message, sizeof message);",
    "halves": "((uint32_t *)place)[0] = (uint32_t)message;"
    "((uint32_t *)place)[1] = (uint32_t)(message >> 32);",
    "past the caches": "__builtin_nontemporal_store(message, (uint64_t *)place);",
}


@dataclass(frozen=True, slots=True)
class Message:
    """What tells the address of `text`: how the device reads it, and statements for the program."""

    encoding: str
    statements: str


WORD = "uint64_t message = (uintptr_t)text;"
# Of bytes, one for each digit or bit of the address, by a store that is not volatile.
EACH_DIGIT = "uint8_t *at = place; for (int i = 0; i < 16; i++) at[i] = "
EACH_BIT = "uint8_t *at = place; for (int i = 0; i < 64; i++) at[i] = "
MESSAGES = {
    "complement": Message("COMPLEMENT", f"{WORD} *(uint64_t *)place = ~message;"),
    "page": Message("PAGE", f"{WORD} *(uint64_t *)place = message >> 12;"),
    "digits of a table": Message(
        "DIGITS",
        f'static const char digits[] = "0123456789abcdef"; {WORD} {EACH_DIGIT}'
        "(uint8_t)digits[message >> 4 * i & 15];",
    ),
    "bits": Message("BITS", f"{WORD} {EACH_BIT} message >> i & 1;"),
    "comparisons": Message("BITS", f"{WORD} {EACH_BIT} (message & 1ull << i) != 0;"),
    "choices": Message("BITS", f"{WORD} {EACH_BIT} message >> i & 1 ? 3 : 2;"),
    "bits of a table": Message(
        "BITS",
        f"static const uint8_t bits[] = {{2, 3}}; {WORD} {EACH_BIT} bits[message >> i & 1];",
    ),
}
# By branches, which are not followed: the lowest bit of each byte is one of the address.
BRANCHES = {
    "stores in both arms": f"{WORD} uint8_t *at = place; for (int i = 0; i < 64; i++)"
    "{ if (message >> i & 1) at[i] = 1; else at[i] = 2; }",
    "calls in both arms": f"{WORD} uint8_t *at = place; for (int i = 0; i < 64; i++)"
    "{ if (message >> i & 1) bit_1(at + i); else bit_0(at + i); }",
    "a switch": f"{WORD} uint8_t *at = place; for (int i = 0; i < 64; i++)"
    "switch (message >> i & 3) {"
    "case 0: at[i] = 2; break; case 1: at[i] = 1; break;"
    "case 2: at[i] = 4; break; default: at[i] = 3; }",
    "a variable": f"{WORD} {EACH_BIT.replace('at[i] = ', '')}"
    "{ volatile int bit = 0; if (message >> i & 1) bit = 1; at[i] = (uint8_t)bit; }",
    "a table of functions": "static void (*const sends[])(uint8_t *) = {bit_0, bit_1};"
    f"{WORD} uint8_t *at = place; for (int i = 0; i < 64; i++) sends[message >> i & 1](at + i);",
}
# What the device reads: 16 bytes.
TEXTS = {
    "a variable": "static unsigned char text[16];",
    "of a page": "static unsigned char text[16] __attribute__((aligned(4096)));",
    "in a frame": "unsigned char text[16];",
    "of the heap": "unsigned char *text = malloc(16);",
    "of a table": "static unsigned char first[16], second[16];"
    "static unsigned char *const texts[] = {first, second}; unsigned char *text = texts[argc];",
}


def program(place: str, statements: str, encoding: str = "WHOLE", text: str = "a variable") -> str:
    """Write a program that leaves the address of a text at a place; it returns 0 if all is right.

    It overwrites the text at the end: only the device needs the text once it is filled.
    """
    return f"""
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
static void bit_1(uint8_t *at) {{ *at = 1; }}
static void bit_0(uint8_t *at) {{ *at = 2; }}
static int send(void *place, int argc) {{
    {TEXTS[text]}
    for (int i = 0; i < 16; i++) text[i] = 3;
    {statements}
    DEVICE->encoding = {encoding};
    DEVICE->length = 16;
    const int is_wrong = wait_for_device() != 16 * 3;
    for (int i = 0; i < 16; i++) text[i] = 0;
    return is_wrong;
}}
int main(int argc, char **argv) {{
    (void)argv;
    {PLACES[place]}
    return send(place, argc);
}}
"""


def variants() -> dict[str, str]:
    """Programs by what they vary: 8 places * 9 stores + 3 places * 7 messages + 5 texts = 98."""
    programs = {
        f"{store}, at {place}": program(place, f"{WORD} {statement}")
        for place in PLACES
        for store, statement in STORES.items()
    }
    for place in ("a number", "mmap", "a register"):
        for name, message in MESSAGES.items():
            source = program(place, message.statements, message.encoding, "of a page")
            programs[f"{name}, at {place}"] = source
    for text in TEXTS:
        programs[text] = program("a register", f"{WORD} {STORES['plain']}", text=text)
    return programs


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
