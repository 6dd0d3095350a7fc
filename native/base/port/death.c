/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
#include "base/port/death.h"

#include "base/port/file.h"
#include "base/port/sched.h"
#include "base/port/time.h"

#include <errno.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <unistd.h>

enum {
    OOM_TEXT_BYTES = 16 * 1024 /* /proc/vmstat is the longest */
};

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

/* The number behind `key` at the beginning of a line; -1 if there is none. */
static int64_t number_behind(const char *text, const char *key)
{
    const size_t length = strlen(key);
    for (const char *line = text; line; line = strchr(line, '\n')) {
        line += *line == '\n';
        if (strncmp(line, key, length) == 0 && line[length] == ' ') {
            return strtoll(line + length, NULL, 10);
        }
    }
    return -1;
}

int64_t laxity_oom_kills(void)
{
    static char text[OOM_TEXT_BYTES]; /* of one thread: the supervisor's */
    char path[PATH_MAX];
    int64_t kills = -1;
    if (laxity_find_group_file("memory", "memory.oom_control", path, sizeof path) == 0 &&
        laxity_read_text(path, text, sizeof text) == 0) {
        kills = number_behind(text, "oom_kill");
    }
    if (kills < 0 && laxity_find_group_file("", "memory.events", path, sizeof path) == 0 &&
        laxity_read_text(path, text, sizeof text) == 0) {
        kills = number_behind(text, "oom_kill");
    }
    if (kills < 0 && laxity_read_text("/proc/vmstat", text, sizeof text) == 0) {
        kills = number_behind(text, "oom_kill");
    }
    return kills;
}
