/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
#include "../test.h"
#include "base/block_sizes.h"
#include "base/memory_account.h"
#include "base/port/allocator.h"

#include <errno.h>
#include <fcntl.h>
#include <malloc.h>
#include <pthread.h>
#include <stdatomic.h>
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
    THREADS = 4,
    ROUNDS = 2000,
    SMALL_BLOCKS = 1000,
    SIZES = 4096, /* room for one table */
    EXIT_EXCEEDED = 42,
};

static struct laxity_memory_account account;

/* Keeps the compiler from leaving out a request whose result nobody uses. */
static void *volatile sink;

static size_t page;

static size_t in_use(void)
{
    return atomic_load(&account.in_use_bytes);
}

static size_t peak(void)
{
    return atomic_load(&account.peak_bytes);
}

/* In a child: the parent reads what it wrote. */
static int excess_fd = -1;

static void report_excess(const struct laxity_memory_excess *excess)
{
    char text[128];
    const int length = snprintf(
        text,
        sizeof text,
        "%s %zu %zu %zu",
        excess->call,
        excess->request_bytes,
        excess->in_use_bytes,
        excess->limit_bytes
    );
    (void)!write(excess_fd, text, (size_t)length);
    _exit(EXIT_EXCEEDED);
}

static void count_from_zero(size_t limit_bytes)
{
    account = (struct laxity_memory_account){.limit_bytes = limit_bytes};
    CHECK_EQUAL(laxity_allocator_count(&account, report_excess), 0);
    CHECK_EQUAL(in_use(), 0);
}

/* The test itself prints, and that allocates. */
static void stop(void)
{
    CHECK_EQUAL(laxity_allocator_count(NULL, NULL), 0);
}

static void *by_malloc(size_t bytes)
{
    return malloc(bytes);
}

static void *by_calloc(size_t bytes)
{
    return calloc(4, bytes / 4);
}

static void *by_realloc(size_t bytes)
{
    void *half = malloc(bytes / 2);
    void *whole = realloc(half, bytes);
    return whole;
}

static void *by_reallocarray(size_t bytes)
{
    return reallocarray(NULL, 4, bytes / 4);
}

static void *by_posix_memalign(size_t bytes)
{
    void *block = NULL;
    return posix_memalign(&block, 64, bytes) == 0 ? block : NULL;
}

static void *by_aligned_alloc(size_t bytes)
{
    return aligned_alloc(64, bytes);
}

static void *by_memalign(size_t bytes)
{
    return memalign(4096, bytes);
}

static void *by_valloc(size_t bytes)
{
    return valloc(bytes); /* NOLINT(concurrency-mt-unsafe): glibc's is safe */
}

static void *by_pvalloc(size_t bytes)
{
    return pvalloc(bytes);
}

static void *by_strndup(size_t bytes)
{
    static char text[1 << 20];
    memset(text, 'x', sizeof text);
    return strndup(text, bytes - 1);
}

static const struct {
    const char *name; /* what the message calls it */
    void *(*request)(size_t bytes);
} heap_calls[] = {
    {"malloc", by_malloc},
    {"calloc", by_calloc},
    {"realloc", by_realloc},
    {"reallocarray", by_reallocarray},
    {"posix_memalign", by_posix_memalign},
    {"aligned_alloc", by_aligned_alloc},
    {"memalign", by_memalign},
    {"valloc", by_valloc},
    {"pvalloc", by_pvalloc},
    {"malloc", by_strndup}, /* the C library's own */
};

enum {
    HEAP_CALLS = sizeof heap_calls / sizeof heap_calls[0]
};

static void check_heap_call(void *(*request)(size_t), size_t bytes)
{
    count_from_zero(LAXITY_MEMORY_UNLIMITED);
    sink = request(bytes);
    const size_t held = in_use();
    const size_t most = peak();
    free(sink);
    const size_t left = in_use();
    stop();
    CHECK(sink);
    CHECK_EQUAL(held, bytes);
    CHECK_EQUAL(most, bytes);
    CHECK_EQUAL(left, 0);
}

static void every_kind_of_heap_request_counts_what_was_asked_for_to_the_byte(void)
{
    for (size_t i = 0; i < HEAP_CALLS; i++) {
        check_heap_call(heap_calls[i].request, page);
        check_heap_call(heap_calls[i].request, 3 * page);
        /* Above what the heap would map by itself. */
        check_heap_call(heap_calls[i].request, 200 * page);
    }
}

/* By pointers that no compiler sees through: what they are given here is odd on purpose. */
static void *(*volatile allocate)(size_t) = malloc;
static void *(*volatile resize)(void *, size_t) = realloc;

