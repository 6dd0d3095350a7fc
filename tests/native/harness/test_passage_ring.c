/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
/* Passages of a regulated task: a reader gets each, or learns that it came too late. */
#include "../test.h"
#include "base/port/atomic64.h"
#include "harness/passage_ring.h"

#include <stdint.h>

static struct laxity_passage_ring ring;

static void push(uint64_t n)
{
    for (uint64_t i = 0; i < n; i++) {
        const uint64_t head = laxity_atomic64_load(&ring.head);
        laxity_passage_push(&ring, &(struct laxity_passage){.job = head, .own_ns = 7});
    }
}

static void passages_are_read_in_their_order(void)
{
    struct laxity_passage passage = {.job = UINT64_MAX};
    laxity_atomic64_store(&ring.head, 0);
    push(2);
    CHECK(laxity_passage_at(&ring, 0, &passage));
    CHECK_EQUAL(passage.job, 0);
    CHECK(laxity_passage_at(&ring, 1, &passage));
    CHECK_EQUAL(passage.job, 1);
    CHECK_EQUAL(passage.own_ns, 7);
}

/* The writer may be at work on the slot of the head: that of the oldest passage. */
static void passage_that_may_be_overwritten_is_not_read(void)
{
    struct laxity_passage passage = {.job = UINT64_MAX};
    laxity_atomic64_store(&ring.head, 0);
    push(LAXITY_PASSAGE_SLOTS);
    CHECK(!laxity_passage_at(&ring, 0, &passage));
    CHECK(laxity_passage_at(&ring, 1, &passage));
    CHECK_EQUAL(passage.job, 1);
    push(5);
    CHECK(!laxity_passage_at(&ring, 5, &passage));
    CHECK(laxity_passage_at(&ring, 6, &passage));
    CHECK_EQUAL(passage.job, 6);
}

int main(void)
{
    RUN(passages_are_read_in_their_order);
    RUN(passage_that_may_be_overwritten_is_not_read);
    return test_exit_code();
}
