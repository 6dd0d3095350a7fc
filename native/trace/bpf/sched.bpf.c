/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: (MIT OR GPL-2.0-only) */
/*
 * The scheduling trace in the kernel: one program per tracepoint, each puts a slot into the ring of
 * its CPU. What the kernel lacks is not loaded (bpf.c); what was not asked for is not attached.
 */
#include "kernel.h"
/* Behind the names of types. */
#include "../sched_kinds.h"
#include "rings.h"

const char laxity_license[] SEC("license") = "Dual MIT/GPL";

/* Set before loading; what is never reached for their sake, the kernel does not check. */
const volatile uint32_t slots_per_cpu = 1; /* a power of two */
const volatile bool has_exit_tracepoint = false;
const volatile bool has_prev_state = false;
/* Stores of one CPU are seen in their order by the others (x86). */
const volatile bool is_store_ordered = false;

struct {
    __uint(type, BPF_MAP_TYPE_ARRAY);
    __uint(map_flags, BPF_F_MMAPABLE);
    __uint(max_entries, 1); /* as many as CPUs */
    __type(key, uint32_t);
    __type(value, struct laxity_bpf_cpu);
} cpus SEC(".maps");

struct {
    __uint(type, BPF_MAP_TYPE_ARRAY);
    __uint(map_flags, BPF_F_MMAPABLE);
    __uint(max_entries, 1); /* slots_per_cpu times as many */
    __type(key, uint32_t);
    __type(value, struct laxity_bpf_slot);
} slots SEC(".maps");

struct {
    __uint(type, BPF_MAP_TYPE_RINGBUF);
    __uint(max_entries, LAXITY_BPF_NAMES_BYTES);
} names SEC(".maps");

/* Set while on_switch is attached: a switch that ends then has begun within the recording. */
volatile bool is_recording = false;

/* What has come in, so that it can be named: 0 is no vector of an interrupt. */
#define NUMBER(name) uint32_t number_of_##name;
LAXITY_BPF_VECTORS(NUMBER)
uint8_t has_irq[LAXITY_BPF_NAMED_IRQS];

struct event {
    int64_t time_ns;
    int32_t tid;
    int32_t other_tid;
    int32_t value;
    uint8_t kind;
    uint8_t preempted;
};

static __always_inline struct laxity_bpf_cpu *this_cpu(uint32_t cpu)
{
    return bpf_map_lookup_elem(&cpus, &cpu);
}

static __always_inline void
put(struct laxity_bpf_cpu *state, uint32_t cpu, const struct event *event)
{
    const uint64_t tail = *(volatile uint64_t *)&state->tail;
    if (state->head - tail + LAXITY_BPF_SPARE_SLOTS >= slots_per_cpu) {
        __sync_fetch_and_add(&state->lost, 1);
        return;
    }
    const uint64_t at = __sync_fetch_and_add(&state->head, 1);
    const uint32_t index = cpu * slots_per_cpu + ((uint32_t)at & (slots_per_cpu - 1));
    struct laxity_bpf_slot *slot = bpf_map_lookup_elem(&slots, &index);
    if (!slot) {
        return;
    }
    slot->time_ns = event->time_ns;
    slot->lost = (uint32_t)state->lost;
    slot->tid = event->tid;
    slot->other_tid = event->other_tid;
    slot->value = event->value;
    slot->kind = event->kind;
    slot->preempted = event->preempted;
    if (is_store_ordered) {
        __asm__ volatile("" ::: "memory");
        *(volatile uint32_t *)&slot->stamp = (uint32_t)at + 1;
    } else {
        (void)__sync_lock_test_and_set(&slot->stamp, (uint32_t)at + 1);
    }
}

/* An event that is neither off nor on. */
static __always_inline int put_here(uint8_t kind, int32_t tid, int32_t other_tid, int32_t value)
{
    const uint32_t cpu = bpf_get_smp_processor_id();
    struct laxity_bpf_cpu *state = this_cpu(cpu);
    if (!state) {
        return 0; /* came online after we looked */
    }
    const struct event event = {
        .time_ns = (int64_t)bpf_ktime_get_ns(),
        .tid = tid,
        .other_tid = other_tid,
        .value = value,
        .kind = kind,
        .preempted = LAXITY_ABSENT_FLAG,
    };
    put(state, cpu, &event);
    return 0;
}

