/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
/* Call a step of a guest so that exit(), abort() and fatal signals end the step, not the process.
 */
#ifndef LAXITY_GUESTS_GUEST_CALL_H
#define LAXITY_GUESTS_GUEST_CALL_H

#include "guests/guest.h"

enum laxity_guest_end_kind {
    LAXITY_GUEST_RETURNED,
    LAXITY_GUEST_EXITED,   /* exit() or _exit() */
    LAXITY_GUEST_SIGNALLED /* a fatal signal, or abort() */
};

/* How a step ended: what it returned, its exit code, or the signal. */
struct laxity_guest_end {
    enum laxity_guest_end_kind kind;
    int code;
};

/*
 * laxity_guest_catch - answer fatal signals from now on, on a stack of their own
 *
 * Again after a guest has installed handlers of its own. Returns 0 or -errno.
 */
int laxity_guest_catch(void);

/*
 * laxity_guest_claim - before each job, off the measured path: steps are of this process
 *
 * A process that a step forks is the guest's own, and ends as it would without us: by its exit(),
 * its signal, or what it returns.
 */
void laxity_guest_claim(void);

/*
 * laxity_guest_call - one step, in this thread
 *
 * Only of the thread that calls: exit() of another one ends the process. Functions that a guest
 * registers by atexit() are called, in the opposite order, when main() has returned or exit() was
 * called.
 */
void laxity_guest_call(
    struct laxity_guest *guest, enum laxity_guest_step step, struct laxity_guest_end *out_end
);

/* laxity_guest_exit_handlers - how many functions are registered by atexit() and not yet called */
unsigned laxity_guest_exit_handlers(void);

/* laxity_guest_exit_handlers_keep - forget all but the first n */
void laxity_guest_exit_handlers_keep(unsigned n);

const char *laxity_guest_end_name(enum laxity_guest_end_kind kind);

#endif
