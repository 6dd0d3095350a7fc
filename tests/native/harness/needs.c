/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
/*
 * Programs whose need of memory follows from what they do, in pages: `needs NAME`. What each comes
 * to is calculated in tests/cli/test_memory_need.py. They print nothing: that would allocate.
 */
#include <laxity/hooks.h>

#include <dlfcn.h>
#include <malloc.h>
#include <pthread.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <unistd.h>

enum {
    PAGES = 256,
    SOME_PAGES = 10,
    STACK_PAGES = 16,
    STACK_PAGES_TOUCHED = 8,
    THREADS = 4,
    HEAP_PAGES = 25, /* below the size from which malloc maps blocks of their own (128 KiB) */
    ARENA_PAGES = 4096,
    PAGE_BYTES = 4096, /* of the machines that measure: seccomp and PAGEMAP_SCAN on x86-64 */
};

/* Keeps the compiler from leaving out a request whose result nobody uses. */
static void *volatile sink;
static unsigned job;
static unsigned char *arena;
static pthread_barrier_t all_are_there;

static void write_pages(volatile void *block, size_t pages)
{
    volatile unsigned char *bytes = block;
    for (size_t i = 0; i < pages; i++) {
        bytes[i * PAGE_BYTES] = 1;
    }
}

static void read_pages(const void *block, size_t pages)
{
    const volatile unsigned char *bytes = block;
    for (size_t i = 0; i < pages; i++) {
        (void)bytes[i * PAGE_BYTES];
    }
}

static void *map(size_t pages)
{
    void *at =
        mmap(NULL, pages * PAGE_BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (at == MAP_FAILED) {
        laxity_job_failed("cannot map");
    }
    return at;
}

static void by_calloc(void)
{
    sink = calloc(PAGES, PAGE_BYTES);
}

static void by_mmap(void)
{
    sink = map(PAGES);
    write_pages(sink, SOME_PAGES);
}

static void *cpp_library;

/* As a C++ program has it: loaded before main(), with what it then allocates for itself. */
__attribute__((constructor)) static void load_cpp(void)
{
    cpp_library = dlopen("libstdc++.so.6", RTLD_NOW);
}

static void by_new(void)
{
    void *(*allocate)(size_t) = NULL;
    void *found = cpp_library ? dlsym(cpp_library, "_Znwm") : NULL;
    if (!found) {
        laxity_job_failed("no libstdc++.so.6");
    }
    memcpy((void *)&allocate, (const void *)&found, sizeof allocate);
    unsigned char *block = allocate((size_t)PAGES * PAGE_BYTES);
    write_pages(block, PAGES);
    sink = block;
}

__attribute__((noinline)) static void by_stack(void)
{
    volatile unsigned char block[PAGES * PAGE_BYTES];
    write_pages(block, PAGES);
}

static void *touch_stack(void *unused)
{
    volatile unsigned char block[STACK_PAGES_TOUCHED * PAGE_BYTES];
    write_pages(block, STACK_PAGES_TOUCHED);
    (void)pthread_barrier_wait(&all_are_there);
    return unused;
}

static void by_threads(void)
{
    pthread_t threads[THREADS];
    pthread_attr_t attributes;
    (void)pthread_attr_init(&attributes);
    (void)pthread_attr_setstacksize(&attributes, (size_t)STACK_PAGES * PAGE_BYTES);
    (void)pthread_barrier_init(&all_are_there, NULL, THREADS);
    for (unsigned i = 0; i < THREADS; i++) {
        if (pthread_create(&threads[i], &attributes, touch_stack, NULL) != 0) {
            laxity_job_failed("cannot start a thread");
        }
    }
    for (unsigned i = 0; i < THREADS; i++) {
        (void)pthread_join(threads[i], NULL);
    }
}

static void by_realloc(void)
{
    unsigned char *block = malloc((size_t)PAGES * PAGE_BYTES);
    sink = block;
    write_pages(block, PAGES);
    sink = realloc(block, (size_t)PAGES / 4 * PAGE_BYTES);
    sink = malloc((size_t)PAGES / 2 * PAGE_BYTES);
}

static void by_trim(void)
{
    for (unsigned i = 0; i < 2; i++) {
        void *block = malloc((size_t)HEAP_PAGES * PAGE_BYTES);
        sink = block;
        write_pages(block, HEAP_PAGES);
        free(block);
        (void)malloc_trim(0);
    }
}

/* More of it in each job. */
static void by_arena(void)
{
    if (!arena) {
        arena = map(ARENA_PAGES);
    }
    write_pages(arena + (size_t)job * SOME_PAGES * PAGE_BYTES, SOME_PAGES);
}

static void by_zero_pages(void)
{
    sink = map(PAGES);
    read_pages(sink, PAGES);
}

/* Every second page is read, the first ones are written. */
static void by_file(void)
{
    const int fd = memfd_create("needs", MFD_CLOEXEC);
    if (fd < 0 || ftruncate(fd, (off_t)PAGES * PAGE_BYTES) != 0) {
        laxity_job_failed("no file");
    }
    unsigned char *at =
        mmap(NULL, (size_t)PAGES * PAGE_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    (void)close(fd);
    if (at == MAP_FAILED) {
        laxity_job_failed("cannot map");
    }
    for (size_t i = 0; i < PAGES; i += 2) {
        read_pages(at + i * PAGE_BYTES, 1);
    }
    write_pages(at, SOME_PAGES);
}

/* What a child needs is the child's; and nobody but it is there to be waited for. */
static void by_child(void)
{
    const pid_t pid = fork();
    if (pid == 0) {
        sink = malloc((size_t)PAGES * PAGE_BYTES);
        write_pages(sink, PAGES);
        write_pages(map(PAGES), PAGES);
        _exit(0);
    }
    int status = -1;
    if (wait(&status) != pid || status != 0 || wait(&status) != -1) {
        laxity_job_failed("another child than its own, or one that failed");
    }
}

static void by_nothing(void) {}

static const struct {
    const char *name;
    void (*act)(void);
} programs[] = {
    {"calloc", by_calloc},
    {"mmap", by_mmap},
    {"new", by_new},
    {"stack", by_stack},
    {"threads", by_threads},
    {"realloc", by_realloc},
    {"trim", by_trim},
    {"arena", by_arena},
    {"zero-pages", by_zero_pages},
    {"file", by_file},
    {"child", by_child},
    {"nothing", by_nothing},
};

static void (*chosen)(void);

int benchmark_init(int argc, void **argv)
{
    for (size_t i = 0; argc > 0 && i < sizeof programs / sizeof programs[0]; i++) {
        if (strcmp(argv[0], programs[i].name) == 0) {
            chosen = programs[i].act;
        }
    }
    return chosen ? 0 : -1;
}

void benchmark_execution(int argc, void **argv)
{
    (void)argc;
    (void)argv;
    if (job == 0 || chosen == by_arena) {
        chosen();
    }
    job++;
}

void benchmark_teardown(int argc, void **argv)
{
    (void)argc;
    (void)argv;
}
