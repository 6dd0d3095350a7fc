/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
#include "base/port/file.h"

#include "base/error.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/magic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <sys/types.h>
#include <unistd.h>

enum {
    FILE_MODE = 0644,
    TEMPORARY_NAME_BYTES = 280,
    SHARED_DIRECTORIES = 4,
    SHARED_DIRECTORY_BYTES = 64,
};

#define SHARED_PREFIX "laxity-"

/* Up to `bytes` bytes: /proc gives at most one page per read. Returns 0 or -errno. */
static int read_all(int fd, char *data, size_t bytes, size_t *out_bytes)
{
    size_t used = 0;
    while (used < bytes) {
        const ssize_t got = read(fd, data + used, bytes - used);
        if (got < 0) {
            return -errno;
        }
        if (got == 0) {
            break;
        }
        used += (size_t)got;
    }
    *out_bytes = used;
    return 0;
}

int laxity_read_regular(const char *path, char *data, size_t bytes, size_t *out_bytes)
{
    const int fd = open(path, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
    if (fd < 0) {
        return -errno;
    }
    struct stat status;
    int rc = fstat(fd, &status) == 0 ? 0 : -errno;
    if (rc == 0 && !S_ISREG(status.st_mode)) {
        rc = LAXITY_NOT_REGULAR;
    }
    if (rc == 0) {
        rc = read_all(fd, data, bytes, out_bytes);
    }
    (void)close(fd);
    return rc;
}

int laxity_read_text(const char *path, char *text, size_t bytes)
{
    const int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0) {
        return -errno;
    }
    size_t used = 0;
    const int rc = read_all(fd, text, bytes - 1, &used);
    (void)close(fd);
    if (rc == 0) {
        text[used] = '\0';
    }
    return rc;
}

int laxity_write_file(int dir_fd, const char *name, const char *text, size_t bytes)
{
    char temporary[TEMPORARY_NAME_BYTES];
    laxity_format(temporary, sizeof temporary, ".%s.new", name);
    const int fd = openat(dir_fd, temporary, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, FILE_MODE);
    if (fd < 0) {
        return -errno;
    }
    int rc = 0;
    while (bytes > 0 && rc == 0) {
        const ssize_t written = write(fd, text, bytes);
        if (written < 0) {
            rc = -errno;
            break;
        }
        text += written;
        bytes -= (size_t)written;
    }
    if (rc == 0 && fsync(fd) != 0) {
        rc = -errno;
    }
    if (close(fd) != 0 && rc == 0) {
        rc = -errno;
    }
    if (rc == 0 && renameat(dir_fd, temporary, dir_fd, name) != 0) {
        rc = -errno;
    }
    if (rc) {
        (void)unlinkat(dir_fd, temporary, 0);
    }
    return rc;
}

bool laxity_is_deleted(int dir_fd)
{
    struct stat status;
    return fstat(dir_fd, &status) == 0 && status.st_nlink == 0;
}

static int create_in(const char *directory, size_t bytes, char *path, int *out_fd)
{
    struct statfs file_system;
    if (statfs(directory, &file_system) != 0 || file_system.f_type != TMPFS_MAGIC) {
        return -ENOENT;
    }
    laxity_format(path, PATH_MAX, "%s/" SHARED_PREFIX "XXXXXX", directory);
    const int fd = mkostemp(path, O_CLOEXEC);
    if (fd < 0) {
        return -errno;
    }
    /* posix_fallocate, not ftruncate: a full tmpfs must fail now, not with SIGBUS in the middle of
     * a job. */
    const int rc = posix_fallocate(fd, 0, (off_t)bytes);
    if (rc) {
        (void)unlink(path);
        (void)close(fd);
        return -rc;
    }
    *out_fd = fd;
    return 0;
}

/* Where there may be a tmpfs; the first one that takes the file serves. */
static void list_directories(char directories[SHARED_DIRECTORIES][SHARED_DIRECTORY_BYTES])
{
    const size_t bytes = SHARED_DIRECTORY_BYTES;
    laxity_format(directories[0], bytes, "/dev/shm");
    laxity_format(directories[1], bytes, "/run/user/%u", (unsigned)getuid());
    laxity_format(directories[2], bytes, "/run");
    laxity_format(directories[3], bytes, "/tmp");
}

void laxity_each_shared(void (*on_file)(const char *path))
{
    char directories[SHARED_DIRECTORIES][SHARED_DIRECTORY_BYTES];
    list_directories(directories);
    for (size_t i = 0; i < SHARED_DIRECTORIES; i++) {
        DIR *directory = opendir(directories[i]);
        const struct dirent *entry = NULL;
        /* NOLINTNEXTLINE(concurrency-mt-unsafe): of a stream of our own */
        while (directory && (entry = readdir(directory)) != NULL) {
            char path[PATH_MAX];
            if (strncmp(entry->d_name, SHARED_PREFIX, sizeof SHARED_PREFIX - 1) == 0) {
                laxity_format(path, sizeof path, "%s/%s", directories[i], entry->d_name);
                on_file(path);
            }
        }
        if (directory) {
            (void)closedir(directory);
        }
    }
}

int laxity_create_shared(size_t bytes, char *path, int *out_fd)
{
    char directories[SHARED_DIRECTORIES][SHARED_DIRECTORY_BYTES];
    list_directories(directories);
    /* A tmpfs that refused tells more than a directory that is none. */
    int refusal = -ENOENT;
    for (size_t i = 0; i < SHARED_DIRECTORIES; i++) {
        const int rc = create_in(directories[i], bytes, path, out_fd);
        if (rc == 0) {
            return 0;
        }
        refusal = refusal == -ENOENT ? rc : refusal;
    }
    return refusal;
}

int laxity_map_shared(int fd, void **out_base, size_t *out_bytes)
{
    struct stat status;
    if (fstat(fd, &status) != 0) {
        return -errno;
    }
    const size_t bytes = (size_t)status.st_size;
    if (bytes == 0) {
        return -EINVAL;
    }
    void *base = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    if (base == MAP_FAILED) {
        return -errno;
    }
    *out_base = base;
    *out_bytes = bytes;
    return 0;
}
