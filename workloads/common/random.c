/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
#include "random.h"

#include "arguments.h"

#include <stdint.h>
#include <stdlib.h>

int workload_read_seed(const char *const workload, uint64_t *const out_seed)
{
    /* NOLINTNEXTLINE(concurrency-mt-unsafe): init runs before any other thread. */
    const char *const text = getenv("LAXITY_SEED");
    const struct workload_count rule = {workload, "LAXITY_SEED", 0, UINT64_MAX};

    *out_seed = 1;
    return text == NULL ? 0 : workload_parse_count(&rule, text, out_seed);
}

uint64_t workload_next_random(uint64_t *const state)
{
    *state += UINT64_C(0x9e3779b97f4a7c15);
    uint64_t mixed = *state;

    mixed = (mixed ^ (mixed >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    mixed = (mixed ^ (mixed >> 27)) * UINT64_C(0x94d049bb133111eb);
    return mixed ^ (mixed >> 31);
}

uint64_t workload_random_below(uint64_t *const state, const uint64_t bound)
{
    /* Draws from the incomplete last multiple of `bound` are thrown away. */
    const uint64_t first_fair = -bound % bound;
    uint64_t draw = workload_next_random(state);

    while (draw < first_fair) {
        draw = workload_next_random(state);
    }
    return draw % bound;
}
