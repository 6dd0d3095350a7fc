/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
/*
 * Whether a guest draws random numbers of the C library that go on from those of a job before.
 *
 * Its calls of rand(), random(), drand48() and their like come here (--wrap). Which numbers they
 * give is the same in each job only if the job has set the seed itself.
 */
#ifndef LAXITY_GUESTS_GUEST_RANDOM_H
#define LAXITY_GUESTS_GUEST_RANDOM_H

#include <stdbool.h>

/* laxity_guest_random_begin - before a job: no seed is set yet */
void laxity_guest_random_begin(void);

/* laxity_guest_random_is_stale - whether a number was drawn since then before a seed was set */
bool laxity_guest_random_is_stale(void);

#endif