static void every_small_size_counts_to_the_byte_and_the_block_is_all_the_callers(void)
{
    for (size_t bytes = 0; bytes < 300; bytes++) {
        count_from_zero(LAXITY_MEMORY_UNLIMITED);
        unsigned char *block = allocate(bytes);
        sink = block;
        memset(block, 0xff, bytes);
        const size_t usable = malloc_usable_size(block);
        memset(block, 0xff, usable);
        const size_t held = in_use();
        block = resize(block, bytes + 7);
        const size_t grown = in_use();
        sink = block;
        for (size_t i = 0; i < bytes; i++) {
            CHECK_EQUAL(block[i], 0xff);
        }
        free(block);
        const size_t left = in_use();
        stop();
        CHECK(usable >= bytes);
        CHECK_EQUAL(held, bytes);
        CHECK_EQUAL(grown, bytes + 7);
        CHECK_EQUAL(left, 0);
    }
}

static void thousand_small_blocks_count_their_sum(void)
{
    static void *blocks[SMALL_BLOCKS];
    count_from_zero(LAXITY_MEMORY_UNLIMITED);
    for (size_t i = 0; i < SMALL_BLOCKS; i++) {
        blocks[i] = allocate(i % 100);
        sink = blocks[i];
    }
    const size_t held = in_use();
    for (size_t i = 0; i < SMALL_BLOCKS; i++) {
        free(blocks[i]);
    }
    const size_t left = in_use();
    stop();
    CHECK_EQUAL(held, 10 * 4950); /* 0 + 1 + ... + 99 = 4950, ten times */
    CHECK_EQUAL(left, 0);
}

static void realloc_counts_the_block_once_and_a_smaller_one_gives_back(void)
{
    count_from_zero(LAXITY_MEMORY_UNLIMITED);
    void *block = allocate(1000);
    block = resize(block, 5000);
    const size_t grown = in_use();
    block = resize(block, 200);
    const size_t shrunk = in_use();
    block = resize(block, 0);
    const size_t freed = in_use();
    stop();
    CHECK_EQUAL(grown, 5000);
    CHECK_EQUAL(shrunk, 200);
    CHECK_EQUAL(freed, 0);
    CHECK(!block);
    CHECK_EQUAL(peak(), 5000);
}

static void calloc_gives_zeroes_also_where_a_block_was_before(void)
{
    count_from_zero(LAXITY_MEMORY_UNLIMITED);
    for (size_t bytes = 1; bytes < 200; bytes++) {
        unsigned char *dirty = malloc(bytes);
        sink = dirty;
        memset(dirty, 0xff, bytes);
        free(dirty);
        unsigned char *clean = calloc(bytes, 1);
        sink = clean;
        for (size_t i = 0; i < bytes; i++) {
            CHECK_EQUAL(clean[i], 0);
        }
        free(clean);
    }
    stop();
}

static void aligned_blocks_are_aligned(void)
{
    count_from_zero(LAXITY_MEMORY_UNLIMITED);
    for (size_t align = sizeof(void *); align <= 65536; align *= 2) {
        void *block = NULL;
        CHECK_EQUAL(posix_memalign(&block, align, 100), 0);
        sink = block;
        CHECK_EQUAL((uintptr_t)block % align, 0);
        CHECK_EQUAL(in_use(), 100);
        free(block);
    }
    void *none = NULL;
    const int odd = posix_memalign(&none, 24, 100);
    stop();
    CHECK_EQUAL(odd, EINVAL);
    CHECK_EQUAL(in_use(), 0);
}

static void block_from_before_counting_does_not_count_when_it_is_freed(void)
{
    void *before = malloc(50000);
    sink = before;
    count_from_zero(LAXITY_MEMORY_UNLIMITED);
    void *within = malloc(1000);
    sink = within;
    free(before);
    const size_t held = in_use();
    free(within);
    stop();
    CHECK_EQUAL(held, 1000);
}

static void request_that_the_machine_cannot_meet_is_null_and_no_peak(void)
{
    count_from_zero(LAXITY_MEMORY_UNLIMITED);
    /* 2^63 bytes have no address; half of 32 bits may well be had. Volatile, or the compiler warns.
     */
    volatile size_t huge = (sizeof(void *) > 4 ? SIZE_MAX / 2 : SIZE_MAX) - page;
    errno = 0;
    const void *block = allocate(huge);
    const int malloc_errno = errno;
    volatile size_t all = SIZE_MAX;
    const void *more = allocate(all);
    const void *product = reallocarray(NULL, all, 2);
    const size_t held = in_use();
    stop();
    CHECK(!block && !more && !product);
    CHECK_EQUAL(malloc_errno, ENOMEM);
    CHECK_EQUAL(held, 0);
    CHECK_EQUAL(peak(), 0);
}

