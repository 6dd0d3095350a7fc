/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
/*
 * A workload of simulated platforms whose jobs do as much as the system's answer says.
 *
 *   answers WAY PATH
 *
 * The question is asked before the first job. What the answer was is printed at the end. Questions
 * that a processor has no call for are asked by the call that its C library takes.
 */
#include <laxity/hooks.h>

#include <errno.h>
#include <fcntl.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/sysinfo.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

enum {
    TEXT_BYTES = 256,
    PASSES_PER_ANSWER = 10,
    ANSWERS = 10007, /* a job of the largest takes a moment */
};

static long answer;

/* Number of a text. */
static long number_of(const char *text, long n)
{
    unsigned long sum = 0;
    for (long i = 0; i < n && text[i] != '\0'; i++) {
        sum = sum * 31 + (unsigned char)text[i];
    }
    return (long)(sum % ANSWERS);
}

static long ask_readlink(const char *path)
{
    char text[TEXT_BYTES] = "";
#ifdef SYS_readlink
    return number_of(text, syscall(SYS_readlink, path, text, sizeof text));
#else
    return number_of(text, readlink(path, text, sizeof text));
#endif
}

static long ask_readlinkat(const char *path)
{
    char text[TEXT_BYTES] = "";
    return number_of(text, syscall(SYS_readlinkat, AT_FDCWD, path, text, sizeof text));
}

static long ask_stat(const char *path)
{
    struct stat status = {0};
    return stat(path, &status) == 0 ? (long)(status.st_mode & ALLPERMS) : -errno;
}

static long ask_lstat(const char *path)
{
    struct stat status = {0};
    return lstat(path, &status) == 0 ? (long)(status.st_mode & ALLPERMS) : -errno;
}

static long ask_fstatat(const char *path)
{
    struct stat status = {0};
    return fstatat(AT_FDCWD, path, &status, 0) == 0 ? (long)(status.st_mode & ALLPERMS) : -errno;
}

static long ask_statx(const char *path)
{
    struct statx status = {0};
    const long rc = statx(AT_FDCWD, path, 0, STATX_MODE, &status);
    return rc == 0 ? (long)(status.stx_mode & ALLPERMS) : -errno;
}

static long ask_access(const char *path)
{
    return access(path, F_OK);
}

static long ask_faccessat(const char *path)
{
    return faccessat(AT_FDCWD, path, F_OK, 0);
}

static long ask_getcwd(const char *path)
{
    (void)path;
    char text[TEXT_BYTES] = "";
    return getcwd(text, sizeof text) ? number_of(text, TEXT_BYTES) : -errno;
}

static long ask_chdir(const char *path)
{
    return chdir(path);
}

static long ask_open(const char *path)
{
    const int fd = open(path, O_RDONLY | O_CLOEXEC);
    char text[TEXT_BYTES] = "";
    const long n = fd < 0 ? 0 : read(fd, text, sizeof text);
    return number_of(text, n);
}

static long ask_time(const char *path)
{
    (void)path;
    struct timespec now = {0};
    (void)clock_gettime(CLOCK_REALTIME, &now);
    return (now.tv_nsec / 1000) % ANSWERS;
}

static long ask_uname(const char *path)
{
    (void)path;
    struct utsname name;
    return uname(&name) == 0 ? number_of(name.nodename, sizeof name.nodename) : -errno;
}

static long ask_files(const char *path)
{
    (void)path;
    struct rlimit limit = {0};
    return getrlimit(RLIMIT_NOFILE, &limit) == 0 ? (long)(limit.rlim_cur % ANSWERS) : -errno;
}

static long ask_mask(const char *path)
{
    (void)path;
    return (long)umask(0);
}

static long ask_priority(const char *path)
{
    (void)path;
    return getpriority(PRIO_PROCESS, 0);
}

/* How much of the memory is free: the C library has asked how much there is. */
static long ask_memory(const char *path)
{
    (void)path;
    struct sysinfo now;
    return sysinfo(&now) == 0 ? (long)(now.freeram % ANSWERS) : -errno;
}

static long ask_process(const char *path)
{
    (void)path;
    return getpid() % ANSWERS;
}

/* These answers are the same in every run, but for the memory and the limit of the stack,
 * which a stream is known by. */
static long ask_nothing(const char *path)
{
    struct rlimit limit = {0};
    void *memory = malloc(strlen(path) + ANSWERS);
    free(memory);
    return memory ? getrlimit(RLIMIT_STACK, &limit) : -1;
}

static const struct {
    const char *way;
    long (*ask)(const char *path);
} questions[] = {
    {"readlink", ask_readlink}, {"readlinkat", ask_readlinkat},
    {"stat", ask_stat},         {"lstat", ask_lstat},
    {"fstatat", ask_fstatat},   {"statx", ask_statx},
    {"access", ask_access},     {"faccessat", ask_faccessat},
    {"getcwd", ask_getcwd},     {"chdir", ask_chdir},
    {"open", ask_open},         {"time", ask_time},
    {"uname", ask_uname},       {"files", ask_files},
    {"mask", ask_mask},         {"priority", ask_priority},
    {"memory", ask_memory},     {"process", ask_process},
    {"nothing", ask_nothing},
};

int benchmark_init(int n_words, void **words)
{
    for (size_t i = 0; n_words > 1 && i < sizeof questions / sizeof questions[0]; i++) {
        if (strcmp(words[0], questions[i].way) == 0) {
            answer = questions[i].ask(words[1]);
            return 0;
        }
    }
    return -1;
}

void benchmark_execution(int n_words, void **words)
{
    (void)n_words;
    (void)words;
    for (volatile long i = 0; i < (answer < 0 ? -answer : answer) * PASSES_PER_ANSWER; i++) {
    }
}

void benchmark_teardown(int n_words, void **words)
{
    (void)n_words;
    (void)words;
    (void)printf("answer %ld\n", answer);
}
