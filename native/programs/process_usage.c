/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
#include "programs/process_usage.h"

#include "base/error.h"
#include "base/port/file.h"
#include "base/port/time.h"
#include "programs/hold.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

enum {
    TEXT_BYTES = 4096,
    PATH_BYTES = 64,
    /* Fields of /proc/PID/stat behind the name, counted from 0 (proc(5)). */
    STAT_MINOR_FAULTS = 7,
    STAT_MAJOR_FAULTS = 9,
    STAT_PROCESSOR = 36,
    /* A stack is mapped far beyond what is used; this much below its end is touched. */
    TOUCH_BYTES_MAX = 64 * 1024 * 1024,
};

int64_t laxity_process_time_ns(pid_t process)
{
    clockid_t clock = 0;
    struct timespec time;
    if (clock_getcpuclockid(process, &clock) != 0 || clock_gettime(clock, &time) != 0) {
        return INT64_MIN;
    }
    return laxity_timespec_ns(&time);
}

/* A number of /proc/PID/stat; INT32_MIN = not told. The name may hold blanks and brackets. */
static int32_t read_stat(pid_t process, unsigned field)
{
    char path[PATH_BYTES];
    char text[TEXT_BYTES];
    laxity_format(path, sizeof path, "/proc/%d/stat", (int)process);
    const char *at = laxity_read_text(path, text, sizeof text) == 0 ? strrchr(text, ')') : NULL;
    for (unsigned i = 0; at && i <= field; i++) {
        at = strchr(at + 1, ' ');
    }
    return at ? (int32_t)strtol(at + 1, NULL, 10) : INT32_MIN;
}

int32_t laxity_process_cpu(pid_t process)
{
    return read_stat(process, STAT_PROCESSOR);
}

static int32_t read_preemptions(pid_t process)
{
    static const char key[] = "nonvoluntary_ctxt_switches:";
    char path[PATH_BYTES];
    char text[TEXT_BYTES];
    laxity_format(path, sizeof path, "/proc/%d/status", (int)process);
    const char *at = laxity_read_text(path, text, sizeof text) == 0 ? strstr(text, key) : NULL;
    return at ? (int32_t)strtol(at + sizeof key - 1, NULL, 10) : INT32_MIN;
}

void laxity_read_process_usage(pid_t process, struct laxity_hold_start *start)
{
    start->preemptions = read_preemptions(process);
    start->minor_faults = read_stat(process, STAT_MINOR_FAULTS);
    start->major_faults = read_stat(process, STAT_MAJOR_FAULTS);
    start->cpu = laxity_process_cpu(process);
    start->exec_ns = laxity_process_time_ns(process);
}

/* One byte of each page is read and, where it may be, written back: then the page is its own. */
static void touch_range(pid_t process, uintptr_t begin, uintptr_t end, bool is_writable)
{
    const uintptr_t page_bytes = (uintptr_t)sysconf(_SC_PAGESIZE);
    for (uintptr_t at = begin; at < end; at += page_bytes) {
        unsigned char byte = 0;
        const struct iovec ours = {&byte, 1};
        const struct iovec theirs = {
            (void *)at, 1 /* NOLINT(performance-no-int-to-ptr): an address of another process */
        };
        if (process_vm_readv(process, &ours, 1, &theirs, 1, 0) != 1) {
            return;
        }
        if (is_writable && process_vm_writev(process, &ours, 1, &theirs, 1, 0) != 1) {
            return;
        }
    }
}

void laxity_touch_process(pid_t process)
{
    char path[PATH_BYTES];
    char line[TEXT_BYTES];
    laxity_format(path, sizeof path, "/proc/%d/maps", (int)process);
    FILE *maps = fopen(path, "re");
    while (maps && fgets(line, sizeof line, maps)) {
        char *rest = NULL;
        const uintptr_t begin = (uintptr_t)strtoull(line, &rest, 16);
        const uintptr_t end = *rest == '-' ? (uintptr_t)strtoull(rest + 1, &rest, 16) : begin;
        const bool is_readable = rest[0] == ' ' && rest[1] == 'r';
        if (is_readable && end - begin <= TOUCH_BYTES_MAX) {
            touch_range(process, begin, end, rest[2] == 'w');
        }
    }
    if (maps) {
        (void)fclose(maps);
    }
}
