/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
#include "harness/memory_limit.h"

#include "base/error.h"
#include "base/memory_account.h"
#include "base/port/allocator.h"
#include "harness/segment.h"

#include <stddef.h>
#include <stdint.h>
#include <unistd.h>

enum {
    SIZE_BYTES = 32,
    KIB = 1024
};

/* The allocator has no argument that could lead it there. */
static struct laxity_task *counted_task;

/* Exact, in the largest unit that is: 65536 is "64 KiB", 65537 is "65537 B". */
static void format_size(size_t bytes, char *text)
{
    static const char *const units[] = {"B", "KiB", "MiB", "GiB"};
    size_t unit = 0;
    while (bytes != 0 && bytes % KIB == 0 && unit + 1 < sizeof units / sizeof units[0]) {
        bytes /= KIB;
        unit++;
    }
    laxity_format(text, SIZE_BYTES, "%zu %s", bytes, units[unit]);
}

static void end_process(const struct laxity_memory_excess *excess)
{
    char request[SIZE_BYTES];
    char limit[SIZE_BYTES];
    char in_use[SIZE_BYTES];
    format_size(excess->request_bytes, request);
    format_size(excess->limit_bytes, limit);
    format_size(excess->in_use_bytes, in_use);
    laxity_error_set(
        &counted_task->state.process.error,
        LAXITY_EXIT_VIOLATED,
        "%s of %s exceeds its memory limit of %s (%s in use)",
        excess->call,
        request,
        limit,
        in_use
    );
    _exit(LAXITY_EXIT_VIOLATED);
}

int laxity_memory_limit_begin(struct laxity_task *task)
{
    const uint64_t limit_bytes = task->config.memory_limit_bytes;
    struct laxity_memory_account *account = &task->state.memory;
    account->limit_bytes = LAXITY_MEMORY_UNLIMITED;
    if (limit_bytes != 0 && limit_bytes < LAXITY_MEMORY_UNLIMITED) {
        account->limit_bytes = (size_t)limit_bytes;
    }
    counted_task = task;
    if (laxity_allocator_count(account, end_process) && limit_bytes != 0) {
        laxity_error_set(
            &task->state.process.error,
            LAXITY_EXIT_LACKING,
            "task \"%s\": cannot hold a memory limit: a sanitizer or debugger has its own "
            "allocator in this process; leave the limit out, or them",
            task->config.process.name
        );
        return -1;
    }
    return 0;
}

void laxity_memory_limit_end(void)
{
    (void)laxity_allocator_count(NULL, NULL);
}
