/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
/*
 * dijkstra small|large: shortest paths from one place of a generated road map to all others.
 *
 * Dijkstra, "A note on two problems in connexion with graphs", Numerische Mathematik 1 (1959), with
 * a binary heap. Checked per job by what defines the distances (Bellman, "On a routing problem",
 * Quart. Appl. Math. 16 (1958)): no edge can shorten one, and an edge gives each one.
 */
#include "../common/arguments.h"
#include "../common/outcome.h"
#include "../common/phases.h"
#include "../common/random.h"

#include <laxity/hooks.h>
#include <laxity/marks.h>

#include <inttypes.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

enum {
    SMALL_COUNT = 200,
    LARGE_COUNT = 5000,
    EDGES_PER_NODE = 8,
    LENGTH_LIMIT = 1000,
    PHASE_NODES = 250,       /* of a phase */
    NOT_WAITING = UINT16_MAX /* a heap of LARGE_COUNT has no such place */
};

/* Marks of phases. */
enum {
    FORGET = 1,
    SEARCH,
    CHECK,
    DIGEST
};

/* More than any distance: LARGE_COUNT edges of LENGTH_LIMIT are 5 million. */
#define UNREACHED UINT32_MAX

_Static_assert(LARGE_COUNT < NOT_WAITING, "places fit 16 bits");

struct edge {
    uint32_t to;
    uint32_t length;
};

struct node {
    struct edge edges[EDGES_PER_NODE];
    uint32_t distance;
    uint32_t heap_place;
};

static const struct workload_sizes sizes = {"dijkstra", SMALL_COUNT, LARGE_COUNT};

static struct {
    struct workload_outcome outcome;
    struct node *nodes;
    uint32_t *heap; /* nodes that were reached and not yet left, the nearest one first */
    uint32_t heap_count;
    size_t count;
} dijkstra;

static void put(const uint32_t node, const uint32_t place)
{
    dijkstra.heap[place] = node;
    dijkstra.nodes[node].heap_place = place;
}

static uint32_t distance_at(const uint32_t place)
{
    return dijkstra.nodes[dijkstra.heap[place]].distance;
}

static void sift_up(uint32_t place)
{
    const uint32_t node = dijkstra.heap[place];
    const uint32_t distance = dijkstra.nodes[node].distance;

    while (place > 0 && distance < distance_at((place - 1) / 2)) {
        put(dijkstra.heap[(place - 1) / 2], place);
        place = (place - 1) / 2;
    }
    put(node, place);
}

static void sift_down(uint32_t place)
{
    const uint32_t node = dijkstra.heap[place];
    const uint32_t distance = dijkstra.nodes[node].distance;

    for (uint32_t child = 2 * place + 1; child < dijkstra.heap_count; child = 2 * place + 1) {
        if (child + 1 < dijkstra.heap_count && distance_at(child + 1) < distance_at(child)) {
            child++;
        }
        if (distance <= distance_at(child)) {
            break;
        }
        put(dijkstra.heap[child], place);
        place = child;
    }
    put(node, place);
}

static uint32_t take_nearest(void)
{
    const uint32_t nearest = dijkstra.heap[0];

    dijkstra.heap_count--;
    if (dijkstra.heap_count > 0) {
        put(dijkstra.heap[dijkstra.heap_count], 0);
        sift_down(0);
    }
    dijkstra.nodes[nearest].heap_place = NOT_WAITING;
    return nearest;
}

static void reach(const uint32_t node, const uint32_t distance)
{
    struct node *const reached = &dijkstra.nodes[node];

    if (distance >= reached->distance) {
        return;
    }
    reached->distance = distance;
    if (reached->heap_place == NOT_WAITING) {
        put(node, dijkstra.heap_count);
        dijkstra.heap_count++;
    }
    sift_up(reached->heap_place);
}

