/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
#include "trace/bpf_rings.h"

#include "schema/streams.h"
#include "trace/bpf/rings.h"
#include "trace/trace.h"

#include <stdint.h>
#include <string.h>

/* Slots not handed over yet, in order of time. A program may have read the clock before those that
 * interrupted it, and has its slot behind theirs: never by more than the spare ones. */
struct held {
    struct laxity_bpf_slot slots[LAXITY_BPF_SPARE_SLOTS];
    unsigned n;
};

static void tell(
    struct laxity_bpf_reader *reader,
    const struct laxity_bpf_slot *slot,
    const struct laxity_trace_sink *sink
)
{
    const uint32_t lost = slot->lost - reader->told_lost;
    /* Two that stand in order of time may have been counted the other way round. */
    if (lost > 0 && lost <= UINT32_MAX / 2) {
        sink->on_lost(sink->context, reader->cpu, lost);
        reader->told_lost = slot->lost;
    }
    const struct laxity_sched_event event = {
        .time_ns = slot->time_ns,
        .cpu = reader->cpu,
        .kind = (enum laxity_sched_kind)slot->kind,
        .tid = slot->tid,
        .other_tid = slot->other_tid,
        .prev_state_or_vector =
            slot->value == LAXITY_BPF_ABSENT_VALUE ? LAXITY_ABSENT_STATE : slot->value,
        .preempted = slot->preempted,
    };
    sink->on_event(sink->context, &event);
}

static void tell_first(
    struct laxity_bpf_reader *reader, struct held *held, const struct laxity_trace_sink *sink
)
{
    tell(reader, &held->slots[0], sink);
    held->n--;
    memmove(held->slots, held->slots + 1, held->n * sizeof held->slots[0]);
}

static void hold(struct held *held, const struct laxity_bpf_slot *slot)
{
    unsigned place = held->n;
    while (place > 0 && held->slots[place - 1].time_ns > slot->time_ns) {
        held->slots[place] = held->slots[place - 1];
        place--;
    }
    held->slots[place] = *slot;
    held->n++;
}

uint64_t laxity_bpf_read(struct laxity_bpf_reader *reader, const struct laxity_trace_sink *sink)
{
    struct held held = {.n = 0};
    for (;;) {
        const struct laxity_bpf_slot *slot = &reader->slots[reader->next & (reader->n_slots - 1)];
        const uint32_t stamp = __atomic_load_n(&slot->stamp, __ATOMIC_ACQUIRE);
        if (stamp != (uint32_t)reader->next + 1) {
            break;
        }
        if (held.n == LAXITY_BPF_SPARE_SLOTS) {
            tell_first(reader, &held, sink);
        }
        hold(&held, slot);
        reader->next++;
    }
    while (held.n > 0) {
        tell_first(reader, &held, sink);
    }
    return reader->next;
}

void laxity_bpf_read_rest(
    struct laxity_bpf_reader *reader,
    const struct laxity_bpf_cpu *cpu,
    const struct laxity_trace_sink *sink
)
{
    const uint64_t unstamped = cpu->head - reader->next;
    const uint64_t lost = (uint32_t)cpu->lost - reader->told_lost + unstamped;
    if (lost > 0) {
        sink->on_lost(sink->context, reader->cpu, lost);
    }
    reader->next = cpu->head;
    reader->told_lost = (uint32_t)cpu->lost;
}

void laxity_bpf_take_name(const struct laxity_bpf_name *name, const struct laxity_trace_sink *sink)
{
    char comm[LAXITY_COMM_BYTES] = {0};
    memcpy(comm, name->comm, sizeof comm - 1);
    const struct laxity_thread_event event = {
        .time_ns = name->time_ns,
        .pid = name->pid,
        .tid = name->tid,
        .parent_tid = name->parent_tid,
        .comm = name->parent_tid == LAXITY_ABSENT_TID ? comm : NULL,
    };
    sink->on_thread(sink->context, &event);
}
