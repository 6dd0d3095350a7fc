/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
/* Descriptors, threads and signal handlers that were not there before. */
#include "../test.h"
#include "guests/attributes.h"
#include "guests/guest_random.h"
#include "guests/leftovers.h"
#include "guests/wrapped.h"

#include <fcntl.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

/* The names that the linker gives what a guest calls (--wrap). */
int guest_atexit(void (*function)(void)) LAXITY_WRAP_SYMBOL(atexit);
int guest_rand(void) LAXITY_WRAP_SYMBOL(rand);
void guest_srand(unsigned seed) LAXITY_WRAP_SYMBOL(srand);
double guest_drand48(void) LAXITY_WRAP_SYMBOL(drand48);

static sem_t may_end;

static void do_nothing(void) {}

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
    CHECK_EQUAL(laxity_leftovers_since(&before, NULL, false, &left), 0);
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
    CHECK_EQUAL(laxity_leftovers_since(&before, NULL, false, &left), 0);
    CHECK_EQUAL(left.handlers, UINT64_C(1) << (SIGUSR1 - 1));
    laxity_leftovers_answer_again(&before);
    CHECK_EQUAL(laxity_leftovers_since(&before, NULL, false, &left), 0);
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
    CHECK_EQUAL(laxity_leftovers_since(&before, NULL, false, &left), 0);
    CHECK_EQUAL(left.n_threads, 1);
    (void)sem_post(&may_end);
    (void)pthread_join(thread, NULL);
    CHECK_EQUAL(laxity_leftovers_since(&before, NULL, false, &left), 0);
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
    CHECK_EQUAL(laxity_leftovers_since(&before, NULL, false, &left), 0);
    CHECK_EQUAL(left.attributes, 0);
    (void)umask(before.attributes.mask ^ 1);
    CHECK_EQUAL(alarm(900), 0);
    CHECK_EQUAL(setenv("LAXITY_TEST", "1", 1), 0); /* NOLINT(concurrency-mt-unsafe): one thread */
    struct rlimit cores = {.rlim_cur = 1};
    CHECK_EQUAL(getrlimit(RLIMIT_CORE, &cores), 0);
    cores.rlim_cur = cores.rlim_cur == 0 ? cores.rlim_max : 0;
    const bool can_change = cores.rlim_max > 0 && setrlimit(RLIMIT_CORE, &cores) == 0;
    CHECK_EQUAL(laxity_leftovers_since(&before, NULL, false, &left), 0);
    CHECK_EQUAL(
        left.attributes,
        bit(LAXITY_ATTRIBUTE_MASK) | bit(LAXITY_ATTRIBUTE_TIMERS) |
            bit(LAXITY_ATTRIBUTE_ENVIRONMENT) | (can_change ? bit(LAXITY_ATTRIBUTE_LIMITS) : 0)
    );
    laxity_attributes_restore(&before.attributes);
    CHECK_EQUAL(laxity_leftovers_since(&before, NULL, false, &left), 0);
    CHECK_EQUAL(left.attributes, 0);
}

static void a_descriptor_that_is_read_further_is_left(void)
{
    char byte = 0;
    struct laxity_belongings before;
    struct laxity_leftovers left;
    const int fd = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
    CHECK(fd >= 0);
    if (fd < 0) {
        return;
    }
    CHECK_EQUAL(laxity_belongings_look(&before), 0);
    CHECK_EQUAL(read(fd, &byte, 1), 1);
    CHECK_EQUAL(laxity_leftovers_since(&before, NULL, false, &left), 0);
    CHECK_EQUAL(left.attributes, bit(LAXITY_ATTRIBUTE_HELD));
    CHECK_EQUAL(lseek(fd, 0, SEEK_SET), 0);
    CHECK_EQUAL(laxity_leftovers_since(&before, NULL, false, &left), 0);
    CHECK_EQUAL(left.attributes, 0);
    (void)close(fd);
}

static void an_alternate_stack_and_exit_handlers_are_put_back(void)
{
    static unsigned char room[65536];
    struct laxity_belongings before;
    struct laxity_leftovers left;
    const stack_t other = {.ss_sp = room, .ss_size = sizeof room};
    CHECK_EQUAL(laxity_belongings_look(&before), 0);
    CHECK_EQUAL(sigaltstack(&other, NULL), 0);
    CHECK_EQUAL(guest_atexit(do_nothing), 0);
    CHECK_EQUAL(laxity_leftovers_since(&before, NULL, false, &left), 0);
    CHECK_EQUAL(
        left.attributes, bit(LAXITY_ATTRIBUTE_ALTERNATE_STACK) | bit(LAXITY_ATTRIBUTE_EXIT_HANDLERS)
    );
    laxity_attributes_restore(&before.attributes);
    CHECK_EQUAL(laxity_leftovers_since(&before, NULL, false, &left), 0);
    CHECK_EQUAL(left.attributes, 0);
}