static void leave_nearest(void)
{
    const struct node *const left = &dijkstra.nodes[take_nearest()];

    for (int i = 0; i < EDGES_PER_NODE; i++) {
        reach(left->edges[i].to, left->distance + left->edges[i].length);
    }
}

static void find_distances(void)
{
    laxity_phase(FORGET);
    for (size_t i = 0; i < dijkstra.count; i++) {
        dijkstra.nodes[i].distance = UNREACHED;
        dijkstra.nodes[i].heap_place = NOT_WAITING;
    }
    dijkstra.heap_count = 0;
    reach(0, 0);
    while (dijkstra.heap_count > 0) {
        laxity_phase(SEARCH);
        for (int n = 0; n < PHASE_NODES && dijkstra.heap_count > 0; n++) {
            leave_nearest();
        }
    }
}

/* heap_place, no longer needed, notes which nodes have an edge that gives their distance. */
static void check_edges_of(const struct node *const from)
{
    for (int i = 0; i < EDGES_PER_NODE; i++) {
        struct node *const to = &dijkstra.nodes[from->edges[i].to];
        const uint32_t distance = from->distance + from->edges[i].length;

        if (distance < to->distance) {
            workload_fail_job(
                "dijkstra",
                "an edge to node %" PRIu32 " shortens its distance from %" PRIu32 " to %" PRIu32,
                from->edges[i].to,
                to->distance,
                distance
            );
        }
        if (distance == to->distance) {
            to->heap_place = 0;
        }
    }
}

static void check_distances(void)
{
    if (dijkstra.nodes[0].distance != 0) {
        workload_fail_job("dijkstra", "the first node is not at distance 0");
    }
    for (size_t i = 0; i < dijkstra.count;) {
        const size_t end = workload_begin_phase(CHECK, i, dijkstra.count, PHASE_NODES);

        for (; i < end; i++) {
            check_edges_of(&dijkstra.nodes[i]);
        }
    }
    for (size_t i = 1; i < dijkstra.count; i++) {
        if (dijkstra.nodes[i].heap_place == NOT_WAITING) {
            workload_fail_job("dijkstra", "no edge gives the distance of node %zu", i);
        }
    }
}

int benchmark_init(const int argc, void **const argv)
{
    uint64_t state;

    if (workload_begin(&sizes, argc, argv, &dijkstra.outcome, &dijkstra.count, &state) != 0) {
        return -1;
    }
    dijkstra.nodes = workload_allocate(
        "dijkstra", dijkstra.count * (sizeof *dijkstra.nodes + sizeof *dijkstra.heap)
    );
    if (dijkstra.nodes == NULL) {
        return -1;
    }
    dijkstra.heap = (uint32_t *)(dijkstra.nodes + dijkstra.count);
    for (size_t i = 0; i < dijkstra.count; i++) {
        struct edge *const edges = dijkstra.nodes[i].edges;

        for (int j = 0; j < EDGES_PER_NODE; j++) {
            edges[j].to = (uint32_t)workload_random_below(&state, dijkstra.count);
            edges[j].length = 1 + (uint32_t)workload_random_below(&state, LENGTH_LIMIT);
        }
        /* A ring, so that every node can be reached. */
        edges[0].to = (uint32_t)((i + 1) % dijkstra.count);
    }
    return 0;
}

void benchmark_execution(const int argc, void **const argv)
{
    uint32_t digest = WORKLOAD_DIGEST_START;

    (void)argc;
    (void)argv;
    find_distances();
    check_distances();
    laxity_phase(DIGEST);
    for (size_t i = 0; i < dijkstra.count; i++) {
        digest = workload_fold_word(digest, dijkstra.nodes[i].distance);
    }
    workload_check_digest(&dijkstra.outcome, digest);
}

void benchmark_teardown(const int argc, void **const argv)
{
    (void)argc;
    (void)argv;
    workload_print_outcome(&dijkstra.outcome);
    free(dijkstra.nodes);
    dijkstra.nodes = NULL;
}
