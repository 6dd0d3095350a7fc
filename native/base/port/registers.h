/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
/*
 * The registers that a function finds in its callers' hands: those that it must give back as they
 * were, and that setjmp() keeps.
 */
#ifndef LAXITY_BASE_PORT_REGISTERS_H
#define LAXITY_BASE_PORT_REGISTERS_H

/*
 * laxity_clear_saved_registers - make them zeros; the function that says so gives them back
 *
 * The frame pointer, which it sets up, stays: an address that is the same whoever calls. Of an
 * instruction set that is not here they stay as they are.
 */
#if defined __x86_64__
#define LAXITY_ZERO_SAVED                                                                          \
    "xorl %%ebx, %%ebx\n\txorl %%r12d, %%r12d\n\txorl %%r13d, %%r13d\n\txorl %%r14d, %%r14d\n\t"   \
    "xorl %%r15d, %%r15d"
#define LAXITY_SAVED "rbx", "r12", "r13", "r14", "r15", "cc"
#elif defined __i386__
#define LAXITY_ZERO_SAVED "xorl %%ebx, %%ebx\n\txorl %%esi, %%esi\n\txorl %%edi, %%edi"
#define LAXITY_SAVED "ebx", "esi", "edi", "cc"
#elif defined __aarch64__
#define LAXITY_ZERO_SAVED                                                                          \
    "mov x19, xzr\n\tmov x20, xzr\n\tmov x21, xzr\n\tmov x22, xzr\n\tmov x23, xzr\n\t"             \
    "mov x24, xzr\n\tmov x25, xzr\n\tmov x26, xzr\n\tmov x27, xzr\n\tmov x28, xzr"
#define LAXITY_SAVED "x19", "x20", "x21", "x22", "x23", "x24", "x25", "x26", "x27", "x28"
#elif defined __arm__ && defined __thumb__
#define LAXITY_ZERO_SAVED                                                                          \
    "mov r4, #0\n\tmov r5, #0\n\tmov r6, #0\n\tmov r8, #0\n\tmov r9, #0\n\tmov r10, #0\n\t"        \
    "mov r11, #0"
#define LAXITY_SAVED "r4", "r5", "r6", "r8", "r9", "r10", "r11"
#elif defined __arm__
#define LAXITY_ZERO_SAVED                                                                          \
    "mov r4, #0\n\tmov r5, #0\n\tmov r6, #0\n\tmov r7, #0\n\tmov r8, #0\n\tmov r9, #0\n\t"         \
    "mov r10, #0"
#define LAXITY_SAVED "r4", "r5", "r6", "r7", "r8", "r9", "r10"
#elif defined __powerpc__
/* r30 holds the address of the constants where code is position independent. setjmp() keeps the
 * whole condition register, also what no callee must give back. */
#define LAXITY_ZERO_SAVED                                                                          \
    "li 14, 0\n\tli 15, 0\n\tli 16, 0\n\tli 17, 0\n\tli 18, 0\n\tli 19, 0\n\tli 20, 0\n\t"         \
    "li 21, 0\n\tli 22, 0\n\tli 23, 0\n\tli 24, 0\n\tli 25, 0\n\tli 26, 0\n\tli 27, 0\n\t"         \
    "li 28, 0\n\tli 29, 0\n\tmtcrf 255, 29"
#define LAXITY_SAVED                                                                               \
    "r14", "r15", "r16", "r17", "r18", "r19", "r20", "r21", "r22", "r23", "r24", "r25", "r26",     \
        "r27", "r28", "r29", "cr0", "cr1", "cr2", "cr3", "cr4", "cr5", "cr6", "cr7"
#elif defined __riscv
#define LAXITY_ZERO_SAVED                                                                          \
    "li s1, 0\n\tli s2, 0\n\tli s3, 0\n\tli s4, 0\n\tli s5, 0\n\tli s6, 0\n\tli s7, 0\n\t"         \
    "li s8, 0\n\tli s9, 0\n\tli s10, 0\n\tli s11, 0"
#define LAXITY_SAVED "s1", "s2", "s3", "s4", "s5", "s6", "s7", "s8", "s9", "s10", "s11"
#else
#define LAXITY_ZERO_SAVED ""
#define LAXITY_SAVED "memory"
#endif

static inline __attribute__((always_inline)) void laxity_clear_saved_registers(void)
{
    __asm__ volatile(LAXITY_ZERO_SAVED : : "r"(__builtin_frame_address(0)) : LAXITY_SAVED);
}

#endif