static void rights_of_data_are_compared(void)
{
    enum {
        BYTES = 65536 /* the largest page of all machines here */
    };
    static _Alignas(BYTES) unsigned char page[BYTES];
    struct laxity_belongings before;
    struct laxity_leftovers left;
    CHECK_EQUAL(laxity_belongings_look(&before), 0);
    CHECK_EQUAL(mprotect(page, sizeof page, PROT_READ), 0);
    CHECK_EQUAL(laxity_leftovers_since(&before, NULL, false, &left), 0);
    CHECK_EQUAL(left.attributes, bit(LAXITY_ATTRIBUTE_MAPPINGS));
    CHECK_EQUAL(mprotect(page, sizeof page, PROT_READ | PROT_WRITE), 0);
    CHECK_EQUAL(laxity_leftovers_since(&before, NULL, false, &left), 0);
    CHECK_EQUAL(left.attributes, 0);
}

static void what_init_has_changed_is_compared_with_the_state_after_it(void)
{
    struct laxity_belongings before;
    struct laxity_belongings ready;
    struct laxity_leftovers left;
    CHECK_EQUAL(laxity_belongings_look(&before), 0);
    (void)umask(before.attributes.mask ^ 1); /* init */
    CHECK_EQUAL(laxity_belongings_look(&ready), 0);
    CHECK_EQUAL(laxity_leftovers_since(&before, NULL, false, &left), 0);
    CHECK_EQUAL(left.attributes, bit(LAXITY_ATTRIBUTE_MASK));
    CHECK_EQUAL(laxity_leftovers_since(&before, &ready, false, &left), 0);
    CHECK_EQUAL(left.attributes, 0);
    (void)umask(before.attributes.mask); /* teardown */
    CHECK_EQUAL(laxity_leftovers_since(&before, &ready, false, &left), 0);
    CHECK_EQUAL(left.attributes, bit(LAXITY_ATTRIBUTE_MASK));
    CHECK_EQUAL(laxity_leftovers_since(&before, &ready, true, &left), 0);
    CHECK_EQUAL(left.attributes, 0);
}

#if defined __x86_64__
static void denormals_and_the_x87_are_compared_and_put_back(void)
{
    enum {
        FLUSH_TO_ZERO = 0x8000 /* MXCSR.FTZ: Intel SDM 1, 10.2.3 */
    };
    struct laxity_belongings before;
    struct laxity_leftovers left;
    CHECK_EQUAL(laxity_belongings_look(&before), 0);
    unsigned control = before.attributes.control | FLUSH_TO_ZERO;
    for (int is_x87 = 0; is_x87 <= 1; is_x87++) {
        if (is_x87 != 0) {
            __asm__ volatile("fld1");
        } else {
            __asm__ volatile("ldmxcsr %0" : : "m"(control));
        }
        CHECK_EQUAL(laxity_leftovers_since(&before, NULL, false, &left), 0);
        CHECK_EQUAL(left.attributes, bit(LAXITY_ATTRIBUTE_ROUNDING));
        laxity_attributes_restore(&before.attributes);
        CHECK_EQUAL(laxity_leftovers_since(&before, NULL, false, &left), 0);
        CHECK_EQUAL(left.attributes, 0);
    }
}
#endif

static void a_number_that_is_drawn_before_its_seed_is_left(void)
{
    struct laxity_belongings before;
    struct laxity_leftovers left;
    CHECK_EQUAL(laxity_belongings_look(&before), 0);
    laxity_guest_random_begin();
    guest_srand(1);
    (void)guest_rand();
    CHECK_EQUAL(laxity_leftovers_since(&before, NULL, false, &left), 0);
    CHECK_EQUAL(left.attributes, 0);
    (void)guest_drand48(); /* has a generator and a seed of its own */
    CHECK_EQUAL(laxity_leftovers_since(&before, NULL, false, &left), 0);
    CHECK_EQUAL(left.attributes, bit(LAXITY_ATTRIBUTE_RANDOM));
    laxity_guest_random_begin();
    CHECK_EQUAL(laxity_leftovers_since(&before, NULL, false, &left), 0);
    CHECK_EQUAL(left.attributes, 0);
    (void)guest_rand();
    CHECK_EQUAL(laxity_leftovers_since(&before, NULL, false, &left), 0);
    CHECK_EQUAL(left.attributes, bit(LAXITY_ATTRIBUTE_RANDOM));
    laxity_guest_random_begin();
}

int main(void)
{
    (void)sem_init(&may_end, 0, 0);
    RUN(an_open_descriptor_is_counted_and_closed);
    RUN(an_answer_to_a_signal_is_named_and_put_back);
    RUN(a_thread_is_counted_while_it_runs);
    RUN(how_the_process_runs_is_compared_and_put_back);
    RUN(a_descriptor_that_is_read_further_is_left);
    RUN(an_alternate_stack_and_exit_handlers_are_put_back);
    RUN(rights_of_data_are_compared);
    RUN(what_init_has_changed_is_compared_with_the_state_after_it);
#if defined __x86_64__
    RUN(denormals_and_the_x87_are_compared_and_put_back);
#endif
    RUN(a_number_that_is_drawn_before_its_seed_is_left);
    return test_exit_code();
}
