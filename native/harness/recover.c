/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
#include "harness/recover.h"

#include "base/error.h"
#include "base/port/file.h"
#include "harness/drain.h"
#include "harness/segment.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <unistd.h>

/* Opens the file behind DIR/segment; -1 if there is none. */
static int open_segment(int dir_fd, char *shared_path)
{
    const ssize_t length = readlinkat(dir_fd, "segment", shared_path, PATH_MAX - 1);
    if (length <= 0) {
        return -1;
    }
    shared_path[length] = '\0';
    return open(shared_path, O_RDWR | O_CLOEXEC);
}

static void recover_segment(
    const char *run_dir,
    int dir_fd,
    int segment_fd,
    const char *shared_path,
    struct laxity_error *error
)
{
    void *base = NULL;
    size_t bytes = 0;
    if (laxity_map_shared(segment_fd, &base, &bytes) || laxity_segment_check(base, bytes)) {
        laxity_error_set(
            error, LAXITY_EXIT_USAGE, "%.120s: its segment is not of this version", run_dir
        );
        return;
    }
    if (flock(segment_fd, LOCK_EX | LOCK_NB) != 0) {
        laxity_error_set(
            error,
            LAXITY_EXIT_NO_VERDICT,
            "%.120s: the run is still alive; wait for its end",
            run_dir
        );
        return;
    }
    const struct laxity_drain_config config = {
        .segment = base,
        .dir_fd = dir_fd,
        .lifeline_fd = -1,
        .stop_fd = -1,
        .parent_fd = -1,
        .run_dir = run_dir,
        .shared_path = shared_path,
    };
    if (laxity_drain_run(&config)) {
        laxity_error_set(
            error, LAXITY_EXIT_LACKING, "%.120s: cannot write its streams; free space", run_dir
        );
    }
}

int laxity_recover(const char *run_dir, struct laxity_error *out_error)
{
    char shared_path[PATH_MAX];
    const int dir_fd = open(run_dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    const int segment_fd = dir_fd < 0 ? -1 : open_segment(dir_fd, shared_path);
    if (segment_fd < 0) {
        laxity_error_set(
            out_error, LAXITY_EXIT_USAGE, "%.120s: no segment of a run is left to recover", run_dir
        );
    } else {
        recover_segment(run_dir, dir_fd, segment_fd, shared_path, out_error);
        (void)close(segment_fd);
    }
    if (dir_fd >= 0) {
        (void)close(dir_fd);
    }
    return out_error->exit_code;
}

/* The directory that held the run is there, the run is not: it was deleted, not unmounted. */
static bool is_deleted(const struct laxity_segment *segment)
{
    char path[PATH_MAX + sizeof "/segment"];
    struct stat status;
    if (segment->run_dir[0] != '/' || !memchr(segment->run_dir, '\0', sizeof segment->run_dir)) {
        return false;
    }
    laxity_format(path, sizeof path, "%s/segment", segment->run_dir);
    if (lstat(path, &status) == 0 || (errno != ENOENT && errno != ENOTDIR)) {
        return false;
    }
    laxity_format(path, sizeof path, "%s", segment->run_dir);
    *strrchr(path, '/') = '\0';
    return access(path[0] == '\0' ? "/" : path, F_OK) == 0;
}

static void remove_orphan(const char *path)
{
    void *base = NULL;
    size_t bytes = 0;
    const int fd = open(path, O_RDWR | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    if (fd < 0) {
        return;
    }
    struct stat status;
    const bool is_ours = fstat(fd, &status) == 0 && status.st_uid == geteuid();
    if (is_ours && laxity_map_shared(fd, &base, &bytes) == 0) {
        /* The lock last: one that is being made or recovered must not find it taken. */
        if (laxity_segment_check(base, bytes) == 0 && is_deleted(base) &&
            flock(fd, LOCK_EX | LOCK_NB) == 0) {
            (void)unlink(path);
        }
        (void)munmap(base, bytes);
    }
    (void)close(fd);
}

void laxity_remove_orphans(void)
{
    laxity_each_shared(remove_orphan);
}
