/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
/*
 * What workloads share that compute a result: their size by name, and what a result is known by.
 * Each job must give the first one's digest.
 */
#ifndef LAXITY_WORKLOADS_OUTCOME_H
#define LAXITY_WORKLOADS_OUTCOME_H

#include "digest.h" // IWYU pragma: export

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The words small and large, as numbers of whatever the workload handles. */
struct workload_sizes {
    const char *workload;
    size_t small;
    size_t large;
};

struct workload_outcome {
    const char *workload;
    const char *size_name;
    uint32_t digest; /* of the first job, or of init if that has made and checked a result */
    bool is_known;   /* there is one */
};

/*
 * workload_begin - read the only word, small or large, and LAXITY_SEED; nothing is known yet of the
 * result
 *
 * Returns 0, or negative with what is wrong said on stderr.
 */
int workload_begin(
    const struct workload_sizes *sizes,
    int argc,
    void **argv,
    struct workload_outcome *out_outcome,
    size_t *out_count,
    uint64_t *out_seed
);

/* Keeps the first digest; fails a later job whose digest is another. */
void workload_check_digest(struct workload_outcome *outcome, uint32_t digest);

/* Prints "NAME SIZE digest=XXXXXXXX" on stdout; nothing if none is known. */
void workload_print_outcome(const struct workload_outcome *outcome);

/* laxity_job_failed() with "WORKLOAD: TEXT". Does not return. */
__attribute__((noreturn, format(printf, 2, 3))) void
workload_fail_job(const char *workload, const char *format, ...);

#endif