static void mapping_counts_whole_pages_and_a_part_of_it_can_go(void)
{
    count_from_zero(LAXITY_MEMORY_UNLIMITED);
    char *at =
        mmap(NULL, 10 * page - 1, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    const size_t held = in_use();
    (void)munmap(at + 3 * page, 2 * page);
    const size_t with_hole = in_use();
    /* Over the hole and one page at each side of it: only the hole is new. */
    const int fixed = MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED;
    const void *over = mmap(at + 2 * page, 4 * page, PROT_READ, fixed, -1, 0);
    const size_t refilled = in_use();
    (void)munmap(at, 10 * page);
    const size_t gone = in_use();
    (void)munmap(at, 10 * page);
    const size_t gone_twice = in_use();
    stop();
    CHECK_EQUAL(held, 10 * page);
    CHECK(over == at + 2 * page);
    CHECK_EQUAL(with_hole, 8 * page);
    CHECK_EQUAL(refilled, 10 * page);
    CHECK_EQUAL(gone, 0);
    CHECK_EQUAL(gone_twice, 0);
    CHECK_EQUAL(peak(), 10 * page);
}

static void mremap_counts_by_what_the_mapping_grows_or_shrinks(void)
{
    count_from_zero(LAXITY_MEMORY_UNLIMITED);
    void *at = mmap(NULL, 4 * page, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    at = mremap(at, 4 * page, 9 * page, MREMAP_MAYMOVE);
    const size_t grown = in_use();
    at = mremap(at, 9 * page, 2 * page, 0);
    const size_t shrunk = in_use();
    (void)munmap(at, 2 * page);
    stop();
    CHECK_EQUAL(grown, 9 * page);
    CHECK_EQUAL(shrunk, 2 * page);
    CHECK_EQUAL(in_use(), 0);
}

static void file_that_is_mapped_counts_too(void)
{
    const int fd = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
    count_from_zero(LAXITY_MEMORY_UNLIMITED);
    void *at = mmap(NULL, 2 * page, PROT_READ, MAP_SHARED, fd, 0);
    const size_t held = in_use();
    (void)munmap(at, 2 * page);
    stop();
    (void)close(fd);
    CHECK_EQUAL(held, 2 * page);
    CHECK_EQUAL(in_use(), 0);
}

static void many_mappings_apart_from_each_other_are_all_remembered(void)
{
    enum {
        MAPPINGS = 1000 /* more than the first 256 that there is room for */
    };
    static void *at[MAPPINGS];
    count_from_zero(LAXITY_MEMORY_UNLIMITED);
    for (size_t i = 0; i < MAPPINGS; i++) {
        /* Alternating rights, so that no two are one. */
        const int prot = i % 2 == 0 ? PROT_READ : PROT_NONE;
        at[i] = mmap(NULL, page, prot, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    }
    const size_t held = in_use();
    for (size_t i = 0; i < MAPPINGS; i += 2) {
        (void)munmap(at[i], page);
    }
    const size_t half = in_use();
    for (size_t i = 1; i < MAPPINGS; i += 2) {
        (void)munmap(at[i], page);
    }
    stop();
    CHECK_EQUAL(held, MAPPINGS * page);
    CHECK_EQUAL(half, MAPPINGS / 2 * page);
    CHECK_EQUAL(in_use(), 0);
}

static void break_counts_what_was_added_and_not_given_back(void)
{
    count_from_zero(LAXITY_MEMORY_UNLIMITED);
    const void *before = sbrk((intptr_t)(5 * page));
    const size_t held = in_use();
    (void)sbrk(-(intptr_t)(2 * page));
    const size_t left = in_use();
    const int moved = brk((char *)sbrk(0) + page);
    const size_t by_brk = in_use();
    (void)sbrk(-(intptr_t)(4 * page));
    stop();
    CHECK(before != (void *)-1); /* NOLINT(performance-no-int-to-ptr): its failure */
    CHECK_EQUAL(held, 5 * page);
    CHECK_EQUAL(left, 3 * page);
    CHECK_EQUAL(moved, 0);
    CHECK_EQUAL(by_brk, 4 * page);
    CHECK_EQUAL(in_use(), 0);
}

static void *allocate_and_free(void *unused)
{
    (void)unused;
    for (size_t i = 0; i < ROUNDS; i++) {
        void *block = malloc(1 + i % 500);
        free(block);
    }
    return malloc(1000);
}

static void run_threads(void **blocks)
{
    pthread_t threads[THREADS];
    for (size_t i = 0; i < THREADS; i++) {
        CHECK_EQUAL(pthread_create(&threads[i], NULL, allocate_and_free, NULL), 0);
    }
    for (size_t i = 0; i < THREADS; i++) {
        (void)pthread_join(threads[i], &blocks[i]);
    }
}

static void free_all(void **blocks)
{
    for (size_t i = 0; i < THREADS; i++) {
        free(blocks[i]);
    }
}

static void threads_count_into_one_account(void)
{
    static const size_t held_by_all = (size_t)THREADS * 1000;
    void *blocks[THREADS];
    /* Once before counting, so that what the C library keeps of a thread's stack is there. */
    run_threads(blocks);
    free_all(blocks);
    count_from_zero(LAXITY_MEMORY_UNLIMITED);
    run_threads(blocks);
    const size_t held = in_use();
    free_all(blocks);
    const size_t left = in_use();
    stop();
    /* At most a page of the C library's own for each thread that it started. */
    CHECK_EQUAL(held - left, held_by_all);
    CHECK(left <= THREADS * page);
}

/* What a child asks for, and what it frees of its parent's, is not the parent's. */
static void child_process_does_not_count(void)
{
    count_from_zero(LAXITY_MEMORY_UNLIMITED);
    void *block = malloc(3000);
    sink = block;
    const pid_t pid = fork();
    if (pid == 0) {
        free(block);
        sink = malloc(100000);
        _exit(in_use() == 3000 ? 0 : 1);
    }
    int status = -1;
    (void)waitpid(pid, &status, 0);
    const size_t held = in_use();
    free(block);
    stop();
    CHECK_EQUAL(status, 0);
    CHECK_EQUAL(held, 3000);
}

/* "CALL REQUEST IN_USE LIMIT" of a child that asks for `bytes` below `limit_bytes`, or "" if that
 * was allowed. */
static void
ask_in_child(void *(*request)(size_t), size_t bytes, size_t limit_bytes, char *text, size_t room)
{
    int ends[2];
    text[0] = '\0';
    if (pipe(ends) != 0) {
        test_fail(__FILE__, __LINE__, "no pipe");
        return;
    }
    const pid_t pid = fork();
    if (pid == 0) {
        excess_fd = ends[1];
        account = (struct laxity_memory_account){.limit_bytes = limit_bytes};
        if (laxity_allocator_count(&account, report_excess)) {
            _exit(1);
        }
        sink = request(bytes);
        _exit(sink ? 0 : 1);
    }
    (void)close(ends[1]);
    const ssize_t got = read(ends[0], text, room - 1);
    text[got > 0 ? got : 0] = '\0';
    (void)close(ends[0]);
    int status = 0;
    (void)waitpid(pid, &status, 0);
    CHECK(WIFEXITED(status));
    CHECK_EQUAL(WEXITSTATUS(status), got > 0 ? EXIT_EXCEEDED : 0);
}

static void *by_mmap(size_t bytes)
{
    return mmap(NULL, bytes, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
}

static void *by_mremap(size_t bytes)
{
    return mremap(by_mmap(bytes / 2), bytes / 2, bytes, MREMAP_MAYMOVE);
}

static void *by_sbrk(size_t bytes)
{
    return sbrk((intptr_t)bytes);
}

static void *by_brk(size_t bytes)
{
    return brk((char *)sbrk(0) + bytes) == 0 ? sbrk(0) : NULL;
}

static void check_limit(const char *name, void *(*request)(size_t), size_t held_bytes)
{
    const size_t bytes = 16 * page;
    char text[128];
    char wanted[128];
    ask_in_child(request, bytes, bytes, text, sizeof text);
    CHECK_TEXT(text, "");
    ask_in_child(request, bytes, bytes - 1, text, sizeof text);
    (void)snprintf(wanted, sizeof wanted, "%s %zu %zu %zu", name, bytes, held_bytes, bytes - 1);
    CHECK_TEXT(text, wanted);
}

static void limit_may_be_reached_and_one_byte_more_names_call_request_and_use(void)
{
    for (size_t i = 0; i < HEAP_CALLS; i++) {
        /* realloc grows a block of half the size, which is in use then. */
        check_limit(
            heap_calls[i].name,
            heap_calls[i].request,
            heap_calls[i].request == by_realloc ? 8 * page : 0
        );
    }
    check_limit("mmap", by_mmap, 0);
    check_limit("mremap", by_mremap, 8 * page);
    check_limit("sbrk", by_sbrk, 0);
    check_limit("brk", by_brk, 0);
}

static void request_beyond_all_memory_exceeds_a_limit_too(void)
{
    char text[128];
    char wanted[128];
    ask_in_child(by_malloc, SIZE_MAX, page, text, sizeof text);
    (void)snprintf(wanted, sizeof wanted, "malloc %zu 0 %zu", SIZE_MAX, page);
    CHECK_TEXT(text, wanted);
}

static struct laxity_block_size sizes[SIZES];

static void measure_from_zero(size_t limit_bytes)
{
    memset(sizes, 0, sizeof sizes);
    account = (struct laxity_memory_account){.limit_bytes = limit_bytes};
    CHECK_EQUAL(laxity_allocator_measure(&account, sizes, sizeof sizes), 0);
}

/* Of 24 bytes a block takes 32 from the heap, of one byte more 48. */
static void measured_block_is_not_larger_for_being_counted(void)
{
    measure_from_zero(LAXITY_MEMORY_UNLIMITED);
    void *block = by_malloc(24);
    const size_t usable_bytes = malloc_usable_size(block);
    memset(block, 0, usable_bytes); /* nothing of ours is in it */
    free(block);
    stop();
    CHECK_EQUAL(usable_bytes, 32 - sizeof(size_t));
    CHECK_EQUAL(peak(), 24);
    CHECK_EQUAL(in_use(), 0);
}

static void measured_heap_counts_what_was_added_in_all(void)
{
    void *before = malloc(1000);
    measure_from_zero(LAXITY_MEMORY_UNLIMITED);
    free(before);                                /* nobody counted it */
    void *larger = realloc(by_malloc(100), 300); /* 200 are added */
    void *block = realloc(larger, 50);
    sink = by_calloc(40);
    sink = by_mmap(16 * page); /* no request of the heap */
    const size_t held = in_use();
    free(block);
    stop();
    CHECK_EQUAL(held, 90);
    CHECK_EQUAL(peak(), 300);
    CHECK_EQUAL(account.total_bytes, 100 + 200 + 40);
}

static void measured_request_above_the_limit_is_made_and_noted(void)
{
    measure_from_zero(99);
    sink = by_malloc(99);
    CHECK_EQUAL(atomic_load(&account.is_crossed), 0);
    sink = by_malloc(1);
    stop();
    CHECK(sink);
    CHECK_EQUAL(atomic_load(&account.is_crossed), 1);
    CHECK_EQUAL(peak(), 100);
}

static void measuring_says_when_blocks_are_too_many_to_be_remembered(void)
{
    measure_from_zero(LAXITY_MEMORY_UNLIMITED);
    for (size_t i = 0; i < SIZES; i++) {
        sink = by_malloc(1);
    }
    stop();
    CHECK_EQUAL(account.is_counted, 0);
}

int main(void)
{
    page = (size_t)sysconf(_SC_PAGESIZE);
    RUN(every_kind_of_heap_request_counts_what_was_asked_for_to_the_byte);
    RUN(every_small_size_counts_to_the_byte_and_the_block_is_all_the_callers);
    RUN(thousand_small_blocks_count_their_sum);
    RUN(realloc_counts_the_block_once_and_a_smaller_one_gives_back);
    RUN(calloc_gives_zeroes_also_where_a_block_was_before);
    RUN(aligned_blocks_are_aligned);
    RUN(block_from_before_counting_does_not_count_when_it_is_freed);
    RUN(request_that_the_machine_cannot_meet_is_null_and_no_peak);
    RUN(mapping_counts_whole_pages_and_a_part_of_it_can_go);
    RUN(mremap_counts_by_what_the_mapping_grows_or_shrinks);
    RUN(file_that_is_mapped_counts_too);
    RUN(many_mappings_apart_from_each_other_are_all_remembered);
    RUN(break_counts_what_was_added_and_not_given_back);
    RUN(threads_count_into_one_account);
    RUN(child_process_does_not_count);
    RUN(limit_may_be_reached_and_one_byte_more_names_call_request_and_use);
    RUN(request_beyond_all_memory_exceeds_a_limit_too);
    /* Last: blocks have no stamps any more. */
    RUN(measured_block_is_not_larger_for_being_counted);
    RUN(measured_heap_counts_what_was_added_in_all);
    RUN(measured_request_above_the_limit_is_made_and_noted);
    RUN(measuring_says_when_blocks_are_too_many_to_be_remembered);
    return test_exit_code();
}
