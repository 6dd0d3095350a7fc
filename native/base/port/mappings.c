/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
#include "base/port/mappings.h"

#include "base/port/counting.h"
#include "base/port/watched_writes.h"

#if !LAXITY_ALLOCATOR_IS_FOREIGN

#include "base/memory_account.h"
#include "base/page_ranges.h"

#include <errno.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

/* Symbols only, as in allocator.c; and because <sys/mman.h> gives mmap another name where files
 * have 64 bits. */
void *
counted_mmap(void *address, size_t bytes, int prot, int flags, int fd, long offset) __asm__("mmap");
void *counted_mmap64(
    void *address, size_t bytes, int prot, int flags, int fd, int64_t offset
) __asm__("mmap64");
int counted_munmap(void *address, size_t bytes) __asm__("munmap");
void *counted_mremap(void *old, size_t old_bytes, size_t new_bytes, int flags, ...) __asm__("mremap"
);
void *counted_sbrk(intptr_t step_bytes) __asm__("sbrk");
int counted_brk(void *end) __asm__("brk");

extern void *real_sbrk(intptr_t step_bytes) __asm__("__sbrk");

enum {
    RANGES_AT_FIRST = 256, /* a page of them */
    /* The unit of mmap2's offset, whatever the page size. */
    OFFSET_UNIT_BYTES = 4096,
};

/* Which mappings count, and how much of the program break. `lock` protects both; as the
 * allocator's own locks it is not held across a fork: a child does not count. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct laxity_ranges mapped;
static size_t break_bytes;
static int writes_fd = -1; /* set before any thread is made */

/* A system call answers in a long, also where it means an address; -1 is the failure of all. */
static void *as_address(long answer)
{
    return (void *)answer; /* NOLINT(performance-no-int-to-ptr) */
}

/* The C library's mmap has no second public name. */
static void *raw_mmap(void *address, size_t bytes, int prot, int flags, int fd, int64_t offset)
{
#ifdef SYS_mmap2
    if (offset < 0 || offset % OFFSET_UNIT_BYTES != 0) {
        errno = EINVAL;
        return MAP_FAILED;
    }
    const long units = (long)(offset / OFFSET_UNIT_BYTES);
    return as_address(syscall(SYS_mmap2, address, bytes, prot, flags, fd, units));
#else
    return as_address(syscall(SYS_mmap, address, bytes, prot, flags, fd, offset));
#endif
}

static size_t whole_pages(size_t bytes)
{
    const size_t page = (size_t)sysconf(_SC_PAGESIZE);
    return bytes > SIZE_MAX - page ? SIZE_MAX : (bytes + page - 1) / page * page;
}

static struct laxity_range range_at(const void *address, size_t bytes)
{
    const uintptr_t begin = (uintptr_t)address;
    const size_t whole_bytes = whole_pages(bytes);
    return (struct laxity_range
    ){begin, whole_bytes > UINTPTR_MAX - begin ? UINTPTR_MAX : begin + whole_bytes};
}

/* One more range will fit afterwards. The memory for it is mapped raw: it is not the workload's. */
static bool make_room(void)
{
    if (mapped.n < mapped.room) {
        return true;
    }
    const size_t room = mapped.room == 0 ? RANGES_AT_FIRST : 2 * mapped.room;
    const size_t old_bytes = mapped.room * sizeof *mapped.items;
    void *items = raw_mmap(
        NULL,
        room * sizeof *mapped.items,
        PROT_READ | PROT_WRITE,
        MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE,
        -1,
        0
    );
    if (items == MAP_FAILED) {
        return false;
    }
    if (mapped.room > 0) {
        memcpy(items, mapped.items, old_bytes);
        (void)syscall(SYS_munmap, mapped.items, old_bytes);
    }
    mapped.items = items;
    mapped.room = room;
    return true;
}

int laxity_mappings_reserve(void)
{
    (void)pthread_mutex_lock(&lock);
    const bool has_room = make_room();
    (void)pthread_mutex_unlock(&lock);
    return has_room ? 0 : -ENOMEM;
}

/* The charge was made before the kernel said what became of it; makes it what it turned out to be.
 */
static void settle(const struct laxity_request *request, size_t added_bytes, size_t removed_bytes)
{
    const size_t charged_bytes = request->charge_bytes + removed_bytes;
    laxity_request_end(request, true);
    if (request->account && charged_bytes > added_bytes) {
        laxity_memory_discharge(request->account, charged_bytes - added_bytes);
    }
}

static void *map_counted(void *address, size_t bytes, int prot, int flags, int fd, int64_t offset)
{
    struct laxity_request request = {.call = "mmap", .bytes = whole_pages(bytes)};
    size_t replaced_bytes = 0;
    if ((flags & MAP_FIXED) != 0) {
        replaced_bytes = laxity_ranges_covered(&mapped, range_at(address, bytes));
    }
    request.charge_bytes = request.bytes - replaced_bytes;
    if (!make_room() || !laxity_request_begin(&request)) {
        errno = ENOMEM;
        return MAP_FAILED;
    }
    void *at = raw_mmap(address, bytes, prot, flags, fd, offset);
    if (at == MAP_FAILED) {
        laxity_request_end(&request, false);
        return MAP_FAILED;
    }
    settle(&request, laxity_ranges_add(&mapped, range_at(at, bytes)), 0);
    return at;
}

/* A child has the descriptor, too, and it is its parent's memory that it would watch. */
static void *map_watched(void *address, size_t bytes, int prot, int flags, int fd, int64_t offset)
{
    void *at = raw_mmap(address, bytes, prot, flags, fd, offset);
    const bool is_private = fd < 0 && (flags & MAP_TYPE) == MAP_PRIVATE;
    if (at != MAP_FAILED && !is_private && writes_fd >= 0 && laxity_counting()) {
        (void)laxity_writes_watch(writes_fd, at, whole_pages(bytes)); /* or nobody can tell */
    }
    return at;
}

