/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
/* The slots that our BPF programs fill → events. Pure: knows no system call. */
#ifndef LAXITY_TRACE_BPF_RINGS_READER_H
#define LAXITY_TRACE_BPF_RINGS_READER_H

#include "trace/bpf/rings.h"
#include "trace/trace.h"

#include <stdint.h>

/* How far one CPU's ring has been read; start with the first three members set, the rest zero. */
struct laxity_bpf_reader {
    const struct laxity_bpf_slot *slots;
    uint32_t n_slots; /* a power of two */
    int32_t cpu;
    uint64_t next;      /* number of the slot to be read */
    uint32_t told_lost; /* low half */
};

/*
 * laxity_bpf_read - hand all slots that are stamped to a sink, in order of time
 *
 * Returns the number of the first slot that is not.
 */
uint64_t laxity_bpf_read(struct laxity_bpf_reader *reader, const struct laxity_trace_sink *sink);

/*
 * laxity_bpf_read_rest - when no program runs any more: tell what was lost last
 *
 * `cpu` holds what the programs counted. A slot that was taken and never stamped is lost too.
 */
void laxity_bpf_read_rest(
    struct laxity_bpf_reader *reader,
    const struct laxity_bpf_cpu *cpu,
    const struct laxity_trace_sink *sink
);

/* laxity_bpf_take_name - hand one record of the names to a sink */
void laxity_bpf_take_name(const struct laxity_bpf_name *name, const struct laxity_trace_sink *sink);

#endif
