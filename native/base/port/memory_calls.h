/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
/*
 * The system calls that change what a process has mapped, seen before they are made, whoever makes
 * them: the C library's own calls pass no function that could stand in front of them.
 *
 * seccomp's user notification: a call waits until whoever listens lets it go on, unchanged. It
 * needs Linux 5.5 and no privilege, and holds for the rest of the process and what it starts.
 */
#ifndef LAXITY_BASE_PORT_MEMORY_CALLS_H
#define LAXITY_BASE_PORT_MEMORY_CALLS_H

#include "base/page_ranges.h"

#include <stdint.h>

enum {
    LAXITY_MEMORY_CALL_RANGES = 2
};

/* A call that waits. */
struct laxity_memory_call {
    uint64_t id;
    int32_t tid;
    /* Whole pages that it will give back, if it succeeds. */
    struct laxity_range released[LAXITY_MEMORY_CALL_RANGES];
    unsigned n_released;
    uint64_t new_break; /* of brk; 0 = another call: from here to the old one is given back */
    uint64_t detached;  /* of shmdt; 0 = another call: the mapping there is given back */
};

/*
 * laxity_memory_calls_watch - from now on these calls of the calling thread, and of all that it
 * starts, wait for the listener
 *
 * Returns 0 or -errno. *out_listener is to be given to another process before the next such call:
 * who holds it and waits for itself waits for ever.
 */
int laxity_memory_calls_watch(int *out_listener);

/* laxity_memory_calls_next - read what the listener has. Returns 0, -ENOENT: its thread has given
 * up, or -errno. */
int laxity_memory_calls_next(int listener, struct laxity_memory_call *out_call);

/* laxity_memory_calls_let_go - the call is made now */
void laxity_memory_calls_let_go(int listener, const struct laxity_memory_call *call);

#endif