void laxity_mappings_watch_writes(void)
{
    (void)laxity_writes_open(&writes_fd);
}

void *counted_mmap64(void *address, size_t bytes, int prot, int flags, int fd, int64_t offset)
{
    if (!laxity_counting_mappings()) {
        return map_watched(address, bytes, prot, flags, fd, offset);
    }
    (void)pthread_mutex_lock(&lock);
    void *at = map_counted(address, bytes, prot, flags, fd, offset);
    (void)pthread_mutex_unlock(&lock);
    return at;
}

void *counted_mmap(void *address, size_t bytes, int prot, int flags, int fd, long offset)
{
    return counted_mmap64(address, bytes, prot, flags, fd, offset);
}

int counted_munmap(void *address, size_t bytes)
{
    struct laxity_memory_account *account = laxity_counting_mappings();
    if (!account) {
        return (int)syscall(SYS_munmap, address, bytes);
    }
    (void)pthread_mutex_lock(&lock);
    int rc = -1;
    if (make_room()) { /* a hole makes two ranges of one */
        rc = (int)syscall(SYS_munmap, address, bytes);
    } else {
        errno = ENOMEM;
    }
    if (rc == 0) {
        laxity_memory_discharge(account, laxity_ranges_remove(&mapped, range_at(address, bytes)));
    }
    (void)pthread_mutex_unlock(&lock);
    return rc;
}

/* The words of one mremap. */
struct remap {
    void *old;
    size_t old_bytes;
    size_t new_bytes;
    int flags;
    void *target; /* of MREMAP_FIXED */
};

static void *raw_mremap(const struct remap *remap)
{
    return as_address(syscall(
        SYS_mremap, remap->old, remap->old_bytes, remap->new_bytes, remap->flags, remap->target
    ));
}

static void *remap_counted(const struct remap *remap)
{
    const struct laxity_range old = range_at(remap->old, remap->old_bytes);
    /* With an old size of 0, and with MREMAP_DONTUNMAP, the old pages stay where they are. */
    const bool is_moved = remap->old_bytes > 0 && (remap->flags & MREMAP_DONTUNMAP) == 0;
    const size_t had_bytes = is_moved ? laxity_ranges_covered(&mapped, old) : 0;
    struct laxity_request request = {.call = "mremap", .bytes = whole_pages(remap->new_bytes)};
    request.charge_bytes = request.bytes > had_bytes ? request.bytes - had_bytes : 0;
    if (!make_room() || !laxity_request_begin(&request)) {
        errno = ENOMEM;
        return MAP_FAILED;
    }
    void *at = raw_mremap(remap);
    if (at == MAP_FAILED) {
        laxity_request_end(&request, false);
        return MAP_FAILED;
    }
    const size_t removed_bytes = is_moved ? laxity_ranges_remove(&mapped, old) : 0;
    const size_t added_bytes = laxity_ranges_add(&mapped, range_at(at, remap->new_bytes));
    settle(&request, added_bytes, removed_bytes);
    return at;
}

void *counted_mremap(void *old, size_t old_bytes, size_t new_bytes, int flags, ...)
{
    struct remap remap = {old, old_bytes, new_bytes, flags, NULL};
    if ((flags & (MREMAP_FIXED | MREMAP_DONTUNMAP)) != 0) {
        va_list rest;
        va_start(rest, flags);
        remap.target = va_arg(rest, void *);
        va_end(rest);
    }
    if (!laxity_counting_mappings()) {
        return raw_mremap(&remap);
    }
    (void)pthread_mutex_lock(&lock);
    void *at = remap_counted(&remap);
    (void)pthread_mutex_unlock(&lock);
    return at;
}

/* What sbrk took may be given back, what the heap took by itself may not: that never counted. */
static void *move_break(const char *call, intptr_t step_bytes)
{
    const size_t bytes = step_bytes > 0 ? (size_t)step_bytes : 0;
    struct laxity_request request = {.call = call, .bytes = bytes, .charge_bytes = bytes};
    if (!laxity_request_begin(&request)) {
        return as_address(-1);
    }
    void *before = real_sbrk(step_bytes);
    const bool has_moved = before != as_address(-1);
    laxity_request_end(&request, has_moved);
    if (!has_moved || !request.account) {
        return before;
    }
    break_bytes += bytes;
    if (step_bytes < 0) {
        const size_t wanted_bytes = (size_t)-step_bytes;
        const size_t returned_bytes = wanted_bytes < break_bytes ? wanted_bytes : break_bytes;
        break_bytes -= returned_bytes;
        laxity_memory_discharge(request.account, returned_bytes);
    }
    return before;
}

void *counted_sbrk(intptr_t step_bytes)
{
    if (!laxity_counting_mappings()) {
        return real_sbrk(step_bytes);
    }
    (void)pthread_mutex_lock(&lock);
    void *before = move_break("sbrk", step_bytes);
    (void)pthread_mutex_unlock(&lock);
    return before;
}

int counted_brk(void *end)
{
    const bool is_counting = laxity_counting_mappings() != NULL;
    if (is_counting) {
        (void)pthread_mutex_lock(&lock);
    }
    const intptr_t step_bytes = (intptr_t)end - (intptr_t)real_sbrk(0);
    const void *before = is_counting ? move_break("brk", step_bytes) : real_sbrk(step_bytes);
    if (is_counting) {
        (void)pthread_mutex_unlock(&lock);
    }
    return before == as_address(-1) ? -1 : 0;
}

#endif
