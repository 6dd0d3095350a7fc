/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
/*
 * A workload of simulated platforms that asks the kernel for what it should not.
 *
 *   asks job|init time|clock|machine|random|file|thread|fork|sort|print|wait|end|crash
 */
#include <laxity/hooks.h>

#include <pthread.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

enum {
    NUMBERS = 1000,
    OUTPUT_BYTES = 100000, /* more than a pipe holds */
    LINE_BYTES = 100,
    CRASHES_AT = 3,
};

static void ask_time(void)
{
    struct timespec now;
    (void)clock_gettime(CLOCK_MONOTONIC, &now);
}

/* Without the kernel; Arm of 32 bits has no clock that every program may read. */
static void ask_clock(void)
{
#if defined(__x86_64__)
    __asm__ volatile("rdtsc" ::: "eax", "edx");
#elif defined(__aarch64__)
    __asm__ volatile("mrs x0, cntvct_el0" ::: "x0");
#elif defined(__riscv)
    __asm__ volatile("rdtime a0" ::: "a0");
#elif defined(__powerpc__)
    __asm__ volatile("mftb 3" ::: "3");
#endif
}

static void ask_machine(void)
{
    struct utsname name;
    (void)uname(&name);
}

static void ask_random(void)
{
    char byte;
    (void)!getrandom(&byte, sizeof byte, 0);
}

static void ask_file(void)
{
    FILE *file = fopen("/proc/self/stat", "re");
    if (file) {
        (void)fgetc(file);
        (void)fclose(file);
    }
}

static void *do_nothing(void *unused)
{
    return unused;
}

static void ask_thread(void)
{
    pthread_t thread;
    if (pthread_create(&thread, NULL, do_nothing, NULL) == 0) {
        (void)pthread_join(thread, NULL);
    }
}

static void ask_fork(void)
{
    if (fork() == 0) {
        (void)pause(); /* it does not end by itself */
    }
}

static void ask_wait(void)
{
    (void)pause();
}

static void ask_end(void)
{
    exit(EXIT_FAILURE);
}

/* In the middle of the third job. */
static void ask_crash(void)
{
    static int *volatile nowhere;
    static int asked;
    if (++asked == CRASHES_AT) {
        *nowhere = asked;
    }
}

static int compare(const void *a, const void *b)
{
    return *(const int *)a - *(const int *)b;
}

static void ask_sort(void)
{
    static int numbers[NUMBERS];
    for (int i = 0; i < NUMBERS; i++) {
        numbers[i] = NUMBERS - i;
    }
    qsort(numbers, NUMBERS, sizeof numbers[0], compare);
}

static void ask_print(void)
{
    for (int i = 0; i < OUTPUT_BYTES / LINE_BYTES; i++) {
        (void)printf("%*d\n", LINE_BYTES - 1, i);
    }
}

static const struct {
    const char *what;
    void (*ask)(void);
} questions[] = {
    {"time", ask_time},
    {"clock", ask_clock},
    {"machine", ask_machine},
    {"random", ask_random},
    {"file", ask_file},
    {"thread", ask_thread},
    {"fork", ask_fork},
    {"sort", ask_sort},
    {"print", ask_print},
    {"wait", ask_wait},
    {"end", ask_end},
    {"crash", ask_crash},
};

static void ask(int n_words, void **words, const char *when)
{
    for (size_t i = 0; n_words > 1 && i < sizeof questions / sizeof questions[0]; i++) {
        if (strcmp(words[0], when) == 0 && strcmp(words[1], questions[i].what) == 0) {
            questions[i].ask();
        }
    }
}

int benchmark_init(int n_words, void **words)
{
    ask(n_words, words, "init");
    return 0;
}

void benchmark_execution(int n_words, void **words)
{
    ask(n_words, words, "job");
}

void benchmark_teardown(int n_words, void **words)
{
    (void)n_words;
    (void)words;
    (void)puts("torn down");
}
