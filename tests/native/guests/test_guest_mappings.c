/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
/* The shape of what is mapped: it stays while the C library only maps memory. */
#include "../test.h"
#include "guests/guest_mappings.h"

#include <fcntl.h>
#include <stdint.h>
#include <sys/mman.h>
#include <unistd.h>

enum {
    PAGES = 4
};

static uint64_t shape(void)
{
    static struct laxity_guest_mappings mappings;
    laxity_guest_mappings_read(&mappings, (uintptr_t)__builtin_frame_address(0));
    return mappings.shape;
}

/* As a loader does it: a page of a file, after it a page of data that the file does not hold.
 * After them lie pages that are not mapped. */
static char *object_of(size_t page_bytes)
{
    const int rights = PROT_READ | PROT_WRITE;
    char *at = mmap(NULL, PAGES * page_bytes, rights, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    CHECK(at != MAP_FAILED);
    CHECK_EQUAL(munmap(at + 2 * page_bytes, (PAGES - 2) * page_bytes), 0);
    const int fd = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
    CHECK(mmap(at, page_bytes, rights, MAP_PRIVATE | MAP_FIXED, fd, 0) == at);
    CHECK_EQUAL(close(fd), 0);
    return at;
}

static void map_at(char *at, size_t bytes, int rights)
{
    const int kind = MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE;
    CHECK(mmap(at, bytes, rights, kind, -1, 0) == at);
}

/* QEMU gives the lowest free address, which is there: a large block of the heap changed the shape.
 */
static void memory_mapped_after_the_data_of_an_object_is_no_change(void)
{
    const size_t page_bytes = (size_t)sysconf(_SC_PAGESIZE);
    char *object = object_of(page_bytes);
    const uint64_t before = shape();
    map_at(object + 2 * page_bytes, page_bytes, PROT_READ | PROT_WRITE);
    CHECK_EQUAL(shape(), before);
    /* The guard of a thread's stack. */
    map_at(object + 3 * page_bytes, page_bytes, PROT_NONE);
    CHECK_EQUAL(shape(), before);
    CHECK_EQUAL(munmap(object, PAGES * page_bytes), 0);
}

static void each_page_of_data_that_becomes_read_only_is_a_change(void)
{
    const size_t page_bytes = (size_t)sysconf(_SC_PAGESIZE);
    char *object = object_of(page_bytes);
    map_at(object + 2 * page_bytes, page_bytes, PROT_READ | PROT_WRITE);
    const uint64_t before = shape();
    CHECK_EQUAL(mprotect(object + page_bytes, page_bytes, PROT_READ), 0);
    const uint64_t one = shape();
    CHECK(one != before);
    CHECK_EQUAL(mprotect(object + 2 * page_bytes, page_bytes, PROT_READ), 0);
    CHECK(shape() != one);
    CHECK_EQUAL(mprotect(object + page_bytes, 2 * page_bytes, PROT_READ | PROT_WRITE), 0);
    CHECK_EQUAL(shape(), before);
    CHECK_EQUAL(munmap(object, PAGES * page_bytes), 0);
}

int main(void)
{
    RUN(memory_mapped_after_the_data_of_an_object_is_no_change);
    RUN(each_page_of_data_that_becomes_read_only_is_a_change);
    return test_exit_code();
}
