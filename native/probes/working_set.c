/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
#include "probes/working_set.h"

#include "base/error.h"
#include "base/lists.h"
#include "probes/probe.h"

#include <stddef.h>

size_t laxity_largest_size(const struct laxity_numbers *sizes_bytes, size_t least)
{
    size_t largest = least;
    for (size_t i = 0; i < sizes_bytes->n; i++) {
        const size_t bytes = (size_t)sizes_bytes->items[i];
        largest = bytes > largest ? bytes : largest;
    }
    return largest;
}

int laxity_refuse_working_set(struct laxity_probe_run *run, size_t bytes)
{
    return laxity_refuse(
        &run->shared->error,
        LAXITY_EXIT_LACKING,
        "%s: no memory for a working set of %zu bytes; lower --size",
        run->probe->name,
        bytes
    );
}
