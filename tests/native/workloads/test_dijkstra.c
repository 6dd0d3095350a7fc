/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
#include "sized.h"

/* NOLINTNEXTLINE(bugprone-suspicious-include): the test spoils the workload's state. */
#include "../../../workloads/dijkstra/dijkstra.c"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

static void distances_of_a_small_map_are_those_of_a_calculation_by_hand(void)
{
    CHECK_EQUAL(INIT("small"), 0);
    dijkstra.count = 4;
    for (uint32_t i = 0; i < 4; i++) {
        for (int j = 0; j < EDGES_PER_NODE; j++) {
            dijkstra.nodes[i].edges[j] = (struct edge){i, 1};
        }
    }
    /* To 2 by 4, not by 1 + 5 through 1; to 3 by 4 + 1 through 2, not by 6. */
    dijkstra.nodes[0].edges[0] = (struct edge){1, 1};
    dijkstra.nodes[0].edges[1] = (struct edge){2, 4};
    dijkstra.nodes[0].edges[2] = (struct edge){3, 6};
    dijkstra.nodes[1].edges[0] = (struct edge){2, 5};
    dijkstra.nodes[2].edges[0] = (struct edge){3, 1};
    find_distances();
    CHECK_EQUAL(dijkstra.nodes[0].distance, 0);
    CHECK_EQUAL(dijkstra.nodes[1].distance, 1);
    CHECK_EQUAL(dijkstra.nodes[2].distance, 4);
    CHECK_EQUAL(dijkstra.nodes[3].distance, 5);
    check_jobs_succeed(1);
}

/* The check alone, after a job that succeeded. */
static bool check_fails(void)
{
    if (setjmp(driver.after_failure) != 0) {
        return true;
    }
    for (size_t i = 0; i < dijkstra.count; i++) {
        dijkstra.nodes[i].heap_place = NOT_WAITING;
    }
    check_distances();
    return false;
}

static void distance_that_is_too_long_or_too_short_is_noticed(void)
{
    CHECK_EQUAL(INIT("small"), 0);
    CHECK(!job_fails());
    CHECK(!check_fails());
    dijkstra.nodes[150].distance++;
    CHECK(check_fails());
    dijkstra.nodes[150].distance -= 2;
    CHECK(check_fails());
    dijkstra.nodes[150].distance++;
    CHECK(!check_fails());
    for (size_t i = 0; i < dijkstra.count; i++) {
        dijkstra.nodes[i].distance = 0;
    }
    CHECK(check_fails());
    CHECK_TEXT(driver.reason, "dijkstra: no edge gives the distance of node 1");
    check_jobs_succeed(1);
}

static void changed_map_fails_the_next_job(void)
{
    CHECK_EQUAL(INIT("small"), 0);
    CHECK(!job_fails());
    dijkstra.nodes[0].edges[1].length = 0;
    CHECK(job_fails());
    free(dijkstra.nodes);
}

int main(void)
{
    RUN(distances_of_a_small_map_are_those_of_a_calculation_by_hand);
    RUN(distance_that_is_too_long_or_too_short_is_noticed);
    RUN(changed_map_fails_the_next_job);
    run_sized_tests("dijkstra", &dijkstra.outcome, 0x76eb980b);
    return test_exit_code();
}
