/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
/*
 * A workload with a fault of your choice, for the tests of the harness: `fault MODE [N [FILE]]`. N
 * is a job number, a duration in microseconds for `spin` and `alternate`, or pages for `touch`;
 * with `wait` job N lasts until FILE is there, so that a test has all the time that it needs.
 */
#include <laxity/hooks.h>
#include <laxity/units.h>

#include <sched.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

enum {
    CHURN_BLOCKS = 64,
    CHURN_ROUNDS = 400,
    LATE_US = 20000,
    LINES_PRINTED = 2000,
    NS_PER_US = 1000,
    PAGE_BYTES = 4096,
    PAGES_MAX = 256
};

static uint64_t job;
static uint64_t parameter;
static void *blocks[CHURN_BLOCKS];

static int64_t now_ns(void)
{
    struct timespec now;
    (void)clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

static void spin_us(uint64_t duration_us)
{
    const int64_t until_ns = now_ns() + (int64_t)duration_us * NS_PER_US;
    while (now_ns() < until_ns) {
    }
}

/* The allocator is in the middle of its work at almost any instant. */
static void churn(void)
{
    for (unsigned i = 0; i < CHURN_ROUNDS; i++) {
        const unsigned slot = i % CHURN_BLOCKS;
        free(blocks[slot]);
        blocks[slot] = malloc(16 + (size_t)i * 64);
    }
}

static void print_much(void)
{
    for (unsigned i = 0; i < LINES_PRINTED; i++) {
        (void)printf("job %llu prints a line that nobody asked for\n", (unsigned long long)job);
    }
}

static void crash(void)
{
    (void)raise(SIGSEGV);
}

/* Says before it crashes what a terminal would obey: ESC, BEL, CSI of C1, U+202E. */
static void curse(void)
{
    (void)printf("n\x1b[31m\x07\xc2\x9b"
                 "2J\xe2\x80\xaeq\n");
    (void)fflush(stdout);
    crash();
}

static void hang(void)
{
    for (;;) {
        spin_us(1);
    }
}

static void leave(void)
{
    exit(3); /* NOLINT(concurrency-mt-unsafe): the fault under test */
}

static void fail_check(void)
{
    laxity_job_failed("sum is 41, expected 42");
}

/* Gives so many pages back and touches them again: a minor fault each, although memory is locked.
 */
static void touch_pages(uint64_t pages)
{
    static char *area;
    const size_t bytes = (size_t)PAGES_MAX * PAGE_BYTES;
    if (!area) {
        area = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        (void)madvise(area, bytes, MADV_NOHUGEPAGE);
    }
    (void)munlock(area, bytes);
    (void)madvise(area, bytes, MADV_DONTNEED);
    for (uint64_t page = 0; page < pages && page < PAGES_MAX; page++) {
        *(volatile char *)(area + page * PAGE_BYTES) = 1;
    }
}

static void block(void)
{
    const struct timespec pause = {.tv_nsec = 200000};
    (void)nanosleep(&pause, NULL);
}

static void wait_for(const char *file)
{
    while (access(file, F_OK) != 0) {
        block();
    }
}

static void be_late(void)
{
    spin_us(LATE_US);
}

static void demote(void)
{
    const struct sched_param none = {.sched_priority = 0};
    (void)sched_setscheduler(0, SCHED_OTHER, &none);
}

/* To any CPU but this one. */
static void wander(void)
{
    cpu_set_t others;
    CPU_ZERO(&others);
    for (unsigned cpu = 0; cpu < CPU_SETSIZE; cpu++) {
        if (cpu != (unsigned)sched_getcpu()) {
            CPU_SET(cpu, &others);
        }
    }
    (void)sched_setaffinity(0, sizeof others, &others);
}

/* Faults that happen in job N only. */
static const struct {
    const char *name;
    void (*run)(void);
} faults[] = {
    {"crash", crash},
    {"curse", curse},
    {"hang", hang},
    {"exit", leave},
    {"check", fail_check},
    {"late", be_late},
    {"demote", demote},
    {"wander", wander},
};

static const char *mode;

int benchmark_init(int argc, void **argv)
{
    mode = argc > 0 ? argv[0] : "none";
    if (argc > 1 && laxity_parse_count(argv[1], 0, UINT64_MAX, &parameter)) {
        return -2;
    }
    if (strcmp(mode, "init-crash") == 0) {
        crash();
    }
    return strcmp(mode, "init-fails") == 0 ? -7 : 0;
}

void benchmark_execution(int argc, void **argv)
{
    if (argc > 2 && strcmp(mode, "wait") == 0 && job == parameter) {
        wait_for(argv[2]);
    }
    for (unsigned i = 0; i < sizeof faults / sizeof faults[0]; i++) {
        if (strcmp(mode, faults[i].name) == 0 && job == parameter) {
            faults[i].run();
        }
    }
    if (strcmp(mode, "spin") == 0) {
        spin_us(parameter);
    } else if (strcmp(mode, "alternate") == 0) {
        spin_us(job % 2 == 0 ? 0 : parameter);
    } else if (strcmp(mode, "churn") == 0) {
        churn();
    } else if (strcmp(mode, "print") == 0) {
        print_much();
    } else if (strcmp(mode, "touch") == 0) {
        touch_pages(parameter);
    } else if (strcmp(mode, "block") == 0) {
        block();
    }
    job++;
}

void benchmark_teardown(int argc, void **argv)
{
    (void)argc;
    (void)argv;
    if (strcmp(mode, "teardown-crash") == 0) {
        crash();
    }
    /* Visible in output.log: a run whose teardown was left out lacks it. */
    (void)printf("torn down after %llu jobs\n", (unsigned long long)job);
}

const char *benchmark_log_header(void)
{
    return ",jobs before(exp:n)";
}

float benchmark_log_data(void)
{
    return (float)job;
}
