/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
/* The measured loops of probes "crpd" and "migration" over data. */
#include "probes/crpd_patterns.h"

#include <stddef.h>

/* The measured loop: nothing may be added, every instruction here is part of a pass. */
__attribute__((noinline)) void
laxity_crpd_walk(volatile unsigned char *working_set, const size_t bytes)
{
    for (size_t i = 0; i + 1 < bytes; i += LAXITY_CRPD_STEP_BYTES) {
        const unsigned char value = working_set[i];
        working_set[i + 1] = value;
    }
}

/* The measured loop: nothing may be added, every instruction here is part of a pass. */
__attribute__((noinline)) void laxity_crpd_chase(unsigned char *working_set)
{
    struct laxity_crpd_line *const first = laxity_crpd_line(working_set, 0);
    struct laxity_crpd_line *line = first;
    do {
        line->visits++;
        line = line->next;
    } while (line != first);
}
