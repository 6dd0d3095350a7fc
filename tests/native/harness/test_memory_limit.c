/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
/* What the harness makes of the allocator's word; the allocator itself is made up here. */
#include "../test.h"
#include "base/memory_account.h"
#include "base/port/allocator.h"
#include "harness/memory_limit.h"
#include "harness/segment.h"

#include <errno.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <unistd.h>

static int count_status;
static void (*exceed)(const struct laxity_memory_excess *);

int laxity_allocator_count(
    struct laxity_memory_account *account, void (*on_exceeded)(const struct laxity_memory_excess *)
)
{
    (void)account;
    exceed = on_exceeded;
    return count_status;
}

/* Shared with a child, as the segment is with a task. */
static struct laxity_task *fresh_task(uint64_t limit_bytes)
{
    static struct laxity_task *task;
    if (!task) {
        task = mmap(NULL, sizeof *task, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    }
    memset(task, 0, sizeof *task);
    task->config.memory_limit_bytes = limit_bytes;
    (void)snprintf(task->config.process.name, sizeof task->config.process.name, "t");
    return task;
}

static void without_a_limit_it_is_no_failure_that_nothing_can_be_counted(void)
{
    count_status = -ENOTSUP;
    struct laxity_task *task = fresh_task(0);
    CHECK_EQUAL(laxity_memory_limit_begin(task), 0);
    CHECK_EQUAL(task->state.memory.is_counted, 0);
    CHECK_EQUAL(task->state.process.error.exit_code, 0);
}

static void limit_that_cannot_be_held_is_refused_with_exit_code_3(void)
{
    count_status = -ENOTSUP;
    struct laxity_task *task = fresh_task(1);
    CHECK_EQUAL(laxity_memory_limit_begin(task), -1);
    CHECK_EQUAL(task->state.process.error.exit_code, 3);
    CHECK(strstr(task->state.process.error.text, "task \"t\": cannot hold a memory limit"));
}

static void limit_of_no_bytes_is_none(void)
{
    count_status = 0;
    struct laxity_task *task = fresh_task(0);
    CHECK_EQUAL(laxity_memory_limit_begin(task), 0);
    CHECK(task->state.memory.limit_bytes == LAXITY_MEMORY_UNLIMITED);
    task = fresh_task(4096);
    CHECK_EQUAL(laxity_memory_limit_begin(task), 0);
    CHECK_EQUAL(task->state.memory.limit_bytes, 4096);
}

static void check_words(size_t request, size_t limit, size_t in_use, const char *words)
{
    count_status = 0;
    struct laxity_task *task = fresh_task(limit);
    CHECK_EQUAL(laxity_memory_limit_begin(task), 0);
    const pid_t pid = fork();
    if (pid == 0) {
        exceed(&(struct laxity_memory_excess){"calloc", request, in_use, limit});
        _exit(0);
    }
    int status = 0;
    (void)waitpid(pid, &status, 0);
    CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 1);
    CHECK_EQUAL(task->state.process.error.exit_code, 1);
    CHECK_TEXT(task->state.process.error.text, words);
}

static void sizes_are_told_exactly_in_the_largest_unit_that_can(void)
{
    check_words(
        64 << 20,
        1 << 20,
        12 << 10,
        "calloc of 64MiB exceeds its memory limit of 1MiB (12KiB in use)"
    );
    check_words(1025, 1000, 0, "calloc of 1025B exceeds its memory limit of 1000B (0B in use)");
    /* 1536 KiB = 1.5 MiB */
    check_words(
        1536 << 10,
        1 << 30,
        (1 << 30) - 1,
        "calloc of 1536KiB exceeds its memory limit of 1GiB (1073741823B in use)"
    );
}

int main(void)
{
    RUN(without_a_limit_it_is_no_failure_that_nothing_can_be_counted);
    RUN(limit_that_cannot_be_held_is_refused_with_exit_code_3);
    RUN(limit_of_no_bytes_is_none);
    RUN(sizes_are_told_exactly_in_the_largest_unit_that_can);
    return test_exit_code();
}
