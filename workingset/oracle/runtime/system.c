/* SPDX-FileCopyrightText: 2026 The laxity authors */
/* SPDX-License-Identifier: MIT */
/* Clocks, files without a stream, and the environment. */
#include "trace.h"
#include "wrappers.h"

#include <fcntl.h>
#include <locale.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

static void read_string(const char *text)
{
    laxity_trace_read(text, strlen(text) + 1);
}

time_t laxity_traced_time(time_t *out_time)
{
    if (out_time) {
        laxity_trace_write(out_time, sizeof(*out_time));
    }
    return time(out_time);
}

int laxity_traced_gettimeofday(struct timeval *out_time, void *out_zone)
{
    laxity_trace_write(out_time, sizeof(*out_time));
    if (out_zone) {
        laxity_trace_write(out_zone, sizeof(struct timezone));
    }
    return gettimeofday(out_time, out_zone);
}

int laxity_traced_clock_gettime(clockid_t clock, struct timespec *out_time)
{
    int result = clock_gettime(clock, out_time);

    if (result == 0) {
        laxity_trace_write(out_time, sizeof(*out_time));
    }
    return result;
}

char *laxity_traced_getenv(const char *name)
{
    read_string(name);
    return getenv(name); /* NOLINT(concurrency-mt-unsafe): the program has one thread */
}

int laxity_traced_remove(const char *path)
{
    read_string(path);
    return remove(path);
}

int laxity_traced_rename(const char *from, const char *to)
{
    read_string(from);
    read_string(to);
    return rename(from, to);
}

int laxity_traced_open(const char *path, int flags, ...)
{
    va_list arguments;
    mode_t mode = 0;

    read_string(path);
    va_start(arguments, flags);
    if (flags & O_CREAT) {
        mode = (mode_t)va_arg(arguments, int);
    }
    va_end(arguments);
    return open(path, flags, mode); /* NOLINT(android-cloexec-open): what the program asked for */
}

ssize_t laxity_traced_read(int fd, void *to, size_t size_bytes)
{
    ssize_t done_bytes = read(fd, to, size_bytes);

    if (done_bytes > 0) {
        laxity_trace_write(to, (size_t)done_bytes);
    }
    return done_bytes;
}

ssize_t laxity_traced_write(int fd, const void *from, size_t size_bytes)
{
    laxity_trace_read(from, size_bytes);
    return write(fd, from, size_bytes);
}

void laxity_traced_perror(const char *text)
{
    if (text) {
        read_string(text);
    }
    perror(text);
}

int laxity_traced_unlink(const char *path)
{
    read_string(path);
    return unlink(path);
}

int laxity_traced_access(const char *path, int mode)
{
    read_string(path);
    return access(path, mode);
}

int laxity_traced_chmod(const char *path, mode_t mode)
{
    read_string(path);
    return chmod(path, mode);
}

static int tell_status(int result, const struct stat *status)
{
    if (result == 0) {
        laxity_trace_write(status, sizeof(*status));
    }
    return result;
}

int laxity_traced_stat(const char *path, struct stat *out_status)
{
    read_string(path);
    return tell_status(stat(path, out_status), out_status);
}

int laxity_traced_lstat(const char *path, struct stat *out_status)
{
    read_string(path);
    return tell_status(lstat(path, out_status), out_status);
}

int laxity_traced_fstat(int fd, struct stat *out_status)
{
    return tell_status(fstat(fd, out_status), out_status);
}

char *laxity_traced_setlocale(int category, const char *name)
{
    if (name) {
        read_string(name);
    }
    return setlocale(category, name); /* NOLINT(concurrency-mt-unsafe): as above */
}

/* Words of main() are the environment's. A program may make some of its own, all of which it looks
 * at: it moves those that are no options behind the others. */
int laxity_traced_getopt(int word_count, char *const *words, const char *letters)
{
    int letter;

    read_string(letters);
    for (int i = 0; i < word_count && words[i]; i++) {
        laxity_trace_read(&words[i], sizeof(words[i]));
        read_string(words[i]);
    }
    letter = getopt(word_count, words, letters); /* NOLINT(concurrency-mt-unsafe): as above */
    laxity_trace_write(words, (size_t)word_count * sizeof(*words));
    return letter;
}