static __always_inline int32_t current_tid(void)
{
    return (int32_t)bpf_get_current_pid_tgid();
}

/* The thread tid has come on; prev_tid is absent where the switch to it began unseen. */
static __always_inline void
put_on(struct laxity_bpf_cpu *state, uint32_t cpu, int32_t tid, int32_t prev_tid, int64_t time_ns)
{
    const struct event event = {
        .time_ns = time_ns,
        .tid = tid,
        .other_tid = prev_tid,
        .value = LAXITY_BPF_ABSENT_VALUE,
        .kind = LAXITY_SCHED_KIND_ON,
        .preempted = LAXITY_ABSENT_FLAG,
    };
    put(state, cpu, &event);
    state->is_under_way = 0;
}

SEC("tp_btf/sched_switch")
int BPF_PROG(on_switch, bool preempt, struct task_struct *prev, struct task_struct *next)
{
    const uint32_t cpu = bpf_get_smp_processor_id();
    struct laxity_bpf_cpu *state = this_cpu(cpu);
    if (!state) {
        return 0;
    }
    state->prev_tid = prev->pid;
    state->next_tid = next->pid;
    state->is_under_way = 1;
    const uint32_t prev_state = has_prev_state ? (uint32_t)ctx[3] : 0;
    const struct event event = {
        .time_ns = (int64_t)bpf_ktime_get_ns(),
        .tid = state->prev_tid,
        .other_tid = state->next_tid,
        .value = has_prev_state ? (int32_t)prev_state : LAXITY_BPF_ABSENT_VALUE,
        .kind = LAXITY_SCHED_KIND_OFF,
        /* The kernel's own rule for what it counts as an involuntary switch. */
        .preempted = has_prev_state ? preempt || prev_state == 0 : LAXITY_ABSENT_FLAG,
    };
    put(state, cpu, &event);
    if (!has_exit_tracepoint) {
        put_on(state, cpu, state->next_tid, state->prev_tid, event.time_ns);
    }
    return 0;
}

SEC("tp_btf/sched_exit_tp")
int BPF_PROG(on_switch_end, bool is_switch)
{
    const int64_t time_ns = (int64_t)bpf_ktime_get_ns();
    const uint32_t cpu = bpf_get_smp_processor_id();
    struct laxity_bpf_cpu *state = is_switch ? this_cpu(cpu) : 0;
    if (!state || (!state->is_under_way && !is_recording)) {
        return 0; /* attached before the other program, and taken off after it */
    }
    /* Some virtual machines run no program while certain threads of theirs are current: such a
     * thread's on is not told, nor its off. So the off may announce another one than has come. */
    const int32_t tid = current_tid();
    const bool is_announced = state->is_under_way && state->next_tid == tid;
    put_on(state, cpu, tid, is_announced ? state->prev_tid : LAXITY_ABSENT_TID, time_ns);
    return 0;
}

static __always_inline int put_wakeup(struct task_struct *task)
{
    const int32_t to_cpu =
        bpf_core_field_exists(task->wake_cpu) ? task->wake_cpu : LAXITY_BPF_ABSENT_VALUE;
    return put_here(LAXITY_SCHED_KIND_WAKEUP, task->pid, current_tid(), to_cpu);
}

SEC("tp_btf/sched_wakeup")
int BPF_PROG(on_wakeup, struct task_struct *task)
{
    return put_wakeup(task);
}

SEC("tp_btf/sched_wakeup_new")
int BPF_PROG(on_wakeup_new, struct task_struct *task)
{
    return put_wakeup(task);
}

SEC("tp_btf/sched_migrate_task")
int BPF_PROG(on_migrate, struct task_struct *task, int to_cpu)
{
    return put_here(LAXITY_SCHED_KIND_MIGRATE, task->pid, LAXITY_ABSENT_TID, to_cpu);
}

