/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
#include "guests/guest_paths.h"

#include "base/error.h"
#include "guests/wrapped.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <unistd.h>

enum {
    OUTSIDE_BYTES = 80
};

/* A wrapped function has no argument that could lead it there. */
static char directory[PATH_MAX]; /* "" = nobody watches */
static char outside[OUTSIDE_BYTES];
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

void laxity_guest_paths_watch(void)
{
    if (!getcwd(directory, sizeof directory)) {
        directory[0] = '\0';
    }
}

const char *laxity_guest_paths_outside(void)
{
    return outside;
}

static bool is_below(const char *path, const char *above)
{
    const size_t length = strlen(above);
    return strncmp(path, above, length) == 0 && (path[length] == '/' || path[length] == '\0');
}

/* Where it really is, or its folder if it is gone already. Returns whether that is known. */
static bool find_place(const char *path, char *out_place)
{
    char folder[PATH_MAX];
    if (realpath(path, out_place)) {
        return true;
    }
    laxity_format(folder, sizeof folder, "%s", path);
    char *slash = strrchr(folder, '/');
    if (slash) {
        slash[slash == folder] = '\0';
    }
    return realpath(slash ? folder : ".", out_place) != NULL;
}

static bool is_read_only_input(const char *place)
{
    static const char *const changing[] = {"/proc", "/sys", "/dev"};
    struct stat status;
    for (size_t i = 0; i < sizeof changing / sizeof changing[0]; i++) {
        if (is_below(place, changing[i])) {
            return false;
        }
    }
    return stat(place, &status) == 0 && (S_ISREG(status.st_mode) || S_ISDIR(status.st_mode));
}

/* What holds nothing, and our own ends of the standard streams. */
static bool is_harmless_device(const char *path)
{
    static const char *const harmless[] = {
        "/dev/null", "/dev/zero", "/dev/full", "/dev/stdin", "/dev/stdout", "/dev/stderr"
    };
    for (size_t i = 0; i < sizeof harmless / sizeof harmless[0]; i++) {
        if (strcmp(path, harmless[i]) == 0) {
            return true;
        }
    }
    return false;
}

static bool is_watched(const char *path, bool is_written)
{
    char place[PATH_MAX];
    return is_harmless_device(path) ||
           (find_place(path, place) &&
            (is_below(place, directory) || (!is_written && is_read_only_input(place))));
}

void laxity_guest_path_note(const char *path, bool is_written)
{
    const int errno_of_guest = errno;
    const bool is_news = directory[0] != '\0' && path && !is_watched(path, is_written);
    errno = errno_of_guest;
    if (!is_news) {
        return;
    }
    (void)pthread_mutex_lock(&lock);
    if (outside[0] == '\0') {
        laxity_format(outside, sizeof outside, "%s", path);
    }
    (void)pthread_mutex_unlock(&lock);
}

/* A path of openat is relative to a folder that is open; that is looked up as if it were ours, so
 * that one elsewhere is seen by where the file then really is. */
static int note_open(int fd, int flags)
{
    char link[sizeof "/proc/self/fd/" + 3 * sizeof(int)];
    char place[PATH_MAX];
    if (directory[0] != '\0' && fd >= 0) {
        laxity_format(link, sizeof link, "/proc/self/fd/%d", fd);
        const ssize_t n = readlink(link, place, sizeof place - 1);
        place[n > 0 ? n : 0] = '\0';
        laxity_guest_path_note(place, (flags & O_ACCMODE) != O_RDONLY || (flags & O_CREAT) != 0);
    }
    return fd;
}

static bool needs_mode(int flags)
{
    return (flags & O_CREAT) != 0 || (flags & O_TMPFILE) == O_TMPFILE;
}

