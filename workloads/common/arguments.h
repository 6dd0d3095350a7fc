/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
/*
 * What the inits of the bundled workloads share: strict reading of their words, and memory.
 *
 * Each function says on stderr what is wrong, as "WORKLOAD: WHAT "WORD": WHY; WHAT TO DO", so that
 * an init only has to pass the failure on.
 */
#ifndef LAXITY_WORKLOADS_ARGUMENTS_H
#define LAXITY_WORKLOADS_ARGUMENTS_H

#include <stddef.h>
#include <stdint.h>

/* What every cache of the platforms that we know can hold a line of; buffers are aligned to it. */
enum {
    WORKLOAD_LINE_BYTES = 64
};

/* A word that is a size: at least `lowest` bytes, and a multiple of `granule` bytes. */
struct workload_size {
    const char *workload;
    uint64_t lowest_bytes;
    uint64_t granule_bytes;
};

/* A word that is a whole number within bounds; `name` is what the manifest calls it, such as
 * PASSES. */
struct workload_count {
    const char *workload;
    const char *name;
    uint64_t low;
    uint64_t high;
};

/*
 * workload_check_word_count - refuse too few or too many words
 *
 * `usage` says what the workload takes ("SIZE [PASSES]"), "" if nothing. Returns 0 or -EINVAL.
 */
int workload_check_word_count(
    const char *workload, const char *usage, int argc, void **argv, const int bounds[2]
);

/* Returns 0, -EINVAL for what is no such size, -ERANGE if it is too small or does not fit size_t.
 */
int workload_parse_size(const struct workload_size *rule, const char *word, size_t *out_bytes);

/* Returns 0, -EINVAL for what is no whole number, -ERANGE if it lies outside of the bounds. */
int workload_parse_count(const struct workload_count *rule, const char *word, uint64_t *out_count);

/* Zeroed memory that begins with a line and shares none with others; NULL if there is none. For
 * free(). */
void *workload_allocate(const char *workload, size_t bytes);

#endif
