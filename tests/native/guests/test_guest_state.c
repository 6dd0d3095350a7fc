/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
/* What a guest's data reach on its heap is compared, and where it lies is not. */
#include "../test.h"
#include "guests/guest_heap.h"
#include "guests/guest_state.h"
#include "guests/wrapped.h"

#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <unistd.h>

/* The names that the linker gives what a guest calls (--wrap). */
void *guest_malloc(size_t bytes) LAXITY_WRAP_SYMBOL(malloc);
void *guest_realloc(void *block, size_t bytes) LAXITY_WRAP_SYMBOL(realloc);
void guest_free(void *block) LAXITY_WRAP_SYMBOL(free);

enum {
    FILLED = 0x55,
    LONG_BYTES = 4096,
};

struct node {
    struct node *next;
    unsigned value;
};

/* The guest's data. */
static struct {
    struct node *head;
    uintptr_t word;
} data;

static struct laxity_state_look look(void)
{
    struct laxity_guest_state state = {
        .regions = {{.first = (unsigned char *)&data, .bytes = sizeof data}},
        .n_regions = 1,
        .stack_end = UINTPTR_MAX,
    };
    struct laxity_state_look seen;
    laxity_guest_state_look(&state, &seen);
    return seen;
}

static struct node *make_node(struct node *next, unsigned value)
{
    struct node *node = guest_malloc(sizeof *node);
    memset(node, 0, sizeof *node); /* also what lies between members */
    node->next = next;
    node->value = value;
    return node;
}

static void begin(void)
{
    laxity_guest_heap_take_back();
    memset(&data, 0, sizeof data);
}

static void what_a_block_holds_counts_and_where_it_lies_does_not(void)
{
    begin();
    struct node *first = make_node(NULL, 1);
    struct node *other = make_node(NULL, 1);
    data.head = first;
    const struct laxity_state_look before = look();
    CHECK_EQUAL(before.n_blocks, 1);
    CHECK_EQUAL(before.block_bytes, sizeof(struct node));
    data.head = other;
    CHECK_EQUAL(look().data_hash, before.data_hash);
    CHECK_EQUAL(look().heap_hash, before.heap_hash);
    other->value = 2;
    CHECK_EQUAL(look().data_hash, before.data_hash);
    CHECK(look().heap_hash != before.heap_hash);
}

static void blocks_behind_blocks_are_reached_also_round_in_circles(void)
{
    begin();
    struct node *last = make_node(NULL, 2);
    data.head = make_node(last, 1);
    last->next = data.head;
    const struct laxity_state_look before = look();
    CHECK_EQUAL(before.n_blocks, 2);
    last->value = 3;
    CHECK(look().heap_hash != before.heap_hash);
}

static void the_order_of_blocks_counts(void)
{
    begin();
    struct node *last = make_node(NULL, 7);
    struct node *first = make_node(last, 7);
    data.head = first;
    data.word = (uintptr_t)first;
    const struct laxity_state_look before = look();
    first->next = NULL;
    last->next = first;
    data.head = last; /* as before, but that the word is the second one's now */
    CHECK(look().data_hash != before.data_hash);
}

static void an_offset_and_the_bits_of_a_tag_count(void)
{
    begin();
    data.word = (uintptr_t)make_node(NULL, 1);
    const uint64_t before = look().data_hash;
    data.word |= 1;
    CHECK(look().data_hash != before);
    CHECK_EQUAL(look().n_blocks, 1);
}

static void a_block_that_nothing_reaches_is_not_looked_at(void)
{
    begin();
    struct node *lost = make_node(NULL, 1);
    const struct laxity_state_look before = look();
    CHECK_EQUAL(before.n_blocks, 0);
    lost->value = 2;
    CHECK_EQUAL(look().heap_hash, before.heap_hash);
}

static void a_block_that_was_freed_is_an_address_and_no_more(void)
{
    begin();
    struct node *one = make_node(NULL, 1);
    struct node *other = make_node(NULL, 2);
    guest_free(one);
    guest_free(other);
    data.head = one;
    CHECK_EQUAL(look().n_blocks, 0);
    /* Where the C library's allocator has its memory; that of a sanitizer lies elsewhere. */
    struct node *heap = sbrk(2 * sizeof *heap);
    data.head = &heap[0];
    const struct laxity_state_look before = look();
    data.head = &heap[1];
    CHECK_EQUAL(before.n_blocks, 0);
    CHECK_EQUAL(look().data_hash, before.data_hash);
}

static void what_nobody_has_written_is_alike_whatever_lay_there(void)
{
    begin();
    laxity_guest_heap_fill(FILLED);
    unsigned char *one = guest_malloc(LONG_BYTES);
    data.word = (uintptr_t)one;
    const uint64_t before = look().heap_hash;
    memset(one, 1, LONG_BYTES);
    guest_free(one);
    data.word = (uintptr_t)guest_malloc(LONG_BYTES);
    CHECK_EQUAL(look().heap_hash, before);
    laxity_guest_heap_fill(0);
}

static void a_block_that_has_grown_holds_what_it_held_and_a_filled_rest(void)
{
    begin();
    laxity_guest_heap_fill(FILLED);
    unsigned char *block = guest_malloc(2);
    block[0] = 1;
    block[1] = 2;
    block = guest_realloc(block, LONG_BYTES);
    CHECK_EQUAL(block[1], 2);
    CHECK_EQUAL(block[2], FILLED);
    CHECK_EQUAL(block[LONG_BYTES - 1], FILLED);
    laxity_guest_heap_fill(0);
}

int main(void)
{
    if (laxity_guest_heap_watch() != 0) {
        return 1;
    }
    RUN(what_a_block_holds_counts_and_where_it_lies_does_not);
    RUN(blocks_behind_blocks_are_reached_also_round_in_circles);
    RUN(the_order_of_blocks_counts);
    RUN(an_offset_and_the_bits_of_a_tag_count);
    RUN(a_block_that_nothing_reaches_is_not_looked_at);
    RUN(a_block_that_was_freed_is_an_address_and_no_more);
    RUN(what_nobody_has_written_is_alike_whatever_lay_there);
    RUN(a_block_that_has_grown_holds_what_it_held_and_a_filled_rest);
    begin(); /* frees what the last one has left */
    return test_exit_code();
}
