/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
/* What the running kernel offers to BPF programs, by its own type information (BTF). */
#ifndef LAXITY_TRACE_BPF_KERNEL_FACTS_H
#define LAXITY_TRACE_BPF_KERNEL_FACTS_H

#include "base/error.h"

#include <stdbool.h>

struct bpf_program;
struct btf;

/*
 * laxity_bpf_read_kernel - the kernel's types, if programs on `tracepoint` may serve here
 *
 * Returns 0, the caller frees by btf__free; or -1 with error: no BTF, or no such tracepoint.
 */
int laxity_bpf_read_kernel(
    const char *tracepoint, struct btf **out_btf, struct laxity_error *error
);

bool laxity_bpf_has_tracepoint(const struct btf *btf, const char *tracepoint);

/* laxity_bpf_count_arguments - of a tracepoint; 0 if there is none of this name */
unsigned laxity_bpf_count_arguments(const struct btf *btf, const char *tracepoint);

/* laxity_bpf_tracepoint - the name of the tracepoint that a program of ours is for */
const char *laxity_bpf_tracepoint(const struct bpf_program *program);

/* laxity_bpf_explain_refusal - why programs could not be loaded, and what to do; rc is -errno */
void laxity_bpf_explain_refusal(int rc, struct laxity_error *error);

#endif
