/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
/*
 * latency SIZE: follows pointers once around a random cycle through SIZE bytes, one node per cache
 * line.
 *
 * Each address depends on the load before it, so loads cannot overlap and no stride helps a
 * prefetcher: time of a job / (SIZE / 64 B) is the latency of a load from a working set of SIZE.
 * The order follows from the environment's LAXITY_SEED (default 1).
 */
#include "../common/arguments.h"
#include "../common/outcome.h"
#include "../common/random.h"

#include <laxity/hooks.h>

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

struct node {
    _Alignas(WORKLOAD_LINE_BYTES) struct node *next;
};

_Static_assert(sizeof(struct node) == WORKLOAD_LINE_BYTES, "a node is a line");

static struct {
    struct node *nodes;
    size_t node_count;
} latency;

/*
 * The measured loop. Do not add anything: a second load or a use of the address would overlap with
 * the next step. Returns where the chase ends, without which the compiler could drop the loop.
 */
__attribute__((noinline)) static const struct node *
chase(const struct node *node, const size_t step_count)
{
    for (size_t step = 0; step < step_count; step++) {
        node = node->next;
    }
    return node;
}

/* Sattolo's shuffle: swapping only with lower places makes one cycle of all nodes, each equally
 * likely. */
static void link_random_cycle(struct node *const nodes, const size_t node_count, uint64_t seed)
{
    for (size_t i = 0; i < node_count; i++) {
        nodes[i].next = &nodes[i];
    }
    for (size_t i = node_count - 1; i > 0; i--) {
        const size_t lower = (size_t)workload_random_below(&seed, i);
        struct node *const swapped = nodes[i].next;

        nodes[i].next = nodes[lower].next;
        nodes[lower].next = swapped;
    }
}

/* Steps until the chase is back at the first node, at most node_count. */
static size_t cycle_length(const struct node *const nodes, const size_t node_count)
{
    const struct node *node = nodes[0].next;
    size_t length = 1;

    while (node != nodes && length < node_count) {
        node = node->next;
        length++;
    }
    return node == nodes ? length : 0;
}

int benchmark_init(const int argc, void **const argv)
{
    /* Two nodes are the shortest cycle. */
    const struct workload_size rule = {"latency", 2 * sizeof(struct node), sizeof(struct node)};
    size_t size_bytes;
    uint64_t seed;

    if (workload_check_word_count("latency", "SIZE", argc, argv, (const int[2]){1, 1}) != 0 ||
        workload_parse_size(&rule, argv[0], &size_bytes) != 0 ||
        workload_read_seed("latency", &seed) != 0) {
        return -1;
    }
    latency.node_count = size_bytes / sizeof(struct node);
    latency.nodes = workload_allocate("latency", size_bytes);
    if (latency.nodes == NULL) {
        return -1;
    }
    link_random_cycle(latency.nodes, latency.node_count, seed);
    return 0;
}

void benchmark_execution(const int argc, void **const argv)
{
    const struct node *const end = chase(latency.nodes, latency.node_count);

    (void)argc;
    (void)argv;
    if (end != latency.nodes) {
        laxity_job_failed("latency: the chase through all nodes did not end where it began");
    }
}

/* That a chase of n steps returns says that the cycle's length divides n; here it must be n, so
 * each node was visited once. */
void benchmark_teardown(const int argc, void **const argv)
{
    const size_t length = cycle_length(latency.nodes, latency.node_count);

    (void)argc;
    (void)argv;
    if (length != latency.node_count) {
        workload_fail_job("latency", "the cycle has %zu of %zu nodes", length, latency.node_count);
    }
    free(latency.nodes);
    latency.nodes = NULL;
}
