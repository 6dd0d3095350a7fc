/* SPDX-FileCopyrightText: 2026 The laxity authors */
/* SPDX-License-Identifier: MIT */
#include "trace.h"
#include "trace_words.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* Contexts: a tree of calls; node 0 is outside of everything. A hash table from (parent, site,
 * function) to the node. */
struct context_node {
    uint32_t parent;
    uint32_t site;
    uint32_t function;
};

struct context_edge {
    struct context_node key;
    uint32_t node; /* 0: the place is free */
};

static struct laxity_trace_site current_site = {.instruction = LAXITY_TRACE_NO_SITE, .context = 0};
static struct context_node *nodes;
static uint32_t node_count = 1, node_capacity;
static struct context_edge *edges;
static uint32_t edge_count, edge_capacity;
static int is_started;

struct laxity_trace_site laxity_trace_current_site(void)
{
    return current_site;
}

void laxity_trace_set_site(struct laxity_trace_site site)
{
    current_site = site;
}

static void *grown(void *old, size_t old_bytes, size_t new_bytes)
{
    char *larger = realloc(old, new_bytes);

    if (!larger) {
        abort(); /* no memory for the tree: what follows would prove nothing */
    }
    memset(larger + old_bytes, 0, new_bytes - old_bytes);
    return larger;
}

static struct context_edge *find_edge(const struct context_node *key)
{
    /* Odd multipliers of Knuth's kind spread the three numbers over the table, whose size is a
     * power of two. */
    uint32_t place =
        key->parent * 2654435761U ^ key->site * 2246822519U ^ key->function * 3266489917U;

    for (place ^= place >> 15;; place++) {
        struct context_edge *edge = &edges[place & (edge_capacity - 1)];
        if (edge->node == 0 || memcmp(&edge->key, key, sizeof(*key)) == 0) {
            return edge;
        }
    }
}

static void grow_edges(void)
{
    struct context_edge *old = edges;
    uint32_t old_capacity = edge_capacity;

    edge_capacity = old_capacity ? old_capacity * 2 : 1024;
    edges = grown(NULL, 0, edge_capacity * sizeof(*edges));
    for (uint32_t i = 0; i < old_capacity; i++) {
        if (old[i].node != 0) {
            *find_edge(&old[i].key) = old[i];
        }
    }
    free(old);
}

/* A function that is on the way already is the same context again: recursion makes no more of them
 * than there are paths without it. */
static uint32_t find_ancestor(uint32_t context, uint32_t function)
{
    while (context != 0 && nodes[context].function != function) {
        context = nodes[context].parent;
    }
    return context;
}

static uint32_t new_node(const struct context_node *key)
{
    if (node_count >= node_capacity) {
        uint32_t capacity = node_capacity ? node_capacity * 2 : 1024;
        nodes = grown(nodes, node_capacity * sizeof(*nodes), capacity * sizeof(*nodes));
        node_capacity = capacity;
    }
    nodes[node_count] = *key;
    laxity_trace_new_context(key->parent, key->site, key->function);
    return node_count++;
}

uint32_t laxity_trace_enter(uint32_t function)
{
    struct context_node key = {
        .parent = current_site.context, .site = current_site.instruction, .function = function
    };
    struct context_edge *edge;

    if (edge_count * 2 >= edge_capacity) {
        grow_edges();
    }
    edge = find_edge(&key);
    if (edge->node == 0) {
        uint32_t node = find_ancestor(key.parent, function);
        edge->key = key;
        if (node != 0) {
            laxity_trace_recursion(node, key.parent, key.site);
        } else {
            node = new_node(&key);
        }
        edge->node = node;
        edge_count++;
    }
    return edge->node;
}

/* After main; where the program called exit(), its functions have run already. */
static void leave_program(void)
{
    laxity_trace_set_site((struct laxity_trace_site){.instruction = LAXITY_TRACE_NO_SITE,
                                                     .context = 0});
    laxity_trace_run_exit_functions();
}

void laxity_trace_end_with_program(void)
{
    is_started = 1;
    if (atexit(leave_program)) {
        abort();
    }
}

static void end_program(void)
{
    if (is_started) {
        laxity_trace_finish();
    }
}

typedef void destructor(void);

/* Destructors of the program, which are called after all functions of atexit(), belong to it, too:
 * ours has the last turn, since theirs have priorities above 100. The attribute does not take 0. */
__attribute__((used, section(".fini_array.00000"))) static destructor *last = end_program;
