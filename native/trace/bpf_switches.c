/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
/*
 * Back-ends that count switches in the kernel (bpf/switches.bpf.c): one for the switches, one for
 * what its programs themselves take. Nothing is drained; the counts are read once, at the end.
 */
#include "base/cpus.h"
#include "base/error.h"
#include "trace/bpf/switch_counts.h"
#include "trace/bpf_kernel.h"
#include "trace/trace.h"

#include <bpf/btf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <switches.skel.h>
#include <sys/mman.h>

struct switches_state {
    struct laxity_bpf_switches *programs;
    struct laxity_cpus cpus;
    bool is_empty;
    struct laxity_bpf_switch_counts *counts; /* mapped for reading, by CPU */
    size_t counts_bytes;
};

static void switches_close(void *opaque)
{
    struct switches_state *state = opaque;
    if (state->counts) {
        (void)munmap(state->counts, state->counts_bytes);
    }
    laxity_bpf_switches__destroy(state->programs);
    free(state);
}

/* Returns 0 or -errno. */
static int load(struct switches_state *state)
{
    state->programs = laxity_bpf_switches__open();
    if (!state->programs) {
        return -errno;
    }
    (void)bpf_program__set_autoload(state->programs->progs.begin_switch, !state->is_empty);
    (void)bpf_program__set_autoload(state->programs->progs.end_switch, !state->is_empty);
    (void)bpf_program__set_autoload(state->programs->progs.begin_empty, state->is_empty);
    (void)bpf_program__set_autoload(state->programs->progs.end_empty, state->is_empty);
    const unsigned n_cpus = laxity_cpus_end(&state->cpus);
    (void)bpf_map__set_max_entries(state->programs->maps.counts, n_cpus);
    const int rc = laxity_bpf_switches__load(state->programs);
    if (rc) {
        return rc;
    }
    state->counts_bytes = n_cpus * sizeof *state->counts;
    const int fd = bpf_map__fd(state->programs->maps.counts);
    void *counts = mmap(NULL, state->counts_bytes, PROT_READ, MAP_SHARED, fd, 0);
    if (counts == MAP_FAILED) {
        return -errno;
    }
    state->counts = counts;
    return 0;
}

static int open_pair(
    const struct laxity_trace_setup *setup,
    bool is_empty,
    void **out_state,
    struct laxity_error *error
)
{
    struct btf *btf = NULL;
    if (laxity_bpf_read_kernel(is_empty ? "sched_switch" : "sched_exit_tp", &btf, error)) {
        return -1;
    }
    btf__free(btf);
    struct switches_state *state = calloc(1, sizeof *state);
    int rc = -ENOMEM;
    if (state) {
        state->cpus = setup->cpus;
        state->is_empty = is_empty;
        rc = load(state);
    }
    if (rc) {
        laxity_bpf_explain_refusal(rc, error);
        if (state) {
            switches_close(state);
        }
        return -1;
    }
    *out_state = state;
    return 0;
}

static int
switches_open(const struct laxity_trace_setup *setup, void **out_state, struct laxity_error *error)
{
    return open_pair(setup, false, out_state, error);
}

static int
empty_open(const struct laxity_trace_setup *setup, void **out_state, struct laxity_error *error)
{
    return open_pair(setup, true, out_state, error);
}

static int attach(struct bpf_program *program, struct bpf_link **out_link)
{
    struct bpf_link *link = bpf_program__attach(program);
    if (!link) {
        return -errno;
    }
    *out_link = link;
    return 0;
}

/* Programs of one tracepoint run in the order in which they were attached. */
static int switches_start(void *opaque)
{
    struct switches_state *state = opaque;
    struct laxity_bpf_switches *programs = state->programs;
    if (state->is_empty) {
        const int rc = attach(programs->progs.begin_empty, &programs->links.begin_empty);
        return rc ? rc : attach(programs->progs.end_empty, &programs->links.end_empty);
    }
    const int rc = attach(programs->progs.end_switch, &programs->links.end_switch);
    return rc ? rc : attach(programs->progs.begin_switch, &programs->links.begin_switch);
}

static int switches_drain(void *opaque, const struct laxity_trace_sink *sink)
{
    (void)opaque;
    (void)sink;
    return 0;
}

static int switches_stop(void *opaque, const struct laxity_trace_sink *sink)
{
    struct switches_state *state = opaque;
    laxity_bpf_switches__detach(state->programs);
    for (unsigned cpu = 0; cpu < laxity_cpus_end(&state->cpus); cpu++) {
        if (laxity_cpus_has(&state->cpus, cpu)) {
            const struct laxity_bpf_switch_counts *here = &state->counts[cpu];
            sink->on_switches(sink->context, (int32_t)cpu, &here->durations, here->unpaired);
        }
    }
    return 0;
}

static uint64_t switches_ring_bytes(const void *opaque)
{
    (void)opaque;
    return 0; /* there is none */
}

const struct laxity_trace_backend laxity_switches_bpf = {
    .name = "bpf",
    .open = switches_open,
    .start = switches_start,
    .drain = switches_drain,
    .stop = switches_stop,
    .ring_bytes = switches_ring_bytes,
    .close = switches_close,
};

const struct laxity_trace_backend laxity_empty_bpf = {
    .name = "bpf",
    .open = empty_open,
    .start = switches_start,
    .drain = switches_drain,
    .stop = switches_stop,
    .ring_bytes = switches_ring_bytes,
    .close = switches_close,
};
