/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
#include "probes/memory_regions.h"

#include "base/error.h"
#include "base/port/pages.h"
#include "probes/probe.h"

#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    BYTES_PER_MIB = 1 << 20,
    /* One page in so many may be an ordinary one: it is told, and moves no median. */
    ORDINARY_SHARE = 16,
};

static int refuse_memory(struct laxity_probe_run *run, size_t bytes, int32_t node, int rc)
{
    const char *what = "no memory; lower --size";
    if (rc == -ENOSYS) {
        what = "this kernel knows no NUMA nodes; leave --node out";
    } else if (rc == -EINVAL) {
        what = "no such node, or not one of this process's cpuset; see `laxity doctor`";
    } else if (rc == -EXDEV) {
        what = "the kernel gave memory of another node; free some on this one";
    }
    char where[LAXITY_PROBE_WORD_BYTES] = "";
    if (node != LAXITY_ANY_NODE) {
        laxity_format(where, sizeof where, " on node %d", (int)node);
    }
    return laxity_refuse(
        &run->shared->error,
        LAXITY_EXIT_LACKING,
        "memory_latency: cannot have %zu bytes for the arrays%s: %s",
        bytes,
        where,
        what
    );
}

/* Figures of ordinary pages must not pass for those of huge ones. */
static int check_huge(struct laxity_probe_run *run, const struct laxity_pages *pages)
{
    size_t huge_bytes = 0;
    const int rc = laxity_pages_count_huge(pages, &huge_bytes);
    if (rc == 0 && huge_bytes == pages->bytes) {
        return 0;
    }
    char given[LAXITY_PROBE_WORD_BYTES] = "the kernel does not say how many";
    if (rc == 0) {
        laxity_format(
            given,
            sizeof given,
            "%zu of %zu MiB",
            huge_bytes / BYTES_PER_MIB,
            pages->bytes / BYTES_PER_MIB
        );
    }
    if (rc == 0 && huge_bytes >= pages->bytes - pages->bytes / ORDINARY_SHARE) {
        laxity_probe_add_fallback(
            run, "huge pages", given, "the kernel has no more of them in one piece now"
        );
        return 0;
    }
    return laxity_refuse(
        &run->shared->error,
        LAXITY_EXIT_LACKING,
        "memory_latency: no huge pages: %s; see /sys/kernel/mm/transparent_hugepage/enabled, lower "
        "--size, or use --pages ordinary",
        given
    );
}

int laxity_memory_map_region(
    struct laxity_probe_run *run,
    size_t bytes,
    int32_t node,
    bool is_huge,
    struct laxity_memory_region *out_region
)
{
    out_region->node = node;
    const int rc = laxity_pages_map(bytes, node, is_huge, &out_region->pages);
    if (rc) {
        return refuse_memory(run, bytes, node, rc);
    }
    return is_huge ? check_huge(run, &out_region->pages) : 0;
}
