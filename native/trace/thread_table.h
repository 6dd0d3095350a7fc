/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
/* Which thread had which number and name, and when: the rows of threads.npy. */
#ifndef LAXITY_TRACE_THREAD_TABLE_H
#define LAXITY_TRACE_THREAD_TABLE_H

#include "schema/streams.h"
#include "trace/trace.h"

#include <stddef.h>
#include <stdint.h>

struct laxity_thread_table {
    struct laxity_threads_row *rows;
    size_t n;
    size_t room;
    uint32_t *live; /* by tid: index + 1 of its open row, 0 = none */
};

/* Returns 0 or -ENOMEM; laxity_thread_table_free gives back. */
int laxity_thread_table_open(struct laxity_thread_table *table);
void laxity_thread_table_free(struct laxity_thread_table *table);

/*
 * laxity_thread_table_take, laxity_thread_table_exit - what a back-end saw. Returns 0 or -ENOMEM.
 *
 * Another CPU may have told of the same thread before, so that names come before forks: whatever
 * order, one row each.
 */
int laxity_thread_table_take(
    struct laxity_thread_table *table, const struct laxity_thread_event *event
);
void laxity_thread_table_exit(struct laxity_thread_table *table, int32_t tid, int64_t time_ns);

/* laxity_thread_table_scan - add the threads that run now and have no row. Returns 0 or -errno. */
int laxity_thread_table_scan(struct laxity_thread_table *table, int64_t time_ns);

/*
 * laxity_thread_table_write - DIR/threads.npy
 *
 * One that the harness has written is joined: its processes' threads get its task's index, and
 * rows of threads that the trace never met are kept. Returns 0 or -errno.
 */
int laxity_thread_table_write(struct laxity_thread_table *table, int dir_fd);

#endif
