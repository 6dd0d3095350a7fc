/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
/*
 * A second process of a probe, one priority above the victim: it does one order after the other,
 * until the victim closes its end. What an order is, and doing it, is the probe's own.
 */
#ifndef LAXITY_PROBES_COMPANION_H
#define LAXITY_PROBES_COMPANION_H

#include "probes/probe.h"

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

/* As the victim sees it; zeros: not started. */
struct laxity_companion {
    const char *name; /* for messages: "the preemptor" */
    int order_fd;     /* the victim writes */
    int answer_fd;    /* the victim reads; hangs up when the companion ends */
    pid_t pid;
};

/* As the companion itself sees it. */
struct laxity_companion_ends {
    int order_fd;
    int answer_fd;
};

/* What the companion does; returns its exit code. */
typedef int laxity_companion_work(
    struct laxity_probe_run *run, const void *what, const struct laxity_companion_ends *ends
);

/*
 * laxity_companion_start - fork a process that does `work` with `what` and ends
 *
 * Its first answer says that it is ready. Returns 0, or -1 with error set.
 */
int laxity_companion_start(
    struct laxity_probe_run *run,
    const char *name,
    laxity_companion_work *work,
    const void *what,
    struct laxity_companion *out_companion
);

/* laxity_companion_stop - let it end and wait for that */
void laxity_companion_stop(struct laxity_companion *companion);

/* laxity_companion_order - hand over one order, no longer than PIPE_BUF. Returns false if it has
 * ended. */
bool laxity_companion_order(
    const struct laxity_companion *companion, const void *order, size_t bytes
);

/* laxity_companion_await - sleep until it answers. Returns false if it has ended. */
bool laxity_companion_await(const struct laxity_companion *companion);

/* laxity_companion_tell_end - that it has ended. Returns -1 with error set. */
int laxity_companion_tell_end(
    struct laxity_probe_run *run, const struct laxity_companion *companion
);

/* In the companion. */

/* laxity_companion_become_ready - lock all memory, enter FIFO, say so. Returns false if it cannot.
 */
bool laxity_companion_become_ready(
    struct laxity_probe_run *run, const struct laxity_companion_ends *ends
);

/* laxity_companion_take - sleep until the next order. Returns false where there is none any more.
 */
bool laxity_companion_take(const struct laxity_companion_ends *ends, void *out_order, size_t bytes);

/* laxity_companion_answer - returns false if nobody listens */
bool laxity_companion_answer(const struct laxity_companion_ends *ends);

#endif
