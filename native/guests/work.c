/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
#include "guests/work.h"

#if LAXITY_HAS_CALLGRIND

#include <valgrind/callgrind.h>

int laxity_work_can_count(void)
{
    return 1;
}

/* To collect always and to dump what came since: to toggle collecting is of one thread alone. */
void laxity_work_begin(void)
{
    CALLGRIND_ZERO_STATS;
}

void laxity_work_end(void)
{
    CALLGRIND_DUMP_STATS;
}

#else

int laxity_work_can_count(void)
{
    return 0;
}

void laxity_work_begin(void) {}

void laxity_work_end(void) {}

#endif
