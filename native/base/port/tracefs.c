/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
#include "base/port/tracefs.h"

#include "base/error.h"
#include "base/port/file.h"
#include "base/port/namespaces.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <linux/mount.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <unistd.h>

enum {
    DIRECTORY_MODE = 0755,
    FILE_MODE = 0644,
    DECIMAL = 10,
    STAT_BYTES = 1024,
    /* /proc/PID/stat: fields behind the name in brackets, counted from the state. */
    START_FIELD = 19,
    /* How often an instance is made anew that another PID namespace removes before it is held. */
    MAKE_TRIES = 5,
};

static const char prefix[] = "laxity-";
static const char *const roots[] = {"/sys/kernel/tracing", "/sys/kernel/debug/tracing"};

/* Returns a descriptor of a detached mount, or -errno. */
static int mount_privately(void)
{
    const int context = fsopen("tracefs", FSOPEN_CLOEXEC);
    if (context < 0) {
        return -errno;
    }
    int fd = fsconfig(context, FSCONFIG_CMD_CREATE, NULL, NULL, 0);
    if (fd == 0) {
        fd = fsmount(context, FSMOUNT_CLOEXEC, 0);
    }
    fd = fd < 0 ? -errno : fd;
    (void)close(context);
    return fd;
}

/* Returns a descriptor of the root of tracefs, or -errno. */
static int open_root(void)
{
    for (size_t i = 0; i < sizeof roots / sizeof roots[0]; i++) {
        const int fd = open(roots[i], O_RDONLY | O_DIRECTORY | O_CLOEXEC);
        if (fd >= 0 && faccessat(fd, "instances", F_OK, 0) == 0) {
            return fd;
        }
        const int error_number = errno;
        if (fd >= 0) {
            (void)close(fd);
        }
        if (error_number == EACCES) {
            return -EACCES; /* it is there, and not for us */
        }
    }
    return mount_privately();
}

/* When a process was started, in clock ticks after boot. Returns 0, or -errno: it is gone. */
static int read_start(const char *pid, uint64_t *out_start)
{
    char path[PATH_MAX];
    char text[STAT_BYTES];
    laxity_format(path, sizeof path, "/proc/%s/stat", pid);
    const int rc = laxity_read_text(path, text, sizeof text);
    if (rc) {
        return rc;
    }
    const char *at = strrchr(text, ')');
    if (!at || strlen(at) < 3) {
        return -EBADMSG;
    }
    at += 2;
    if (*at == 'Z' || *at == 'X') {
        return -ESRCH; /* dead, though its parent has not asked for it */
    }
    for (unsigned field = 0; field < START_FIELD && at; field++) {
        at = strchr(at + 1, ' ');
    }
    if (!at) {
        return -EBADMSG;
    }
    *out_start = strtoull(at, NULL, DECIMAL);
    return 0;
}

/* Whether a name is one of ours whose process is gone. */
static bool is_left(const char *name)
{
    char pid[sizeof "2147483647"];
    if (strncmp(name, prefix, strlen(prefix)) != 0) {
        return false;
    }
    const char *number = name + strlen(prefix);
    const size_t length = strspn(number, "0123456789");
    if (length == 0 || length >= sizeof pid || number[length] != '-') {
        return false;
    }
    laxity_format(pid, sizeof pid, "%.*s", (int)length, number);
    char *end = NULL;
    const uint64_t named = strtoull(number + length + 1, &end, DECIMAL);
    uint64_t start = 0;
    return *end == '\0' && (read_start(pid, &start) != 0 || start != named);
}

/* Removes what is_left below `dir_fd`, which is closed at the end, but no name in the journal whose
 * instance is held. Returns 0 or the first -errno. */
static int remove_names(int dir_fd, int flags, int root_fd, void (*on_removed)(const char *name))
{
    char path[PATH_MAX];
    DIR *names = fdopendir(dir_fd);
    if (!names) {
        const int rc = -errno;
        (void)close(dir_fd);
        return rc;
    }
    int rc = 0;
    const struct dirent *entry = NULL;
    /* NOLINTNEXTLINE(concurrency-mt-unsafe): no other thread reads this directory stream */
    while ((entry = readdir(names))) {
        laxity_format(path, sizeof path, "instances/%s", entry->d_name);
        const bool is_journal = flags == 0;
        if (!is_left(entry->d_name) || (is_journal && faccessat(root_fd, path, F_OK, 0) == 0)) {
            continue;
        }
        /* Busy: its owner has it open. Gone: another command came first. */
        if (unlinkat(dir_fd, entry->d_name, flags) != 0) {
            const bool is_answer = errno == ENOENT || errno == EBUSY;
            rc = rc || is_answer ? rc : -errno;
        } else if (on_removed) {
            on_removed(entry->d_name);
        }
    }
    (void)closedir(names);
    return rc;
}

