/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
/* A workload whose jobs fill `new_pages BYTES` of heap; the value is how many pages were new: those
 * that faulted, and those by which the heap grew (locked memory is present then). */
#include <laxity/hooks.h>

#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <unistd.h>

enum {
    PAGE_BYTES = 4096
};

static size_t bytes;
static long pages;

int benchmark_init(int argc, void **argv)
{
    bytes = argc == 1 ? strtoul(argv[0], NULL, 10) : 0;
    return bytes > 0 ? 0 : -1;
}

void benchmark_execution(int argc, void **argv)
{
    (void)argc;
    (void)argv;
    struct rusage before;
    struct rusage after;
    const uintptr_t end = (uintptr_t)sbrk(0);
    (void)getrusage(RUSAGE_SELF, &before);
    char *filled = malloc(bytes);
    for (size_t i = 0; filled && i < bytes; i++) {
        *(volatile char *)&filled[i] = 1; /* or the compiler drops the stores */
    }
    (void)getrusage(RUSAGE_SELF, &after);
    pages = after.ru_minflt - before.ru_minflt + (long)(((uintptr_t)sbrk(0) - end) / PAGE_BYTES);
    free(filled);
}

void benchmark_teardown(int argc, void **argv)
{
    (void)argc;
    (void)argv;
}

const char *benchmark_log_header(void)
{
    return ",new_pages";
}

float benchmark_log_data(void)
{
    return (float)pages;
}
