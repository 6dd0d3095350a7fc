/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
/*
 * Back-end "bpf": programs on the scheduler's tracepoints (bpf/sched.bpf.c), the cheapest one.
 *
 * Off is stamped before the switch, on at its end where the kernel has the tracepoint
 * sched_exit_tp; without it, on has the time of off. Tried on Linux 6.18 (x86-64), and where it is
 * missing on Debian's 6.1 with PREEMPT_RT (arm64, in a virtual machine).
 */
#include "base/cpus.h"
#include "base/error.h"
#include "base/port/file.h"
#include "schema/streams.h"
#include "trace/bpf/rings.h"
#include "trace/bpf_kernel.h"
#include "trace/bpf_rings.h"
#include "trace/trace.h"

#include <bpf/bpf.h>
#include <bpf/btf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <sched.skel.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

enum {
    ARGUMENTS_WITH_STATE = 4, /* of sched_switch, since Linux 5.18 */
    LEAST_SLOTS = 128,        /* a page; beside the spare ones there must be room */
    PATH_BYTES = 64,
};

/* How the programs for interrupts are called that only the CPU numbers; which there are depends on
 * the processor and the kernel. */
#define VECTOR_IN "vector_in_"
#define VECTOR_OUT "vector_out_"

static const uint32_t switch_kinds =
    LAXITY_SUPPLIES(LAXITY_SCHED_KIND_OFF) | LAXITY_SUPPLIES(LAXITY_SCHED_KIND_ON);
static const uint32_t thread_kinds =
    LAXITY_SUPPLIES(LAXITY_SCHED_KIND_FORK) | LAXITY_SUPPLIES(LAXITY_SCHED_KIND_EXIT);

/* What takes more than the programs of switches and threads. */
static const struct {
    const char *tracepoint;
    uint32_t kinds;
} hooks[] = {
    {"sched_wakeup", LAXITY_SUPPLIES(LAXITY_SCHED_KIND_WAKEUP)},
    {"sched_wakeup_new", LAXITY_SUPPLIES(LAXITY_SCHED_KIND_WAKEUP)},
    {"sched_migrate_task", LAXITY_SUPPLIES(LAXITY_SCHED_KIND_MIGRATE)},
    {"irq_handler_entry", LAXITY_SUPPLIES(LAXITY_SCHED_KIND_IRQ_IN)},
    {"irq_handler_exit", LAXITY_SUPPLIES(LAXITY_SCHED_KIND_IRQ_OUT)},
    {"softirq_entry", LAXITY_SUPPLIES(LAXITY_SCHED_KIND_SOFTIRQ_IN)},
    {"softirq_exit", LAXITY_SUPPLIES(LAXITY_SCHED_KIND_SOFTIRQ_OUT)},
};

struct bpf_state {
    struct laxity_bpf_sched *programs;
    struct ring_buffer *names;
    const struct laxity_trace_sink *sink; /* while names are handed over */
    uint32_t supplies;
    uint32_t n_slots; /* per CPU */
    uint32_t n_cpus;
    struct laxity_bpf_cpu *cpus;
    size_t cpus_bytes;
    struct laxity_bpf_slot *slots; /* mapped for reading */
    size_t slots_bytes;
    unsigned n_readers;
    struct laxity_bpf_reader readers[];
};

/* The kinds that a program's tracepoint tells of; those of switches and threads are always wanted.
 */
static uint32_t kinds_of(const struct bpf_program *program)
{
    const char *name = bpf_program__name(program);
    if (strncmp(name, VECTOR_IN, strlen(VECTOR_IN)) == 0) {
        return LAXITY_SUPPLIES(LAXITY_SCHED_KIND_IRQ_IN);
    }
    if (strncmp(name, VECTOR_OUT, strlen(VECTOR_OUT)) == 0) {
        return LAXITY_SUPPLIES(LAXITY_SCHED_KIND_IRQ_OUT);
    }
    for (size_t i = 0; i < sizeof hooks / sizeof hooks[0]; i++) {
        if (strcmp(hooks[i].tracepoint, laxity_bpf_tracepoint(program)) == 0) {
            return hooks[i].kinds;
        }
    }
    return switch_kinds | thread_kinds;
}

/* Leaves out what the kernel lacks, what was not asked for. Returns the kinds that are left. */
static uint32_t choose_programs(struct bpf_state *state, const struct btf *btf, uint32_t kinds)
{
    uint32_t left = kinds | switch_kinds | thread_kinds;
    struct bpf_program *program = NULL;
    for (size_t i = 0; i < sizeof hooks / sizeof hooks[0]; i++) {
        left &= laxity_bpf_has_tracepoint(btf, hooks[i].tracepoint) ? UINT32_MAX : ~hooks[i].kinds;
    }
    bpf_object__for_each_program(program, state->programs->obj)
    {
        const bool is_there = laxity_bpf_has_tracepoint(btf, laxity_bpf_tracepoint(program));
        (void)bpf_program__set_autoload(program, is_there && (kinds_of(program) & left) != 0);
    }
    return left;
}

