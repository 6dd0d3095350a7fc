/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
/* What a guest has left is known, and taken back. */ #include "guests/wrapped.h"

#include "../test.h"
#include "guests/guest_heap.h"

#include <fcntl.h>
#include <stddef.h>
#include <stdio.h>
#include <unistd.h>

/* The names that the linker gives what a guest calls (--wrap). */
void *guest_malloc(size_t bytes) LAXITY_WRAP_SYMBOL(malloc);
void *guest_realloc(void *block, size_t bytes) LAXITY_WRAP_SYMBOL(realloc);
void guest_free(void *block) LAXITY_WRAP_SYMBOL(free);
FILE *guest_fopen(const char *path, const char *mode) LAXITY_WRAP_SYMBOL(fopen);
int guest_fclose(FILE *stream) LAXITY_WRAP_SYMBOL(fclose);
enum {
    MANY = 100000, /* more than there is room for at first, and a multiple of 4 */
};

static void *blocks[MANY];

static void a_block_is_left_until_it_is_freed(void)
{
    laxity_guest_heap_mark();
    void *one = guest_malloc(24);
    void *other = guest_malloc(24);
    CHECK_EQUAL(laxity_guest_heap_left(), 2);
    guest_free(one);
    CHECK_EQUAL(laxity_guest_heap_left(), 1);
    guest_free(other);
    CHECK_EQUAL(laxity_guest_heap_left(), 0);
}

static void a_block_that_is_resized_is_one_block(void)
{
    laxity_guest_heap_mark();
    void *block = guest_malloc(8);
    block = guest_realloc(block, 1 << 20);
    CHECK_EQUAL(laxity_guest_heap_left(), 1);
    guest_free(block);
    CHECK_EQUAL(laxity_guest_heap_left(), 0);
}

/* Every fourth one is freed first, so that the gaps have to be closed. */
static void of_many_blocks_none_is_forgotten(void)
{
    laxity_guest_heap_mark();
    for (size_t i = 0; i < MANY; i++) {
        blocks[i] = guest_malloc(16);
    }
    CHECK_EQUAL(laxity_guest_heap_left(), MANY);
    for (size_t i = 0; i < MANY; i += 4) {
        guest_free(blocks[i]);
    }
    CHECK_EQUAL(laxity_guest_heap_left(), MANY - MANY / 4);
    for (size_t i = 0; i < MANY; i++) {
        if (i % 4 != 0) {
            guest_free(blocks[i]);
        }
    }
    CHECK_EQUAL(laxity_guest_heap_left(), 0);
}

static void a_stream_that_is_left_is_closed_with_its_descriptor(void)
{
    laxity_guest_heap_mark();
    FILE *stream = guest_fopen("/dev/null", "r");
    CHECK(stream != NULL);
    const int fd = stream ? fileno(stream) : -1;
    CHECK_EQUAL(laxity_guest_heap_left(), 1);
    laxity_guest_heap_take_back();
    CHECK_EQUAL(laxity_guest_heap_left(), 0);
    CHECK_EQUAL(fcntl(fd, F_GETFD), -1);
}

static void a_stream_that_is_closed_is_not_closed_again(void)
{
    laxity_guest_heap_mark();
    FILE *stream = guest_fopen("/dev/null", "r");
    CHECK(stream != NULL);
    CHECK_EQUAL(stream ? guest_fclose(stream) : -1, 0);
    CHECK_EQUAL(laxity_guest_heap_left(), 0);
    laxity_guest_heap_take_back();
}

static void what_is_marked_stays(void)
{
    laxity_guest_heap_mark();
    char *kept = guest_malloc(8);
    laxity_guest_heap_mark();
    CHECK_EQUAL(laxity_guest_heap_left(), 0);
    laxity_guest_heap_take_back();
    kept[0] = 1; /* still ours: a sanitizer would say if not */
    guest_free(kept);
}

int main(void)
{
    if (laxity_guest_heap_watch() != 0) {
        return 1;
    }
    RUN(a_block_is_left_until_it_is_freed);
    RUN(a_block_that_is_resized_is_one_block);
    RUN(of_many_blocks_none_is_forgotten);
    RUN(a_stream_that_is_left_is_closed_with_its_descriptor);
    RUN(a_stream_that_is_closed_is_not_closed_again);
    RUN(what_is_marked_stays);
    return test_exit_code();
}
