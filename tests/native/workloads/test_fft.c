/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
#include "sized.h"

/* NOLINTNEXTLINE(bugprone-suspicious-include): the test spoils the workload's state. */
#include "../../../workloads/fft/fft.c"

#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

static void clear_work(void)
{
    for (size_t i = 0; i < fft.count; i++) {
        fft.work[i] = (struct complex_value){0, 0};
    }
}

static void spectrum_of_an_impulse_is_flat(void)
{
    CHECK_EQUAL(INIT("small"), 0);
    clear_work();
    fft.work[0].real = 1000;
    transform(fft.work, fft.count, false);
    for (size_t i = 0; i < fft.count; i++) {
        CHECK_EQUAL(fft.work[i].real, 1000);
        CHECK_EQUAL(fft.work[i].imaginary, 0);
    }
    check_jobs_succeed(0);
}

/* cos(2 pi 5 n / 1024) gives 1024 / 2 at 5 and 1024 - 5. A sample's rounding, 1/2 at most, and the
 * products' are at most a few times the root of 1024. */
static void spectrum_of_a_tone_has_two_lines(void)
{
    CHECK_EQUAL(INIT("small"), 0);
    for (size_t i = 0; i < fft.count; i++) {
        fft.work[i].real = workload_sine((uint32_t)(i * 5 << 22) + WORKLOAD_QUARTER_TURN) >> 18;
        fft.work[i].imaginary = 0;
    }
    transform(fft.work, fft.count, false);
    for (size_t i = 0; i < fft.count; i++) {
        /* 2^12 * 512 = 2^21; rounding down makes a line of 1/2 * 1024 at 0. */
        const int32_t expected = i == 5 || i == 1019 ? 1 << 21 : 0;

        CHECK(abs(fft.work[i].real - expected) < 700);
        CHECK(abs(fft.work[i].imaginary) < 200);
    }
    check_jobs_succeed(0);
}

static void sines_are_those_of_known_angles(void)
{
    static const int64_t one = INT64_C(1) << 30;

    CHECK_EQUAL(workload_sine(0), 0);
    CHECK_EQUAL(workload_sine(UINT32_C(1) << 31), 0);
    CHECK(llabs(workload_sine(WORKLOAD_QUARTER_TURN) - one) <= 4);
    CHECK(llabs(workload_sine(3 * WORKLOAD_QUARTER_TURN) + one) <= 4);
    /* sin 30 degrees = 1/2, sin 45 degrees = 0.70710678118 */
    CHECK(llabs(workload_sine(357913941) - one / 2) <= 5);
    CHECK(llabs(workload_sine(WORKLOAD_QUARTER_TURN / 2) - 759250125) <= 4);
}

static void changed_factor_fails_the_job(void)
{
    CHECK_EQUAL(INIT("small"), 0);
    fft.factors[3].real = 0;
    CHECK(job_fails());
    free(fft.signal);
}

static void changed_sample_fails_the_next_job(void)
{
    CHECK_EQUAL(INIT("small"), 0);
    CHECK(!job_fails());
    fft.signal[1023].imaginary ^= 1;
    CHECK(job_fails());
    free(fft.signal);
}

static bool is_caught(void (*const check)(void))
{
    if (setjmp(driver.after_failure) != 0) {
        return true;
    }
    check();
    return false;
}

static void both_checks_notice_a_wrong_result(void)
{
    CHECK_EQUAL(INIT("small"), 0);
    CHECK(!job_fails());
    CHECK(!is_caught(check_signal));
    fft.work[17].real += 2 * ERROR_LIMIT + 1;
    CHECK(is_caught(check_signal));
    memcpy(fft.work, fft.signal, fft.count * sizeof *fft.work);
    transform(fft.work, fft.count, false);
    CHECK(!is_caught(check_power));
    /* The largest line holds at least the mean power, 1/1024 of all. */
    for (size_t i = 0; i < 8; i++) {
        fft.work[i] = (struct complex_value){0, 0};
    }
    CHECK(is_caught(check_power));
    check_jobs_succeed(0);
}

int main(void)
{
    RUN(spectrum_of_an_impulse_is_flat);
    RUN(spectrum_of_a_tone_has_two_lines);
    RUN(sines_are_those_of_known_angles);
    RUN(changed_factor_fails_the_job);
    RUN(changed_sample_fails_the_next_job);
    RUN(both_checks_notice_a_wrong_result);
    run_sized_tests("fft", &fft.outcome, 0xb5408638);
    return test_exit_code();
}
