/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
#include "base/port/pages.h"

#include "base/port/nodes.h"

#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

enum {
    /* Of x86-64 and of aarch64 with pages of 4 KiB; where they are larger, fewer pages become huge
     * and laxity_pages_count_huge() tells. */
    HUGE_PAGE_BYTES = 2 << 20,
    SMALLEST_PAGE_BYTES = 4096,
    BYTES_PER_KIB = 1024,
};

/* First, middle and last page; a bound mapping has no reason to lie in several places. */
static int check_node(const struct laxity_pages *pages, int32_t node)
{
    const size_t offsets[] = {0, pages->bytes / 2, pages->bytes - 1};
    for (size_t i = 0; i < sizeof offsets / sizeof offsets[0]; i++) {
        const int found = laxity_node_of_page(pages->start + offsets[i]);
        if (found < 0) {
            return found;
        }
        if (found != node) {
            return -EXDEV;
        }
    }
    return 0;
}

static void touch(const struct laxity_pages *pages)
{
    volatile unsigned char *byte = pages->start;
    for (size_t i = 0; i < pages->bytes; i += SMALLEST_PAGE_BYTES) {
        byte[i] = 0;
    }
}

int laxity_pages_map(size_t bytes, int32_t node, bool is_huge, struct laxity_pages *out_pages)
{
    /* Whole huge pages from an aligned start on, wherever the mapping begins. */
    const size_t mapped_bytes = bytes + 2 * (size_t)HUGE_PAGE_BYTES;
    void *mapping = MAP_FAILED;
    if (bytes > 0 && mapped_bytes > bytes) {
        const int flags = MAP_PRIVATE | MAP_ANONYMOUS;
        mapping = mmap(NULL, mapped_bytes, PROT_READ | PROT_WRITE, flags, -1, 0);
    }
    if (mapping == MAP_FAILED) {
        return -ENOMEM;
    }
    const size_t past = (uintptr_t)mapping % HUGE_PAGE_BYTES;
    struct laxity_pages pages = {
        .start = (unsigned char *)mapping + (past == 0 ? 0 : HUGE_PAGE_BYTES - past),
        .bytes = bytes,
        .mapping = mapping,
        .mapped_bytes = mapped_bytes,
    };
    int rc = node == LAXITY_ANY_NODE ? 0 : laxity_move_memory(mapping, mapped_bytes, node);
    if (rc == 0) {
        /* A kernel without them refuses both, and then every page is an ordinary one. */
        (void)madvise(mapping, mapped_bytes, is_huge ? MADV_HUGEPAGE : MADV_NOHUGEPAGE);
        touch(&pages);
        rc = node == LAXITY_ANY_NODE ? 0 : check_node(&pages, node);
    }
    if (rc) {
        laxity_pages_unmap(&pages);
        return rc;
    }
    *out_pages = pages;
    return 0;
}

void laxity_pages_unmap(struct laxity_pages *pages)
{
    if (pages->mapping) {
        (void)munmap(pages->mapping, pages->mapped_bytes);
    }
    *pages = (struct laxity_pages){0};
}

/* The line that starts a mapping in smaps: "START-END PERMISSIONS ...". An emulator of a machine of
 * 32 bits shows its own mappings, whose addresses have 64. */
static bool read_range(const char *line, uint64_t *out_start, uint64_t *out_end)
{
    char *end = NULL;
    const uint64_t start = strtoull(line, &end, 16);
    if (end == line || *end != '-') {
        return false;
    }
    const char *second = end + 1;
    *out_start = start;
    *out_end = strtoull(second, &end, 16);
    return end != second && *end == ' ';
}

int laxity_pages_count_huge(const struct laxity_pages *pages, size_t *out_bytes)
{
    static const char key[] = "AnonHugePages:";
    FILE *file = fopen("/proc/self/smaps", "re");
    if (!file) {
        return -errno;
    }
    const uint64_t first = (uintptr_t)pages->start;
    uint64_t start = 0;
    uint64_t end = 0;
    size_t found = 0;
    char *line = NULL;
    size_t capacity = 0;
    while (getline(&line, &capacity, file) > 0) {
        uint64_t line_start = 0;
        uint64_t line_end = 0;
        if (read_range(line, &line_start, &line_end)) {
            start = line_start;
            end = line_end;
        } else if (strncmp(line, key, sizeof key - 1) == 0 && start < first + pages->bytes &&
                   end > first) {
            found += (size_t)strtoull(line + sizeof key - 1, NULL, 10) * BYTES_PER_KIB;
        }
    }
    free(line);
    (void)fclose(file);
    *out_bytes = found < pages->bytes ? found : pages->bytes;
    return 0;
}