/* The names that the linker gives them; those with 64 are of programs with files of 64 bits. */
int guest_open(const char *path, int flags, ...) LAXITY_WRAP_SYMBOL(open);
int guest_open64(const char *path, int flags, ...) LAXITY_WRAP_SYMBOL(open64);
int guest_openat(int folder, const char *path, int flags, ...) LAXITY_WRAP_SYMBOL(openat);
int guest_openat64(int folder, const char *path, int flags, ...) LAXITY_WRAP_SYMBOL(openat64);
int guest_creat(const char *path, mode_t mode) LAXITY_WRAP_SYMBOL(creat);
int guest_creat64(const char *path, mode_t mode) LAXITY_WRAP_SYMBOL(creat64);
int guest_open_2(const char *path, int flags) LAXITY_WRAP_SYMBOL(__open_2);
int guest_open64_2(const char *path, int flags) LAXITY_WRAP_SYMBOL(__open64_2);
FILE *guest_freopen(const char *path, const char *mode, FILE *stream) LAXITY_WRAP_SYMBOL(freopen);
FILE *guest_freopen64(const char *path, const char *mode, FILE *stream)
    LAXITY_WRAP_SYMBOL(freopen64);
int guest_rename(const char *path, const char *to) LAXITY_WRAP_SYMBOL(rename);
int guest_remove(const char *path) LAXITY_WRAP_SYMBOL(remove);
int guest_unlink(const char *path) LAXITY_WRAP_SYMBOL(unlink);
int guest_mkdir(const char *path, mode_t mode) LAXITY_WRAP_SYMBOL(mkdir);

static mode_t mode_of(int flags, va_list *arguments)
{
    /* As wide as it is passed. */
    return needs_mode(flags) ? (mode_t)va_arg(*arguments, unsigned) : 0;
}

int guest_open(const char *path, int flags, ...)
{
    va_list arguments;
    va_start(arguments, flags);
    const mode_t mode = mode_of(flags, &arguments);
    va_end(arguments);
    return note_open(open(path, flags, mode), flags);
}

int guest_open64(const char *path, int flags, ...)
{
    va_list arguments;
    va_start(arguments, flags);
    const mode_t mode = mode_of(flags, &arguments);
    va_end(arguments);
    return note_open(open64(path, flags, mode), flags);
}

int guest_openat(int folder, const char *path, int flags, ...)
{
    va_list arguments;
    va_start(arguments, flags);
    const mode_t mode = mode_of(flags, &arguments);
    va_end(arguments);
    return note_open(openat(folder, path, flags, mode), flags);
}

int guest_openat64(int folder, const char *path, int flags, ...)
{
    va_list arguments;
    va_start(arguments, flags);
    const mode_t mode = mode_of(flags, &arguments);
    va_end(arguments);
    return note_open(openat64(folder, path, flags, mode), flags);
}

int guest_creat(const char *path, mode_t mode)
{
    return note_open(creat(path, mode), O_WRONLY | O_CREAT);
}

int guest_creat64(const char *path, mode_t mode)
{
    return note_open(creat64(path, mode), O_WRONLY | O_CREAT);
}

/* Of programs with _FORTIFY_SOURCE: flags that need no mode. */
int guest_open_2(const char *path, int flags)
{
    return note_open(open(path, flags), flags);
}

int guest_open64_2(const char *path, int flags)
{
    return note_open(open64(path, flags), flags);
}

static FILE *note_stream(FILE *stream, const char *path, const char *mode)
{
    if (stream) {
        laxity_guest_path_note(path, strpbrk(mode, "wa+") != NULL);
    }
    return stream;
}

FILE *guest_freopen(const char *path, const char *mode, FILE *stream)
{
    return note_stream(freopen(path, mode, stream), path, mode);
}

FILE *guest_freopen64(const char *path, const char *mode, FILE *stream)
{
    return note_stream(freopen64(path, mode, stream), path, mode);
}

static int note_change(int rc, const char *path)
{
    if (rc == 0) {
        laxity_guest_path_note(path, true);
    }
    return rc;
}

int guest_rename(const char *path, const char *to)
{
    return note_change(note_change(rename(path, to), path), to);
}

int guest_remove(const char *path)
{
    return note_change(remove(path), path);
}

int guest_unlink(const char *path)
{
    return note_change(unlink(path), path);
}

int guest_mkdir(const char *path, mode_t mode)
{
    return note_change(mkdir(path, mode), path);
}
