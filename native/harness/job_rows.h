/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
/* The columns of jobs.npy, and how a row of them is made. */
#ifndef LAXITY_HARNESS_JOB_ROWS_H
#define LAXITY_HARNESS_JOB_ROWS_H

#include "base/npy.h"
#include "harness/release.h"
#include "harness/segment.h"
#include "schema/streams.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    LAXITY_JOB_COLUMNS_MAX =
        LAXITY_JOBS_COLUMN_COUNT + 2 * LAXITY_EVENTS_MAX + LAXITY_LOG_COLUMNS_MAX,
    LAXITY_JOB_ROW_BYTES_MAX = 512
};

/* One row with every column that could be there. */
struct laxity_job_row {
    LAXITY_JOBS_MEMBERS
    float log_values[LAXITY_LOG_VALUES_MAX]; /* in the order of their task's names */
    struct laxity_counts counts;
};

/* The columns of one run: a quantity that is not measured in the whole run has none. */
struct laxity_job_layout {
    struct laxity_field fields[LAXITY_JOB_COLUMNS_MAX];
    size_t offsets[LAXITY_JOB_COLUMNS_MAX]; /* in struct laxity_job_row */
    unsigned n_fields;
    unsigned n_log_fields; /* the last ones; one per different log header */
    uint32_t row_bytes;
};

/* laxity_job_layout_of - columns of this run. The log names are read: every task must be past its
 * init. */
struct laxity_job_layout laxity_job_layout_of(struct laxity_segment *segment);

/* laxity_job_layout_has - is there a column of this name? Of log columns only the first
 * LAXITY_LOG_COLUMNS_MAX different ones have a place. */
bool laxity_job_layout_has(const struct laxity_job_layout *layout, const char *name);

/* laxity_job_row_absent - a row of a job that did not start */
struct laxity_job_row laxity_job_row_absent(
    const struct laxity_releases *releases, uint16_t task, uint64_t job, enum laxity_status status
);

/* laxity_job_row_of - the row of a finished record, or of a started one with its cause of abortion
 */
struct laxity_job_row laxity_job_row_of(
    const struct laxity_releases *releases,
    uint16_t task,
    const struct laxity_job_record *record,
    enum laxity_end cause
);

/*
 * laxity_job_row_pack - write the row's columns to out (layout->row_bytes bytes)
 *
 * `state` = that of the row's task, for the names of its log columns; other tasks' become NaN.
 */
void laxity_job_row_pack(
    const struct laxity_job_layout *layout,
    const struct laxity_job_row *row,
    const struct laxity_task_state *state,
    unsigned char *out
);

#endif
