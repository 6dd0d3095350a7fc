/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
#include "base/port/memory.h"

#include "base/error.h"
#include "base/port/file.h"

#include <errno.h>
#include <limits.h>
#include <malloc.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

/* The smallest page of every platform we build for; touching too often only costs time before the
 * run. */
enum {
    PAGE_BYTES = 4096,
    STACK_CHUNK_BYTES = 16 * PAGE_BYTES,
    STACK_RESERVE_BYTES = 128 * 1024,
    TEXT_BYTES = 8192,
    KIB = 1024,
};

/* Files of a control group that tell its memory. */
struct group_files {
    const char *folder; /* below the mount point of all groups */
    const char *limit;
    const char *usage;
    const char *idle; /* line of memory.stat: file pages that the kernel takes back first */
};

int laxity_lock_memory(void)
{
    struct rlimit limit;
    const bool is_unlimited = geteuid() == 0 || (getrlimit(RLIMIT_MEMLOCK, &limit) == 0 &&
                                                 limit.rlim_cur == RLIM_INFINITY);
    return mlockall(is_unlimited ? MCL_CURRENT | MCL_FUTURE : MCL_CURRENT) == 0 ? 0 : -errno;
}

void laxity_keep_heap(void)
{
    /* NOLINTBEGIN(concurrency-mt-unsafe): called before the workload could start a thread */
    (void)mallopt(M_TRIM_THRESHOLD, -1);
    (void)mallopt(M_MMAP_MAX, 0);
    /* NOLINTEND(concurrency-mt-unsafe) */
}

void laxity_share_heap(void)
{
    (void)mallopt(M_ARENA_MAX, 1); /* NOLINT(concurrency-mt-unsafe): as above */
}

int laxity_touch_heap(size_t bytes)
{
    char *touched = malloc(bytes > 0 ? bytes : 1);
    if (!touched) {
        return -ENOMEM;
    }
    volatile char *heap = touched; /* or the compiler drops the stores */
    for (size_t i = 0; i < bytes; i += PAGE_BYTES) {
        heap[i] = 0;
    }
    free(touched);
    return 0;
}

/* The number after `key`, or the first one; UINT64_MAX = there is none. */
static uint64_t read_number(const char *directory, const char *file, const char *key)
{
    char path[PATH_MAX];
    char text[TEXT_BYTES];
    laxity_format(path, sizeof path, "%s/%s", directory, file);
    if (laxity_read_text(path, text, sizeof text)) {
        return UINT64_MAX;
    }
    const char *at = strstr(text, key);
    char *end = NULL;
    const char *digits = at ? at + strlen(key) : "";
    const unsigned long long number = strtoull(digits, &end, 10);
    return end == digits ? UINT64_MAX : number;
}

static uint64_t left_of_group(const char *directory, const struct group_files *files)
{
    const uint64_t limit = read_number(directory, files->limit, "");
    const uint64_t usage = read_number(directory, files->usage, "");
    uint64_t idle = read_number(directory, "memory.stat", files->idle);
    if (limit == UINT64_MAX || usage == UINT64_MAX) {
        return UINT64_MAX;
    }
    idle = idle == UINT64_MAX ? 0 : idle;
    const uint64_t used = usage > idle ? usage - idle : 0;
    return limit > used ? limit - used : 0;
}

/* Of a group and of all above it. In a container its path may be that outside: the mount point is
 * then the group itself. */
static uint64_t left_of_groups(const char *groups, char *path, const struct group_files *files)
{
    uint64_t least = UINT64_MAX;
    for (;;) {
        char directory[PATH_MAX];
        laxity_format(directory, sizeof directory, "%s%s%s", groups, files->folder, path);
        const uint64_t left = left_of_group(directory, files);
        least = left < least ? left : least;
        char *slash = strrchr(path, '/');
        if (!slash) {
            return least;
        }
        *slash = '\0';
    }
}

uint64_t laxity_available_bytes(const char *proc, const char *groups)
{
    static const struct group_files first = {
        "/memory", "memory.limit_in_bytes", "memory.usage_in_bytes", "total_inactive_file "
    };
    static const struct group_files second = {
        "", "memory.max", "memory.current", "\ninactive_file "
    };
    char path[PATH_MAX];
    char text[TEXT_BYTES];
    const uint64_t available_kib = read_number(proc, "meminfo", "MemAvailable:");
    uint64_t least = available_kib > UINT64_MAX / KIB ? UINT64_MAX : available_kib * KIB;
    laxity_format(path, sizeof path, "%s/self/cgroup", proc);
    if (laxity_read_text(path, text, sizeof text)) {
        return least;
    }
    char *rest = text;
    for (char *line = strsep(&rest, "\n"); line; line = strsep(&rest, "\n")) {
        /* NUMBER:CONTROLLERS:PATH; of the second version there are no controllers. */
        const char *number = strsep(&line, ":");
        const char *controllers = strsep(&line, ":");
        if (!number || !controllers || !line) {
            continue;
        }
        const bool is_first = strcmp(controllers, "memory") == 0;
        if (is_first || controllers[0] == '\0') {
            const uint64_t left = left_of_groups(groups, line, is_first ? &first : &second);
            least = left < least ? left : least;
        }
    }
    return least;
}

/* Recursion instead of alloca: the depth is bounded by `bytes`, and no frame is larger than a
 * chunk. */
__attribute__((noinline)) void laxity_touch_stack(size_t bytes) /* NOLINT(misc-no-recursion) */
{
    volatile char chunk[STACK_CHUNK_BYTES];
    for (size_t i = 0; i < sizeof chunk; i += PAGE_BYTES) {
        chunk[i] = 0;
    }
    if (bytes > sizeof chunk) {
        laxity_touch_stack(bytes - sizeof chunk);
    }
    /* Read after the call, or the compiler makes a loop that reuses one frame. */
    chunk[0] = chunk[sizeof chunk - 1];
}

size_t laxity_stack_limit(void)
{
    struct rlimit limit;
    if (getrlimit(RLIMIT_STACK, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) {
        return SIZE_MAX;
    }
    return limit.rlim_cur > STACK_RESERVE_BYTES ? (size_t)limit.rlim_cur - STACK_RESERVE_BYTES : 0;
}
