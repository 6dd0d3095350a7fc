/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
#include "base/port/ticks.h"

#include <setjmp.h>
#include <signal.h>
#include <stddef.h>

#if defined(__x86_64__) || defined(__i386__)
static const char *const counter_name = "tsc";
#elif defined(__aarch64__) || (defined(__arm__) && __ARM_ARCH >= 7)
static const char *const counter_name = "cntvct";
#elif defined(__powerpc__) || defined(__powerpc64__)
static const char *const counter_name = "timebase";
#elif defined(__riscv) && __riscv_xlen == 64
static const char *const counter_name = "rdtime";
#else
static const char *const counter_name = NULL;
#endif

/* A signal handler has no other way back than a jump to a place outside its own frame. */
static sigjmp_buf after_refusal;

static void refuse(int signal_number)
{
    (void)signal_number;
    siglongjmp(after_refusal, 1);
}

const char *laxity_ticks_name(void)
{
    if (!counter_name) {
        return NULL;
    }
    const struct sigaction guard = {.sa_handler = refuse};
    struct sigaction before_ill;
    struct sigaction before_segv; /* x86 with PR_SET_TSC answers SIGSEGV */
    (void)sigaction(SIGILL, &guard, &before_ill);
    (void)sigaction(SIGSEGV, &guard, &before_segv);
    const char *name = NULL;
    if (sigsetjmp(after_refusal, 1) == 0) {
        (void)laxity_ticks();
        name = counter_name;
    }
    (void)sigaction(SIGILL, &before_ill, NULL);
    (void)sigaction(SIGSEGV, &before_segv, NULL);
    return name;
}
