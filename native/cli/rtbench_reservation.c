/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
#include "cli/rtbench_reservation.h"

#include "base/error.h"
#include "base/port/deadline.h"
#include "base/port/time.h"

#include <laxity/units.h>

#include <stdbool.h>
#include <stdint.h>

/* Far above the kernel's own bound, which it states itself; only overflow is kept away here. */
static const uint64_t reserved_max_ns = UINT64_C(24) * 3600 * LAXITY_NS_PER_S;

int laxity_parse_reserved_ns(const char *text, int64_t *out_ns)
{
    uint64_t value = 0;
    const int rc = laxity_parse_count(text, 1, reserved_max_ns, &value);
    if (rc == 0) {
        *out_ns = (int64_t)value;
    }
    return rc;
}

int laxity_rtbench_complete_reservation(
    struct laxity_reservation *reservation, bool has_fifo, struct laxity_error *error
)
{
    if (reservation->period_ns == 0) {
        if (reservation->deadline_ns == 0 && reservation->runtime_ns == 0) {
            return 0;
        }
        laxity_error_set(
            error, LAXITY_EXIT_USAGE, "-D and -T are of SCHED_DEADLINE; add its period, -P NS"
        );
        return -1;
    }
    if (has_fifo) {
        laxity_error_set(
            error,
            LAXITY_EXIT_USAGE,
            "-f and -P: SCHED_FIFO and SCHED_DEADLINE exclude each other; leave one out"
        );
        return -1;
    }
    if (reservation->deadline_ns == 0) {
        reservation->deadline_ns = reservation->period_ns;
    }
    if (reservation->runtime_ns == 0) {
        reservation->runtime_ns = reservation->deadline_ns;
    }
    char what[LAXITY_ERROR_TEXT_BYTES];
    if (laxity_check_reservation(reservation, what, sizeof what)) {
        laxity_error_set(error, LAXITY_EXIT_USAGE, "-P, -D, -T: %.150s", what);
        return -1;
    }
    return 0;
}
