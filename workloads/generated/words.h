/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
/* The words of workload "generated": KEY=VALUE, in any order. */
#ifndef LAXITY_WORKLOADS_GENERATED_WORDS_H
#define LAXITY_WORKLOADS_GENERATED_WORDS_H

#include "codegen/shape.h"

#include <stdint.h>

struct generated_words {
    struct laxity_shape code; /* bytes 0: none */
    struct laxity_shape data; /* likewise; one of both there is */
    uint64_t passes_per_job;
};

/* Returns 0, or negative with what is wrong said on stderr. */
int generated_read_words(int argc, void **argv, struct generated_words *out_words);

#endif
