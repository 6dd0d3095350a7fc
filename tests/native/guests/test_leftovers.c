/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
/* Descriptors, threads and signal handlers that were not there before. */
#include "../test.h"
#include "guests/attributes.h"
#include "guests/leftovers.h"

#include <fcntl.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

static sem_t may_end;

static void ignore(int number)
{
    (void)number;
}

static void *wait_for_leave(void *unused)
{
    while (sem_wait(&may_end) != 0) {
    }
    return unused;
}

static void *end_at_once(void *unused)
{
    return unused;
}

static void an_open_descriptor_is_counted_and_closed(void)
{
    struct laxity_belongings before;
    struct laxity_leftovers left;
    CHECK_EQUAL(laxity_belongings_look(&before), 0);
    const int one = open("/dev/null", O_RDONLY | O_CLOEXEC);
    const int other = open("/dev/null", O_RDONLY | O_CLOEXEC);
    CHECK_EQUAL(laxity_leftovers_since(&before, &left), 0);
    CHECK_EQUAL(left.n_descriptors, 2);
    CHECK_EQUAL(laxity_leftovers_close(&before), 0);
    CHECK_EQUAL(fcntl(one, F_GETFD), -1);
    CHECK_EQUAL(fcntl(other, F_GETFD), -1);
}

static void an_answer_to_a_signal_is_named_and_put_back(void)
{
    struct laxity_belongings before;
    struct laxity_leftovers left;
    CHECK_EQUAL(laxity_belongings_look(&before), 0);
    (void)signal(SIGUSR1, ignore);
    CHECK_EQUAL(laxity_leftovers_since(&before, &left), 0);
    CHECK_EQUAL(left.handlers, UINT64_C(1) << (SIGUSR1 - 1));
    laxity_leftovers_answer_again(&before);
    CHECK_EQUAL(laxity_leftovers_since(&before, &left), 0);
    CHECK_EQUAL(left.handlers, 0);
}

static void a_thread_is_counted_while_it_runs(void)
{
    struct laxity_belongings before;
    struct laxity_leftovers left;
    pthread_t thread;
    /* A thread sanitizer starts one of its own with the first that it sees. */
    CHECK_EQUAL(pthread_create(&thread, NULL, end_at_once, NULL), 0);
    (void)pthread_join(thread, NULL);
    CHECK_EQUAL(laxity_belongings_look(&before), 0);
    CHECK_EQUAL(pthread_create(&thread, NULL, wait_for_leave, NULL), 0);
    CHECK_EQUAL(laxity_leftovers_since(&before, &left), 0);
    CHECK_EQUAL(left.n_threads, 1);
    (void)sem_post(&may_end);
    (void)pthread_join(thread, NULL);
    CHECK_EQUAL(laxity_leftovers_since(&before, &left), 0);
    CHECK_EQUAL(left.n_threads, 0);
}

static uint32_t bit(enum laxity_attribute attribute)
{
    return UINT32_C(1) << attribute;
}

static void how_the_process_runs_is_compared_and_put_back(void)
{
    struct laxity_belongings before;
    struct laxity_leftovers left;
    CHECK_EQUAL(laxity_belongings_look(&before), 0);
    CHECK_EQUAL(laxity_leftovers_since(&before, &left), 0);
    CHECK_EQUAL(left.attributes, 0);
    (void)umask(before.attributes.mask ^ 1);
    CHECK_EQUAL(alarm(900), 0);
    CHECK_EQUAL(setenv("LAXITY_TEST", "1", 1), 0); /* NOLINT(concurrency-mt-unsafe): one thread */
    struct rlimit cores = {.rlim_cur = 1};
    CHECK_EQUAL(getrlimit(RLIMIT_CORE, &cores), 0);
    cores.rlim_cur = cores.rlim_cur == 0 ? cores.rlim_max : 0;
    const bool can_change = cores.rlim_max > 0 && setrlimit(RLIMIT_CORE, &cores) == 0;
    CHECK_EQUAL(laxity_leftovers_since(&before, &left), 0);
    CHECK_EQUAL(
        left.attributes,
        bit(LAXITY_ATTRIBUTE_MASK) | bit(LAXITY_ATTRIBUTE_TIMERS) |
            bit(LAXITY_ATTRIBUTE_ENVIRONMENT) | (can_change ? bit(LAXITY_ATTRIBUTE_LIMITS) : 0)
    );
    laxity_attributes_restore(&before.attributes);
    CHECK_EQUAL(laxity_leftovers_since(&before, &left), 0);
    CHECK_EQUAL(left.attributes, 0);
}

int main(void)
{
    (void)sem_init(&may_end, 0, 0);
    RUN(an_open_descriptor_is_counted_and_closed);
    RUN(an_answer_to_a_signal_is_named_and_put_back);
    RUN(a_thread_is_counted_while_it_runs);
    RUN(how_the_process_runs_is_compared_and_put_back);
    return test_exit_code();
}
