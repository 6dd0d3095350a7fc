/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
#include "harness/memory_limit.h"

#include "base/error.h"
#include "base/memory_account.h"
#include "base/port/allocator.h"
#include "harness/segment.h"

#include <laxity/units.h>

#include <stddef.h>
#include <stdint.h>
#include <unistd.h>

/* The allocator has no argument that could lead it there. */
static struct laxity_task *counted_task;

static void end_process(const struct laxity_memory_excess *excess)
{
    char request[LAXITY_BYTES_TEXT_BYTES];
    char limit[LAXITY_BYTES_TEXT_BYTES];
    char in_use[LAXITY_BYTES_TEXT_BYTES];
    laxity_error_set(
        &counted_task->state.process.error,
        LAXITY_EXIT_VIOLATED,
        "%s of %s exceeds its memory limit of %s (%s in use)",
        excess->call,
        laxity_format_bytes(excess->request_bytes, request),
        laxity_format_bytes(excess->limit_bytes, limit),
        laxity_format_bytes(excess->in_use_bytes, in_use)
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
        return laxity_refuse(
            &task->state.process.error,
            LAXITY_EXIT_LACKING,
            "task \"%s\": cannot hold a memory limit: a sanitizer or debugger has its own "
            "allocator in this process; leave the limit out, or them",
            task->config.process.name
        );
    }
    return 0;
}

void laxity_memory_limit_end(void)
{
    (void)laxity_allocator_count(NULL, NULL);
}
