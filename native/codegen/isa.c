/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
#include "codegen/isa.h"

#include <stddef.h>
#include <stdint.h>

/*
 * x86-64, Intel's manual, volume 2: an instruction is as long as it likes, so each is filled to 4
 * bytes with int3 (cc), which nothing reaches. As words, lowest byte first:
 *   add rdx, imm8 = REX.W 83 /0 ib = 48 83 c2 ib; ret = c3; jmp rel8 = eb cb, from its own end on.
 * rdx is third argument and second half of a result (System V ABI, 3.2.3).
 */
static uint32_t jump_x86_64(uint32_t distance)
{
    enum {
        JUMP_BYTES = 2
    };
    return UINT32_C(0xcccc00eb) | (distance - JUMP_BYTES) << 8;
}

/* aarch64, ARM DDI 0487, C6.2: B = 000101 imm26, in words from itself on. */
static uint32_t jump_aarch64(uint32_t distance)
{
    return UINT32_C(0x14000000) | distance / 4;
}

/* armhf, A32, ARM DDI 0406, A8.8.18: B = cond 1010 imm24, in words from 8 bytes behind itself on.
 */
static uint32_t jump_armhf(uint32_t distance)
{
    enum {
        PIPELINE_BYTES = 8
    };
    return UINT32_C(0xea000000) | (distance - PIPELINE_BYTES) / 4;
}

/* powerpc, Power ISA, Book I, 2.4: b = 18 LI AA LK; LI holds words, so the distance stands as is.
 */
static uint32_t jump_powerpc(uint32_t distance)
{
    return UINT32_C(0x48000000) | distance;
}

/* riscv64, unprivileged ISA, 2.5: jal x0 = imm[20|10:1|11|19:12] rd opcode; ours is below 2^11. */
static uint32_t jump_riscv64(uint32_t distance)
{
    return UINT32_C(0x0000006f) | (distance / 2) << 21;
}

const struct laxity_isa laxity_isas[LAXITY_ISAS] = {
    {
        .name = "x86_64",
        .add = UINT32_C(0x00c28348),
        .add_one = UINT32_C(0x01c28348),
        .return_to_caller = UINT32_C(0xccccccc3),
        .trap = UINT32_C(0xcccccccc),
        .jump = jump_x86_64,
    },
    {
        .name = "aarch64",                        /* x0 is first argument and result */
        .add = UINT32_C(0x91000000),              /* add x0, x0, #0: imm12 from bit 10 on */
        .add_one = UINT32_C(0x91000400),          /* add x0, x0, #1 */
        .return_to_caller = UINT32_C(0xd65f03c0), /* ret */
        .trap = UINT32_C(0xd4200000),             /* brk #0 */
        .jump = jump_aarch64,
    },
    {
        .name = "armhf",                          /* r0 likewise */
        .add = UINT32_C(0xe2800000),              /* add r0, r0, #0: imm12 from bit 0 on */
        .add_one = UINT32_C(0xe2800001),          /* add r0, r0, #1 */
        .return_to_caller = UINT32_C(0xe12fff1e), /* bx lr: also back into Thumb code */
        .trap = UINT32_C(0xe7f000f0),             /* udf #0 */
        .jump = jump_armhf,
    },
    {
        .name = "powerpc", /* r3 likewise */
        .is_big_endian = true,
        .add = UINT32_C(0x38630000),              /* addi 3, 3, 0: SI from bit 0 on */
        .add_one = UINT32_C(0x38630001),          /* addi 3, 3, 1 */
        .return_to_caller = UINT32_C(0x4e800020), /* blr */
        .trap = UINT32_C(0x7fe00008),             /* trap */
        .jump = jump_powerpc,
    },
    {
        .name = "riscv64",                        /* a0 likewise */
        .add = UINT32_C(0x00050513),              /* addi a0, a0, 0: imm12 from bit 20 on */
        .add_one = UINT32_C(0x00150513),          /* addi a0, a0, 1 */
        .return_to_caller = UINT32_C(0x00008067), /* ret */
        .trap = UINT32_C(0x00100073),             /* ebreak */
        .jump = jump_riscv64,
    },
};

const struct laxity_isa *laxity_isa_host(void)
{
#if defined(__x86_64__) && !defined(__ILP32__)
    return &laxity_isas[0];
#elif defined(__aarch64__) && defined(__AARCH64EL__) && !defined(__ILP32__)
    return &laxity_isas[1];
#elif defined(__ARMEL__)
    return &laxity_isas[2];
#elif defined(__powerpc__) && !defined(__powerpc64__) && defined(__BIG_ENDIAN__)
    return &laxity_isas[3];
#elif defined(__riscv) && __riscv_xlen == 64
    return &laxity_isas[4];
#else
    return NULL;
#endif
}

void laxity_isa_put(const struct laxity_isa *isa, unsigned char *at, uint32_t word)
{
    enum {
        WORD_BYTES = 4,
        BYTE_BITS = 8
    };
    for (unsigned i = 0; i < WORD_BYTES; i++) {
        const unsigned place = isa->is_big_endian ? WORD_BYTES - 1 - i : i;
        at[i] = (unsigned char)(word >> place * BYTE_BITS);
    }
}
