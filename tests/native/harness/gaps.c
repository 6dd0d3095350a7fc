/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
/*
 * A workload that sees with its own eyes when it did not run: it reads the clock for 30 ms and
 * tells each gap between two readings that is longer than any reading takes, and its first and its
 * last reading.
 */
#include "base/port/time.h"
#include "laxity/hooks.h"
#include "laxity/marks.h"

#include <stdint.h>

enum {
    JOB_NS = 30 * LAXITY_NS_PER_MS,
    GAP_NS = 1000, /* a reading takes 26 ns, an interrupt a microsecond and more */
    ID_FROM = 1,
    ID_TO = 2,
    ID_FIRST = 3,
    ID_LAST = 4,
};

int benchmark_init(int argc, void **argv)
{
    (void)argc;
    (void)argv;
    return 0;
}

void benchmark_execution(int argc, void **argv)
{
    (void)argc;
    (void)argv;
    const int64_t begin_ns = laxity_now_ns();
    int64_t before_ns = begin_ns;
    laxity_probe(ID_FIRST, begin_ns);
    while (before_ns - begin_ns < JOB_NS) {
        const int64_t now_ns = laxity_now_ns();
        if (now_ns - before_ns > GAP_NS) {
            laxity_probe(ID_FROM, before_ns);
            laxity_probe(ID_TO, now_ns);
        }
        before_ns = now_ns; /* also behind marks: if they took long, that was another gap */
    }
    laxity_probe(ID_LAST, before_ns);
}

void benchmark_teardown(int argc, void **argv)
{
    (void)argc;
    (void)argv;
}
