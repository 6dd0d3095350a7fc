/* SPDX-FileCopyrightText: 2026 The laxity authors */
/* SPDX-License-Identifier: MIT */
/* What calls the program back, and what ends it. */
#include "trace.h"
#include "wrappers.h"

#include <setjmp.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

typedef int compare_function(const void *a, const void *b);

/* Each callback is made from the same call, whatever the callback before it called. */
static int
compare_from(struct laxity_trace_site site, compare_function *compare, const void *a, const void *b)
{
    laxity_trace_set_site(site);
    return compare(a, b);
}

static void swap_elements(char *a, char *b, size_t element_bytes)
{
    laxity_trace_read(a, element_bytes);
    laxity_trace_read(b, element_bytes);
    laxity_trace_write(a, element_bytes);
    laxity_trace_write(b, element_bytes);
    for (size_t i = 0; i < element_bytes; i++) {
        char kept = a[i];
        a[i] = b[i];
        b[i] = kept;
    }
}

/* By insertion: which algorithm the C library has is not ours to know, and its accesses are not
 * seen. */
void laxity_traced_qsort(void *base, size_t count, size_t element_bytes, compare_function *compare)
{
    struct laxity_trace_site site = laxity_trace_current_site();
    char *elements = base;

    for (size_t i = 1; i < count; i++) {
        for (char *at = elements + i * element_bytes; at > elements; at -= element_bytes) {
            if (compare_from(site, compare, at - element_bytes, at) <= 0) {
                break;
            }
            swap_elements(at - element_bytes, at, element_bytes);
        }
    }
    laxity_trace_set_site(site);
}

void *laxity_traced_bsearch(
    const void *key, const void *base, size_t count, size_t element_bytes, compare_function *compare
)
{
    struct laxity_trace_site site = laxity_trace_current_site();
    const char *elements = base;
    size_t first = 0, end = count;

    while (first < end) {
        size_t middle = first + (end - first) / 2;
        const char *element = elements + middle * element_bytes;
        int order = compare_from(site, compare, key, element);
        if (order == 0) {
            return (void *)(uintptr_t)element; /* NOLINT(performance-no-int-to-ptr): drops const */
        }
        if (order < 0) {
            end = middle;
        } else {
            first = middle + 1;
        }
    }
    return NULL;
}

/* Functions of atexit() and destructors of C++ are ours to call, so that they are called from the
 * place that ends the program. */
enum {
    EXIT_FUNCTION_LIMIT = 1024
};

struct exit_function {
    void (*plain)(void);
    void (*destructor)(void *object);
    void *object;
};

static struct exit_function exit_functions[EXIT_FUNCTION_LIMIT];
static size_t exit_function_count;

static int add_exit_function(struct exit_function added)
{
    if (exit_function_count == EXIT_FUNCTION_LIMIT) {
        return -1;
    }
    exit_functions[exit_function_count++] = added;
    return 0;
}

void laxity_trace_run_exit_functions(void)
{
    struct laxity_trace_site site = laxity_trace_current_site();

    while (exit_function_count > 0) {
        struct exit_function function = exit_functions[--exit_function_count];
        laxity_trace_set_site(site);
        if (function.plain) {
            function.plain();
        } else {
            function.destructor(function.object);
        }
    }
}

int laxity_traced_atexit(void (*function)(void))
{
    return add_exit_function((struct exit_function){.plain = function});
}

int laxity_traced___cxa_atexit(void (*destructor)(void *), void *object, void *library)
{
    (void)library;
    return add_exit_function((struct exit_function){.destructor = destructor, .object = object});
}

void laxity_traced_exit(int status)
{
    laxity_trace_run_exit_functions();
    exit(status); /* NOLINT(concurrency-mt-unsafe): the program has one thread */
}

void laxity_traced__exit(int status)
{
    laxity_trace_finish();
    fflush(stdout);
    _exit(status);
}

void laxity_traced__Exit(int status)
{
    laxity_trace_finish();
    _exit(status);
}

void laxity_traced___stack_chk_fail(void)
{
    laxity_trace_finish();
    abort();
}

void laxity_traced_abort(void)
{
    laxity_trace_finish();
    abort();
}

void laxity_traced___assert_fail(
    const char *text, const char *file, unsigned line, const char *function
)
{
    laxity_trace_read(text, strlen(text) + 1);
    laxity_trace_read(file, strlen(file) + 1);
    laxity_trace_read(function, strlen(function) + 1);
    laxity_trace_finish();
    fprintf(stderr, "%s:%u: %s: assertion \"%s\" failed\n", file, line, function, text);
    abort();
}

void laxity_traced_longjmp(struct __jmp_buf_tag *buffer, int value)
{
    laxity_trace_read(buffer, sizeof(*buffer));
    longjmp(buffer, value);
}

void laxity_traced__longjmp(struct __jmp_buf_tag *buffer, int value)
{
    laxity_traced_longjmp(buffer, value);
}

void laxity_traced_siglongjmp(struct __jmp_buf_tag *buffer, int value)
{
    laxity_trace_read(buffer, sizeof(*buffer));
    siglongjmp(buffer, value);
}
