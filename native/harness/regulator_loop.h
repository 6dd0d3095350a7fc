/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
/* The process that regulates: it reads passages and guards, decides, and writes leases. */
#ifndef LAXITY_HARNESS_REGULATOR_LOOP_H
#define LAXITY_HARNESS_REGULATOR_LOOP_H

#include "base/port/atomic64.h"
#include "guard/lease.h"
#include "harness/segment.h"
#include "regulator/jobs.h"
#include "regulator/plan.h"
#include "regulator/policy.h"
#include "schema/streams.h"

#include <stdatomic.h>
#include <stdint.h>

enum {
    LAXITY_GUARDS_MAX = 64,
    LAXITY_REGULATOR_ROWS = 16384, /* a power of two; the supervisor comes every 100 ms */
};

/* What supervisor, regulator and guards share. */
struct laxity_regulator_board {
    _Atomic uint32_t n_ready; /* guards and regulator */
    _Atomic uint32_t refusal; /* errno of the first that cannot play its part */
    _Atomic uint32_t is_over; /* set by the supervisor */
    struct laxity_lease leases[LAXITY_GUARDS_MAX];
    /* Writer: the supervisor. */
    _Alignas(LAXITY_LEASE_LINE_BYTES) struct laxity_atomic64 rows_taken;
    /* Writer: the regulator. */
    _Alignas(LAXITY_LEASE_LINE_BYTES) struct laxity_atomic64 rows_made;
    uint64_t rows_lost;
    struct laxity_regulated_jobs jobs;
    struct laxity_regulation policy;
    uint64_t late_stops; /* work stood still later than the plan says */
    int64_t latest_ns;   /* the latest of them, after its permission had ended */
    uint64_t late_marks; /* passages that were read later than the plan says */
    uint64_t lost;       /* readings that found passages overwritten */
    struct laxity_regulation_reasons_row rows[LAXITY_REGULATOR_ROWS];
};

struct laxity_regulator_config {
    const struct laxity_regulation_plan *plan;
    struct laxity_segment *segment;
    struct laxity_regulator_board *board;
    const int *timer_fds; /* of the leases */
    unsigned n_guards;
};

/* laxity_regulator_loop - regulate until the board says that it is over */
void laxity_regulator_loop(const struct laxity_regulator_config *config);

#endif
