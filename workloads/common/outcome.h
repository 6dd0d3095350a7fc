/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
/*
 * What workloads share that compute a result: their size by name, and a digest of the result.
 *
 * The digest is FNV-1a of 32 bits (Fowler, Noll, Vo: RFC 9923): cheap beside the job, the same on
 * every platform, and any single change of a byte shows. Each job must give the first job's digest.
 */
#ifndef LAXITY_WORKLOADS_OUTCOME_H
#define LAXITY_WORKLOADS_OUTCOME_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define WORKLOAD_DIGEST_START UINT32_C(2166136261)

/* The words small and large, as numbers of whatever the workload handles. */
struct workload_sizes {
    const char *workload;
    size_t small;
    size_t large;
};

struct workload_outcome {
    const char *workload;
    const char *size_name;
    uint32_t digest; /* of the first job */
    bool is_known;   /* there was a first job */
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

/* Goes on from `digest`: bytes in their order; a word as its four bytes, lowest first. */
uint32_t workload_fold_bytes(uint32_t digest, const uint8_t *bytes, size_t count);
uint32_t workload_fold_word(uint32_t digest, uint32_t word);

/* Keeps the first job's digest; fails a later job whose digest is another. */
void workload_check_digest(struct workload_outcome *outcome, uint32_t digest);

/* Prints "NAME SIZE digest=XXXXXXXX" on stdout; nothing if no job has finished. */
void workload_print_outcome(const struct workload_outcome *outcome);

/* laxity_job_failed() with "WORKLOAD: TEXT". Does not return. */
__attribute__((noreturn, format(printf, 2, 3))) void
workload_fail_job(const char *workload, const char *format, ...);

#endif
