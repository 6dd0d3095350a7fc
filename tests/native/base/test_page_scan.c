/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
#include "../test.h"
#include "base/port/page_scan.h"

#include <fcntl.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <unistd.h>

enum {
    PAGES = 1000, /* more than the entries of one read, and more regions than one call returns */
};

static int pagemap_fd;
static bool is_readable;
static size_t page;

static unsigned char *map(size_t pages, int flags, int fd)
{
    void *at = mmap(NULL, pages * page, PROT_READ | PROT_WRITE, flags, fd, 0);
    if (at == MAP_FAILED) {
        perror("mmap");
        _exit(1);
    }
    return at;
}

static struct laxity_page_counts count(enum laxity_page_scan_method method, const void *at)
{
    struct laxity_page_scan scan;
    struct laxity_page_counts counts = {0};
    const uint64_t begin = (uintptr_t)at;
    laxity_page_scan_open(pagemap_fd, &scan);
    scan.method = method;
    (void)laxity_page_scan_count(&scan, begin, begin + PAGES * page, &counts);
    return counts;
}

static bool has_ioctl(void)
{
    struct laxity_page_scan scan;
    laxity_page_scan_open(pagemap_fd, &scan);
    return scan.method == LAXITY_PAGE_SCAN_IOCTL;
}

/* Under an emulator addresses of the program are not those of its process. */
static bool has_pagemap(void)
{
    unsigned char *at = map(PAGES, MAP_PRIVATE | MAP_ANONYMOUS, -1);
    memset(at + 7 * page, 1, 1);
    const struct laxity_page_counts counts = count(LAXITY_PAGE_SCAN_BITS, at);
    return counts.private_pages == 1 && counts.first == (uintptr_t)at + 7 * page;
}

/* Every third page is written, those behind them are read: 334 and 333 of 1000. */
static unsigned char *touch(int flags, int fd)
{
    unsigned char *pages = map(PAGES, flags, fd);
    volatile unsigned char *at = pages;
    for (size_t i = 0; i < PAGES; i += 3) {
        at[i * page] = 1;
        if (i + 1 < PAGES) {
            (void)at[(i + 1) * page];
        }
    }
    return pages;
}

static void pages_that_were_read_are_told_from_those_that_were_written(void)
{
    if (!is_readable) {
        SKIP("needs the pagemap of its own process");
    }
    if (!has_ioctl()) {
        SKIP("needs PAGEMAP_SCAN (Linux 6.7)");
    }
    unsigned char *at = touch(MAP_PRIVATE | MAP_ANONYMOUS, -1);
    const struct laxity_page_counts counts = count(LAXITY_PAGE_SCAN_IOCTL, at);
    CHECK_EQUAL(counts.private_pages, 334 + 333);
    CHECK_EQUAL(counts.private_written_pages, 334);
    CHECK_EQUAL(counts.file_pages, 0);
    CHECK_EQUAL(counts.first, (uintptr_t)at);
    (void)munmap(at, PAGES * page);
}

static void older_kernels_tell_those_that_are_there(void)
{
    if (!is_readable) {
        SKIP("needs the pagemap of its own process");
    }
    unsigned char *at = touch(MAP_PRIVATE | MAP_ANONYMOUS, -1);
    const struct laxity_page_counts counts = count(LAXITY_PAGE_SCAN_BITS, at);
    CHECK_EQUAL(counts.private_pages, 334 + 333);
    CHECK_EQUAL(counts.first, (uintptr_t)at);
    (void)munmap(at, PAGES * page);
}

static void page_that_was_given_back_is_there_no_more(void)
{
    if (!is_readable) {
        SKIP("needs the pagemap of its own process");
    }
    unsigned char *at = touch(MAP_PRIVATE | MAP_ANONYMOUS, -1);
    (void)madvise(at, PAGES / 2 * page, MADV_DONTNEED);
    /* Of pages 500 to 999 those from 501 on in threes, 167, and the 166 behind the first of them,
     * 502 to 997; page 1000 does not exist. */
    CHECK_EQUAL(count(LAXITY_PAGE_SCAN_BITS, at).private_pages, 167 + 166);
    CHECK_EQUAL(count(LAXITY_PAGE_SCAN_BITS, at).first, (uintptr_t)at + 501 * page);
    (void)munmap(at, PAGES * page);
}

static void nobody_knows_which_pages_of_a_shared_mapping_were_written(void)
{
    if (!is_readable) {
        SKIP("needs the pagemap of its own process");
    }
    if (!has_ioctl()) {
        SKIP("needs PAGEMAP_SCAN (Linux 6.7)");
    }
    unsigned char *at = map(PAGES, MAP_SHARED | MAP_ANONYMOUS, -1);
    at[0] = 1;
    at[page] = 1;
    const struct laxity_page_counts counts = count(LAXITY_PAGE_SCAN_IOCTL, at);
    CHECK_EQUAL(counts.file_pages, 2);
    CHECK_EQUAL(counts.unwatched_pages, 2);
    CHECK_EQUAL(counts.private_pages + counts.file_written_pages, 0);
    (void)munmap(at, PAGES * page);
}

int main(void)
{
    page = (size_t)sysconf(_SC_PAGESIZE);
    pagemap_fd = open("/proc/self/pagemap", O_RDONLY | O_CLOEXEC);
    (void)prctl(PR_SET_THP_DISABLE, 1UL, 0UL, 0UL, 0UL);
    is_readable = has_pagemap();
    RUN(pages_that_were_read_are_told_from_those_that_were_written);
    RUN(older_kernels_tell_those_that_are_there);
    RUN(page_that_was_given_back_is_there_no_more);
    RUN(nobody_knows_which_pages_of_a_shared_mapping_were_written);
    return test_exit_code();
}
