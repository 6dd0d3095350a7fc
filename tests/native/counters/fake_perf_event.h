/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
/*
 * A kernel with a PMU of our own making, in place of native/base/port/perf_event.c.
 *
 * Time goes on by 100 ns at each reading; a counter of code c counts c per ns while its group runs.
 */
#ifndef TESTS_NATIVE_COUNTERS_FAKE_PERF_EVENT_H
#define TESTS_NATIVE_COUNTERS_FAKE_PERF_EVENT_H

#include <stdbool.h>
#include <stdint.h>

enum {
    FAKE_NS_PER_READING = 100,
    FAKE_FDS_MAX = 32
};

struct fake_pmu {
    unsigned counters;     /* hardware counters that one group may use */
    int refusal;           /* -errno of every hardware event, 0 = none */
    bool is_kernel_denied; /* counting the kernel's code is -EACCES */
    unsigned turns;        /* a hardware group runs 1 of so many ns; 0 = never, 1 = always */
    bool is_clock_coarse;  /* the kernel's clock stands still */
    unsigned n_open;       /* descriptors that are open */
    unsigned n_reads;      /* system calls */
};

extern struct fake_pmu fake_pmu;

#endif
