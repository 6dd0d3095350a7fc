/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: (MIT OR GPL-2.0-only) */
/*
 * How long each switch of a CPU takes, off to on, counted in the kernel: no record leaves it.
 *
 * The pair for the empty measurement is the same code on one tracepoint, one after the other: what
 * stands between its two readings of the clock is what the programs themselves add to a switch.
 */
#include "kernel.h"
/* Behind the names of types. */
#include "switch_counts.h"

const char laxity_license[] SEC("license") = "Dual MIT/GPL";

struct {
    __uint(type, BPF_MAP_TYPE_ARRAY);
    __uint(map_flags, BPF_F_MMAPABLE);
    __uint(max_entries, 1); /* as many as CPUs */
    __type(key, uint32_t);
    __type(value, struct laxity_bpf_switch_counts);
} counts SEC(".maps");

static __always_inline struct laxity_bpf_switch_counts *this_cpu(void)
{
    const uint32_t cpu = bpf_get_smp_processor_id();
    return bpf_map_lookup_elem(&counts, &cpu);
}

/* The position of the highest bit of a value that is not 0; BPF has no instruction for it. */
static __always_inline uint32_t highest_bit(uint64_t value)
{
    uint32_t position = 0;
    for (uint32_t step = 32; step > 0; step /= 2) {
        if (value >> step != 0) {
            value >>= step;
            position += step;
        }
    }
    return position;
}

/* As laxity_histogram_bucket (native/base/histogram.c). */
static __always_inline uint32_t bucket_of(uint64_t duration_ns)
{
    if (duration_ns < LAXITY_HISTOGRAM_SUB) {
        return 1 + (uint32_t)duration_ns;
    }
    const uint32_t shift = highest_bit(duration_ns) - LAXITY_HISTOGRAM_SUB_BITS;
    const uint32_t sub = (uint32_t)(duration_ns >> shift) & (LAXITY_HISTOGRAM_SUB - 1);
    return 1 + LAXITY_HISTOGRAM_SUB + shift * LAXITY_HISTOGRAM_SUB + sub;
}

static __always_inline int begin(int32_t next_tid)
{
    struct laxity_bpf_switch_counts *here = this_cpu();
    if (here) {
        here->unpaired += here->off_ns != 0;
        here->next_tid = next_tid;
        /* Last, so that nothing of this program but its end stands within the duration. */
        here->off_ns = bpf_ktime_get_ns();
    }
    return 0;
}

/* tid has come on. */
static __always_inline int end(int32_t tid, uint64_t on_ns)
{
    struct laxity_bpf_switch_counts *here = this_cpu();
    if (!here || here->off_ns == 0) {
        return 0; /* attached in the middle of a switch */
    }
    if (here->next_tid != tid) {
        /* Threads in between were hidden from us (sched.bpf.c): it is not one switch. */
        here->unpaired++;
        here->off_ns = 0;
        return 0;
    }
    const uint64_t duration_ns = on_ns > here->off_ns ? on_ns - here->off_ns : 0;
    here->off_ns = 0;
    const uint32_t bucket = bucket_of(duration_ns);
    if (bucket < LAXITY_HISTOGRAM_BUCKETS) {
        here->durations.counts[bucket]++;
    }
    return 0;
}

SEC("tp_btf/sched_switch")
int BPF_PROG(begin_switch, bool preempt, struct task_struct *prev, struct task_struct *next)
{
    return begin(next->pid);
}

SEC("tp_btf/sched_exit_tp")
int BPF_PROG(end_switch, bool is_switch)
{
    const uint64_t on_ns = bpf_ktime_get_ns();
    return is_switch ? end((int32_t)bpf_get_current_pid_tgid(), on_ns) : 0;
}

SEC("tp_btf/sched_switch")
int BPF_PROG(begin_empty, bool preempt, struct task_struct *prev)
{
    return begin(prev->pid);
}

SEC("tp_btf/sched_switch")
int BPF_PROG(end_empty)
{
    const uint64_t on_ns = bpf_ktime_get_ns();
    return end((int32_t)bpf_get_current_pid_tgid(), on_ns);
}
