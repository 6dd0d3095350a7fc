/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
#include "../test.h"
#include "base/port/nodes.h"
#include "base/port/pages.h"

#include <errno.h>
#include <stddef.h>
#include <stdint.h>

enum {
    HUGE_PAGE_BYTES = 2 << 20,
    NO_SUCH_NODE = LAXITY_NODES_MAX - 1,
};

static void pages_are_there_and_begin_at_a_huge_page(void)
{
    struct laxity_pages pages = {0};
    CHECK_EQUAL(laxity_pages_map(HUGE_PAGE_BYTES + 1, LAXITY_ANY_NODE, false, &pages), 0);
    CHECK_EQUAL(pages.bytes, HUGE_PAGE_BYTES + 1);
    CHECK_EQUAL((uintptr_t)pages.start % HUGE_PAGE_BYTES, 0);
    if (pages.start) {
        pages.start[HUGE_PAGE_BYTES] = 1;
    }
    laxity_pages_unmap(&pages);
    CHECK(pages.start == NULL);
    laxity_pages_unmap(&pages);
}

static void ordinary_pages_are_not_huge(void)
{
    struct laxity_pages pages = {0};
    size_t huge_bytes = 1;
    CHECK_EQUAL(laxity_pages_map(HUGE_PAGE_BYTES, LAXITY_ANY_NODE, false, &pages), 0);
    CHECK_EQUAL(laxity_pages_count_huge(&pages, &huge_bytes), 0);
    laxity_pages_unmap(&pages);
    CHECK_EQUAL(huge_bytes, 0);
}

static void huge_pages_are_counted_up_to_what_was_asked_for(void)
{
    struct laxity_pages pages = {0};
    size_t huge_bytes = 0;
    CHECK_EQUAL(laxity_pages_map(HUGE_PAGE_BYTES / 2, LAXITY_ANY_NODE, true, &pages), 0);
    if (laxity_pages_count_huge(&pages, &huge_bytes) == 0) {
        /* All of it, or none where the kernel has none to give. */
        CHECK(huge_bytes == 0 || huge_bytes == HUGE_PAGE_BYTES / 2);
    }
    laxity_pages_unmap(&pages);
}

static void node_that_is_not_there_is_refused(void)
{
    struct laxity_pages pages = {0};
    const int rc = laxity_pages_map(4096, NO_SUCH_NODE, false, &pages);
    CHECK(rc == -EINVAL || rc == -ENOSYS);
    CHECK_EQUAL(laxity_pages_map(4096, LAXITY_NODES_MAX, false, &pages), -EINVAL);
    CHECK_EQUAL(laxity_pages_map(4096, -1, false, &pages), -EINVAL);
    CHECK(pages.mapping == NULL);
}

static void memory_can_be_bound_to_the_first_node(void)
{
    struct laxity_pages pages = {0};
    const int rc = laxity_pages_map(4096, 0, false, &pages);
    laxity_pages_unmap(&pages);
    if (rc == -ENOSYS) {
        SKIP("no NUMA in this kernel");
    }
    CHECK_EQUAL(rc, 0);
}

static void nothing_is_no_array(void)
{
    struct laxity_pages pages = {0};
    CHECK_EQUAL(laxity_pages_map(0, LAXITY_ANY_NODE, false, &pages), -ENOMEM);
    CHECK_EQUAL(laxity_pages_map(SIZE_MAX, LAXITY_ANY_NODE, false, &pages), -ENOMEM);
}

int main(void)
{
    RUN(pages_are_there_and_begin_at_a_huge_page);
    RUN(ordinary_pages_are_not_huge);
    RUN(huge_pages_are_counted_up_to_what_was_asked_for);
    RUN(node_that_is_not_there_is_refused);
    RUN(memory_can_be_bound_to_the_first_node);
    RUN(nothing_is_no_array);
    return test_exit_code();
}
