/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
#include "trace/thread_queue.h"

#include "base/error.h"
#include "trace/thread_table.h"
#include "trace/trace.h"

#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum {
    FIRST_ROOM = 256
};

struct laxity_thread_news {
    struct laxity_thread_event event; /* its name, if any, is `comm` */
    uint64_t place;                   /* of two at one instant the one told first goes first */
    bool is_exit;
    bool has_comm;
    char comm[LAXITY_COMM_BYTES];
};

static int append(struct laxity_thread_queue *queue, const struct laxity_thread_news *news)
{
    if (queue->n == queue->room) {
        const size_t room = queue->room == 0 ? FIRST_ROOM : 2 * queue->room;
        struct laxity_thread_news *grown = realloc(queue->news, room * sizeof *grown);
        if (!grown) {
            return -ENOMEM;
        }
        queue->news = grown;
        queue->room = room;
    }
    queue->news[queue->n] = *news;
    queue->news[queue->n].place = queue->n;
    queue->n++;
    return 0;
}

int laxity_thread_queue_put(
    struct laxity_thread_queue *queue, const struct laxity_thread_event *event
)
{
    struct laxity_thread_news news = {.event = *event, .has_comm = event->comm != NULL};
    laxity_format(news.comm, sizeof news.comm, "%s", event->comm ? event->comm : "");
    return append(queue, &news);
}

int laxity_thread_queue_exit(struct laxity_thread_queue *queue, int32_t tid, int64_t time_ns)
{
    const struct laxity_thread_news news = {
        .event = {.time_ns = time_ns, .tid = tid}, .is_exit = true
    };
    return append(queue, &news);
}

static int compare(const void *left, const void *right)
{
    const struct laxity_thread_news *a = left;
    const struct laxity_thread_news *b = right;
    if (a->event.time_ns != b->event.time_ns) {
        return a->event.time_ns < b->event.time_ns ? -1 : 1;
    }
    return (a->place > b->place) - (a->place < b->place);
}

static int tell(struct laxity_thread_news *news, struct laxity_thread_table *table)
{
    if (news->is_exit) {
        laxity_thread_table_exit(table, news->event.tid, news->event.time_ns);
        return 0;
    }
    news->event.comm = news->has_comm ? news->comm : NULL;
    return laxity_thread_table_take(table, &news->event);
}

int laxity_thread_queue_settle(
    struct laxity_thread_queue *queue, struct laxity_thread_table *table, int64_t before_ns
)
{
    if (queue->n == 0) {
        return 0;
    }
    qsort(queue->news, queue->n, sizeof *queue->news, compare);
    size_t n = 0;
    int rc = 0;
    while (rc == 0 && n < queue->n && queue->news[n].event.time_ns < before_ns) {
        rc = tell(&queue->news[n], table);
        n++;
    }
    queue->n -= n;
    memmove(queue->news, queue->news + n, queue->n * sizeof *queue->news);
    for (size_t i = 0; i < queue->n; i++) {
        queue->news[i].place = i;
    }
    return rc;
}

void laxity_thread_queue_free(struct laxity_thread_queue *queue)
{
    free(queue->news);
    *queue = (struct laxity_thread_queue){.n = 0};
}
