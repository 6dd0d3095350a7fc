/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
#include "../../../workloads/common/adpcm.h"
#include "sized.h"

/* NOLINTNEXTLINE(bugprone-suspicious-include): the test spoils the workload's state. */
#include "../../../workloads/adpcm_encode/adpcm_encode.c"

#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

static void codes_are_those_of_a_calculation_by_hand(void)
{
    /* From 0 with step 7: 20 is more than 7 + 3 + 1, code 7, and follows as 0 + 7 + 3 + 1 = 11; the
     * step's index goes to 8, step 16. -9 is 20 below: sign, one step (rest 4), no half, a quarter
     * (4 >= 4): code 8 + 5. */
    static const int16_t samples[] = {20, -9};
    uint8_t codes[1];

    workload_adpcm_encode(samples, 2, codes);
    CHECK_EQUAL(codes[0], 0xd7);
}

static void changed_code_fails_the_teardown(void)
{
    CHECK_EQUAL(INIT("small"), 0);
    CHECK(!job_fails());
    encode.codes[100] ^= 0x08;
    CHECK(teardown_fails());
    free(encode.samples);
}

static void changed_sample_fails_the_next_job(void)
{
    CHECK_EQUAL(INIT("small"), 0);
    CHECK(!job_fails());
    encode.samples[1000] = (int16_t)(encode.samples[1000] / 2 + 5000);
    CHECK(job_fails());
    free(encode.samples);
}

int main(void)
{
    RUN(codes_are_those_of_a_calculation_by_hand);
    RUN(changed_code_fails_the_teardown);
    RUN(changed_sample_fails_the_next_job);
    run_sized_tests("adpcm_encode", &encode.outcome, 0xe94883ca);
    return test_exit_code();
}
