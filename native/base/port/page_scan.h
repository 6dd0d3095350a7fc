/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
/* Which pages of a process are there: PAGEMAP_SCAN, or the bits of pagemap on kernels before 6.7.
 */
#ifndef LAXITY_BASE_PORT_PAGE_SCAN_H
#define LAXITY_BASE_PORT_PAGE_SCAN_H

#include <stdbool.h>
#include <stdint.h>

enum laxity_page_scan_method {
    LAXITY_PAGE_SCAN_IOCTL,
    /* Cannot tell a page of zeroes that was only read from one that was written. */
    LAXITY_PAGE_SCAN_BITS,
};

struct laxity_page_scan {
    int pagemap_fd; /* /proc/PID/pagemap, open for reading */
    enum laxity_page_scan_method method;
    uint64_t page_bytes;
};

/* Pages of a range; one that was swapped out is there. */
struct laxity_page_counts {
    uint64_t private_pages;         /* of nobody else: anonymous, or a file's that was written */
    uint64_t private_written_pages; /* all but the kernel's page of zeroes; as above */
    uint64_t file_pages;            /* of a file or of shared memory */
    uint64_t file_written_pages;    /* known of those that are watched alone */
    uint64_t unwatched_pages;       /* file_pages of which nobody knows whether they were written */
    uint64_t first;                 /* address of the first of all these; 0 = there is none */
};

/* laxity_page_scan_name - "PAGEMAP_SCAN" or "pagemap" */
const char *laxity_page_scan_name(enum laxity_page_scan_method method);

/* laxity_page_scan_open - take the best method that this kernel has; the descriptor stays the
 * caller's */
void laxity_page_scan_open(int pagemap_fd, struct laxity_page_scan *out_scan);

/*
 * laxity_page_scan_count - add the pages of [begin, end), whole pages, to `counts`
 *
 * Returns 0 or -errno.
 */
int laxity_page_scan_count(
    const struct laxity_page_scan *scan,
    uint64_t begin,
    uint64_t end,
    struct laxity_page_counts *counts
);

#endif
