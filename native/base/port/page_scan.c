/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
#include "base/port/page_scan.h"

#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/ioctl.h>
#include <sys/types.h>
#include <unistd.h>

/* Of <linux/fs.h> since Linux 6.7; headers are older than kernels. Documentation/admin-guide/mm/
 * pagemap.rst. */
struct page_region {
    uint64_t start;
    uint64_t end;
    uint64_t categories;
};

struct pm_scan_arg {
    uint64_t size;
    uint64_t flags;
    uint64_t start;
    uint64_t end;
    uint64_t walk_end;
    uint64_t vec;
    uint64_t vec_len;
    uint64_t max_pages;
    uint64_t category_inverted;
    uint64_t category_mask;
    uint64_t category_anyof_mask;
    uint64_t return_mask;
};

#define PM_SCAN _IOWR('f', 16, struct pm_scan_arg)

enum {
    PAGE_IS_WATCHED = 1 << 0, /* PAGE_IS_WPALLOWED */
    PAGE_IS_WRITTEN = 1 << 1,
    PAGE_IS_FILE = 1 << 2,
    PAGE_IS_PRESENT = 1 << 3,
    PAGE_IS_SWAPPED = 1 << 4,
    PAGE_IS_ZERO = 1 << 5, /* PAGE_IS_PFNZERO */
    REGIONS = 256,
    ENTRIES = 512,
};

/* Of an entry of pagemap. */
#define ENTRY_PRESENT (UINT64_C(1) << 63)
#define ENTRY_SWAPPED (UINT64_C(1) << 62)
#define ENTRY_FILE (UINT64_C(1) << 61)

const char *laxity_page_scan_name(enum laxity_page_scan_method method)
{
    return method == LAXITY_PAGE_SCAN_IOCTL ? "PAGEMAP_SCAN" : "pagemap";
}

static void add_region(
    const struct laxity_page_scan *scan,
    const struct page_region *region,
    struct laxity_page_counts *counts
)
{
    const uint64_t pages = (region->end - region->start) / scan->page_bytes;
    const bool is_watched = (region->categories & PAGE_IS_WATCHED) != 0;
    if (is_watched && (region->categories & PAGE_IS_PRESENT) == 0) {
        return; /* what stands in its place says that it is watched, and looks swapped out */
    }
    if (counts->first == 0) {
        counts->first = region->start;
    }
    if ((region->categories & PAGE_IS_FILE) == 0) {
        counts->private_pages += pages;
        counts->private_written_pages += (region->categories & PAGE_IS_ZERO) == 0 ? pages : 0;
        return;
    }
    counts->file_pages += pages;
    if (!is_watched) {
        counts->unwatched_pages += pages;
    } else if ((region->categories & PAGE_IS_WRITTEN) != 0) {
        counts->file_written_pages += pages;
    }
}

static int count_by_ioctl(
    const struct laxity_page_scan *scan,
    uint64_t begin,
    uint64_t end,
    struct laxity_page_counts *counts
)
{
    struct page_region regions[REGIONS];
    struct pm_scan_arg asked = {
        .size = sizeof asked,
        .start = begin,
        .end = end,
        .vec = (uint64_t)(uintptr_t)regions,
        .vec_len = REGIONS,
        .category_anyof_mask = PAGE_IS_PRESENT | PAGE_IS_SWAPPED,
        .return_mask =
            PAGE_IS_WATCHED | PAGE_IS_WRITTEN | PAGE_IS_FILE | PAGE_IS_PRESENT | PAGE_IS_ZERO,
    };
    while (asked.start < end) {
        const int n = ioctl(scan->pagemap_fd, PM_SCAN, &asked);
        if (n < 0) {
            return -errno;
        }
        for (int i = 0; i < n; i++) {
            add_region(scan, &regions[i], counts);
        }
        asked.start = asked.walk_end;
    }
    return 0;
}

static int count_by_bits(
    const struct laxity_page_scan *scan,
    uint64_t begin,
    uint64_t end,
    struct laxity_page_counts *counts
)
{
    uint64_t entries[ENTRIES];
    uint64_t page = begin / scan->page_bytes;
    const uint64_t end_page = end / scan->page_bytes;
    while (page < end_page) {
        const uint64_t wanted = end_page - page < ENTRIES ? end_page - page : ENTRIES;
        const ssize_t bytes = pread(
            scan->pagemap_fd,
            entries,
            (size_t)wanted * sizeof *entries,
            (off_t)(page * sizeof *entries)
        );
        if (bytes < (ssize_t)sizeof *entries) {
            return bytes < 0 ? -errno : -EIO;
        }
        const uint64_t n = (uint64_t)bytes / sizeof *entries;
        for (uint64_t i = 0; i < n; i++) {
            if ((entries[i] & (ENTRY_PRESENT | ENTRY_SWAPPED)) != 0) {
                const struct page_region one = {
                    .start = (page + i) * scan->page_bytes,
                    .end = (page + i + 1) * scan->page_bytes,
                    .categories = (entries[i] & ENTRY_FILE) != 0 ? PAGE_IS_FILE : 0,
                };
                add_region(scan, &one, counts);
            }
        }
        page += n;
    }
    return 0;
}

void laxity_page_scan_open(int pagemap_fd, struct laxity_page_scan *out_scan)
{
    const uint64_t page_bytes = (uint64_t)sysconf(_SC_PAGESIZE);
    *out_scan = (struct laxity_page_scan){pagemap_fd, LAXITY_PAGE_SCAN_IOCTL, page_bytes};
    struct laxity_page_counts unused = {0};
    if (count_by_ioctl(out_scan, page_bytes, 2 * page_bytes, &unused) != 0) {
        out_scan->method = LAXITY_PAGE_SCAN_BITS;
    }
}

int laxity_page_scan_count(
    const struct laxity_page_scan *scan,
    uint64_t begin,
    uint64_t end,
    struct laxity_page_counts *counts
)
{
    return scan->method == LAXITY_PAGE_SCAN_IOCTL ? count_by_ioctl(scan, begin, end, counts)
                                                  : count_by_bits(scan, begin, end, counts);
}
