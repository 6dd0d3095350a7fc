/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
/*
 * A workload that requests memory, for the tests of the memory limit: `hungry CALL BYTES [WHEN]`.
 * WHEN is init, teardown, or the number of a job (3 if left out). It prints nothing: that would
 * allocate.
 */
#include <laxity/hooks.h>
#include <laxity/units.h>

#include <fcntl.h>
#include <malloc.h>
#include <pthread.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <unistd.h>
#if !LINK_IS_STATIC
#include <dlfcn.h>
#endif

enum {
    ROUNDS = 100,
    BLOCKS = 256,
    THREADS = 4,
    TEXT_BYTES = 1 << 20
};

/* Keeps the compiler from leaving out a request whose result nobody uses. */
static void *volatile sink;

static void by_malloc(size_t bytes)
{
    sink = malloc(bytes);
}

static void by_calloc(size_t bytes)
{
    sink = calloc(bytes, 1);
}

static void by_realloc(size_t bytes)
{
    void *half = malloc(bytes / 2);
    sink = realloc(half, bytes);
}

static void by_reallocarray(size_t bytes)
{
    sink = reallocarray(NULL, bytes, 1);
}

static void by_posix_memalign(size_t bytes)
{
    void *block = NULL;
    sink = posix_memalign(&block, 64, bytes) == 0 ? block : NULL;
}

static void by_aligned_alloc(size_t bytes)
{
    sink = aligned_alloc(64, bytes);
}

static void by_memalign(size_t bytes)
{
    sink = memalign(64, bytes);
}

static void by_valloc(size_t bytes)
{
    sink = valloc(bytes); /* NOLINT(concurrency-mt-unsafe): glibc's is safe */
}

static void by_pvalloc(size_t bytes)
{
    sink = pvalloc(bytes);
}

static void by_mmap(size_t bytes)
{
    sink = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
}

static void by_mmap_of_file(size_t bytes)
{
    const int fd = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
    sink = mmap(NULL, bytes, PROT_READ, MAP_SHARED, fd, 0);
    (void)close(fd);
}

static void by_mremap(size_t bytes)
{
    by_mmap(bytes / 2);
    sink = mremap(sink, bytes / 2, bytes, MREMAP_MAYMOVE);
}

static void by_sbrk(size_t bytes)
{
    sink = sbrk((intptr_t)bytes);
}

static void by_brk(size_t bytes)
{
    (void)brk((char *)sbrk(0) + bytes);
}

static void by_strndup(size_t bytes)
{
    static char text[TEXT_BYTES];
    memset(text, 'x', sizeof text);
    sink = strndup(text, bytes - 1);
}

#if !LINK_IS_STATIC
static void *cpp_library;

/* As a C++ program has it: loaded before main(), together with what it then allocates for itself.
 */
__attribute__((constructor)) static void load_cpp(void)
{
    cpp_library = dlopen("libstdc++.so.6", RTLD_NOW);
}

/* C++'s own operator new, by its symbol. */
static void by_new_symbol(size_t bytes, const char *symbol)
{
    void *(*allocate)(size_t) = NULL;
    void *found = cpp_library ? dlsym(cpp_library, symbol) : NULL;
    if (!found) {
        laxity_job_failed("no libstdc++.so.6");
    }
    memcpy((void *)&allocate, (const void *)&found, sizeof allocate);
    sink = allocate(bytes);
}

#if UINTPTR_MAX > UINT32_MAX
static const char new_object[] = "_Znwm";
static const char new_array[] = "_Znam";
#else
static const char new_object[] = "_Znwj";
static const char new_array[] = "_Znaj";
#endif

static void by_new(size_t bytes)
{
    by_new_symbol(bytes, new_object);
}

static void by_new_array(size_t bytes)
{
    by_new_symbol(bytes, new_array);
}
#endif

/* Never more than `bytes` at once. */
static void by_free(size_t bytes)
{
    for (unsigned i = 0; i < ROUNDS; i++) {
        sink = malloc(bytes);
        free(sink);
    }
}

static void by_munmap(size_t bytes)
{
    for (unsigned i = 0; i < ROUNDS; i++) {
        by_mmap(bytes);
        (void)munmap(sink, bytes);
    }
}