SEC("tp_btf/irq_handler_entry")
int BPF_PROG(on_irq_entry, int irq)
{
    if ((uint32_t)irq < LAXITY_BPF_NAMED_IRQS) {
        has_irq[irq] = 1;
    }
    return put_here(LAXITY_SCHED_KIND_IRQ_IN, current_tid(), LAXITY_ABSENT_TID, irq);
}

SEC("tp_btf/irq_handler_exit")
int BPF_PROG(on_irq_exit, int irq)
{
    return put_here(LAXITY_SCHED_KIND_IRQ_OUT, current_tid(), LAXITY_ABSENT_TID, irq);
}

/* Interrupts that only the CPU numbers, as x86 has them, go by its vector, negated: Linux's numbers
 * begin at 0. */
#define VECTOR(name)                                                                               \
    SEC("tp_btf/" #name "_entry")                                                                  \
    int BPF_PROG(vector_in_##name, int vector)                                                     \
    {                                                                                              \
        number_of_##name = (uint32_t)vector;                                                       \
        return put_here(LAXITY_SCHED_KIND_IRQ_IN, current_tid(), LAXITY_ABSENT_TID, -vector);      \
    }                                                                                              \
    SEC("tp_btf/" #name "_exit")                                                                   \
    int BPF_PROG(vector_out_##name, int vector)                                                    \
    {                                                                                              \
        return put_here(LAXITY_SCHED_KIND_IRQ_OUT, current_tid(), LAXITY_ABSENT_TID, -vector);     \
    }

LAXITY_BPF_VECTORS(VECTOR)

SEC("tp_btf/softirq_entry")
int BPF_PROG(on_softirq_entry, unsigned vector)
{
    return put_here(
        LAXITY_SCHED_KIND_SOFTIRQ_IN, current_tid(), LAXITY_ABSENT_TID, (int32_t)vector
    );
}

SEC("tp_btf/softirq_exit")
int BPF_PROG(on_softirq_exit, unsigned vector)
{
    return put_here(
        LAXITY_SCHED_KIND_SOFTIRQ_OUT, current_tid(), LAXITY_ABSENT_TID, (int32_t)vector
    );
}

SEC("tp_btf/sched_process_exit")
int BPF_PROG(on_exit, struct task_struct *task)
{
    return put_here(LAXITY_SCHED_KIND_EXIT, task->pid, LAXITY_ABSENT_TID, LAXITY_BPF_ABSENT_VALUE);
}

/* A name without room counts as a lost record of this CPU. */
static __always_inline void put_name(struct task_struct *task, int32_t parent_tid, const char *comm)
{
    struct laxity_bpf_name *name = bpf_ringbuf_reserve(&names, sizeof *name, 0);
    if (!name) {
        struct laxity_bpf_cpu *state = this_cpu(bpf_get_smp_processor_id());
        if (state) {
            __sync_fetch_and_add(&state->lost, 1);
        }
        return;
    }
    name->time_ns = (int64_t)bpf_ktime_get_ns();
    name->pid = task->tgid;
    name->tid = task->pid;
    name->parent_tid = parent_tid;
    name->comm[0] = '\0';
    if (comm) {
        (void)bpf_probe_read_kernel_str(name->comm, sizeof name->comm, comm);
    }
    bpf_ringbuf_submit(name, BPF_RB_NO_WAKEUP);
}

SEC("tp_btf/sched_process_fork")
int BPF_PROG(on_fork, struct task_struct *parent, struct task_struct *child)
{
    put_name(child, parent->pid, 0);
    return put_here(LAXITY_SCHED_KIND_FORK, child->pid, parent->pid, LAXITY_BPF_ABSENT_VALUE);
}

SEC("tp_btf/task_rename")
int BPF_PROG(on_rename, struct task_struct *task, const char *comm)
{
    put_name(task, LAXITY_ABSENT_TID, comm);
    return 0;
}
