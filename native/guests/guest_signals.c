/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
#include "guests/guest_signals.h"

#include "guests/wrapped.h"

#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>

/* A wrapped function has no argument that could lead it there. */
static atomic_uint is_changed; /* a whole word: riscv64 exchanges no less without a library */

bool laxity_guest_signals_take(void)
{
    return atomic_exchange(&is_changed, 0U) != 0;
}

/* The names that the linker gives them. The second is signal() in strict modes of the compiler. */
sighandler_t guest_signal(int number, sighandler_t handler) LAXITY_WRAP_SYMBOL(signal);
sighandler_t guest_sysv_signal(int number, sighandler_t handler) LAXITY_WRAP_SYMBOL(__sysv_signal);
int guest_sigaction(int number, const struct sigaction *action, struct sigaction *out_before)
    LAXITY_WRAP_SYMBOL(sigaction);

sighandler_t guest_signal(int number, sighandler_t handler)
{
    atomic_store(&is_changed, 1U);
    return signal(number, handler);
}

sighandler_t guest_sysv_signal(int number, sighandler_t handler)
{
    atomic_store(&is_changed, 1U);
    return sysv_signal(number, handler);
}

int guest_sigaction(int number, const struct sigaction *action, struct sigaction *out_before)
{
    if (action) {
        atomic_store(&is_changed, 1U);
    }
    return sigaction(number, action, out_before);
}
