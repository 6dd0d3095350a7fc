/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
#include "driver.h"

/* NOLINTNEXTLINE(bugprone-suspicious-include): the test spoils the workload's state. */
#include "../../../workloads/latency/latency.c"

#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

static void set_seed(const char *const seed)
{
    /* NOLINTNEXTLINE(concurrency-mt-unsafe): this test has one thread. */
    CHECK_EQUAL(seed == NULL ? unsetenv("LAXITY_SEED") : setenv("LAXITY_SEED", seed, 1), 0);
}

static void jobs_succeed_from_two_nodes_on(void)
{
    set_seed(NULL);
    CHECK_EQUAL(INIT("128B"), 0);
    check_jobs_succeed(3);
    CHECK_EQUAL(INIT("64KiB"), 0);
    check_jobs_succeed(3);
    CHECK_EQUAL(INIT("192B"), 0);
    check_jobs_succeed(0);
}

static void every_seed_makes_one_cycle_of_all_nodes(void)
{
    enum {
        NODE_COUNT = 7,
        SEED_COUNT = 200
    };
    struct node nodes[NODE_COUNT];

    for (uint64_t seed = 0; seed < SEED_COUNT; seed++) {
        link_random_cycle(nodes, NODE_COUNT, seed);
        CHECK_EQUAL(cycle_length(nodes, NODE_COUNT), NODE_COUNT);
    }
}

static void both_cycles_of_three_nodes_occur_about_equally_often(void)
{
    enum {
        NODE_COUNT = 3,
        SEED_COUNT = 1000
    };
    struct node nodes[NODE_COUNT];
    int first_to_second_count = 0;

    for (uint64_t seed = 0; seed < SEED_COUNT; seed++) {
        link_random_cycle(nodes, NODE_COUNT, seed);
        first_to_second_count += nodes[0].next == &nodes[1];
    }
    /* Fair: 500, standard deviation 16; the seeds are fixed, so this cannot fail by chance. */
    CHECK(first_to_second_count > 420 && first_to_second_count < 580);
}

static void generator_gives_the_published_sequence(void)
{
    uint64_t state = 1234567;

    /* The first outputs for this seed, as rosettacode.org/wiki/Pseudo-random_numbers/Splitmix64
     * lists them. */
    CHECK(workload_next_random(&state) == UINT64_C(6457827717110365317));
    CHECK(workload_next_random(&state) == UINT64_C(3203168211198807973));
    CHECK(workload_next_random(&state) == UINT64_C(9817491932198370423));
}

static size_t first_hop(const char *const seed)
{
    set_seed(seed);
    CHECK_EQUAL(INIT("64KiB"), 0);
    const size_t hop = (size_t)(latency.nodes[0].next - latency.nodes);

    check_jobs_succeed(1);
    return hop;
}

static void order_follows_from_the_seed(void)
{
    CHECK_EQUAL(first_hop("1"), first_hop(NULL));
    CHECK_EQUAL(first_hop("7"), first_hop("7"));
    CHECK(first_hop("7") != first_hop("8"));
}

static void broken_link_fails_the_job(void)
{
    set_seed(NULL);
    CHECK_EQUAL(INIT("64KiB"), 0);
    latency.nodes[5].next = latency.nodes[latency.node_count - 1].next;
    CHECK(job_fails());
    CHECK_TEXT(driver.reason, "latency: the chase through all nodes did not end where it began");
    CHECK(teardown_fails());
    free(latency.nodes);
}

static void cycle_through_half_of_the_nodes_fails_the_teardown(void)
{
    set_seed(NULL);
    CHECK_EQUAL(INIT("256B"), 0);
    latency.nodes[0].next = &latency.nodes[1];
    latency.nodes[1].next = &latency.nodes[0];
    CHECK(!job_fails()); /* four steps: twice round */
    CHECK(teardown_fails());
    CHECK_TEXT(driver.reason, "latency: the cycle has 2 of 4 nodes");
    free(latency.nodes);
}

static void bad_arguments_are_refused_with_what_to_write(void)
{
    set_seed(NULL);
    CHECK(init_without_words() < 0);
    CHECK_TEXT(driver.init_stderr, "latency: takes SIZE, got 0 words; add what is missing\n");
    CHECK(INIT("64B") < 0);
    CHECK_TEXT(driver.init_stderr, "latency: SIZE \"64B\": is less than 128B; ask for more\n");
    CHECK(INIT("160B") < 0);
    set_seed("x");
    CHECK(INIT("64KiB") < 0);
    CHECK_TEXT(
        driver.init_stderr,
        "latency: LAXITY_SEED \"x\": is no whole number; write a number from 0 to "
        "18446744073709551615\n"
    );
}

int main(void)
{
    RUN(jobs_succeed_from_two_nodes_on);
    RUN(every_seed_makes_one_cycle_of_all_nodes);
    RUN(both_cycles_of_three_nodes_occur_about_equally_often);
    RUN(generator_gives_the_published_sequence);
    RUN(order_follows_from_the_seed);
    RUN(broken_link_fails_the_job);
    RUN(cycle_through_half_of_the_nodes_fails_the_teardown);
    RUN(bad_arguments_are_refused_with_what_to_write);
    return test_exit_code();
}
