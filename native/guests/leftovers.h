/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
/* What a job leaves in the process beside memory: descriptors, threads, signal handlers, how it
 * runs. */
#ifndef LAXITY_GUESTS_LEFTOVERS_H
#define LAXITY_GUESTS_LEFTOVERS_H

#include "guests/attributes.h"

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>

enum {
    LAXITY_DESCRIPTORS_MAX = 1024,
    LAXITY_SIGNALS_MAX = 65,
};

struct laxity_belongings {
    bool is_open[LAXITY_DESCRIPTORS_MAX];
    uint64_t held;     /* hash of the files that are open, and of the offsets of the guest's */
    uint64_t mappings; /* guest_mappings.h */
    struct sigaction actions[LAXITY_SIGNALS_MAX];
    unsigned n_threads;
    struct laxity_attributes attributes;
};

/* What is there beyond a look before. */
struct laxity_leftovers {
    unsigned n_descriptors;
    unsigned n_threads;
    uint64_t handlers;   /* bit of each signal whose answer has changed */
    uint32_t attributes; /* bit of each enum laxity_attribute that has changed */
};

/* laxity_belongings_look - what the process has now. Returns 0 or -errno: /proc is not readable. */
int laxity_belongings_look(struct laxity_belongings *out_belongings);

/*
 * laxity_leftovers_since - compare with a look before
 *
 * `ready`: a look after init, with which answers to signals and attributes are compared in place of
 * that before it; NULL = there is none. `may_be_before`: they may also be as before, since teardown
 * may have undone what init does. A thread that is just ending gets 50 ms for it. Returns 0 or
 * -errno; attributes are known then, too.
 */
int laxity_leftovers_since(
    const struct laxity_belongings *before,
    const struct laxity_belongings *ready,
    bool may_be_before,
    struct laxity_leftovers *out_leftovers
);

/* laxity_leftovers_close - close descriptors that were not open. Returns 0 or -errno. */
int laxity_leftovers_close(const struct laxity_belongings *before);

/* laxity_leftovers_answer_again - put back how signals were answered */
void laxity_leftovers_answer_again(const struct laxity_belongings *before);

#endif
