/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
#include "base/port/allocator.h"

#include "base/block_sizes.h"
#include "base/memory_account.h"
#include "base/port/counting.h"
#include "base/port/mappings.h"

#include <errno.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#if LAXITY_ALLOCATOR_IS_FOREIGN

int laxity_allocator_count(
    struct laxity_memory_account *account, void (*on_exceeded)(const struct laxity_memory_excess *)
)
{
    (void)account;
    (void)on_exceeded;
    return -ENOTSUP;
}

int laxity_allocator_measure(struct laxity_memory_account *account, void *memory, size_t bytes)
{
    (void)account;
    (void)memory;
    (void)bytes;
    return -ENOTSUP;
}

#else

#include <limits.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/*
 * Our functions carry the allocator's names as symbols only, so that the compiler does not treat
 * calls in here as calls of the standard function. In a static link the C library's malloc is a
 * second definition; there the linker's --wrap=NAME leads every call to __wrap_NAME instead.
 */
#if LAXITY_LINK_IS_STATIC
#define HEAP_SYMBOL(name) __asm__("__wrap_" #name)
#else
#include <dlfcn.h>

#define HEAP_SYMBOL(name) __asm__(#name)
#endif

void *counted_malloc(size_t bytes) HEAP_SYMBOL(malloc);
void *counted_calloc(size_t n, size_t bytes) HEAP_SYMBOL(calloc);
void *counted_realloc(void *block, size_t bytes) HEAP_SYMBOL(realloc);
void *counted_reallocarray(void *block, size_t n, size_t bytes) HEAP_SYMBOL(reallocarray);
void counted_free(void *block) HEAP_SYMBOL(free);
int counted_posix_memalign(void **out_block, size_t align, size_t bytes)
    HEAP_SYMBOL(posix_memalign);
void *counted_aligned_alloc(size_t align, size_t bytes) HEAP_SYMBOL(aligned_alloc);
void *counted_memalign(size_t align, size_t bytes) HEAP_SYMBOL(memalign);
void *counted_valloc(size_t bytes) HEAP_SYMBOL(valloc);
void *counted_pvalloc(size_t bytes) HEAP_SYMBOL(pvalloc);
size_t counted_usable_size(void *block) HEAP_SYMBOL(malloc_usable_size);

/* The C library's own entries, for those who take its names. */
extern void *real_malloc(size_t bytes) __asm__("__libc_malloc");
extern void *real_calloc(size_t n, size_t bytes) __asm__("__libc_calloc");
extern void *real_realloc(void *block, size_t bytes) __asm__("__libc_realloc");
extern void *real_memalign(size_t align, size_t bytes) __asm__("__libc_memalign");
extern void real_free(void *block) __asm__("__libc_free");

#if LAXITY_LINK_IS_STATIC

extern size_t usable_size(void *block) __asm__("__real_malloc_usable_size");

#else

/* There is no __libc_malloc_usable_size; but the next definition behind ours is the C library's. */
static size_t usable_size(void *block)
{
    static size_t (*_Atomic next)(void *);
    size_t (*found)(void *) = atomic_load_explicit(&next, memory_order_relaxed);
    if (!found) {
        void *symbol = dlsym(RTLD_NEXT, "malloc_usable_size");
        if (!symbol) {
            abort(); /* then this is no glibc, and there is no __libc_malloc either */
        }
        memcpy((void *)&found, (const void *)&symbol, sizeof found); /* as POSIX has it */
        atomic_store_explicit(&next, found, memory_order_relaxed);
    }
    return found(block);
}

#endif

/*
 * How much of a block counts must be known when it is freed. The block's last usable byte says it:
 * 0 = it does not count (it is from before), else how many usable bytes there are beyond those
 * asked for; if they are as many as the byte can say, their number stands before it. One more byte
 * is therefore asked for than the caller wants, which mostly lies in what rounding leaves anyway.
 */
enum {
    STAMP_BYTES = 1,
    STAMP_UNCOUNTED = 0,
    STAMP_WIDE = UCHAR_MAX,
};

static void write_stamp(void *block, size_t usable_bytes, size_t counted_bytes)
{
    unsigned char *stamp = (unsigned char *)block + usable_bytes - STAMP_BYTES;
    const size_t beyond_bytes = usable_bytes - counted_bytes;
    if (beyond_bytes < STAMP_WIDE) {
        *stamp = (unsigned char)beyond_bytes;
        return;
    }
    *stamp = STAMP_WIDE;
    memcpy(stamp - sizeof beyond_bytes, &beyond_bytes, sizeof beyond_bytes);
}

