/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
#include "driver.h"

/* NOLINTNEXTLINE(bugprone-suspicious-include): the test spoils the workload's state. */
#include "../../../workloads/mem/mem.c"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

static void jobs_succeed_from_the_smallest_size_on(void)
{
    CHECK_EQUAL(INIT("32B"), 0);
    check_jobs_succeed(3);
    CHECK_EQUAL(INIT("2KiB"), 0);
    check_jobs_succeed(300); /* more than 256: the pass number wraps round */
    CHECK_EQUAL(INIT("786KiB", "3"), 0);
    check_jobs_succeed(5);
    CHECK_EQUAL(INIT("64KiB"), 0);
    check_jobs_succeed(0);
}

static void each_step_reads_a_byte_and_writes_the_next(void)
{
    CHECK_EQUAL(INIT("128B", "2"), 0);
    CHECK(!job_fails());
    /* Initial bytes 0 1 2 3, two passes: 2 3 4 5 beside them; nothing else is touched. */
    for (size_t step = 0; step < 4; step++) {
        CHECK_EQUAL(mem.working_set[32 * step], step);
        CHECK_EQUAL(mem.working_set[32 * step + 1], step + 2);
        CHECK_EQUAL(mem.working_set[32 * step + 2], 0);
        CHECK_EQUAL(mem.working_set[32 * step + 31], 0);
    }
    CHECK(!teardown_fails());
}

static void changed_byte_fails_the_job_or_the_teardown(void)
{
    CHECK_EQUAL(INIT("2KiB"), 0);
    mem.working_set[2048 - 32]++;
    CHECK(job_fails());
    CHECK_TEXT(driver.reason, "mem: byte 2016 of the working set is 64, expected 63");
    mem.working_set[2048 - 32]--;
    CHECK(!job_fails());
    mem.working_set[64]++;
    CHECK(!job_fails());
    CHECK(teardown_fails());
    free(mem.working_set);
}

static void lost_pass_fails_the_job(void)
{
    CHECK_EQUAL(INIT("2KiB"), 0);
    CHECK(!job_fails());
    mem.pass_number++;
    CHECK(teardown_fails());
    CHECK_TEXT(driver.reason, "mem: byte 1 of the working set is 1, expected 2");
    free(mem.working_set);
}

static void bad_arguments_are_refused_with_what_to_write(void)
{
    CHECK(init_without_words() < 0);
    CHECK_TEXT(driver.init_stderr, "mem: takes SIZE [PASSES], got 0 words; add what is missing\n");
    CHECK(INIT("65536") < 0);
    CHECK_TEXT(
        driver.init_stderr,
        "mem: SIZE \"65536\": is no size in whole bytes; write a number and its unit, such as "
        "64KiB\n"
    );
    CHECK(INIT("31B") < 0);
    CHECK_TEXT(driver.init_stderr, "mem: SIZE \"31B\": is less than 32B; ask for more\n");
    CHECK(INIT("1000B") < 0);
    CHECK_TEXT(driver.init_stderr, "mem: SIZE \"1000B\": is no multiple of 32B; write 992B\n");
    CHECK(INIT("99999999TiB") < 0);
    CHECK_TEXT(
        driver.init_stderr, "mem: SIZE \"99999999TiB\": is more than any memory; ask for less\n"
    );
}

static void bad_pass_counts_are_refused_with_what_to_write(void)
{
    CHECK(INIT("64KiB", "0") < 0);
    CHECK_TEXT(
        driver.init_stderr,
        "mem: PASSES \"0\": is out of bounds; write a number from 1 to 1000000\n"
    );
    CHECK(INIT("64KiB", "1", "2") < 0);
    CHECK_TEXT(
        driver.init_stderr, "mem: takes SIZE [PASSES], got one word more, \"2\"; leave it out\n"
    );
}

static void size_beyond_the_address_space_is_refused(void)
{
    /* 8 EiB: fits size_t where that has 64 bits, but no address space. AddressSanitizer prints a
     * warning of its own before ours. */
    const char *const refusal =
        sizeof(size_t) == sizeof(uint64_t)
            ? "mem: allocating 8388608TiB: there is no such memory; ask for less\n"
            : "mem: SIZE \"8388608TiB\": is more than any memory; ask for less\n";
    CHECK(INIT("8388608TiB") < 0);
    CHECK(strstr(driver.init_stderr, refusal) != NULL);
}

int main(void)
{
    RUN(jobs_succeed_from_the_smallest_size_on);
    RUN(each_step_reads_a_byte_and_writes_the_next);
    RUN(changed_byte_fails_the_job_or_the_teardown);
    RUN(lost_pass_fails_the_job);
    RUN(bad_arguments_are_refused_with_what_to_write);
    RUN(bad_pass_counts_are_refused_with_what_to_write);
    RUN(size_beyond_the_address_space_is_refused);
    return test_exit_code();
}
