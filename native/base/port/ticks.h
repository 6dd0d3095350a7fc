/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
/*
 * The user-readable constant-rate counter of the processor. Its unit is the tick, never the cycle:
 * it does not follow the core's clock.
 */
#ifndef LAXITY_BASE_PORT_TICKS_H
#define LAXITY_BASE_PORT_TICKS_H

#include <stdint.h>

/*
 * laxity_ticks_name - name of the counter that this build can read and this machine lets it read,
 * or NULL
 *
 * Tried once, under a guard against SIGILL: many ARMv7 kernels forbid it. Not thread-safe; call
 * before threads exist.
 */
const char *laxity_ticks_name(void);

/* Only valid if laxity_ticks_name() is not NULL. Not ordered against surrounding loads and stores.
 */
static inline uint64_t laxity_ticks(void)
{
#if defined(__x86_64__) || defined(__i386__)
    return __builtin_ia32_rdtsc();
#elif defined(__aarch64__)
    uint64_t ticks = 0;
    __asm__ volatile("mrs %0, cntvct_el0" : "=r"(ticks));
    return ticks;
#elif defined(__arm__) && __ARM_ARCH >= 7
    uint32_t low = 0;
    uint32_t high = 0;
    __asm__ volatile("mrrc p15, 1, %0, %1, c14" : "=r"(low), "=r"(high));
    return (uint64_t)high << 32 | low;
#elif defined(__powerpc__) || defined(__powerpc64__)
    return __builtin_ppc_get_timebase();
#elif defined(__riscv) && __riscv_xlen == 64
    uint64_t ticks = 0;
    __asm__ volatile("rdtime %0" : "=r"(ticks));
    return ticks;
#else
    return 0;
#endif
}

#endif
