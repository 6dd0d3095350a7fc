/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
#include "counters/event.h"
#include "counters/library.h"

#include <errno.h>
#include <stdbool.h>
#include <stddef.h>

const char *laxity_library_name(void)
{
    return NULL;
}

int laxity_library_resolve(const char *name, struct laxity_event *out_event)
{
    (void)name;
    (void)out_event;
    return -ENOENT;
}

bool laxity_library_knows(const char *name)
{
    (void)name;
    return false;
}
