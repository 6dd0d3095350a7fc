/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
#include "../test.h"
#include "base/port/death.h"

#include <errno.h>
#include <signal.h>
#include <stddef.h>
#include <sys/prctl.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <unistd.h>

enum {
    LONG_MS = 60000, /* never waited for */
    SHORT_MS = 20
};

static pid_t start_sleeper(void)
{
    const pid_t pid = fork();
    if (pid == 0) {
        (void)prctl(PR_SET_PDEATHSIG, SIGKILL);
        for (;;) {
            (void)pause();
        }
    }
    return pid;
}

/* A child of a parent that ignores SIGCHLD leaves no zombie. */
static void check_waiting(int (*const wait_for_death)(pid_t, int))
{
    (void)signal(SIGCHLD, SIG_IGN);
    const pid_t pid = start_sleeper();
    CHECK_EQUAL(wait_for_death(pid, SHORT_MS), -ETIMEDOUT);
    CHECK_EQUAL(kill(pid, SIGKILL), 0);
    CHECK_EQUAL(wait_for_death(pid, LONG_MS), 0);
    CHECK_EQUAL(wait_for_death(pid, LONG_MS), 0); /* it is gone already */
    (void)signal(SIGCHLD, SIG_DFL);
}

static void death_is_waited_for(void)
{
    check_waiting(laxity_wait_for_death);
}

static void death_is_waited_for_without_pidfd_open(void)
{
    check_waiting(laxity_look_for_death);
}

static void zombie_is_dead(void)
{
    const pid_t pid = start_sleeper();
    CHECK_EQUAL(kill(pid, SIGKILL), 0);
    siginfo_t info;
    CHECK_EQUAL(waitid(P_PID, (id_t)pid, &info, WEXITED | WNOWAIT), 0);
    if (laxity_wait_for_death(pid, SHORT_MS) != 0) {
        /* Without pidfd_open, as promised. */
        CHECK_EQUAL(laxity_look_for_death(pid, 0), -ETIMEDOUT);
    }
    CHECK_EQUAL(waitpid(pid, NULL, 0), pid);
}

int main(void)
{
    RUN(death_is_waited_for);
    RUN(death_is_waited_for_without_pidfd_open);
    RUN(zombie_is_dead);
    return test_exit_code();
}
