/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
/*
 * What a guest itself allocates and opens as a stream, remembered so that it can be taken back.
 *
 * A guest is linked with --wrap=NAME for each of these names, so that its calls come here as
 * __wrap_NAME, and calls of the C library do not: what that allocates for itself must not be freed.
 */
#ifndef LAXITY_GUESTS_GUEST_HEAP_H
#define LAXITY_GUESTS_GUEST_HEAP_H

#include <stddef.h>

/* laxity_guest_heap_watch - remember from now on; makes room for it. Returns 0 or -ENOMEM. */
int laxity_guest_heap_watch(void);

/* laxity_guest_heap_mark - what is held from here on is of the next job */
void laxity_guest_heap_mark(void);

/* laxity_guest_heap_take_back - close and free what is left since the mark */
void laxity_guest_heap_take_back(void);

/* laxity_guest_heap_left - blocks and streams held since the mark; 0 unless watching */
size_t laxity_guest_heap_left(void);

#endif
