/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
/* A library that knows the events of processors by name: libpfm4, or none (library_none.c). */
#ifndef LAXITY_COUNTERS_LIBRARY_H
#define LAXITY_COUNTERS_LIBRARY_H

#include "counters/event.h"

#include <stdbool.h>

/* laxity_library_name - as a message calls it, or NULL without one */
const char *laxity_library_name(void);

/*
 * laxity_library_resolve - look a name up among the events of this machine
 *
 * Fills everything but name and ratio_name. Returns 0, or -ENOENT.
 */
int laxity_library_resolve(const char *name, struct laxity_event *out_event);

/* laxity_library_knows - whether it is an event of any processor, this one or another */
bool laxity_library_knows(const char *name);

#endif
