/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
/*
 * prefix_tree small|large: builds a tree of IPv4 prefixes and looks addresses up, as a router does.
 *
 * A binary trie without nodes of one child: Morrison, "PATRICIA - Practical algorithm to retrieve
 * information coded in alphanumeric", JACM 15 (1968). The answer is the longest prefix that an
 * address begins with; for the first addresses init has found it by looking at all prefixes.
 */
#include "../common/arguments.h"
#include "../common/outcome.h"
#include "../common/random.h"

#include <laxity/hooks.h>

#include <inttypes.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

enum {
    SMALL_COUNT = 200,
    LARGE_COUNT = 20000,
    ADDRESSES_PER_PREFIX = 4,
    SAMPLE_COUNT = 64,
    ADDRESS_BITS = 32,
    /* Providers announce from 8 bits on; the longest are single hosts. */
    SHORTEST_PREFIX = 8,
    NO_ROUTE = 0,
    NO_CHILD = 0, /* the root is nobody's child */
    ROOT = 0
};

struct prefix {
    uint32_t bits; /* the first one highest, 0 from `length` on */
    uint32_t length;
};

struct node {
    struct prefix prefix;
    uint32_t route; /* 1 + the index of the last equal prefix, or NO_ROUTE */
    uint32_t children[2];
};

static const struct workload_sizes sizes = {"prefix_tree", SMALL_COUNT, LARGE_COUNT};

static struct {
    struct workload_outcome outcome;
    struct node *nodes; /* room for two per prefix and the root */
    struct prefix *prefixes;
    uint32_t *addresses;
    size_t count;
    uint32_t node_count;
    uint32_t routes_of_samples[SAMPLE_COUNT];
} tree;

static uint32_t first_bits(const uint32_t address, const uint32_t length)
{
    return length == 0 ? 0 : address & UINT32_MAX << (ADDRESS_BITS - length);
}

/* The bit at a place below 32, counted from the highest; the remainder changes nothing but lets
 * every reader see that the shift is one. */
static uint32_t bit_at(const uint32_t address, const uint32_t place)
{
    return address >> (ADDRESS_BITS - 1 - place) % ADDRESS_BITS & 1;
}

static bool begins_with(const uint32_t address, const struct prefix *const prefix)
{
    return first_bits(address, prefix->length) == prefix->bits;
}

static uint32_t common_length(const struct prefix *const a, const struct prefix *const b)
{
    const uint32_t shorter = a->length < b->length ? a->length : b->length;
    const uint32_t difference = a->bits ^ b->bits;
    const uint32_t equal = difference == 0 ? ADDRESS_BITS : (uint32_t)__builtin_clz(difference);

    return equal < shorter ? equal : shorter;
}

static uint32_t add_node(const struct prefix prefix, const uint32_t route)
{
    tree.nodes[tree.node_count] =
        (struct node){.prefix = prefix, .route = route, .children = {NO_CHILD, NO_CHILD}};
    return tree.node_count++;
}

/* Puts a node for `prefix` between a parent and its child, of which `common` bits are equal. */
static void split(
    uint32_t *const link, const struct prefix *const prefix, const uint32_t route, uint32_t common
)
{
    const uint32_t below = *link;
    const struct prefix inner = {first_bits(prefix->bits, common), common};
    const bool is_inner = common == prefix->length;

    *link = add_node(inner, is_inner ? route : NO_ROUTE);
    tree.nodes[*link].children[bit_at(tree.nodes[below].prefix.bits, common)] = below;
    if (!is_inner) {
        tree.nodes[*link].children[bit_at(prefix->bits, common)] = add_node(*prefix, route);
    }
}

static void insert(const struct prefix *const prefix, const uint32_t route)
{
    struct node *node = &tree.nodes[ROOT];

    /* Here the node's prefix is always a beginning of `prefix`. */
    while (node->prefix.length < prefix->length) {
        uint32_t *const link = &node->children[bit_at(prefix->bits, node->prefix.length)];

        if (*link == NO_CHILD) {
            *link = add_node(*prefix, route);
            return;
        }
        const uint32_t common = common_length(&tree.nodes[*link].prefix, prefix);

        if (common < tree.nodes[*link].prefix.length) {
            split(link, prefix, route, common);
            return;
        }
        node = &tree.nodes[*link];
    }
    node->route = route;
}

