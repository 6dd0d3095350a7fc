/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
/* In a build without the feature `bpf`, in place of bpf.c. */
#include "base/error.h"
#include "schema/streams.h"
#include "trace/trace.h"

static int
refuse(const struct laxity_trace_setup *setup, void **out_state, struct laxity_error *error)
{
    (void)setup;
    (void)out_state;
    return laxity_refuse(
        error,
        LAXITY_EXIT_LACKING,
        "bpf: this build has no BPF programs; laxity setup --with bpf makes one that has"
    );
}

/* Whatever is asked for, it would be the first choice: so it is told why it is not. */
const struct laxity_trace_backend laxity_trace_bpf = {
    .name = "bpf",
    .supplies = (1U << LAXITY_SCHED_KIND_COUNT) - 1,
    .open = refuse,
};
const struct laxity_trace_backend laxity_switches_bpf = {.name = "bpf", .open = refuse};
const struct laxity_trace_backend laxity_empty_bpf = {.name = "bpf", .open = refuse};
