/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
#include "base/port/death.h"

#include "base/port/time.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <unistd.h>

int laxity_look_for_death(pid_t pid, int timeout_ms)
{
    for (int waited_ms = 0;; waited_ms++) {
        if (kill(pid, 0) != 0 && errno == ESRCH) {
            return 0;
        }
        if (waited_ms >= timeout_ms) {
            return -ETIMEDOUT;
        }
        laxity_pause_ns(LAXITY_NS_PER_MS);
    }
}

int laxity_wait_for_death(pid_t pid, int timeout_ms)
{
    const int pid_fd = (int)syscall(SYS_pidfd_open, pid, 0);
    if (pid_fd < 0) {
        return laxity_look_for_death(pid, timeout_ms);
    }
    struct pollfd process = {.fd = pid_fd, .events = POLLIN};
    const int ready = poll(&process, 1, timeout_ms);
    (void)close(pid_fd);
    return ready > 0 ? 0 : -ETIMEDOUT;
}