static void build_tree(void)
{
    tree.node_count = 0;
    (void)add_node((struct prefix){0, 0}, NO_ROUTE);
    for (size_t i = 0; i < tree.count; i++) {
        insert(&tree.prefixes[i], (uint32_t)i + 1);
    }
}

static uint32_t find_route(const uint32_t address)
{
    const struct node *node = &tree.nodes[ROOT];
    uint32_t route = NO_ROUTE;

    while (begins_with(address, &node->prefix)) {
        route = node->route == NO_ROUTE ? route : node->route;
        if (node->prefix.length == ADDRESS_BITS) {
            break;
        }
        const uint32_t child = node->children[bit_at(address, node->prefix.length)];

        if (child == NO_CHILD) {
            break;
        }
        node = &tree.nodes[child];
    }
    return route;
}

/* The last one of the longest prefixes, as the tree keeps it. */
static uint32_t find_route_among_all(const uint32_t address)
{
    uint32_t route = NO_ROUTE;
    uint32_t length = 0;

    for (size_t i = 0; i < tree.count; i++) {
        if (begins_with(address, &tree.prefixes[i]) && tree.prefixes[i].length >= length) {
            route = (uint32_t)i + 1;
            length = tree.prefixes[i].length;
        }
    }
    return route;
}

/* Every other prefix lies within an earlier one, if that is not a single address already. */
static struct prefix make_prefix(const size_t index, uint64_t *const state)
{
    uint32_t bits = (uint32_t)workload_next_random(state);
    uint32_t shortest = SHORTEST_PREFIX;

    if (index % 2 == 1) {
        const struct prefix outer = tree.prefixes[workload_random_below(state, index)];

        bits = outer.bits | (bits & ~first_bits(UINT32_MAX, outer.length));
        shortest = outer.length;
    }
    const uint32_t length =
        shortest + (uint32_t)workload_random_below(state, ADDRESS_BITS + 1 - shortest);

    return (struct prefix){first_bits(bits, length), length};
}

/* Every other address lies within a prefix. */
static uint32_t make_address(const size_t index, uint64_t *const state)
{
    const uint32_t address = (uint32_t)workload_next_random(state);
    const struct prefix outer = tree.prefixes[workload_random_below(state, tree.count)];

    return index % 2 == 0 ? address
                          : outer.bits | (address & ~first_bits(UINT32_MAX, outer.length));
}

int benchmark_init(const int argc, void **const argv)
{
    uint64_t state;

    if (workload_begin(&sizes, argc, argv, &tree.outcome, &tree.count, &state) != 0) {
        return -1;
    }
    const size_t node_limit = 2 * tree.count + 1;

    tree.nodes = workload_allocate(
        "prefix_tree",
        node_limit * sizeof *tree.nodes + tree.count * sizeof *tree.prefixes +
            ADDRESSES_PER_PREFIX * tree.count * sizeof *tree.addresses
    );
    if (tree.nodes == NULL) {
        return -1;
    }
    tree.prefixes = (struct prefix *)(tree.nodes + node_limit);
    tree.addresses = (uint32_t *)(tree.prefixes + tree.count);
    for (size_t i = 0; i < tree.count; i++) {
        tree.prefixes[i] = make_prefix(i, &state);
    }
    for (size_t i = 0; i < ADDRESSES_PER_PREFIX * tree.count; i++) {
        tree.addresses[i] = make_address(i, &state);
    }
    for (size_t i = 0; i < SAMPLE_COUNT; i++) {
        tree.routes_of_samples[i] = find_route_among_all(tree.addresses[i]);
    }
    return 0;
}

void benchmark_execution(const int argc, void **const argv)
{
    uint32_t digest = WORKLOAD_DIGEST_START;

    (void)argc;
    (void)argv;
    build_tree();
    for (size_t i = 0; i < ADDRESSES_PER_PREFIX * tree.count; i++) {
        const uint32_t route = find_route(tree.addresses[i]);

        if (i < SAMPLE_COUNT && route != tree.routes_of_samples[i]) {
            workload_fail_job(
                "prefix_tree",
                "address %08" PRIx32 " is routed by prefix %" PRIu32 ", the longest is %" PRIu32,
                tree.addresses[i],
                route,
                tree.routes_of_samples[i]
            );
        }
        digest = workload_fold_word(digest, route);
    }
    workload_check_digest(&tree.outcome, digest);
}

void benchmark_teardown(const int argc, void **const argv)
{
    (void)argc;
    (void)argv;
    workload_print_outcome(&tree.outcome);
    free(tree.nodes);
    tree.nodes = NULL;
}
