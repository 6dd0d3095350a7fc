/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
#include "base/port/watched_writes.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/userfaultfd.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#ifndef UFFD_USER_MODE_ONLY
#define UFFD_USER_MODE_ONLY 1 /* Linux 5.11; needs no privilege */
#endif

/* Headers are older than kernels. */
#define FEATURE_WP_FILES (UINT64_C(1) << 12) /* UFFD_FEATURE_WP_HUGETLBFS_SHMEM, Linux 5.19 */
#define FEATURE_WP_ASYNC (UINT64_C(1) << 15) /* UFFD_FEATURE_WP_ASYNC, Linux 6.7 */

int laxity_writes_open(int *out_fd)
{
    const long fd = syscall(SYS_userfaultfd, O_CLOEXEC | O_NONBLOCK | UFFD_USER_MODE_ONLY);
    if (fd < 0) {
        return -errno;
    }
    struct uffdio_api api = {.api = UFFD_API, .features = FEATURE_WP_FILES | FEATURE_WP_ASYNC};
    if (ioctl((int)fd, UFFDIO_API, &api) != 0) {
        const int rc = -errno;
        (void)close((int)fd);
        return rc;
    }
    *out_fd = (int)fd;
    return 0;
}

int laxity_writes_watch(int fd, const void *begin, size_t bytes)
{
    const struct uffdio_range range = {.start = (uintptr_t)begin, .len = bytes};
    struct uffdio_register asked = {.range = range, .mode = UFFDIO_REGISTER_MODE_WP};
    if (ioctl(fd, UFFDIO_REGISTER, &asked) != 0) {
        return -errno;
    }
    struct uffdio_writeprotect protect = {.range = range, .mode = UFFDIO_WRITEPROTECT_MODE_WP};
    return ioctl(fd, UFFDIO_WRITEPROTECT, &protect) == 0 ? 0 : -errno;
}
