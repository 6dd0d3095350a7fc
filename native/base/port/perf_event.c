/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
#include "base/port/perf_event.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <stddef.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <unistd.h>

int laxity_perf_open(struct perf_event_attr *attr, int cpu, int group_fd)
{
    const pid_t calling_thread = 0;
    const pid_t every_thread = -1;
    const long fd = syscall(
        SYS_perf_event_open,
        attr,
        cpu == LAXITY_PERF_NO_CPU ? calling_thread : every_thread,
        cpu,
        group_fd,
        PERF_FLAG_FD_CLOEXEC
    );
    return fd < 0 ? -errno : (int)fd;
}

int laxity_perf_start(int fd)
{
    return ioctl(fd, PERF_EVENT_IOC_ENABLE, 0) == 0 ? 0 : -errno;
}

int laxity_perf_stop(int fd)
{
    return ioctl(fd, PERF_EVENT_IOC_DISABLE, 0) == 0 ? 0 : -errno;
}

int laxity_perf_read(int fd, void *out, size_t bytes)
{
    const ssize_t got = read(fd, out, bytes);
    return got < 0 ? -errno : (int)got;
}

void laxity_perf_close(int fd)
{
    (void)close(fd);
}
