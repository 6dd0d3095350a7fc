/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
/* What a job of a guest has to come to, as vetting has seen it in fresh processes. */
#ifndef LAXITY_GUESTS_EXPECTED_H
#define LAXITY_GUESTS_EXPECTED_H

#include "guests/isolation.h"

#include <stdbool.h>

enum {
    LAXITY_EXPECTED_BYTES = 128,
    LAXITY_HASH_TEXT_BYTES = 17,
};

struct laxity_expected {
    char end[LAXITY_EXPECTED_BYTES]; /* HOW:CODE:CHECK */
    char output[LAXITY_HASH_TEXT_BYTES];
    char files[LAXITY_HASH_TEXT_BYTES];
};

/*
 * laxity_expected_read - HOW:CODE:CHECK:OUTPUT:FILES, where "-" is not compared
 *
 * The last two are hashes. Returns 0, or -1: it is something else.
 */
int laxity_expected_read(struct laxity_expected *out_expected, const char *text);

/* laxity_expected_is_end - whether a job ended by the way of a fresh one, and where that is no
 * return, with the same code or signal */
bool laxity_expected_is_end(
    const struct laxity_expected *expected, const struct laxity_guest_end *end
);

/* laxity_expected_is_met - whether a job ended, checked, wrote and left files as a fresh one */
bool laxity_expected_is_met(
    const struct laxity_expected *expected, const struct laxity_job_outcome *outcome
);

#endif
