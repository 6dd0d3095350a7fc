/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
/*
 * The page that a task shares with the process of its next job while that is held before its
 * release.
 *
 * The stub (hold_stub.c) is preloaded into the program and has nothing but libc; what it writes is
 * read once the process has ended.
 */
#ifndef LAXITY_PROGRAMS_HOLD_H
#define LAXITY_PROGRAMS_HOLD_H

#include <stdatomic.h>
#include <stdint.h>

/* In the environment of a program that is to be held: the number of the page's descriptor, and that
 * of the stub's own or -1. The stub removes it and closes them. */
#define LAXITY_HOLD_VARIABLE "LAXITY_HOLD"

enum {
    /* Of an LD_PRELOAD that the user had set; a longer one is refused. */
    LAXITY_HOLD_PRELOAD_BYTES = 1024
};

/* What the process had used when its job began, and when that was. */
struct laxity_hold_start {
    int64_t ready_ns; /* prepared: from here on it only waits */
    int64_t exec_ns;
    int64_t start_ns;
    uint64_t start_ticks;
    int32_t cpu;
    int32_t preemptions;
    int32_t minor_faults;
    int32_t major_faults;
};

struct laxity_hold {
    /* Writer: the task, before the process exists. */
    int64_t release_ns;
    uint32_t locks_memory;
    uint32_t has_ticks;
    char preload[LAXITY_HOLD_PRELOAD_BYTES]; /* LD_PRELOAD without us, "" = none */
    /* Writer: the process until it is the program; -errno of what failed there, 0 = nothing. */
    int32_t exec_error;
    int32_t lock_error;
    /* Writer: the stub, or the task where it holds the process itself. */
    _Atomic uint32_t is_held;
    _Atomic uint32_t has_started;
    struct laxity_hold_start start;
};

#endif