/* What a block counts for. A workload that wrote beyond its block gets a wrong figure, within
 * bounds. */
static size_t read_stamp(void *block)
{
    const size_t usable_bytes = usable_size(block);
    const unsigned char *stamp = (const unsigned char *)block + usable_bytes - STAMP_BYTES;
    size_t beyond_bytes = *stamp;
    if (beyond_bytes == STAMP_UNCOUNTED) {
        return 0;
    }
    if (beyond_bytes == STAMP_WIDE) {
        memcpy(&beyond_bytes, stamp - sizeof beyond_bytes, sizeof beyond_bytes);
    }
    return beyond_bytes < usable_bytes ? usable_bytes - beyond_bytes : 0;
}

/*
 * Where the heap is measured no block may be larger than it was asked for: what they count for
 * stands beside the heap then. `sizes_lock` protects both, and is not held across a fork: a child
 * does not count.
 */
static bool is_measured; /* set once, before any request that counts */
static pthread_mutex_t sizes_lock = PTHREAD_MUTEX_INITIALIZER;
static struct laxity_block_sizes sizes;

static size_t stamp_bytes(void)
{
    return is_measured ? 0 : STAMP_BYTES;
}

static void remember(void *block, const struct laxity_request *request)
{
    if (!request->account) {
        return;
    }
    (void)pthread_mutex_lock(&sizes_lock);
    request->account->total_bytes += request->charge_bytes;
    if (!laxity_block_sizes_put(&sizes, block, request->bytes)) {
        atomic_store(&request->account->is_counted, 0); /* its end would be missed */
    }
    (void)pthread_mutex_unlock(&sizes_lock);
}

/* What a block counts for that is about to go: another may have its address at once. */
static size_t recall(void *block)
{
    (void)pthread_mutex_lock(&sizes_lock);
    const size_t bytes = laxity_block_sizes_take(&sizes, block);
    (void)pthread_mutex_unlock(&sizes_lock);
    return bytes;
}

static size_t counted_bytes(void *block)
{
    return is_measured ? recall(block) : read_stamp(block);
}

static void stamp(void *block, const struct laxity_request *request)
{
    if (is_measured) {
        remember(block, request);
        return;
    }
    const size_t usable_bytes = usable_size(block);
    if (request->account) {
        write_stamp(block, usable_bytes, request->bytes);
    } else {
        ((unsigned char *)block)[usable_bytes - STAMP_BYTES] = STAMP_UNCOUNTED;
    }
}

/* Ends a request that has made a new block, or none. */
static void *take_block(const struct laxity_request *request, void *block)
{
    if (block) {
        stamp(block, request);
    }
    laxity_request_end(request, block != NULL);
    return block;
}

static struct laxity_request request_of(const char *call, size_t bytes)
{
    return (struct laxity_request){.call = call, .bytes = bytes, .charge_bytes = bytes};
}

void *counted_malloc(size_t bytes)
{
    struct laxity_request request = request_of("malloc", bytes);
    if (!laxity_request_begin(&request)) {
        return NULL;
    }
    return take_block(&request, real_malloc(bytes + stamp_bytes()));
}

void *counted_calloc(size_t n, size_t bytes)
{
    size_t total_bytes = 0;
    if (__builtin_mul_overflow(n, bytes, &total_bytes)) {
        total_bytes = SIZE_MAX;
    }
    struct laxity_request request = request_of("calloc", total_bytes);
    if (!laxity_request_begin(&request)) {
        return NULL;
    }
    return take_block(&request, real_calloc(1, total_bytes + stamp_bytes()));
}

/* What counted before stays charged: only what the block grows by is asked for. */
static void *resize(const char *call, void *block, size_t bytes)
{
    struct laxity_request request = request_of(call, bytes);
    const size_t old_bytes = block && laxity_counting() ? counted_bytes(block) : 0;
    request.charge_bytes = bytes > old_bytes ? bytes - old_bytes : 0;
    if (!laxity_request_begin(&request)) {
        return NULL;
    }
    void *moved = take_block(&request, real_realloc(block, bytes + stamp_bytes()));
    if (moved && request.account && old_bytes > bytes) {
        laxity_memory_discharge(request.account, old_bytes - bytes);
    }
    if (!moved && is_measured && request.account && old_bytes > 0) {
        const struct laxity_request kept = {.account = request.account, .bytes = old_bytes};
        remember(block, &kept);
    }
    return moved;
}