static void prepare(struct bpf_state *state, const struct btf *btf)
{
    state->programs->rodata->slots_per_cpu = state->n_slots;
    state->programs->rodata->has_exit_tracepoint = laxity_bpf_has_tracepoint(btf, "sched_exit_tp");
    state->programs->rodata->has_prev_state =
        laxity_bpf_count_arguments(btf, "sched_switch") >= ARGUMENTS_WITH_STATE;
#if defined(__x86_64__) || defined(__i386__)
    state->programs->rodata->is_store_ordered = true;
#endif
    (void)bpf_map__set_max_entries(state->programs->maps.cpus, state->n_cpus);
    (void)bpf_map__set_max_entries(state->programs->maps.slots, state->n_cpus * state->n_slots);
}

static int map_rings(struct bpf_state *state)
{
    state->cpus_bytes = state->n_cpus * sizeof *state->cpus;
    void *cpus = mmap(
        NULL,
        state->cpus_bytes,
        PROT_READ | PROT_WRITE,
        MAP_SHARED,
        bpf_map__fd(state->programs->maps.cpus),
        0
    );
    if (cpus == MAP_FAILED) {
        return -errno;
    }
    state->cpus = cpus;
    state->slots_bytes = (size_t)state->n_cpus * state->n_slots * sizeof *state->slots;
    void *slots = mmap(
        NULL, state->slots_bytes, PROT_READ, MAP_SHARED, bpf_map__fd(state->programs->maps.slots), 0
    );
    if (slots == MAP_FAILED) {
        return -errno;
    }
    state->slots = slots;
    return 0;
}

static int take_name(void *context, void *data, size_t bytes)
{
    const struct bpf_state *state = context;
    struct laxity_bpf_name name;
    if (bytes >= sizeof name) {
        memcpy(&name, data, sizeof name);
        laxity_bpf_take_name(&name, state->sink);
    }
    return 0;
}

static void place_readers(struct bpf_state *state, const struct laxity_cpus *cpus)
{
    for (unsigned cpu = 0; cpu < state->n_cpus; cpu++) {
        if (laxity_cpus_has(cpus, cpu)) {
            state->readers[state->n_readers++] = (struct laxity_bpf_reader){
                .slots = state->slots + (size_t)cpu * state->n_slots,
                .n_slots = state->n_slots,
                .cpu = (int32_t)cpu,
            };
        }
    }
}

/* Gives back all but the state itself. */
static void unload(struct bpf_state *state)
{
    ring_buffer__free(state->names);
    if (state->slots) {
        (void)munmap(state->slots, state->slots_bytes);
    }
    if (state->cpus) {
        (void)munmap(state->cpus, state->cpus_bytes);
    }
    laxity_bpf_sched__destroy(state->programs);
    state->names = NULL;
    state->slots = NULL;
    state->cpus = NULL;
    state->programs = NULL;
}

static void bpf_close(void *opaque)
{
    struct bpf_state *state = opaque;
    unload(state);
    free(state);
}

/* Returns 0 or -errno; nothing is left then. */
static int load(struct bpf_state *state, const struct btf *btf, uint32_t kinds)
{
    state->programs = laxity_bpf_sched__open();
    if (!state->programs) {
        return -errno;
    }
    state->supplies = choose_programs(state, btf, kinds);
    prepare(state, btf);
    int rc = laxity_bpf_sched__load(state->programs);
    if (rc == 0) {
        rc = map_rings(state);
    }
    if (rc == 0) {
        state->names =
            ring_buffer__new(bpf_map__fd(state->programs->maps.names), take_name, state, NULL);
        rc = state->names ? 0 : -errno;
    }
    if (rc) {
        unload(state);
    }
    return rc;
}

/* With rings as large as there is memory for. Returns 0 or -errno. */
static int
load_sized(struct bpf_state *state, const struct laxity_trace_setup *setup, const struct btf *btf)
{
    uint64_t n_slots = setup->ring_bytes / sizeof(struct laxity_bpf_slot);
    n_slots = n_slots > LEAST_SLOTS ? n_slots : LEAST_SLOTS;
    int rc = -ENOMEM;
    state->n_cpus = laxity_cpus_end(&setup->cpus);
    for (; rc == -ENOMEM && n_slots >= LEAST_SLOTS; n_slots /= 2) {
        /* All slots are elements of one array of the kernel's. */
        if (n_slots * state->n_cpus <= INT32_MAX) {
            state->n_slots = (uint32_t)n_slots;
            rc = load(state, btf, setup->kinds);
        }
    }
    return rc;
}

static int
bpf_open(const struct laxity_trace_setup *setup, void **out_state, struct laxity_error *error)
{
    struct btf *btf = NULL;
    if (laxity_bpf_read_kernel("sched_switch", &btf, error)) {
        return -1;
    }
    const unsigned n = laxity_cpus_count(&setup->cpus);
    struct bpf_state *state = calloc(1, sizeof *state + n * sizeof state->readers[0]);
    const int rc = state ? load_sized(state, setup, btf) : -ENOMEM;
    btf__free(btf);
    if (rc) {
        laxity_bpf_explain_refusal(rc, error);
        free(state);
        return -1;
    }
    place_readers(state, &setup->cpus);
    *out_state = state;
    return 0;
}

