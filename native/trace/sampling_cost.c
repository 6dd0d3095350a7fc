/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
#include "trace/sampling_cost.h"

#include "base/cpus.h"
#include "base/error.h"
#include "base/port/sched.h"
#include "base/port/time.h"
#include "schema/streams.h"
#include "trace/event_sampler.h"

#include <sched.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#include <sys/resource.h>

enum {
    /* Twenty samples in each piece of work, so that what a tick of the scheduler takes is little
     * beside them; a pair fits between two preemptions on a busy machine. */
    EVERY_NS = 50000,
    WORK_NS = 1000000,
    FIRST_STEPS = 1 << 12,
    ATTEMPTS = 3,
};

static const int64_t limit_ns = INT64_C(2) * LAXITY_NS_PER_S;

/* Nothing may be added here: it is to touch no memory, so that a sample costs its own time alone.
 */
static void work(uint64_t steps)
{
    for (uint64_t i = 0; i < steps; i++) {
        __asm__ volatile("" ::: "memory");
    }
}

static int64_t time_work(uint64_t steps)
{
    const int64_t from_ns = laxity_now_ns();
    work(steps);
    return laxity_now_ns() - from_ns;
}

/* Of a few attempts the shortest one: the others may have been preempted. */
static uint64_t choose_steps(void)
{
    uint64_t steps = FIRST_STEPS;
    int64_t least_ns = 0;
    while (least_ns < WORK_NS) {
        steps *= 2;
        least_ns = INT64_MAX;
        for (int i = 0; i < ATTEMPTS; i++) {
            const int64_t took_ns = time_work(steps);
            least_ns = took_ns < least_ns ? took_ns : least_ns;
        }
    }
    return steps;
}

/* How often the caller lost its CPU, or gave it up. */
static long count_switches(void)
{
    struct rusage usage = {0};
    (void)getrusage(RUSAGE_THREAD, &usage);
    return usage.ru_nvcsw + usage.ru_nivcsw;
}

struct counted {
    int64_t from_ns;
    int64_t to_ns;
    int64_t last_ns;
    uint64_t samples;
};

/* The values of one sample have one time. */
static void count_sample(void *context, const struct laxity_counters_per_cpu_row *row)
{
    struct counted *counted = context;
    const bool is_within = row->time_ns >= counted->from_ns && row->time_ns < counted->to_ns;
    counted->samples += is_within && row->time_ns != counted->last_ns;
    counted->last_ns = row->time_ns;
}

static void
sample_work(struct laxity_event_sampler *sampler, uint64_t steps, struct laxity_sampling_pair *pair)
{
    struct counted counted = {0};
    (void)laxity_event_sampler_start(sampler);
    counted.from_ns = laxity_now_ns();
    pair->with_ns = time_work(steps);
    counted.to_ns = laxity_now_ns();
    laxity_event_sampler_stop(sampler, count_sample, &counted);
    pair->samples = counted.samples;
}

/* Either comes first every other time, so that a clock that becomes slower favours neither. */
static bool make_pair(
    struct laxity_event_sampler *sampler,
    uint64_t steps,
    bool is_sampled_first,
    struct laxity_sampling_pair *out_pair
)
{
    const long before = count_switches();
    if (is_sampled_first) {
        sample_work(sampler, steps, out_pair);
    }
    out_pair->without_ns = time_work(steps);
    if (!is_sampled_first) {
        sample_work(sampler, steps, out_pair);
    }
    return count_switches() == before && out_pair->samples > 0;
}

static unsigned
make_pairs(struct laxity_event_sampler *sampler, struct laxity_sampling_pair *out_pairs)
{
    const uint64_t steps = choose_steps();
    const int64_t end_ns = laxity_now_ns() + limit_ns;
    unsigned n = 0;
    while (n < LAXITY_SAMPLING_PAIRS && laxity_now_ns() < end_ns) {
        n += make_pair(sampler, steps, n % 2 == 1, &out_pairs[n]);
    }
    return n;
}

int laxity_measure_sampling_cost(
    const struct laxity_sampling *asked,
    struct laxity_sampling_pair *out_pairs,
    unsigned *out_n,
    struct laxity_error *error
)
{
    struct laxity_sampling often = *asked;
    struct laxity_cpus here = {0};
    laxity_cpus_add(&here, (unsigned)sched_getcpu());
    often.every_ns = EVERY_NS;
    often.every_count = 0;
    const int rc = laxity_set_affinity(&here);
    if (rc) {
        return laxity_refuse(
            error, LAXITY_EXIT_LACKING, "cannot stay on one CPU: %s", strerrordesc_np(-rc)
        );
    }
    struct laxity_event_sampler *sampler = NULL;
    if (laxity_event_sampler_open(&often, &here, &sampler, error)) {
        return -1;
    }
    *out_n = make_pairs(sampler, out_pairs);
    laxity_event_sampler_close(sampler);
    return 0;
}
