/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
#include "base/port/executable.h"

#include <errno.h>
#include <stddef.h>
#include <sys/mman.h>

#if defined(__powerpc__)
enum {
    /* The smallest line of any PowerPC; going too finely only costs time. */
    LINE_BYTES = 16
};

/* Not __builtin___clear_cache(), which does nothing on this processor. Power ISA, Book II, 1.8. */
static void fetch_what_was_written(unsigned char *start, size_t bytes)
{
    for (size_t i = 0; i < bytes; i += LINE_BYTES) {
        __asm__ volatile("dcbst 0, %0" ::"r"(start + i) : "memory");
    }
    __asm__ volatile("sync" ::: "memory");
    for (size_t i = 0; i < bytes; i += LINE_BYTES) {
        __asm__ volatile("icbi 0, %0" ::"r"(start + i) : "memory");
    }
    __asm__ volatile("sync; isync" ::: "memory");
}
#else
static void fetch_what_was_written(unsigned char *start, size_t bytes)
{
    __builtin___clear_cache((char *)start, (char *)start + bytes);
}
#endif

unsigned char *laxity_executable_map(size_t bytes)
{
    void *start = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    return start == MAP_FAILED ? NULL : start;
}

int laxity_executable_seal(unsigned char *start, size_t bytes)
{
    if (mprotect(start, bytes, PROT_READ | PROT_EXEC) != 0) {
        return -errno;
    }
    fetch_what_was_written(start, bytes);
    return 0;
}

int laxity_executable_open(unsigned char *start, size_t bytes)
{
    return mprotect(start, bytes, PROT_READ | PROT_WRITE) == 0 ? 0 : -errno;
}

void laxity_executable_unmap(unsigned char *start, size_t bytes)
{
    (void)munmap(start, bytes);
}