/* The heap is made to grow, and to shrink by giving its end back to the kernel. */
static void by_shrinking(size_t bytes)
{
    static void *blocks[BLOCKS];
    (void)mallopt(M_TRIM_THRESHOLD, 0); /* NOLINT(concurrency-mt-unsafe): one thread */
    for (unsigned round = 0; round < ROUNDS; round++) {
        for (size_t i = 0; i < BLOCKS; i++) {
            blocks[i] = malloc(bytes / BLOCKS);
            sink = blocks[i];
        }
        for (size_t i = BLOCKS; i > 0; i--) {
            free(blocks[i - 1]);
        }
        (void)malloc_trim(0);
    }
}

/* Small blocks whose sum is `bytes`: 24 fills what the heap rounds to, 1 leaves most of it. */
static void by_small_blocks(size_t bytes)
{
    for (size_t held = 0; held + 25 <= bytes; held += 25) {
        sink = malloc(24);
        sink = malloc(1);
    }
}

static void *hold_quarter(void *bytes)
{
    return malloc(*(size_t *)bytes / THREADS);
}

static void by_threads(size_t bytes)
{
    pthread_t threads[THREADS];
    for (unsigned i = 0; i < THREADS; i++) {
        if (pthread_create(&threads[i], NULL, hold_quarter, &bytes) != 0) {
            laxity_job_failed("cannot start a thread");
        }
    }
    for (unsigned i = 0; i < THREADS; i++) {
        void *block = NULL;
        (void)pthread_join(threads[i], &block);
        sink = block;
    }
}

/* Its child requests what the task must not. */
static void by_child(size_t bytes)
{
    const pid_t pid = fork();
    if (pid == 0) {
        sink = malloc(bytes);
        _exit(sink ? 0 : 1);
    }
    int status = -1;
    (void)waitpid(pid, &status, 0);
    if (status != 0) {
        laxity_job_failed("the child failed");
    }
}

static const struct {
    const char *name;
    void (*request)(size_t bytes);
} calls[] = {
    {"malloc", by_malloc},
    {"calloc", by_calloc},
    {"realloc", by_realloc},
    {"reallocarray", by_reallocarray},
    {"posix_memalign", by_posix_memalign},
    {"aligned_alloc", by_aligned_alloc},
    {"memalign", by_memalign},
    {"valloc", by_valloc},
    {"pvalloc", by_pvalloc},
    {"mmap", by_mmap},
    {"mmap-file", by_mmap_of_file},
    {"mremap", by_mremap},
    {"sbrk", by_sbrk},
    {"brk", by_brk},
    {"strndup", by_strndup},
#if !LINK_IS_STATIC
    {"new", by_new},
    {"new[]", by_new_array},
#endif
    {"free", by_free},
    {"munmap", by_munmap},
    {"shrinking", by_shrinking},
    {"small", by_small_blocks},
    {"threads", by_threads},
    {"child", by_child},
};

static void (*chosen)(size_t bytes);
static size_t chosen_bytes;
static const char *when = "3";
static uint64_t chosen_job = UINT64_MAX;
static uint64_t job;

int benchmark_init(int argc, void **argv)
{
    uint64_t bytes = 0;
    for (size_t i = 0; argc > 1 && i < sizeof calls / sizeof calls[0]; i++) {
        if (strcmp(argv[0], calls[i].name) == 0) {
            chosen = calls[i].request;
        }
    }
    if (!chosen || laxity_parse_count(argv[1], 0, SIZE_MAX, &bytes)) {
        return -1;
    }
    chosen_bytes = (size_t)bytes;
    when = argc > 2 ? argv[2] : when;
    (void)laxity_parse_count(when, 0, UINT64_MAX, &chosen_job);
    if (strcmp(when, "init") == 0) {
        chosen(chosen_bytes);
    }
    return 0;
}

void benchmark_execution(int argc, void **argv)
{
    (void)argc;
    (void)argv;
    if (job == chosen_job) {
        chosen(chosen_bytes);
    }
    job++;
}

void benchmark_teardown(int argc, void **argv)
{
    (void)argc;
    (void)argv;
    if (strcmp(when, "teardown") == 0) {
        chosen(chosen_bytes);
    }
}
