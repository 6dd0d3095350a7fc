/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
#include "sized.h"

/* NOLINTNEXTLINE(bugprone-suspicious-include): the test spoils the workload's state. */
#include "../../../workloads/prefix_tree/prefix_tree.c"

#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

static void longest_prefix_wins_in_any_order_of_insertion(void)
{
    /* 10.0.0.0/8, 10.1.0.0/16, 10.1.2.0/24, 10.1.2.3/32, 128.0.0.0/1, 0.0.0.0/0 */
    static const struct prefix prefixes[] = {
        {0x0a000000, 8},
        {0x0a010000, 16},
        {0x0a010200, 24},
        {0x0a010203, 32},
        {0x80000000, 1},
        {0x00000000, 0},
    };
    enum {
        COUNT = sizeof prefixes / sizeof *prefixes
    };

    CHECK_EQUAL(INIT("small"), 0);
    for (uint32_t first = 0; first < COUNT; first++) {
        tree.node_count = 0;
        (void)add_node((struct prefix){0, 0}, NO_ROUTE);
        for (uint32_t i = 0; i < COUNT; i++) {
            insert(&prefixes[(first + i) % COUNT], (first + i) % COUNT + 1);
        }
        CHECK_EQUAL(find_route(0x0a020304), 1);
        CHECK_EQUAL(find_route(0x0a01ff00), 2);
        CHECK_EQUAL(find_route(0x0a0102ff), 3);
        CHECK_EQUAL(find_route(0x0a010203), 4);
        CHECK_EQUAL(find_route(0xffffffff), 5);
        CHECK_EQUAL(find_route(0x0b000000), 6);
    }
    check_jobs_succeed(0);
}

static void every_address_gets_the_route_of_a_search_among_all(void)
{
    CHECK_EQUAL(INIT("small"), 0);
    build_tree();
    CHECK(tree.node_count <= 2 * tree.count + 1);
    for (size_t i = 0; i < ADDRESSES_PER_PREFIX * tree.count; i++) {
        CHECK_EQUAL(find_route(tree.addresses[i]), find_route_among_all(tree.addresses[i]));
    }
    check_jobs_succeed(0);
}

static void wrong_route_fails_the_job(void)
{
    CHECK_EQUAL(INIT("small"), 0);
    tree.routes_of_samples[9]++;
    CHECK(job_fails());
    free(tree.nodes);
}

static void changed_prefix_fails_the_next_job(void)
{
    CHECK_EQUAL(INIT("small"), 0);
    CHECK(!job_fails());
    tree.prefixes[0] = (struct prefix){tree.addresses[0], ADDRESS_BITS};
    CHECK(job_fails());
    free(tree.nodes);
}

int main(void)
{
    RUN(longest_prefix_wins_in_any_order_of_insertion);
    RUN(every_address_gets_the_route_of_a_search_among_all);
    RUN(wrong_route_fails_the_job);
    RUN(changed_prefix_fails_the_next_job);
    run_sized_tests("prefix_tree", &tree.outcome, 0xbb02b7b0);
    return test_exit_code();
}