/* The beginning of a switch comes last here and goes first in the end, so that no switch is
 * recorded by half. */
static int bpf_start(void *opaque)
{
    struct bpf_state *state = opaque;
    struct laxity_bpf_sched *programs = state->programs;
    (void)bpf_program__set_autoattach(programs->progs.on_switch, false);
    const int rc = laxity_bpf_sched__attach(programs);
    if (rc) {
        return rc;
    }
    programs->links.on_switch = bpf_program__attach(programs->progs.on_switch);
    if (!programs->links.on_switch) {
        return -errno;
    }
    programs->bss->is_recording = true;
    return 0;
}

static int bpf_drain(void *opaque, const struct laxity_trace_sink *sink)
{
    struct bpf_state *state = opaque;
    for (unsigned i = 0; i < state->n_readers; i++) {
        struct laxity_bpf_reader *reader = &state->readers[i];
        const uint64_t tail = laxity_bpf_read(reader, sink);
        __atomic_store_n(&state->cpus[reader->cpu].tail, tail, __ATOMIC_RELEASE);
    }
    state->sink = sink;
    (void)ring_buffer__consume(state->names);
    state->sink = NULL;
    return 0;
}

/* Runs that the kernel left out because the same program was under way on that CPU. */
static uint64_t count_missed_runs(const struct bpf_state *state)
{
    uint64_t missed = 0;
    struct bpf_program *program = NULL;
    bpf_object__for_each_program(program, state->programs->obj)
    {
        struct bpf_prog_info info = {0};
        uint32_t bytes = sizeof info;
        const int fd = bpf_program__fd(program);
        if (fd >= 0 && bpf_obj_get_info_by_fd(fd, &info, &bytes) == 0) {
            missed += info.recursion_misses;
        }
    }
    return missed;
}

/* The first of those that have asked for an interrupt, as the kernel lists them. */
static void tell_irq(unsigned irq, const struct laxity_trace_sink *sink)
{
    char path[PATH_BYTES];
    char actions[LAXITY_VECTOR_NAME_BYTES];
    laxity_format(path, sizeof path, "/sys/kernel/irq/%u/actions", irq);
    if (laxity_read_text(path, actions, sizeof actions) == 0) {
        actions[strcspn(actions, ",\n")] = '\0';
        if (actions[0] != '\0') {
            sink->on_vector(sink->context, irq, actions);
        }
    }
}

static void tell_vectors(const struct bpf_state *state, const struct laxity_trace_sink *sink)
{
    const struct laxity_bpf_sched__bss *seen = state->programs->bss;
#define TELL(name)                                                                                 \
    if (seen->number_of_##name != 0) {                                                             \
        sink->on_vector(sink->context, LAXITY_CPU_VECTOR((int64_t)seen->number_of_##name), #name); \
    }
    LAXITY_BPF_VECTORS(TELL)
#undef TELL
    for (unsigned irq = 0; irq < LAXITY_BPF_NAMED_IRQS; irq++) {
        if (seen->has_irq[irq]) {
            tell_irq(irq, sink);
        }
    }
}

static int bpf_stop(void *opaque, const struct laxity_trace_sink *sink)
{
    struct bpf_state *state = opaque;
    state->programs->bss->is_recording = false;
    (void)bpf_link__destroy(state->programs->links.on_switch);
    state->programs->links.on_switch = NULL;
    laxity_bpf_sched__detach(state->programs);
    const int rc = bpf_drain(state, sink);
    for (unsigned i = 0; i < state->n_readers; i++) {
        struct laxity_bpf_reader *reader = &state->readers[i];
        laxity_bpf_read_rest(reader, &state->cpus[reader->cpu], sink);
    }
    tell_vectors(state, sink);
    const uint64_t missed = count_missed_runs(state);
    if (missed > 0) {
        /* On which CPU the kernel does not tell; that they are missing must be seen. */
        sink->on_lost(sink->context, state->readers[0].cpu, missed);
    }
    return rc;
}

static uint32_t bpf_lacks(const void *opaque)
{
    const struct bpf_state *state = opaque;
    return ~state->supplies;
}

static uint64_t bpf_ring_bytes(const void *opaque)
{
    const struct bpf_state *state = opaque;
    return (uint64_t)state->n_slots * sizeof(struct laxity_bpf_slot);
}

const struct laxity_trace_backend laxity_trace_bpf = {
    .name = "bpf",
    .supplies = (1U << LAXITY_SCHED_KIND_COUNT) - 1,
    .lacks = bpf_lacks,
    .open = bpf_open,
    .start = bpf_start,
    .drain = bpf_drain,
    .stop = bpf_stop,
    .ring_bytes = bpf_ring_bytes,
    .close = bpf_close,
};
