/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
#include "../test.h"
#include "base/port/ticks.h"

#include <signal.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

static void counter_that_can_be_read_never_goes_back(void)
{
    if (!laxity_ticks_name()) {
        SKIP("no user-readable counter");
    }
    uint64_t last = laxity_ticks();
    for (int i = 0; i < 1000; i++) {
        const uint64_t now = laxity_ticks();
        CHECK(now >= last);
        last = now;
    }
}

static void on_ill(int signal_number)
{
    (void)signal_number;
}

static void looking_for_the_counter_leaves_the_handlers_alone(void)
{
    const struct sigaction mine = {.sa_handler = on_ill};
    CHECK_EQUAL(sigaction(SIGILL, &mine, NULL), 0);
    const char *first = laxity_ticks_name();
    CHECK(first == laxity_ticks_name());
    struct sigaction after;
    CHECK_EQUAL(sigaction(SIGILL, NULL, &after), 0);
    CHECK(after.sa_handler == on_ill);
}

int main(void)
{
    RUN(counter_that_can_be_read_never_goes_back);
    RUN(looking_for_the_counter_leaves_the_handlers_alone);
    return test_exit_code();
}
