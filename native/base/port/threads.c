/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
#include "base/port/threads.h"

#include "base/error.h"
#include "base/port/file.h"
#include "base/port/time.h"
#include "schema/run.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/types.h>
#include <time.h>
#include <unistd.h>

enum {
    ENTRIES_BYTES = 4096,
    PATH_BYTES = 64,
    /* A preemption between the two readings spoils a pair; it cannot go on for ever. */
    USAGE_TRIES = 4,
    BOUND_TRIES = 4, /* an interrupt within one makes it wide, not all of them */
};

int laxity_threads_open(void)
{
    const int fd = open("/proc/self/task", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    return fd < 0 ? -errno : fd;
}

int laxity_threads_list(int fd, int32_t *out_tids, unsigned max)
{
    _Alignas(struct dirent64) char entries[ENTRIES_BYTES];
    unsigned n = 0;
    if (lseek(fd, 0, SEEK_SET) < 0) {
        return -errno;
    }
    for (;;) {
        const ssize_t got = getdents64(fd, entries, sizeof entries);
        if (got <= 0) {
            return got < 0 ? -errno : (int)n;
        }
        for (ssize_t at = 0; at < got && n < max;) {
            const struct dirent64 *entry = (const void *)&entries[at];
            if (entry->d_name[0] != '.') {
                out_tids[n++] = (int32_t)strtol(entry->d_name, NULL, 10);
            }
            at += entry->d_reclen;
        }
        if (n == max) {
            return (int)n;
        }
    }
}

void laxity_thread_name(int32_t tid, char *out_name, size_t bytes)
{
    char path[PATH_BYTES];
    laxity_format(path, sizeof path, "/proc/self/task/%d/comm", (int)tid);
    if (laxity_read_text(path, out_name, bytes) != 0) {
        out_name[0] = '\0';
        return;
    }
    out_name[strcspn(out_name, "\n")] = '\0';
}

bool laxity_is_thread_of(int32_t pid, int32_t tid)
{
    return pid > 0 && tid > 0 && tgkill(pid, tid, 0) == 0;
}

int laxity_set_thread_policy(int32_t tid, enum laxity_policy policy, int priority)
{
    const struct sched_param param = {.sched_priority = priority};
    const int kernel_policy = policy == LAXITY_POLICY_RR ? SCHED_RR : SCHED_FIFO;
    return sched_setscheduler(tid, kernel_policy, &param) == 0 ? 0 : -errno;
}

/* The kernel's numbering of processor clocks (include/linux/posix-timers_types.h): a thread's
 * number inverted, shifted by 3, its scheduler's clock (2), of a thread (4). */
static clockid_t clock_of_thread(int32_t tid)
{
    return (clockid_t)(~(uint32_t)tid << 3 | 6U);
}

void laxity_update_thread_time(int32_t tid)
{
    struct timespec unused;
    (void)clock_gettime(clock_of_thread(tid), &unused);
}

static int64_t process_time_ns(void)
{
    struct timespec now;
    (void)clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return laxity_timespec_ns(&now);
}

int64_t laxity_others_time_ns(void)
{
    const int64_t all_ns = process_time_ns();
    return all_ns - laxity_thread_time_ns();
}

void laxity_others_time_bounds(int64_t *out_low_ns, int64_t *out_high_ns)
{
    int64_t low_ns = INT64_MIN;
    int64_t high_ns = INT64_MAX;
    for (unsigned i = 0; i < BOUND_TRIES; i++) {
        const int64_t own_before_ns = laxity_thread_time_ns();
        const int64_t all_ns = process_time_ns();
        const int64_t own_after_ns = laxity_thread_time_ns();
        low_ns = all_ns - own_after_ns > low_ns ? all_ns - own_after_ns : low_ns;
        high_ns = all_ns - own_before_ns < high_ns ? all_ns - own_before_ns : high_ns;
    }
    *out_low_ns = low_ns;
    *out_high_ns = high_ns;
}

static bool is_same_usage(const struct rusage *a, const struct rusage *b)
{
    return a->ru_nivcsw == b->ru_nivcsw && a->ru_nvcsw == b->ru_nvcsw &&
           a->ru_minflt == b->ru_minflt && a->ru_majflt == b->ru_majflt;
}

void laxity_others_usage(struct rusage *out_usage)
{
    struct rusage own;
    struct rusage all;
    struct rusage again;
    (void)getrusage(RUSAGE_THREAD, &again);
    for (unsigned i = 0; i < USAGE_TRIES; i++) {
        own = again;
        (void)getrusage(RUSAGE_SELF, &all);
        (void)getrusage(RUSAGE_THREAD, &again);
        if (is_same_usage(&own, &again)) {
            break;
        }
    }
    *out_usage = (struct rusage){.ru_nivcsw = 0};
    out_usage->ru_nivcsw = all.ru_nivcsw - own.ru_nivcsw;
    out_usage->ru_nvcsw = all.ru_nvcsw - own.ru_nvcsw;
    out_usage->ru_minflt = all.ru_minflt - own.ru_minflt;
    out_usage->ru_majflt = all.ru_majflt - own.ru_majflt;
}

int laxity_signal_main_thread(int32_t pid, int signal_number)
{
    return tgkill(pid, pid, signal_number) == 0 ? 0 : -errno;
}
