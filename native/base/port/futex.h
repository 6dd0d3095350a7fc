/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
/* Waiting for a word in shared memory to change: what mutexes and semaphores are made of. */
#ifndef LAXITY_BASE_PORT_FUTEX_H
#define LAXITY_BASE_PORT_FUTEX_H

#include <errno.h>
#include <linux/futex.h>
#include <stdatomic.h>
#include <stddef.h>
#include <sys/syscall.h>
#include <unistd.h>

/* laxity_futex_wait - sleep while the word is `value`; may also return for no reason */
static inline void laxity_futex_wait(const atomic_uint *word, unsigned value)
{
    (void)syscall(SYS_futex, word, FUTEX_WAIT, value, NULL, NULL, 0);
}

/* laxity_futex_wake - wake one who sleeps there */
static inline void laxity_futex_wake(const atomic_uint *word)
{
    (void)syscall(SYS_futex, word, FUTEX_WAKE, 1, NULL, NULL, 0);
}

#endif
