/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
/* Regions of interest within jobs: extra columns of jobs.npy, which leave all others as they are.
 */
#ifndef LAXITY_HARNESS_REGIONS_H
#define LAXITY_HARNESS_REGIONS_H

#include <stdbool.h>
#include <stdint.h>

/* What a job spent in its regions of interest, on the wall clock. */
struct laxity_job_regions {
    int64_t total_ns; /* LAXITY_ABSENT_NS = it entered none */
    uint32_t count;   /* that it entered and left */
};

/* laxity_has_regions - whether the columns are to be there; asked after benchmark_init. Workloads
 * without regions do not define the two. */
__attribute__((weak)) bool laxity_has_regions(void);

/* laxity_regions_of_job - of the job that has just ended */
__attribute__((weak)) struct laxity_job_regions laxity_regions_of_job(void);

#endif
