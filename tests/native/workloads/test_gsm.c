/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
#include "sized.h"

/* NOLINTNEXTLINE(bugprone-suspicious-include): the test spoils the workload's state. */
#include "../../../workloads/gsm/gsm.c"

#include <stddef.h>
#include <stdlib.h>
static bool is_caught(void (*const check)(void))
{
    if (setjmp(driver.after_failure) != 0) {
        return true;
    }
    check();
    return false;
}

static void sound_that_is_another_is_noticed(void)
{
    CHECK_EQUAL(INIT("small"), 0);
    CHECK(!job_fails());
    CHECK(!is_caught(compare));
    for (size_t i = 0; i < sound.frame_count * FRAME_SAMPLES; i++) {
        sound.decoded[i] = 0;
    }
    CHECK(is_caught(compare));
    free(sound.samples);
}

static void frame_that_is_none_is_noticed(void)
{
    CHECK_EQUAL(INIT("small"), 0);
    /* All 0, as allocated: a frame begins with the bits 1101. */
    CHECK(is_caught(decode));
    CHECK_TEXT(driver.reason, "gsm: frame 0 is no frame of GSM 06.10");
    check_jobs_succeed(1);
}

static void changed_sample_fails_the_next_job(void)
{
    CHECK_EQUAL(INIT("small"), 0);
    CHECK(!job_fails());
    sound.samples[4000] = (int16_t)(sound.samples[4000] / 2 + 5000);
    CHECK(job_fails());
    free(sound.samples);
}

int main(void)
{
    RUN(sound_that_is_another_is_noticed);
    RUN(frame_that_is_none_is_noticed);
    RUN(changed_sample_fails_the_next_job);
    run_sized_tests("gsm", &sound.outcome, DIGEST_OF_LIBRARY);
    return test_exit_code();
}
