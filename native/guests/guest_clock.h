/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
/*
 * The clocks that a guest reads (--wrap): the machine's, or ones that advance by 1 µs per reading.
 *
 * With the latter two runs of a program see the same times, so what still differs is no time.
 */
#ifndef LAXITY_GUESTS_GUEST_CLOCK_H
#define LAXITY_GUESTS_GUEST_CLOCK_H

#include <stdbool.h>

/*
 * laxity_guest_clock_fix - from now on readings do not depend on the machine
 *
 * `elsewhere`: another time of another year, and a second more per reading.
 */
void laxity_guest_clock_fix(bool elsewhere);

/* laxity_guest_clock_begin - before each job: the first reading of each is the same */
void laxity_guest_clock_begin(void);

#endif
