/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
#include "base/output_directory.h"

#include "base/error.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
    DIRECTORY_MODE = 0755
};

int laxity_open_output_directory(const char *path, struct laxity_error *error)
{
    if (mkdir(path, DIRECTORY_MODE) != 0 && errno != EEXIST) {
        return laxity_refuse(
            error,
            LAXITY_EXIT_USAGE,
            "cannot create %s: %s; choose another --run-dir",
            path,
            strerrordesc_np(errno)
        );
    }
    const int fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (fd >= 0 && faccessat(fd, ".", W_OK, AT_EACCESS) == 0) {
        return fd;
    }
    laxity_error_set(
        error,
        LAXITY_EXIT_USAGE,
        "cannot write into %s: %s; choose another --run-dir",
        path,
        strerrordesc_np(errno)
    );
    if (fd >= 0) {
        (void)close(fd);
    }
    return -1;
}
