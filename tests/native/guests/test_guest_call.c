/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
/* Steps of a guest that end in every way there is. */ #include "guests/wrapped.h"

#include "../test.h"
#include "guests/guest.h"
#include "guests/guest_call.h"

#include <errno.h>
#include <signal.h>
#include <stddef.h>
#include <stdlib.h>

/* The names that the linker gives what a guest calls (--wrap). */
_Noreturn void guest_exit(int code) LAXITY_WRAP_SYMBOL(exit);
_Noreturn void guest_exit_now(int code) LAXITY_WRAP_SYMBOL(_exit);
_Noreturn void guest_abort(void) LAXITY_WRAP_SYMBOL(abort);
int guest_atexit(void (*function)(void)) LAXITY_WRAP_SYMBOL(atexit);
static int registered_calls;

static int return_seven(int argc, char **argv, char **environment)
{
    (void)argc;
    (void)argv;
    (void)environment;
    return 7;
}

static int exit_with_259(int argc, char **argv, char **environment)
{
    (void)argc;
    (void)argv;
    (void)environment;
    guest_exit(259);
}

static void register_call(void)
{
    registered_calls++;
}

static int register_and_exit(int argc, char **argv, char **environment)
{
    (void)argc;
    (void)argv;
    (void)environment;
    (void)guest_atexit(register_call);
    (void)guest_atexit(register_call);
    guest_exit(0);
}

static int register_and_exit_at_once(int argc, char **argv, char **environment)
{
    (void)argc;
    (void)argv;
    (void)environment;
    (void)guest_atexit(register_call);
    guest_exit_now(1);
}

static int abort_it(int argc, char **argv, char **environment)
{
    (void)argc;
    (void)argv;
    (void)environment;
    guest_abort();
}

static int raise_it(int argc, char **argv, char **environment)
{
    (void)argc;
    (void)argv;
    (void)environment;
    (void)raise(SIGFPE);
    return 0;
}

static int block_and_exit(int argc, char **argv, char **environment)
{
    sigset_t all;
    (void)argc;
    (void)argv;
    (void)environment;
    (void)sigfillset(&all);
    (void)pthread_sigmask(SIG_SETMASK, &all, NULL);
    guest_exit(0);
}

static struct laxity_guest_end end_of(int (*main_function)(int, char **, char **))
{
    union {
        int (*function)(int, char **, char **);
        void *symbol;
    } entry = {.function = main_function};
    struct laxity_guest guest = {
        .convention = LAXITY_CONVENTION_MAIN, .steps = {[LAXITY_GUEST_JOB] = entry.symbol}
    };
    struct laxity_guest_end end;
    laxity_guest_call(&guest, LAXITY_GUEST_JOB, &end);
    return end;
}

static void a_step_that_returns_tells_its_value(void)
{
    const struct laxity_guest_end end = end_of(return_seven);
    CHECK_EQUAL(end.kind, LAXITY_GUEST_RETURNED);
    CHECK_EQUAL(end.code, 7);
}

static void exit_ends_the_step_with_the_code_that_a_parent_would_see(void)
{
    const struct laxity_guest_end end = end_of(exit_with_259);
    CHECK_EQUAL(end.kind, LAXITY_GUEST_EXITED);
    CHECK_EQUAL(end.code, 3); /* 259 - 256 */
}

static void exit_calls_what_was_registered_and_only_once(void)
{
    registered_calls = 0;
    (void)end_of(register_and_exit);
    CHECK_EQUAL(registered_calls, 2);
    (void)end_of(return_seven);
    CHECK_EQUAL(registered_calls, 2);
}

static void exit_with_an_underscore_calls_nothing(void)
{
    registered_calls = 0;
    (void)end_of(register_and_exit_at_once);
    (void)end_of(return_seven);
    CHECK_EQUAL(registered_calls, 0);
}

static void abort_ends_the_step_as_its_signal(void)
{
    const struct laxity_guest_end end = end_of(abort_it);
    CHECK_EQUAL(end.kind, LAXITY_GUEST_SIGNALLED);
    CHECK_EQUAL(end.code, SIGABRT);
}

static void signals_that_a_step_has_blocked_are_not_blocked_after_its_exit(void)
{
    sigset_t now;
    (void)end_of(block_and_exit);
    CHECK_EQUAL(pthread_sigmask(SIG_SETMASK, NULL, &now), 0);
    CHECK_EQUAL(sigismember(&now, SIGUSR1), 0);
}

static void a_fatal_signal_ends_the_step_again_and_again(void)
{
    for (int i = 0; i < 3; i++) {
        const struct laxity_guest_end end = end_of(raise_it);
        CHECK_EQUAL(end.kind, LAXITY_GUEST_SIGNALLED);
        CHECK_EQUAL(end.code, SIGFPE);
    }
}

static int return_errno(int argc, char **argv, char **environment)
{
    (void)argc;
    (void)argv;
    (void)environment;
    const int before = errno;
    errno = ERANGE; /* for the next one to find, if nobody minds */
    return before;
}

static void errno_is_zero_in_each_job_whatever_came_before(void)
{
    errno = ENOENT;
    CHECK_EQUAL(end_of(return_errno).code, 0);
    CHECK_EQUAL(end_of(return_errno).code, 0);
}

int main(void)
{
    if (laxity_guest_catch() != 0) {
        return 1;
    }
    RUN(errno_is_zero_in_each_job_whatever_came_before);
    RUN(a_step_that_returns_tells_its_value);
    RUN(exit_ends_the_step_with_the_code_that_a_parent_would_see);
    RUN(exit_calls_what_was_registered_and_only_once);
    RUN(exit_with_an_underscore_calls_nothing);
    RUN(abort_ends_the_step_as_its_signal);
    RUN(signals_that_a_step_has_blocked_are_not_blocked_after_its_exit);
    RUN(a_fatal_signal_ends_the_step_again_and_again);
    return test_exit_code();
}
