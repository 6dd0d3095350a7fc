/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
#include "sized.h"

/* NOLINTNEXTLINE(bugprone-suspicious-include): the test spoils the workload's state. */
#include "../../../workloads/jpeg/jpeg.c"

#include <stddef.h>
#include <stdlib.h>
static void clean_up(void)
{
    jpeg_destroy_compress(&jpeg.compress);
    jpeg_destroy_decompress(&jpeg.decompress);
    free(jpeg.frame);
}

static bool is_caught(void (*const check)(void))
{
    if (setjmp(driver.after_failure) != 0) {
        return true;
    }
    check();
    return false;
}

static void frame_that_is_off_by_more_than_30_db_is_noticed(void)
{
    CHECK_EQUAL(INIT("small"), 0);
    CHECK(!job_fails());
    /* 30 dB: a mean squared error of 255^2 / 1000 = 65.025, as of errors of 8, not of 9. */
    for (size_t i = 0; i < jpeg.bytes; i++) {
        jpeg.decoded[i] = (unsigned char)(jpeg.frame[i] ^ 8);
    }
    CHECK(!is_caught(compare));
    for (size_t i = 0; i < jpeg.bytes; i++) {
        jpeg.decoded[i] =
            (unsigned char)(jpeg.frame[i] < 128 ? jpeg.frame[i] + 9 : jpeg.frame[i] - 9);
    }
    CHECK(is_caught(compare));
    check_jobs_succeed(1);
}

static void decode_nothing(void)
{
    jpeg.encoded[0] = 0;
    decode(100);
}

static void error_of_the_library_fails_the_job(void)
{
    CHECK_EQUAL(INIT("small"), 0);
    CHECK(!job_fails());
    CHECK(is_caught(decode_nothing));
    CHECK_TEXT(driver.reason, "jpeg: Not a JPEG file: starts with 0x00 0xd8");
    clean_up();
}

static void changed_pixel_fails_the_next_job(void)
{
    CHECK_EQUAL(INIT("small"), 0);
    CHECK(!job_fails());
    jpeg.frame[1000] ^= 0x40;
    CHECK(job_fails());
    clean_up();
}

int main(void)
{
    RUN(frame_that_is_off_by_more_than_30_db_is_noticed);
    RUN(error_of_the_library_fails_the_job);
    RUN(changed_pixel_fails_the_next_job);
    run_sized_tests("jpeg", &jpeg.outcome, DIGEST_OF_LIBRARY);
    return test_exit_code();
}
