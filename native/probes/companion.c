/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
#include "probes/companion.h"

#include "base/error.h"
#include "base/port/memory.h"
#include "probes/probe.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <unistd.h>

static int
refuse(struct laxity_probe_run *run, const char *name, const char *what, int error_number)
{
    return laxity_refuse(
        &run->shared->error,
        LAXITY_EXIT_LACKING,
        "%s: cannot %s %s: %s; raise ulimit -u and -n",
        run->probe->name,
        what,
        name,
        strerrordesc_np(error_number)
    );
}

static void close_both(const int ends[2])
{
    (void)close(ends[0]);
    (void)close(ends[1]);
}

int laxity_companion_start(
    struct laxity_probe_run *run,
    const char *name,
    laxity_companion_work *work,
    const void *what,
    struct laxity_companion *out_companion
)
{
    int order[2];
    int answer[2];
    if (pipe2(order, O_CLOEXEC) != 0) {
        return refuse(run, name, "connect to", errno);
    }
    if (pipe2(answer, O_CLOEXEC) != 0) {
        const int error_number = errno;
        close_both(order);
        return refuse(run, name, "connect to", error_number);
    }
    const pid_t pid = fork();
    if (pid == 0) {
        (void)prctl(PR_SET_PDEATHSIG, SIGKILL);
        (void)close(order[1]);
        (void)close(answer[0]);
        const struct laxity_companion_ends ends = {order[0], answer[1]};
        _exit(work(run, what, &ends));
    }
    if (pid < 0) {
        const int error_number = errno;
        close_both(order);
        close_both(answer);
        return refuse(run, name, "start", error_number);
    }
    (void)close(order[0]);
    (void)close(answer[1]);
    *out_companion = (struct laxity_companion){name, order[1], answer[0], pid};
    return 0;
}

void laxity_companion_stop(struct laxity_companion *companion)
{
    if (companion->pid > 0) {
        (void)close(companion->order_fd);
        (void)close(companion->answer_fd);
        (void)waitpid(companion->pid, NULL, 0);
    }
    *companion = (struct laxity_companion){0};
}

bool laxity_companion_order(
    const struct laxity_companion *companion, const void *order, size_t bytes
)
{
    return write(companion->order_fd, order, bytes) == (ssize_t)bytes;
}

bool laxity_companion_await(const struct laxity_companion *companion)
{
    char answer = 0;
    return read(companion->answer_fd, &answer, 1) == 1;
}

int laxity_companion_tell_end(
    struct laxity_probe_run *run, const struct laxity_companion *companion
)
{
    return laxity_refuse(
        &run->shared->error,
        LAXITY_EXIT_INTERNAL,
        "%s: %s has ended",
        run->probe->name,
        companion->name
    );
}

bool laxity_companion_become_ready(
    struct laxity_probe_run *run, const struct laxity_companion_ends *ends
)
{
    (void)laxity_lock_memory(); /* a refusal has been told by the victim's */
    return laxity_probe_enter_policy(run, (int)run->plan->priority + 1) == 0 &&
           laxity_companion_answer(ends);
}

bool laxity_companion_take(const struct laxity_companion_ends *ends, void *out_order, size_t bytes)
{
    return read(ends->order_fd, out_order, bytes) == (ssize_t)bytes;
}

bool laxity_companion_answer(const struct laxity_companion_ends *ends)
{
    return write(ends->answer_fd, "", 1) == 1;
}
