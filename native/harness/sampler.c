/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
#include "harness/sampler.h"

#include "base/cpus.h"
#include "base/error.h"
#include "base/port/atomic64.h"
#include "base/port/sched.h"
#include "base/port/time.h"
#include "counters/counters.h"
#include "harness/job.h"
#include "harness/segment.h"
#include "schema/run.h"

#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#include <sys/prctl.h>
#include <time.h>

enum {
    STACK_BYTES = 128 * 1024,
    PRIORITY_MAX = 99,
};

/* Above its task, else it would never see the middle of a job that runs on the same CPU. */
static int place(const struct laxity_engine *engine)
{
    const struct laxity_task *task = engine->task;
    const int32_t cpu = engine->segment->counting.sample_cpu;
    (void)prctl(PR_SET_NAME, "laxity-sampler");
    if (cpu >= 0) {
        struct laxity_cpus cpus = {0};
        laxity_cpus_add(&cpus, (unsigned)cpu);
        const int rc = laxity_set_affinity(&cpus);
        if (rc) {
            return rc;
        }
    }
    const enum laxity_policy policy = task->state.process.policy;
    if (policy == LAXITY_POLICY_OTHER) {
        return 0;
    }
    /* Nothing is above a reservation: on the same CPU its jobs are sampled where they pause. */
    const int priority =
        policy == LAXITY_POLICY_DEADLINE ? PRIORITY_MAX : task->config.process.priority;
    return laxity_set_policy(
        LAXITY_POLICY_FIFO, priority < PRIORITY_MAX ? priority + 1 : PRIORITY_MAX
    );
}

/* Sleeps until the instant; true if the sampler is to end. */
static bool must_stop_before(struct laxity_sampler *sampler, int64_t instant_ns)
{
    const struct timespec instant = {
        .tv_sec = (time_t)(instant_ns / LAXITY_NS_PER_S),
        .tv_nsec = (long)(instant_ns % LAXITY_NS_PER_S),
    };
    return sem_clockwait(&sampler->stop, CLOCK_MONOTONIC, &instant) == 0;
}

/* Counts the buckets from next_ns that have passed; returns the first that has not. */
static int64_t count_lost(const struct laxity_engine *engine, int64_t next_ns, int64_t until_ns)
{
    for (; next_ns <= until_ns; next_ns += engine->segment->counting.sample_bucket_ns) {
        laxity_atomic64_increment(&engine->task->state.lost_samples);
    }
    return next_ns;
}

/* At t0 + k * bucket, k = 1, 2, ...; a bucket that was slept through is lost and counted. */
static void sample_until_stopped(struct laxity_sampler *sampler)
{
    const struct laxity_engine *engine = sampler->engine;
    const int64_t bucket_ns = engine->segment->counting.sample_bucket_ns;
    const uint32_t index = (uint32_t)(engine->task - laxity_segment_task(engine->segment, 0));
    int64_t next_ns = laxity_atomic64_load_ns(&engine->segment->run.t0_ns);
    struct laxity_counter_reading first;
    struct laxity_counter_reading now;
    struct laxity_counts counts;
    if (must_stop_before(sampler, next_ns)) {
        return;
    }
    laxity_counters_read(&engine->counters, LAXITY_FIRST_GROUP_FIRST, &first);
    next_ns += bucket_ns;
    while (!must_stop_before(sampler, next_ns)) {
        laxity_counters_read(&engine->counters, LAXITY_FIRST_GROUP_FIRST, &now);
        const int64_t time_ns = laxity_now_ns();
        laxity_counters_difference(&engine->counters, &first, &now, &counts);
        laxity_store_sample(engine->segment, index, time_ns, &counts);
        next_ns = count_lost(engine, next_ns + bucket_ns, time_ns);
    }
    /* What a late sampler still owed when its task's last job was over; it may be later still. */
    (void)count_lost(engine, next_ns, sampler->stop_ns);
}

static void *run_sampler(void *argument)
{
    struct laxity_sampler *sampler = argument;
    (void)sem_wait(&sampler->start);
    sampler->placement_rc = place(sampler->engine);
    (void)sem_post(&sampler->is_placed);
    (void)sem_wait(&sampler->go);
    if (sampler->engine->counters.n_groups > 0) {
        sample_until_stopped(sampler);
    }
    return NULL;
}

/* With all signals blocked: those of the run are the task's own thread's business. */
static int make_thread(struct laxity_sampler *sampler)
{
    sigset_t all;
    sigset_t before;
    pthread_attr_t attributes;
    sigfillset(&all);
    int rc = pthread_attr_init(&attributes);
    if (rc) {
        return -rc;
    }
    (void)pthread_attr_setstacksize(&attributes, STACK_BYTES);
    (void)pthread_sigmask(SIG_SETMASK, &all, &before);
    rc = pthread_create(&sampler->thread, &attributes, run_sampler, sampler);
    (void)pthread_sigmask(SIG_SETMASK, &before, NULL);
    (void)pthread_attr_destroy(&attributes);
    return -rc;
}

static int refuse(const struct laxity_sampler *sampler, const char *what, int rc)
{
    return laxity_refuse(
        &sampler->engine->task->state.process.error,
        LAXITY_EXIT_LACKING,
        "task \"%s\": cannot %s its sampler on CPU %d: %s; choose another --sample-cpu",
        sampler->engine->task->config.process.name,
        what,
        (int)sampler->engine->segment->counting.sample_cpu,
        strerrordesc_np(-rc)
    );
}

int laxity_sampler_make(struct laxity_sampler *sampler, const struct laxity_engine *engine)
{
    sampler->engine = engine;
    if (engine->segment->counting.sample_slots == 0) {
        return 0;
    }
    (void)sem_init(&sampler->start, 0, 0);
    (void)sem_init(&sampler->is_placed, 0, 0);
    (void)sem_init(&sampler->go, 0, 0);
    (void)sem_init(&sampler->stop, 0, 0);
    const int rc = make_thread(sampler);
    if (rc) {
        return refuse(sampler, "make", rc);
    }
    sampler->is_running = 1;
    return 0;
}

int laxity_sampler_place(struct laxity_sampler *sampler)
{
    if (!sampler->is_running) {
        return 0;
    }
    (void)sem_post(&sampler->start);
    while (sem_wait(&sampler->is_placed) != 0) {
    }
    return sampler->placement_rc ? refuse(sampler, "put", sampler->placement_rc) : 0;
}

void laxity_sampler_go(struct laxity_sampler *sampler)
{
    if (sampler->is_running) {
        (void)sem_post(&sampler->go);
    }
}

void laxity_sampler_stop(struct laxity_sampler *sampler)
{
    if (sampler->is_running) {
        sampler->stop_ns = laxity_now_ns();
        (void)sem_post(&sampler->stop);
        (void)sem_post(&sampler->go);
        (void)pthread_join(sampler->thread, NULL);
        sampler->is_running = 0;
    }
}
