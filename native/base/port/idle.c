/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
#include "base/port/idle.h"

#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <unistd.h>

int laxity_hold_idle(int *out_fd)
{
    const int fd = open("/dev/cpu_dma_latency", O_WRONLY | O_CLOEXEC);
    if (fd < 0) {
        return -errno;
    }
    const int32_t latency_us = 0;
    if (write(fd, &latency_us, sizeof latency_us) != (ssize_t)sizeof latency_us) {
        const int rc = -errno;
        (void)close(fd);
        return rc;
    }
    *out_fd = fd;
    return 0;
}
