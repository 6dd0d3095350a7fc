/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
#include "../test.h"
#include "base/block_sizes.h"

#include <stddef.h>
#include <stdint.h>
#include <string.h>

enum {
    BLOCKS = 20000,
    ALIGN = 16,
    STEPS = 200000,
    FIRST_SLOTS = 4096, /* of a table; each that follows has twice as many */
    SLOTS_FOR_ALL = FIRST_SLOTS * (1 + 2 + 4 + 8 + 16),
};

/* Blocks are addresses in here; nobody looks at what they hold. */
static unsigned char heap[BLOCKS * ALIGN];
static struct laxity_block_size memory[SLOTS_FOR_ALL];
static struct laxity_block_sizes sizes;

static void make(size_t slots)
{
    memset(memory, 0, sizeof memory);
    laxity_block_sizes_make(&sizes, memory, slots * sizeof memory[0]);
}

static const void *block(size_t i)
{
    return &heap[i * ALIGN];
}

static void block_has_the_bytes_that_it_was_put_with_once(void)
{
    make(SLOTS_FOR_ALL);
    CHECK(laxity_block_sizes_put(&sizes, block(1), 100));
    CHECK_EQUAL(laxity_block_sizes_take(&sizes, block(2)), 0);
    CHECK_EQUAL(laxity_block_sizes_take(&sizes, block(1)), 100);
    CHECK_EQUAL(laxity_block_sizes_take(&sizes, block(1)), 0);
}

static void table_grows_and_forgets_nothing(void)
{
    make(SLOTS_FOR_ALL);
    for (size_t i = 0; i < BLOCKS; i++) {
        CHECK(laxity_block_sizes_put(&sizes, block(i), i + 1));
    }
    /* At most half full: 20000 blocks need 65536 slots, 32768 do for 16384. */
    CHECK_EQUAL(sizes.n_slots, 65536);
    for (size_t i = 0; i < BLOCKS; i++) {
        CHECK_EQUAL(laxity_block_sizes_take(&sizes, block(i)), i + 1);
    }
    CHECK_EQUAL(sizes.n_used, 0);
}

static void full_table_says_so_and_keeps_what_it_has(void)
{
    make(FIRST_SLOTS);
    size_t n = 0;
    while (n < BLOCKS && laxity_block_sizes_put(&sizes, block(n), n + 1)) {
        n++;
    }
    CHECK_EQUAL(n, FIRST_SLOTS - 1); /* one slot ends every search */
    for (size_t i = 0; i < n; i++) {
        CHECK_EQUAL(laxity_block_sizes_take(&sizes, block(i)), i + 1);
    }
}

static void memory_for_no_table_has_room_for_no_block(void)
{
    make(FIRST_SLOTS - 1);
    CHECK(!laxity_block_sizes_put(&sizes, block(1), 1));
    CHECK_EQUAL(laxity_block_sizes_take(&sizes, block(1)), 0);
}

/* One that is held goes, another one comes. */
static void change(size_t *held, size_t i, size_t bytes)
{
    if (*held != 0) {
        CHECK_EQUAL(laxity_block_sizes_take(&sizes, block(i)), *held);
        *held = 0;
        return;
    }
    *held = bytes;
    CHECK(laxity_block_sizes_put(&sizes, block(i), bytes));
}

static void table_agrees_with_an_array_whatever_comes_and_goes(void)
{
    static size_t held[BLOCKS];
    uint64_t random = 1;
    make(SLOTS_FOR_ALL);
    memset(held, 0, sizeof held);
    for (unsigned step = 0; step < STEPS; step++) {
        random = random * UINT64_C(6364136223846793005) + 1442695040888963407U; /* Knuth, MMIX */
        const size_t i = (size_t)(random >> 33) % BLOCKS;
        change(&held[i], i, step + 1);
    }
}

int main(void)
{
    RUN(block_has_the_bytes_that_it_was_put_with_once);
    RUN(table_grows_and_forgets_nothing);
    RUN(full_table_says_so_and_keeps_what_it_has);
    RUN(memory_for_no_table_has_room_for_no_block);
    RUN(table_agrees_with_an_array_whatever_comes_and_goes);
    return test_exit_code();
}
