/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
/*
 * What back-ends tell of threads, put in order of time before it goes into the table: rings are
 * read one after the other, so that the end of a short thread may come before its begin.
 */
#ifndef LAXITY_TRACE_THREAD_QUEUE_H
#define LAXITY_TRACE_THREAD_QUEUE_H

#include "trace/thread_table.h"
#include "trace/trace.h"

#include <stddef.h>
#include <stdint.h>

struct laxity_thread_news;

/* All zero: empty. */
struct laxity_thread_queue {
    struct laxity_thread_news *news;
    size_t n;
    size_t room;
};

/* laxity_thread_queue_put, laxity_thread_queue_exit - what a back-end saw. Returns 0 or -ENOMEM. */
int laxity_thread_queue_put(
    struct laxity_thread_queue *queue, const struct laxity_thread_event *event
);
int laxity_thread_queue_exit(struct laxity_thread_queue *queue, int32_t tid, int64_t time_ns);

/*
 * laxity_thread_queue_settle - hand all from before before_ns to the table, in order of time
 *
 * Nothing from before then may come later. Returns 0 or -ENOMEM.
 */
int laxity_thread_queue_settle(
    struct laxity_thread_queue *queue, struct laxity_thread_table *table, int64_t before_ns
);

void laxity_thread_queue_free(struct laxity_thread_queue *queue);

#endif
