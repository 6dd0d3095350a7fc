/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
/* Basic blocks counted by a guest that calls the compiler's hook. */
#include "../test.h"
#include "guests/work.h"

#include <pthread.h>
#include <stddef.h>

enum {
    BLOCKS = 5
};

void guest_enters_block(void) __asm__("__sanitizer_cov_trace_pc");

static void *run_blocks(void *unused)
{
    for (int i = 0; i < BLOCKS; i++) {
        guest_enters_block();
    }
    return unused;
}

static void a_guest_that_was_not_compiled_for_it_counts_none(void)
{
    laxity_blocks_begin();
    CHECK_EQUAL(laxity_blocks_counted(), 0);
}

static void blocks_are_counted_from_the_beginning_of_a_job(void)
{
    (void)run_blocks(NULL);
    laxity_blocks_begin();
    (void)run_blocks(NULL);
    CHECK_EQUAL(laxity_blocks_counted(), BLOCKS);
}

static void blocks_of_another_thread_are_those_of_the_job_too(void)
{
    pthread_t thread;
    laxity_blocks_begin();
    CHECK_EQUAL(pthread_create(&thread, NULL, run_blocks, NULL), 0);
    CHECK_EQUAL(pthread_join(thread, NULL), 0);
    CHECK_EQUAL(laxity_blocks_counted(), BLOCKS);
}

int main(void)
{
    RUN(a_guest_that_was_not_compiled_for_it_counts_none);
    RUN(blocks_are_counted_from_the_beginning_of_a_job);
    RUN(blocks_of_another_thread_are_those_of_the_job_too);
    return test_exit_code();
}
