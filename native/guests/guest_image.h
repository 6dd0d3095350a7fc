/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
/*
 * Where the functions and data of a guest are: in a shared object that is loaded (guest_loaded.c),
 * or in this very executable (guest_linked.c). An executable has one of the two.
 */
#ifndef LAXITY_GUESTS_GUEST_IMAGE_H
#define LAXITY_GUESTS_GUEST_IMAGE_H

#include "base/error.h"

#include <stdbool.h>
#include <stdint.h>

/* The functions of a guest, in the order in which a job needs them. */
enum laxity_guest_step {
    LAXITY_GUEST_INIT,
    LAXITY_GUEST_JOB,
    LAXITY_GUEST_CHECK,
    LAXITY_GUEST_TEARDOWN,
    LAXITY_GUEST_STEPS,
    /* No step: writes out the streams of C++, which the C library knows nothing of. */
    LAXITY_GUEST_FLUSH = LAXITY_GUEST_STEPS,
};

/*
 * laxity_image_open - load a guest, or find the one that is there already
 *
 * Returns 0, or -1 with error set. Freed by nobody: a guest lives as long as its process.
 */
int laxity_image_open(const char *path, void **out_image, struct laxity_error *error);

/* laxity_image_find - a function by its name, or by what it is; NULL = there is none */
void *laxity_image_find(void *image, enum laxity_guest_step step, const char *symbol);

/* laxity_image_defines - whether it has such a variable; never of one that is linked in */
bool laxity_image_defines(void *image, const char *symbol);

/*
 * laxity_image_each_region - call `note` for each range of the guest's writable state
 *
 * Everything writable but what is made read-only after relocation; the calling thread's
 * thread-local variables where they are allocated statically. Returns 0, -EINVAL, or the first
 * value other than 0 that `note` has returned.
 */
int laxity_image_each_region(
    void *image, int (*note)(void *context, uintptr_t first, uintptr_t end), void *context
);

#endif
