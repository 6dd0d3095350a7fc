/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
#include "guests/isolation.h"

#include "base/error.h"
#include "guests/attributes.h"
#include "guests/guest.h"
#include "guests/guest_call.h"
#include "guests/guest_files.h"
#include "guests/guest_heap.h"
#include "guests/guest_image.h"
#include "guests/guest_random.h"
#include "guests/guest_regions.h"
#include "guests/guest_signals.h"
#include "guests/guest_state.h"
#include "guests/guest_streams.h"
#include "guests/leftovers.h"

#include <fenv.h>
#include <getopt.h> /* NOLINT(misc-include-cleaner): glibc has its content in bits/ */
#include <stdbool.h>
#include <stddef.h>
#include <string.h>
#include <time.h>

/* What is needed to take back what jobs do. */
static int keep_all(struct laxity_isolated *isolated)
{
    int rc = laxity_guest_state_keep(isolated->guest.image, &isolated->state);
    /* Who counts instructions compares modes: watching must cost the jobs of each the same. */
    if (rc == 0 && (isolated->mode == LAXITY_ISOLATION_RESTORE || isolated->is_vetting)) {
        rc = laxity_guest_heap_watch();
    }
    if (rc == 0 && isolated->has_directory) {
        rc = laxity_guest_files_keep(&isolated->files);
    }
    return rc;
}

int laxity_isolated_open(struct laxity_isolated *isolated, struct laxity_error *error)
{
    tzset(); /* the C library allocates for the time zone, once */
    int rc = isolated->is_need_measured ? 0 : keep_all(isolated);
    rc = rc ? rc : laxity_guest_catch();
    rc = rc ? rc : laxity_belongings_look(&isolated->before);
    if (rc) {
        return laxity_refuse(
            error, LAXITY_EXIT_LACKING, "cannot be isolated: %s", strerrordesc_np(-rc)
        );
    }
    return 0;
}

enum {
    /* As much as usual frames take. What is deeper vetting finds out; more would cost the job more
     * of its warm caches. */
    CLEARED_STACK_BYTES = 64 * 1024
};

/* A new process finds zeros there, but for what ran before main. Here addresses of ours would lie
 * there, which differ from process to process. */
__attribute__((noinline)) static void clear_stack(void)
{
    unsigned char frame[CLEARED_STACK_BYTES];
    memset(frame, 0, sizeof frame);
    __asm__ volatile("" : : "r"(frame) : "memory"); /* or nobody would need the zeros */
}

void laxity_isolated_begin(struct laxity_isolated *isolated, struct laxity_job_outcome *outcome)
{
    memset(outcome, 0, sizeof *outcome);
    const bool is_first = isolated->jobs == 0;
    isolated->jobs++;
    laxity_guest_claim();
    laxity_guest_streams_begin();
    laxity_guest_random_begin();
    if (isolated->mode == LAXITY_ISOLATION_RESTORE && !isolated->is_need_measured) {
        laxity_guest_heap_mark();
    }
    if (isolated->mode == LAXITY_ISOLATION_FORK && isolated->has_directory) {
        laxity_guest_files_restore(&isolated->files); /* the child before has left it so */
    }
    if (is_first && !isolated->is_need_measured) {
        /* Again, because descriptors of the harness may have come since. */
        (void)laxity_belongings_look(&isolated->before);
    }
    if ((is_first || isolated->mode != LAXITY_ISOLATION_NONE) &&
        laxity_guest_has(&isolated->guest, LAXITY_GUEST_INIT)) {
        laxity_guest_call(&isolated->guest, LAXITY_GUEST_INIT, &outcome->init);
    }
    laxity_guest_regions_begin(); /* what init does is no part of the job */
    if (isolated->mode == LAXITY_ISOLATION_NONE) {
        laxity_guest_random_begin(); /* only the first job has init's seed */
    }
    (void)feclearexcept(FE_ALL_EXCEPT); /* as a new process finds it */
    if (is_first && isolated->is_vetting) {
        (void)laxity_belongings_look(&isolated->ready);
    }
    if ((is_first || isolated->mode == LAXITY_ISOLATION_RESTORE) && !isolated->is_need_measured) {
        clear_stack();
    }
}

void laxity_isolated_job(struct laxity_isolated *isolated, struct laxity_job_outcome *outcome)
{
    laxity_guest_call(&isolated->guest, LAXITY_GUEST_JOB, &outcome->end);
    laxity_guest_regions_take(&outcome->regions);
}

/* After the job, so that the next one finds caches that its own init has filled, not this copying.
 */
static void take_back(struct laxity_isolated *isolated, const struct laxity_job_outcome *outcome)
{
    laxity_guest_heap_take_back();
    laxity_attributes_restore(&isolated->before.attributes);
    (void)laxity_leftovers_close(&isolated->before);
    laxity_guest_state_restore(&isolated->state);
    optind = 0; /* of the C library, and kept there by every program with options */
    if (laxity_guest_signals_take()) {
        laxity_leftovers_answer_again(&isolated->before);
        (void)laxity_guest_catch();
    }
    /* After the streams that it has left open were closed, which writes. */
    if (isolated->has_directory && outcome->files.hash != isolated->files.hash) {
        laxity_guest_files_restore(&isolated->files);
    }
}

void laxity_isolated_end(struct laxity_isolated *isolated, struct laxity_job_outcome *outcome)
{
    struct laxity_guest_end ignored;
    if (outcome->regions.n_checks > 0) {
        outcome->check = (struct laxity_guest_end){LAXITY_GUEST_RETURNED, outcome->regions.check};
        outcome->has_check = true;
    }
    if (outcome->end.kind == LAXITY_GUEST_RETURNED &&
        laxity_guest_has(&isolated->guest, LAXITY_GUEST_CHECK)) {
        laxity_guest_call(&isolated->guest, LAXITY_GUEST_CHECK, &outcome->check);
        outcome->has_check = true;
    }
    if (isolated->mode != LAXITY_ISOLATION_NONE &&
        laxity_guest_has(&isolated->guest, LAXITY_GUEST_TEARDOWN)) {
        laxity_guest_call(&isolated->guest, LAXITY_GUEST_TEARDOWN, &ignored);
    }
    laxity_guest_flush(&isolated->guest);
    laxity_guest_streams_take(&outcome->output);
    if (isolated->is_need_measured) {
        return;
    }
    if (isolated->has_directory) {
        laxity_guest_files_look(&outcome->files);
    }
    if (isolated->is_vetting) {
        laxity_guest_state_look(&isolated->state, &outcome->state);
    }
    if (isolated->mode == LAXITY_ISOLATION_RESTORE) {
        take_back(isolated, outcome);
    }
    if (isolated->is_vetting) {
        /* In mode restore: what taking back could not. */
        const bool is_restored = isolated->mode == LAXITY_ISOLATION_RESTORE;
        (void)laxity_leftovers_since(
            &isolated->before,
            is_restored ? NULL : &isolated->ready,
            isolated->mode != LAXITY_ISOLATION_NONE,
            &outcome->leftovers
        );
    }
}
