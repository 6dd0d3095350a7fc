# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""Instructions that are known to keep nothing, in listings of objdump."""

import pytest

from laxity.suites.instructions import unlisted_instructions


def listing(file_format: str, *instructions: str) -> str:
    """Write what objdump prints of one function."""
    lines = [f"{4 * n:4x}:\t{text}" for n, text in enumerate(instructions)]
    return f"\np.o:     file format {file_format}\n\n00 <job>:\n" + "\n".join(lines) + "\n"


# What compilers make of C, one of each kind.
COMPILED = {
    "elf64-x86-64": (
        "endbr64", "lock cmpxchg DWORD PTR [rdi],esi", "rep stos QWORD PTR es:[rdi],rax",
        "mov    rax,QWORD PTR fs:0x28", "cs nop WORD PTR [rax+rax*1+0x0]", "cvttsd2si eax,xmm0",
        "fldcw  WORD PTR [rsp-0x2]", "stmxcsr DWORD PTR [rsp]", "vfmadd213sd xmm0,xmm1,xmm2",
        "vpaddd ymm0,ymm1,ymm2", "jne    10 <job+0x10>", "notrack jmp rax", "ud2",
    ),
    "elf64-littleaarch64": (
        "mrs\tx0, tpidr_el0", "ldp\tx29, x30, [sp], #16", "b.ne\t10 <job+0x10>", "msr\tfpcr, x1",
        "fcvtzs\tw0, d0", "ldaxr\tw2, [x0]",
    ),
    "elf32-littlearm": (
        "mrc\t15, 0, r3, cr13, cr0, {3}", "ldmiane\tsp!, {r4, pc}", "addeq.w\tr0, r1, r2",
        "vmrs\tAPSR_nzcv, fpscr", "vcvt.f64.s32\td0, s0", "itete\teq",
    ),
    "elf32-powerpc": (
        "stwu    r1,-16(r1)", "beqlr", "rlwinm. r9,r9,0,28,28", "fctiwz  f0,f1", "mffs    f0",
    ),
    "elf64-littleriscv": ("sd\tra,8(sp)", "amoadd.w.aqrl\ta0,a1,(a2)", "fcvt.w.d\ta0,fa0,rtz"),
}  # fmt: skip


@pytest.mark.parametrize("file_format", COMPILED)
def test_what_compilers_make_of_c_is_listed(file_format: str):
    assert unlisted_instructions(listing(file_format, *COMPILED[file_format])) == ()


@pytest.mark.parametrize(
    ("file_format", "instruction", "name"),
    [
        ("elf64-x86-64", "syscall", "syscall"),
        ("elf64-x86-64", "int    0x80", "int"),
        ("elf64-x86-64", "rdtsc", "rdtsc"),
        ("elf64-x86-64", "rdtscp", "rdtscp"),
        ("elf64-x86-64", "rdrand eax", "rdrand"),
        ("elf64-x86-64", "cpuid", "cpuid"),
        ("elf64-x86-64", "std", "std"),
        ("elf64-x86-64", "mov    fs,eax", "mov"),
        ("elf64-x86-64", "wrfsbase rax", "wrfsbase"),
        ("elf64-x86-64", "repz nonsense", "nonsense"),
        ("elf64-littleaarch64", "svc\t#0x0", "svc"),
        ("elf64-littleaarch64", "mrs\tx0, cntvct_el0", "mrs"),
        ("elf64-littleaarch64", "msr\ttpidr_el0, x0", "msr"),
        ("elf32-littlearm", "svc\t0x00000000", "svc"),
        ("elf32-littlearm", "mrc\t15, 0, r3, cr9, cr13, {0}", "mrc"),
        ("elf32-powerpc", "sc", "sc"),
        ("elf32-powerpc", "mftb    r3", "mftb"),
        ("elf32-powerpc", "mfspr   r3,268", "mfspr"),
        ("elf64-littleriscv", "ecall", "ecall"),
        ("elf64-littleriscv", "rdcycle\ta0", "rdcycle"),
        ("elf64-littleriscv", "csrr\ta0,0xc00", "csrr"),
    ],
)
def test_what_keeps_or_learns_something_is_not_listed(
    file_format: str, instruction: str, name: str
):
    assert unlisted_instructions(listing(file_format, "nop", instruction, "nop")) == (name,)


def test_instructions_of_an_unknown_processor_are_not_listed():
    assert unlisted_instructions(listing("elf64-s390", "lr %r1,%r2")) == (
        "instructions of elf64-s390",
    )
    assert unlisted_instructions("") == ("instructions of an unknown format",)
