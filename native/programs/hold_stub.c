/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
/*
 * Preloaded into a dynamic program whose process is a job: holds it until its release.
 *
 * The dynamic linker calls it when everything is loaded and relocated, before the program's own
 * constructors and its main. It needs no library but libc, so that it brings the program none.
 */
#include "base/port/ticks.h"
#include "base/port/time.h"
#include "programs/hold.h"

#include <errno.h>
#include <sched.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

enum {
    STACK_BYTES = 64 * 1024, /* touched; far below any usual limit */
    PAGE_BYTES = 4096,       /* the smallest page of any Linux */
};

/* As it was before us, for the program and for what it starts. */
static void restore_environment(const struct laxity_hold *hold)
{
    (void)unsetenv(LAXITY_HOLD_VARIABLE); /* NOLINT(concurrency-mt-unsafe): one thread */
    if (hold->preload[0] == '\0') {
        (void)unsetenv("LD_PRELOAD"); /* NOLINT(concurrency-mt-unsafe): one thread */
    } else {
        (void
        )setenv("LD_PRELOAD", hold->preload, 1); /* NOLINT(concurrency-mt-unsafe): one thread */
    }
}

static void touch_stack(void)
{
    volatile unsigned char stack[STACK_BYTES];
    for (size_t i = 0; i < sizeof stack; i += PAGE_BYTES) {
        stack[i] = 0;
    }
}

/* The measured part begins with the last reading of the clock; the store behind it says so. */
static void start_job(struct laxity_hold *hold)
{
    struct laxity_hold_start *start = &hold->start;
    struct rusage usage;
    struct timespec time;
    (void)getrusage(RUSAGE_SELF, &usage);
    start->preemptions = (int32_t)usage.ru_nivcsw;
    start->minor_faults = (int32_t)usage.ru_minflt;
    start->major_faults = (int32_t)usage.ru_majflt;
    start->cpu = sched_getcpu();
    (void)clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
    start->exec_ns = laxity_timespec_ns(&time);
    start->start_ticks = hold->has_ticks ? laxity_ticks() : 0;
    start->start_ns = laxity_now_ns();
    atomic_store_explicit(&hold->has_started, 1, memory_order_release);
}

static struct laxity_hold *map_hold(void)
{
    const char *text = getenv(LAXITY_HOLD_VARIABLE); /* NOLINT(concurrency-mt-unsafe): one thread */
    if (!text) {
        return NULL;
    }
    char *rest = NULL;
    const int fd = (int)strtol(text, &rest, 10);
    const int stub_fd = (int)strtol(rest, NULL, 10);
    void *base = mmap(NULL, sizeof(struct laxity_hold), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    (void)close(fd);
    if (stub_fd >= 0) {
        (void)close(stub_fd); /* what was loaded by it stays */
    }
    return base == MAP_FAILED ? NULL : base;
}

__attribute__((constructor)) static void hold_process(void)
{
    const int error_number = errno;
    struct laxity_hold *hold = map_hold();
    if (!hold) {
        return; /* its task finds that it was never held */
    }
    restore_environment(hold);
    touch_stack();
    if (hold->locks_memory && mlockall(MCL_CURRENT) != 0) {
        hold->lock_error = -errno;
    }
    hold->start.ready_ns = laxity_now_ns();
    atomic_store_explicit(&hold->is_held, 1, memory_order_release);
    while (laxity_sleep_until(hold->release_ns) != 0) {
    }
    errno = error_number;
    start_job(hold);
}
