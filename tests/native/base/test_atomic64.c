/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
/*
 * A 64-bit value between processes. Built a second time with LAXITY_ATOMIC64_IS_SPLIT=1, so that
 * the way of 32-bit processors is tested on every machine.
 */
#include "../test.h"
#include "base/port/atomic64.h"

#include <inttypes.h>
#include <signal.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <unistd.h>

enum {
    READINGS = 200000,
    KILLS = 50,
    READINGS_PER_KILL = 1000
};

static struct laxity_atomic64 *map_shared(void)
{
    void *base = mmap(
        NULL,
        sizeof(struct laxity_atomic64),
        PROT_READ | PROT_WRITE,
        MAP_SHARED | MAP_ANONYMOUS,
        -1,
        0
    );
    if (base == MAP_FAILED) {
        abort();
    }
    return base;
}

/* Upper and lower half are equal, so that a mixture of two values shows. */
static uint64_t doubled(uint32_t half)
{
    return (uint64_t)half << 32 | half;
}

static pid_t start_writer(struct laxity_atomic64 *shared)
{
    const pid_t pid = fork();
    if (pid == 0) {
        (void)prctl(PR_SET_PDEATHSIG, SIGKILL);
        const uint32_t first = (uint32_t)laxity_atomic64_load(shared);
        for (uint32_t half = first + 1;; half++) {
            laxity_atomic64_store(shared, doubled(half));
        }
    }
    return pid;
}

static void stop_writer(pid_t pid)
{
    (void)kill(pid, SIGKILL);
    CHECK_EQUAL(waitpid(pid, NULL, 0), pid);
}

/* Readings must be whole and never go back. */
static uint32_t check_readings(const struct laxity_atomic64 *shared, uint32_t last, int readings)
{
    for (int i = 0; i < readings; i++) {
        const uint64_t value = laxity_atomic64_load(shared);
        const uint32_t half = (uint32_t)value;
        if (value != doubled(half) || half < last) {
            test_fail(__FILE__, __LINE__, "read %" PRIx64 " after %" PRIx32, value, last);
            return half;
        }
        last = half;
    }
    return last;
}

static void zeroed_memory_holds_zero(void)
{
    const struct laxity_atomic64 fresh = {0};
    CHECK_EQUAL(laxity_atomic64_load(&fresh), 0);
    CHECK_EQUAL(laxity_atomic64_load_ns(&fresh), 0);
}

static void what_is_stored_is_loaded(void)
{
    struct laxity_atomic64 shared = {0};
    const uint64_t values[] = {
        1, UINT32_MAX, UINT64_C(1) << 32, UINT64_C(0x0123456789abcdef), UINT64_MAX, 0
    };
    for (size_t i = 0; i < sizeof values / sizeof values[0]; i++) {
        laxity_atomic64_store(&shared, values[i]);
        CHECK(laxity_atomic64_load(&shared) == values[i]);
    }
    laxity_atomic64_store_ns(&shared, INT64_MIN);
    CHECK(laxity_atomic64_load_ns(&shared) == INT64_MIN);
    laxity_atomic64_store_ns(&shared, -1);
    CHECK_EQUAL(laxity_atomic64_load_ns(&shared), -1);
}

static void increment_carries_into_the_upper_half(void)
{
    struct laxity_atomic64 shared = {0};
    laxity_atomic64_store(&shared, UINT32_MAX);
    laxity_atomic64_increment(&shared);
    CHECK_EQUAL(laxity_atomic64_load(&shared), INT64_C(0x100000000));
    laxity_atomic64_increment(&shared);
    CHECK_EQUAL(laxity_atomic64_load(&shared), INT64_C(0x100000001));
}

static void other_process_never_reads_half_a_value(void)
{
    struct laxity_atomic64 *shared = map_shared();
    const pid_t writer = start_writer(shared);
    (void)check_readings(shared, 0, READINGS);
    stop_writer(writer);
    CHECK_EQUAL(munmap(shared, sizeof *shared), 0);
}

static void writer_killed_at_any_point_leaves_a_whole_value(void)
{
    struct laxity_atomic64 *shared = map_shared();
    uint32_t last = 0;
    for (int i = 0; i < KILLS; i++) {
        const pid_t writer = start_writer(shared);
        last = check_readings(shared, last, READINGS_PER_KILL);
        stop_writer(writer);
        last = check_readings(shared, last, 2);
    }
    CHECK_EQUAL(munmap(shared, sizeof *shared), 0);
}

#if LAXITY_ATOMIC64_IS_SPLIT
/* The same without chance: the memory as the writer leaves it when it dies before its last store.
 */
static void store_counts_only_once_the_version_names_it(void)
{
    struct laxity_atomic64 shared = {0};
    laxity_atomic64_store(&shared, doubled(7));
    struct laxity_atomic64 torn = shared;
    laxity_atomic64_store(&torn, doubled(8));
    torn.version = shared.version;
    CHECK_EQUAL(laxity_atomic64_load(&torn), (int64_t)doubled(7));
    /* Whoever goes on after the dead writer does not build on what it left. */
    laxity_atomic64_store(&torn, doubled(9));
    CHECK_EQUAL(laxity_atomic64_load(&torn), (int64_t)doubled(9));
}

static void version_may_wrap_round(void)
{
    struct laxity_atomic64 shared = {.version = UINT32_MAX};
    laxity_atomic64_store(&shared, doubled(5));
    CHECK_EQUAL(shared.version, 0);
    CHECK_EQUAL(laxity_atomic64_load(&shared), (int64_t)doubled(5));
}
#endif

int main(void)
{
    RUN(zeroed_memory_holds_zero);
    RUN(what_is_stored_is_loaded);
    RUN(increment_carries_into_the_upper_half);
    RUN(other_process_never_reads_half_a_value);
    RUN(writer_killed_at_any_point_leaves_a_whole_value);
#if LAXITY_ATOMIC64_IS_SPLIT
    RUN(store_counts_only_once_the_version_names_it);
    RUN(version_may_wrap_round);
#endif
    return test_exit_code();
}
