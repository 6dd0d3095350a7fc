/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
#include "guests/guest_call.h"

#include "base/port/registers.h"
#include "guests/guest.h"
#include "guests/guest_image.h"
#include "guests/wrapped.h"

#include <errno.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum {
    /* SIGSTKSZ is no constant any more; printf of a guest's handler fits into this, too. */
    SIGNAL_STACK_BYTES = 64 * 1024,
    AT_EXIT_MAX = 32, /* as many as ISO C promises */
    /* More than the frames of those differ who prepare a job and who run it. */
    STACK_GAP_BYTES = 2048,
};

static const int fatal_signals[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGTRAP, SIGSYS};

/* Neither exit() nor a signal has an argument that could lead it there. */
static sigjmp_buf way_out;
static pthread_t caller;
static volatile sig_atomic_t is_inside;
static long claimed; /* the process whose steps are ours */
/* A child that the guest has forked in a step: to ask for the process after each one would be a
 * system call in the measured part. */
static volatile sig_atomic_t is_forked;
static bool own_mask_is_known;
static sigset_t own_mask; /* of the thread, from before the guest could change it */
static struct laxity_guest_end caught;
static void (*at_exit[AT_EXIT_MAX])(void);
static unsigned n_at_exit;

static bool is_of_a_step(void)
{
    /* The process is asked for, too: a child of vfork() is told to no handler. */
    return is_inside && pthread_equal(pthread_self(), caller) != 0 && getpid() == claimed;
}

static _Noreturn void leave(enum laxity_guest_end_kind kind, int code)
{
    caught = (struct laxity_guest_end){kind, code};
    siglongjmp(way_out, 1);
}

static void on_fatal(int number)
{
    if (is_of_a_step()) {
        leave(LAXITY_GUEST_SIGNALLED, number);
    }
    (void)signal(number, SIG_DFL);
    (void)raise(number);
}

static void note_fork(void)
{
    is_forked = is_inside;
}

void laxity_guest_claim(void)
{
    claimed = getpid();
}

int laxity_guest_catch(void)
{
    static unsigned char stack[SIGNAL_STACK_BYTES];
    const stack_t own = {.ss_sp = stack, .ss_size = sizeof stack};
    const struct sigaction action = {.sa_handler = on_fatal, .sa_flags = SA_ONSTACK | SA_NODEFER};
    if (sigaltstack(&own, NULL) != 0) {
        return -errno;
    }
    int rc = own_mask_is_known ? 0 : pthread_sigmask(SIG_SETMASK, NULL, &own_mask);
    rc = rc || own_mask_is_known ? rc : pthread_atfork(NULL, NULL, note_fork);
    if (rc) {
        return -rc;
    }
    laxity_guest_claim();
    own_mask_is_known = true;
    for (size_t i = 0; i < sizeof fatal_signals / sizeof fatal_signals[0]; i++) {
        if (sigaction(fatal_signals[i], &action, NULL) != 0) {
            return -errno;
        }
    }
    return 0;
}

static void call_at_exit(void)
{
    while (n_at_exit > 0) {
        n_at_exit--;
        at_exit[n_at_exit]();
    }
}

/* Of a process that the guest has forked: what is in its streams is written, as exit() would. */
static _Noreturn void end_fork(int code)
{
    call_at_exit();
    (void)fflush(NULL);
    _exit(code);
}

/*
 * The guest's frames begin below the point from which any caller has cleared the stack. What our
 * callers have in registers, as the number of the job, the guest may keep (setjmp): it would be
 * state.
 */
__attribute__((noinline)) static int
step_further_down(struct laxity_guest *guest, enum laxity_guest_step step)
{
    unsigned char gap[STACK_GAP_BYTES];
    __asm__ volatile("" : : "r"(gap) : "memory");
    laxity_clear_saved_registers();
    const int value = laxity_guest_step(guest, step);
    __asm__ volatile("" : : "r"(gap) : "memory");
    return value;
}

/*
 * Nothing that the jump would have to keep lives in a register: all of it is static or outside.
 *
 * This stands between the readings of the clock around a job. To save the signal mask would be a
 * system call there: who leaves by a jump gets that of laxity_guest_catch instead.
 */
void laxity_guest_call(
    struct laxity_guest *guest, enum laxity_guest_step step, struct laxity_guest_end *out_end
)
{
    caught = (struct laxity_guest_end){LAXITY_GUEST_RETURNED, 0};
    caller = pthread_self();
    errno = 0; /* as a new process finds it: one store, whatever came before */
    if (sigsetjmp(way_out, 0) == 0) {
        is_inside = 1;
        caught.code = step_further_down(guest, step);
        const uint32_t more_calls =
            step == LAXITY_GUEST_JOB && guest->calls > 1 ? guest->calls - 1 : 0;
        for (uint32_t i = 0; i < more_calls; i++) {
            caught.code = step_further_down(guest, step);
        }
    }
    if (is_forked) {
        end_fork(caught.code);
    }
    const bool is_over =
        caught.kind == LAXITY_GUEST_EXITED ||
        (caught.kind == LAXITY_GUEST_RETURNED && guest->convention == LAXITY_CONVENTION_MAIN);
    /* One that ends by exit() or a signal in turn is the end that counts. */
    if (is_over && sigsetjmp(way_out, 0) == 0) {
        call_at_exit();
    }
    is_inside = 0;
    if (caught.kind != LAXITY_GUEST_RETURNED && own_mask_is_known) {
        (void)pthread_sigmask(SIG_SETMASK, &own_mask, NULL);
    }
    *out_end = caught;
}

const char *laxity_guest_end_name(enum laxity_guest_end_kind kind)
{
    static const char *const names[] = {"returned", "exited", "signalled"};
    return names[kind];
}

unsigned laxity_guest_exit_handlers(void)
{
    return n_at_exit;
}

void laxity_guest_exit_handlers_keep(unsigned n)
{
    n_at_exit = n < n_at_exit ? n : n_at_exit;
}

/* The names that the linker gives what a guest calls (--wrap). */
_Noreturn void guest_exit(int code) LAXITY_WRAP_SYMBOL(exit);
_Noreturn void guest_exit_now(int code) LAXITY_WRAP_SYMBOL(_exit);
_Noreturn void guest_abort(void) LAXITY_WRAP_SYMBOL(abort);
int guest_atexit(void (*function)(void)) LAXITY_WRAP_SYMBOL(atexit);

_Noreturn void guest_exit(int code)
{
    if (is_of_a_step()) {
        leave(LAXITY_GUEST_EXITED, code & 0xff); /* as a parent would see it */
    }
    if (is_forked) {
        end_fork(code);
    }
    exit(code); /* NOLINT(concurrency-mt-unsafe): the guest's own, from a thread of its own */
}

_Noreturn void guest_exit_now(int code)
{
    if (is_of_a_step()) {
        n_at_exit = 0;
        leave(LAXITY_GUEST_EXITED, code & 0xff);
    }
    _exit(code);
}

_Noreturn void guest_abort(void)
{
    if (is_of_a_step()) {
        (void)raise(SIGABRT); /* a handler of the guest's own gets it first */
        leave(LAXITY_GUEST_SIGNALLED, SIGABRT);
    }
    abort();
}

int guest_atexit(void (*function)(void))
{
    if (n_at_exit == AT_EXIT_MAX) {
        return -1;
    }
    at_exit[n_at_exit++] = function;
    return 0;
}
