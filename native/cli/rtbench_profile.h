/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
/*
 * RT-Bench's memory profile: what jobs have counted by their first sample, their second, and so on,
 * summed over all jobs that lasted so long. The first sample of a job is its zero.
 */
#ifndef LAXITY_CLI_RTBENCH_PROFILE_H
#define LAXITY_CLI_RTBENCH_PROFILE_H

#include <stdint.h>
#include <stdio.h>

struct laxity_rtbench_profile;

/*
 * laxity_rtbench_profile_open - the samples in RUN_DIR/counters.npy, written by this machine
 *
 * Events are those of rtbench_counts.h, in its order. Returns 0, or -errno; laxity_rtbench_profile_
 * close gives back what it took.
 */
int laxity_rtbench_profile_open(const char *run_dir, struct laxity_rtbench_profile **out_profile);

/* laxity_rtbench_profile_add - the samples from start to finish are a job's. Jobs come in the order
 * of time. Returns 0 or -errno. */
int laxity_rtbench_profile_add(
    struct laxity_rtbench_profile *profile, int64_t start_ns, int64_t finish_ns
);

/* laxity_rtbench_profile_write - RT-Bench's header, then a row per sample of the longest job; NULL
 * = there is none. Returns 0 or -errno. */
int laxity_rtbench_profile_write(const struct laxity_rtbench_profile *profile, FILE *out);

/* laxity_rtbench_profile_close - NULL is closed already */
void laxity_rtbench_profile_close(struct laxity_rtbench_profile *profile);

#endif
