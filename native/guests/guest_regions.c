/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
#include "guests/guest_regions.h"

#include "base/port/time.h"

#include <stddef.h>
#include <stdint.h>

/* Brackets have no argument that could lead them there. */
static struct laxity_guest_regions seen;

void laxity_guest_regions_begin(void)
{
    seen = (struct laxity_guest_regions){.check = LAXITY_REGION_CHECK_RIGHT};
}

void laxity_guest_regions_take(struct laxity_guest_regions *out_regions)
{
    *out_regions = seen;
}

/* The clock is the last thing at the beginning and the first one at the end: nothing of ours is
 * inside. */
void laxity_region_begin(void)
{
    if (seen.entered_ns == 0) {
        seen.entered_ns = laxity_now_ns();
    }
}

void laxity_region_end(void)
{
    const int64_t now_ns = laxity_now_ns();
    if (seen.entered_ns != 0) {
        seen.total_ns += now_ns - seen.entered_ns;
        seen.entered_ns = 0;
        seen.count++;
    }
}

void laxity_region_check(int value)
{
    seen.n_checks++;
    if (seen.check == LAXITY_REGION_CHECK_RIGHT) {
        seen.check = value;
    }
}