void *counted_realloc(void *block, size_t bytes)
{
    if (block && bytes == 0) {
        counted_free(block); /* as glibc */
        return NULL;
    }
    return resize("realloc", block, bytes);
}

void *counted_reallocarray(void *block, size_t n, size_t bytes)
{
    size_t total_bytes = 0;
    if (__builtin_mul_overflow(n, bytes, &total_bytes)) {
        total_bytes = SIZE_MAX;
    }
    if (block && total_bytes == 0) {
        counted_free(block);
        return NULL;
    }
    return resize("reallocarray", block, total_bytes);
}

void counted_free(void *block)
{
    struct laxity_memory_account *account = laxity_counting();
    if (!account || !block) {
        real_free(block);
        return;
    }
    const size_t bytes = counted_bytes(block);
    real_free(block);
    laxity_memory_discharge(account, bytes);
}

static void *align_block(const char *call, size_t align, size_t bytes)
{
    struct laxity_request request = request_of(call, bytes);
    if (!laxity_request_begin(&request)) {
        return NULL;
    }
    return take_block(&request, real_memalign(align, bytes + stamp_bytes()));
}

int counted_posix_memalign(void **out_block, size_t align, size_t bytes)
{
    if (align == 0 || align % sizeof(void *) != 0 || (align & (align - 1)) != 0) {
        return EINVAL;
    }
    const int saved = errno; /* which posix_memalign leaves alone */
    void *block = align_block("posix_memalign", align, bytes);
    errno = saved;
    if (!block) {
        return ENOMEM;
    }
    *out_block = block;
    return 0;
}

void *counted_aligned_alloc(size_t align, size_t bytes)
{
    return align_block("aligned_alloc", align, bytes);
}

void *counted_memalign(size_t align, size_t bytes)
{
    return align_block("memalign", align, bytes);
}

static size_t page_bytes(void)
{
    return (size_t)sysconf(_SC_PAGESIZE);
}

void *counted_valloc(size_t bytes)
{
    return align_block("valloc", page_bytes(), bytes);
}

void *counted_pvalloc(size_t bytes)
{
    const size_t page = page_bytes();
    const size_t whole_bytes =
        bytes > SIZE_MAX - page ? SIZE_MAX : (bytes + page - 1) / page * page;
    return align_block("pvalloc", page, whole_bytes);
}

/* The stamp is not the caller's to overwrite. */
size_t counted_usable_size(void *block)
{
    return block ? usable_size(block) - stamp_bytes() : 0;
}

static void stop_counting(void)
{
    laxity_set_counting(NULL, NULL);
}

/* Whether requests come here at all: under valgrind they do not. */
static bool is_in_front(const struct laxity_memory_account *account)
{
    void *(*volatile allocate)(size_t) = malloc; /* or the compiler leaves both calls out */
    const size_t before = atomic_load(&account->in_use_bytes);
    void *block = allocate(1);
    const size_t after = atomic_load(&account->in_use_bytes);
    free(block);
    return after != before;
}

int laxity_allocator_count(
    struct laxity_memory_account *account, void (*on_exceeded)(const struct laxity_memory_excess *)
)
{
    if (!account) {
        stop_counting();
        return 0;
    }
    /* A child's memory is a copy, and its end gives nothing back that it did not free. */
    if (laxity_mappings_reserve() || pthread_atfork(NULL, NULL, stop_counting)) {
        return -ENOMEM;
    }
    laxity_set_counting(account, on_exceeded);
    if (!is_in_front(account)) {
        stop_counting();
        return -ENOTSUP;
    }
    atomic_store(&account->peak_bytes, 0); /* the trial's byte */
    account->total_bytes = 0;
    atomic_store(&account->is_counted, 1);
    return 0;
}

int laxity_allocator_measure(struct laxity_memory_account *account, void *memory, size_t bytes)
{
    account->is_noting = 1;
    laxity_block_sizes_make(&sizes, memory, bytes);
    is_measured = true;
    laxity_mappings_watch_writes();
    return laxity_allocator_count(account, NULL);
}

#endif
