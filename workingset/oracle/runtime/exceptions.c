/* SPDX-FileCopyrightText: 2026 The laxity authors */
/* SPDX-License-Identifier: MIT */
/* Exceptions of C++. Linked where a program names one of them, so that one in C needs no library of
 * C++. */
#include "trace.h"
#include "wrappers.h"

#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

/* The C++ ABI's, under their own names. */
/* NOLINTBEGIN(bugprone-reserved-identifier,readability-identifier-naming) */
void *__cxa_allocate_exception(size_t size_bytes);
void __cxa_free_exception(void *exception);
void __cxa_throw(void *exception, const void *type_info, void (*destructor)(void *))
    __attribute__((noreturn));
void __cxa_rethrow(void) __attribute__((noreturn));
void *__cxa_begin_catch(void *header);
void __cxa_end_catch(void);
void *__cxa_get_exception_ptr(void *header);
void _ZSt9terminatev(void) __attribute__((noreturn));
void (*_ZSt13set_terminatePFvvE(void (*handler)(void)))(void);
int __cxa_guard_acquire(int64_t *guard);
void __cxa_guard_release(int64_t *guard);
void __cxa_guard_abort(int64_t *guard);
/* NOLINTEND(bugprone-reserved-identifier,readability-identifier-naming) */

/* Exceptions that exist at once: each one that is thrown while another is being handled. */
enum {
    EXCEPTION_LIMIT = 256
};

struct thrown {
    void *exception; /* NULL: the place is free */
    size_t size_bytes;
    void (*destructor)(void *exception);
};

static struct thrown exceptions[EXCEPTION_LIMIT];

static struct thrown *find_exception(const void *exception)
{
    for (size_t i = 0; i < EXCEPTION_LIMIT; i++) {
        if (exceptions[i].exception == exception) {
            return &exceptions[i];
        }
    }
    abort(); /* more of them than we can know would prove nothing */
}

static void end_exception(const void *exception)
{
    struct thrown *ended = find_exception(exception);

    laxity_trace_forget(ended->exception, ended->size_bytes);
    ended->exception = NULL;
}

/* The C++ library calls it where the last handler is left. The call that is running is the one that
 * leaves it. */
static void destroy_exception(void *exception)
{
    struct laxity_trace_site site = laxity_trace_current_site();
    struct thrown *ended = find_exception(exception);

    if (ended->destructor) {
        ended->destructor(exception);
    }
    laxity_trace_set_site(site);
    end_exception(exception);
}

static void end_uncaught(void)
{
    laxity_trace_finish();
    abort();
}

void *laxity_traced___cxa_allocate_exception(size_t size_bytes)
{
    void *exception = __cxa_allocate_exception(size_bytes);

    *find_exception(NULL) = (struct thrown){.exception = exception, .size_bytes = size_bytes};
    laxity_trace_allocate(exception, size_bytes);
    return exception;
}

/* Its constructor threw. */
void laxity_traced___cxa_free_exception(void *exception)
{
    end_exception(exception);
    __cxa_free_exception(exception);
}

/* Handlers are looked for by the type: its virtual table and its name, two pointers. */
void laxity_traced___cxa_throw(
    void *exception, const void *type_info, void (*destructor)(void *exception)
)
{
    find_exception(exception)->destructor = destructor;
    laxity_trace_read(type_info, 2 * sizeof(void *));
    (void)_ZSt13set_terminatePFvvE(end_uncaught);
    __cxa_throw(exception, type_info, destroy_exception);
}

void laxity_traced___cxa_rethrow(void)
{
    __cxa_rethrow();
}

void *laxity_traced___cxa_begin_catch(void *header)
{
    return __cxa_begin_catch(header);
}

void *laxity_traced___cxa_get_exception_ptr(void *header)
{
    return __cxa_get_exception_ptr(header);
}

void laxity_traced___cxa_end_catch(void)
{
    __cxa_end_catch();
}

void laxity_traced__ZSt9terminatev(void)
{
    laxity_trace_finish();
    _ZSt9terminatev();
}

/* The library compares and sets the first word of the guard; the rest of it is never touched. */
static void trace_guard(const int64_t *guard)
{
    laxity_trace_read(guard, sizeof(int));
    laxity_trace_write(guard, sizeof(int));
}

int laxity_traced___cxa_guard_acquire(int64_t *guard)
{
    trace_guard(guard);
    return __cxa_guard_acquire(guard);
}

void laxity_traced___cxa_guard_release(int64_t *guard)
{
    trace_guard(guard);
    __cxa_guard_release(guard);
}

void laxity_traced___cxa_guard_abort(int64_t *guard)
{
    trace_guard(guard);
    __cxa_guard_abort(guard);
}

void laxity_traced___cxa_pure_virtual(void)
{
    laxity_trace_finish();
    abort();
}
