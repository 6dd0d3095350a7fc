/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: (MIT OR GPL-2.0-only) */
/* What switches.bpf.c counts and bpf_switches.c reads, per CPU. */
#ifndef LAXITY_TRACE_BPF_SWITCH_COUNTS_H
#define LAXITY_TRACE_BPF_SWITCH_COUNTS_H

#include "../../base/histogram.h"

#include <stdint.h>

enum {
    LAXITY_BPF_COUNTS_LINE_BYTES = 64
};

/* Of one CPU, which alone writes it; no two share a cache line. */
struct laxity_bpf_switch_counts {
    uint64_t off_ns;   /* of the switch under way; 0: none */
    uint64_t unpaired; /* offs whose on was never seen */
    int32_t next_tid;  /* that the off announced */
    struct laxity_histogram durations;
} __attribute__((aligned(LAXITY_BPF_COUNTS_LINE_BYTES)));

#endif
