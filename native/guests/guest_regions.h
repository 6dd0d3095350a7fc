/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
/*
 * The parts of a job that a guest brackets by timing calls of its own, and what its check functions
 * say in the middle of it.
 *
 * The guest is linked with --wrap for those functions; a generated file
 * (python/laxity/suites/regions.py) defines the wrappers, calls the real ones, and the functions
 * below.
 */
#ifndef LAXITY_GUESTS_GUEST_REGIONS_H
#define LAXITY_GUESTS_GUEST_REGIONS_H

#include <stdbool.h>
#include <stdint.h>

/* Defined by the generated file: the guest has regions or check functions. */
#define LAXITY_REGIONS_SYMBOL "laxity_guest_regions"

/* What a check function returns if the result is right: SD-VBS's selfCheck and fSelfCheck. */
#define LAXITY_REGION_CHECK_RIGHT 1

struct laxity_guest_regions {
    int64_t total_ns;
    int64_t entered_ns; /* 0 = outside */
    uint32_t count;     /* entered and left */
    uint32_t n_checks;
    int check; /* the first value that is not right, else that; if there were checks */
};

/* laxity_guest_regions_begin - before each job: none yet */
void laxity_guest_regions_begin(void);

/* laxity_guest_regions_take - after each job */
void laxity_guest_regions_take(struct laxity_guest_regions *out_regions);

/*
 * laxity_region_begin, laxity_region_end - the guest is at the bracket
 *
 * A second beginning without an end, and an end without a beginning, count for nothing.
 */
void laxity_region_begin(void);
void laxity_region_end(void);

/* laxity_region_check - what a check function returned */
void laxity_region_check(int value);

#endif
