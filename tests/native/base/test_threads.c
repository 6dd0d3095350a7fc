/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
/* What a process can find out about its own threads. */
#include "../test.h"
#include "base/port/threads.h"
#include "base/port/time.h"

#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <unistd.h>

enum {
    TIDS_MAX = 16,
    HANDLER_TRIES = 1000,
    BURN_NS = 3 * LAXITY_NS_PER_MS,
};

static sem_t has_started;
static sem_t may_end;
static _Atomic int32_t second_tid;
static int64_t burned_ns; /* read after the join */
static volatile sig_atomic_t signalled_tid;

static void *wait_for_the_end(void *unused)
{
    (void)unused;
    (void)prctl(PR_SET_NAME, "second");
    second_tid = (int32_t)gettid();
    (void)sem_post(&has_started);
    while (sem_wait(&may_end) != 0) {
    }
    return NULL;
}

static void *burn(void *unused)
{
    (void)unused;
    const int64_t begin_ns = laxity_thread_time_ns();
    while (laxity_thread_time_ns() - begin_ns < BURN_NS) {
    }
    burned_ns = laxity_thread_time_ns() - begin_ns;
    return NULL;
}

static pthread_t start_second(void)
{
    pthread_t second;
    CHECK_EQUAL(pthread_create(&second, NULL, wait_for_the_end, NULL), 0);
    while (sem_wait(&has_started) != 0) {
    }
    return second;
}

static void end_second(pthread_t second)
{
    (void)sem_post(&may_end);
    (void)pthread_join(second, NULL);
}

static int count_of(const int32_t *tids, int n, int32_t tid)
{
    int count = 0;
    for (int i = 0; i < n; i++) {
        count += tids[i] == tid;
    }
    return count;
}

static bool holds_each_once(const int32_t *tids, int n)
{
    for (int i = 0; i < n; i++) {
        if (count_of(tids, n, tids[i]) != 1) {
            return false;
        }
    }
    return true;
}

/* An emulator has threads of its own, which come and go: only ours can be asked for. */
static void list_holds_every_thread_once_each_time_it_is_read(void)
{
    int32_t tids[TIDS_MAX];
    const int fd = laxity_threads_open();
    CHECK(fd >= 0);
    const int before = laxity_threads_list(fd, tids, TIDS_MAX);
    CHECK_EQUAL(count_of(tids, before, (int32_t)gettid()), 1);
    CHECK(holds_each_once(tids, before));
    const pthread_t second = start_second();
    const int during = laxity_threads_list(fd, tids, TIDS_MAX);
    CHECK_EQUAL(count_of(tids, during, (int32_t)gettid()), 1);
    CHECK_EQUAL(count_of(tids, during, second_tid), 1);
    CHECK(holds_each_once(tids, during));
    CHECK_EQUAL(laxity_threads_list(fd, tids, 1), 1); /* no more than there is room for */
    end_second(second);
    (void)close(fd);
}

static void thread_has_the_name_that_it_took(void)
{
    char name[16] = "before";
    const pthread_t second = start_second();
    laxity_thread_name(second_tid, name, sizeof name);
    CHECK_TEXT(name, "second");
    end_second(second);
    laxity_thread_name(0, name, sizeof name); /* there is no such thread */
    CHECK_TEXT(name, "");
}

static void time_of_a_thread_that_is_gone_is_not_lost(void)
{
    struct rusage before;
    struct rusage after;
    pthread_t thread;
    const int64_t before_ns = laxity_others_time_ns();
    laxity_others_usage(&before);
    CHECK_EQUAL(pthread_create(&thread, NULL, burn, NULL), 0);
    (void)pthread_join(thread, NULL);
    /* It may still be on its way out, on another CPU: what it has used then is known at its end. */
    const int fd = laxity_threads_open();
    int32_t tids[TIDS_MAX];
    const int n = laxity_threads_list(fd, tids, TIDS_MAX);
    for (int i = 0; i < n; i++) {
        laxity_update_thread_time(tids[i]);
    }
    CHECK(laxity_others_time_ns() - before_ns >= burned_ns);
    laxity_others_usage(&after);
    CHECK(after.ru_nvcsw + after.ru_nivcsw >= before.ru_nvcsw + before.ru_nivcsw);
    (void)close(fd);
}

static void note_signal(int number)
{
    (void)number;
    signalled_tid = (sig_atomic_t)gettid();
}

/* Both threads could take it; kill() promises nothing about which. */
static void signal_goes_to_the_main_thread(void)
{
    const struct sigaction action = {.sa_handler = note_signal};
    CHECK_EQUAL(sigaction(SIGUSR1, &action, NULL), 0);
    const pthread_t second = start_second();
    CHECK_EQUAL(laxity_signal_main_thread(getpid(), SIGUSR1), 0);
    for (unsigned i = 0; i < HANDLER_TRIES && signalled_tid == 0; i++) {
        laxity_pause_ns(LAXITY_NS_PER_MS); /* TSan calls handlers in system calls only */
    }
    CHECK_EQUAL(signalled_tid, gettid());
    end_second(second);
    CHECK(laxity_signal_main_thread(getpid(), -1) < 0);
}

int main(void)
{
    if (sem_init(&has_started, 0, 0) != 0 || sem_init(&may_end, 0, 0) != 0) {
        return 1;
    }
    end_second(start_second()); /* TSan makes a thread of its own beside the first one */
    RUN(list_holds_every_thread_once_each_time_it_is_read);
    RUN(thread_has_the_name_that_it_took);
    RUN(time_of_a_thread_that_is_gone_is_not_lost);
    RUN(signal_goes_to_the_main_thread);
    return test_exit_code();
}
