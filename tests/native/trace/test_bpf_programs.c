/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
/* The programs as other kernels and processors than this one would have them. */
#include "../test.h"
#include "base/port/time.h"
#include "schema/streams.h"
#include "trace/bpf/rings.h"
#include "trace/bpf_rings.h"
#include "trace/trace.h"

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <sched.skel.h>
#include <stdarg.h>
#include <stdint.h>
#include <unistd.h>

enum {
    /* Nothing is taken out: room for what busy CPUs record within the sleeps. */
    SLOTS = 1 << 15,
    SLEEPS = 5,
};

static struct {
    struct laxity_sched_event last_off;
    unsigned n_off;
    unsigned n_on;
    unsigned n_own;
} seen;

static int print_nothing(enum libbpf_print_level level, const char *format, va_list arguments)
{
    (void)level;
    (void)format;
    (void)arguments;
    return 0;
}

static void take_event(void *context, const struct laxity_sched_event *event)
{
    (void)context;
    if (event->kind == LAXITY_SCHED_KIND_OFF) {
        seen.n_off++;
        seen.n_own += event->tid == getpid();
        seen.last_off = *event;
        CHECK(event->prev_state_or_vector == LAXITY_ABSENT_STATE);
        CHECK_EQUAL(event->preempted, LAXITY_ABSENT_FLAG);
        return;
    }
    seen.n_on++;
    CHECK_EQUAL(event->kind, LAXITY_SCHED_KIND_ON);
    CHECK_EQUAL(event->time_ns, seen.last_off.time_ns);
    CHECK_EQUAL(event->tid, seen.last_off.other_tid);
    CHECK_EQUAL(event->other_tid, seen.last_off.tid);
}

static void take_lost(void *context, int32_t cpu, uint64_t n)
{
    (void)context;
    (void)cpu;
    CHECK_EQUAL(n, 0);
}

static void read_cpu(const struct laxity_bpf_sched *programs, uint32_t cpu)
{
    static struct laxity_bpf_slot slots[SLOTS];
    const struct laxity_trace_sink sink = {.on_event = take_event, .on_lost = take_lost};
    for (uint32_t i = 0; i < SLOTS && (i == 0 || slots[i - 1].stamp != 0); i++) {
        const uint32_t key = cpu * SLOTS + i;
        CHECK_EQUAL(bpf_map_lookup_elem(bpf_map__fd(programs->maps.slots), &key, &slots[i]), 0);
    }
    struct laxity_bpf_reader reader = {.slots = slots, .n_slots = SLOTS, .cpu = (int32_t)cpu};
    (void)laxity_bpf_read(&reader, &sink);
}

/* As on a kernel without sched_exit_tp and with three arguments of sched_switch, on a processor
 * that may show stores in another order. */
static void older_kernel_has_one_time_for_off_and_on(void)
{
    (void)libbpf_set_print(print_nothing);
    const uint32_t n_cpus = (uint32_t)libbpf_num_possible_cpus();
    struct laxity_bpf_sched *programs = laxity_bpf_sched__open();
    CHECK(programs != NULL);
    struct bpf_program *program = NULL;
    bpf_object__for_each_program(program, programs->obj)
    {
        (void)bpf_program__set_autoload(program, program == programs->progs.on_switch);
    }
    programs->rodata->slots_per_cpu = SLOTS;
    (void)bpf_map__set_max_entries(programs->maps.cpus, n_cpus);
    (void)bpf_map__set_max_entries(programs->maps.slots, n_cpus * SLOTS);
    int rc = laxity_bpf_sched__load(programs);
    rc = rc ? rc : laxity_bpf_sched__attach(programs);
    if (rc == -EPERM || rc == -EACCES || rc == -ENOENT || rc == -ESRCH) {
        laxity_bpf_sched__destroy(programs);
        SKIP("needs permission to trace the scheduler by BPF");
    }
    CHECK_EQUAL(rc, 0);
    for (int i = 0; i < SLEEPS; i++) {
        laxity_pause_ns(LAXITY_NS_PER_MS);
    }
    laxity_bpf_sched__detach(programs);
    for (uint32_t cpu = 0; cpu < n_cpus && rc == 0; cpu++) {
        read_cpu(programs, cpu);
    }
    laxity_bpf_sched__destroy(programs);
    CHECK_EQUAL(seen.n_on, seen.n_off);
    CHECK(seen.n_own > 0);
}

int main(void)
{
    RUN(older_kernel_has_one_time_for_off_and_on);
    return test_exit_code();
}
