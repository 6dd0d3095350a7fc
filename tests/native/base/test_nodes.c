/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
#include "../test.h"
#include "base/port/nodes.h"

#include <errno.h>
#include <stddef.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum {
    PAGES = 3,
    NO_SUCH_CPU = 1000000
};

/* Pages that have been touched; the last test to use them unmaps nothing, the process ends. */
static unsigned char *touched(size_t *out_bytes)
{
    const size_t bytes = PAGES * (size_t)sysconf(_SC_PAGESIZE);
    unsigned char *at =
        mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (at == MAP_FAILED) {
        return NULL;
    }
    memset(at, 1, bytes);
    *out_bytes = bytes;
    return at;
}

static void cpu_that_is_not_there_has_no_node(void)
{
    CHECK_EQUAL(laxity_node_of_cpu(NO_SUCH_CPU), -ENOENT);
}

static void memory_lies_where_it_was_moved_to(void)
{
    size_t bytes = 0;
    unsigned char *at = touched(&bytes);
    CHECK(at != NULL);
    const int before = at ? laxity_node_of_page(at) : -ENOMEM;
    if (laxity_node_of_cpu(0) < 0 || before == -ENOSYS) {
        SKIP("no NUMA system calls here");
    }
    for (unsigned cpu = 0; laxity_node_of_cpu(cpu) >= 0; cpu++) {
        const int node = laxity_node_of_cpu(cpu);
        CHECK_EQUAL(laxity_move_memory(at, bytes, node), 0);
        CHECK_EQUAL(laxity_node_of_page(at), node);
        CHECK_EQUAL(laxity_node_of_page(at + bytes - 1), node);
        CHECK_EQUAL(at[bytes - 1], 1);
    }
}

static void node_that_is_not_there_takes_no_memory(void)
{
    size_t bytes = 0;
    unsigned char *at = touched(&bytes);
    CHECK(at != NULL);
    CHECK_EQUAL(laxity_move_memory(at, bytes, -1), -EINVAL);
    CHECK_EQUAL(laxity_move_memory(at, bytes, LAXITY_NODES_MAX), -EINVAL);
    CHECK(laxity_move_memory(at, bytes, LAXITY_NODES_MAX - 1) < 0);
}

int main(void)
{
    RUN(cpu_that_is_not_there_has_no_node);
    RUN(memory_lies_where_it_was_moved_to);
    RUN(node_that_is_not_there_takes_no_memory);
    return test_exit_code();
}