int laxity_tracefs_remove_left(void (*on_removed)(const char *name))
{
    struct laxity_namespaces here;
    /* Names hold numbers of the machine: in a container it is not known which processes live. */
    if (laxity_namespaces_read(&here) != 0 || !here.has_machine_tids ||
        here.boottime_offset_ns != 0) {
        return 0;
    }
    const int root_fd = open_root();
    if (root_fd < 0) {
        return root_fd;
    }
    const int flags = O_RDONLY | O_DIRECTORY | O_CLOEXEC;
    int rc = 0;
    const int instances = openat(root_fd, "instances", flags);
    if (instances >= 0) {
        rc = remove_names(instances, AT_REMOVEDIR, root_fd, on_removed);
    }
    const int journal = rc == 0 ? open(LAXITY_INSTANCE_JOURNAL, flags) : -1;
    if (journal >= 0) {
        rc = remove_names(journal, 0, root_fd, NULL);
    }
    (void)close(root_fd);
    return rc;
}

/* Written down before it is made. No place for it: its name in tracefs alone has to do. */
static void write_down(const char *name)
{
    char path[PATH_MAX];
    (void)mkdir("/run/laxity", DIRECTORY_MODE);
    (void)mkdir(LAXITY_INSTANCE_JOURNAL, DIRECTORY_MODE);
    laxity_format(path, sizeof path, LAXITY_INSTANCE_JOURNAL "/%s", name);
    const int fd = open(path, O_WRONLY | O_CREAT | O_NOFOLLOW | O_CLOEXEC, FILE_MODE);
    if (fd >= 0) {
        (void)close(fd);
    }
}

static void cross_out(const char *name)
{
    char path[PATH_MAX];
    laxity_format(path, sizeof path, LAXITY_INSTANCE_JOURNAL "/%s", name);
    (void)unlink(path);
}

/* Opens it and holds it. Returns 0 or -errno. */
static int hold(struct laxity_tracefs_instance *instance, const char *path)
{
    instance->dir_fd = openat(instance->root_fd, path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (instance->dir_fd < 0) {
        return -errno;
    }
    instance->hold_fd = openat(instance->dir_fd, "tracing_on", O_RDONLY | O_CLOEXEC);
    if (instance->hold_fd < 0) {
        const int rc = -errno;
        (void)close(instance->dir_fd);
        return rc;
    }
    return 0;
}

static int make_below(struct laxity_tracefs_instance *instance)
{
    char path[PATH_MAX];
    laxity_format(path, sizeof path, "instances/%s", instance->name);
    write_down(instance->name);
    if (mkdirat(instance->root_fd, path, DIRECTORY_MODE) != 0) {
        const int rc = -errno;
        if (rc != -EEXIST) {
            cross_out(instance->name);
        }
        return rc;
    }
    const int rc = hold(instance, path);
    if (rc) {
        (void)unlinkat(instance->root_fd, path, AT_REMOVEDIR);
        cross_out(instance->name);
    }
    return rc;
}

int laxity_tracefs_make(struct laxity_tracefs_instance *out_instance)
{
    struct laxity_tracefs_instance instance = {.dir_fd = -1, .hold_fd = -1};
    uint64_t start = 0;
    int rc = read_start("self", &start);
    if (rc) {
        return rc;
    }
    laxity_format(
        instance.name, sizeof instance.name, "%s%d-%" PRIu64, prefix, (int)getpid(), start
    );
    instance.root_fd = open_root();
    if (instance.root_fd < 0) {
        return instance.root_fd;
    }
    for (unsigned tries = 0; tries < MAKE_TRIES; tries++) {
        rc = make_below(&instance);
        if (rc != -ENOENT && rc != -ENODEV) {
            break;
        }
    }
    if (rc) {
        (void)close(instance.root_fd);
        return rc;
    }
    *out_instance = instance;
    return 0;
}

int laxity_tracefs_remove(struct laxity_tracefs_instance *instance)
{
    char path[PATH_MAX];
    laxity_format(path, sizeof path, "instances/%s", instance->name);
    (void)close(instance->hold_fd);
    (void)close(instance->dir_fd);
    int rc = 0;
    if (unlinkat(instance->root_fd, path, AT_REMOVEDIR) != 0) {
        rc = -errno;
    } else {
        cross_out(instance->name);
    }
    (void)close(instance->root_fd);
    return rc;
}

int laxity_tracefs_write(int dir_fd, const char *path, const char *text)
{
    const int fd = openat(dir_fd, path, O_WRONLY | O_CLOEXEC);
    if (fd < 0) {
        return -errno;
    }
    const size_t length = strlen(text);
    const ssize_t written = write(fd, text, length);
    int rc = written < 0 ? -errno : 0;
    if (written >= 0 && (size_t)written != length) {
        rc = -EIO;
    }
    (void)close(fd);
    return rc;
}

int laxity_tracefs_read(int dir_fd, const char *path, char *text, size_t bytes)
{
    const int fd = openat(dir_fd, path, O_RDONLY | O_CLOEXEC);
    if (fd < 0) {
        return -errno;
    }
    size_t used = 0;
    ssize_t got = 1;
    while (got > 0 && used < bytes) {
        got = read(fd, text + used, bytes - used);
        used += got > 0 ? (size_t)got : 0;
    }
    int rc = got < 0 ? -errno : 0;
    (void)close(fd);
    if (rc == 0 && used == bytes) {
        rc = -E2BIG;
    }
    if (rc == 0) {
        text[used] = '\0';
    }
    return rc;
}
