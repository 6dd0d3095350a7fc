/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
#include "../../../workloads/common/adpcm.h"
#include "sized.h"

/* NOLINTNEXTLINE(bugprone-suspicious-include): the test spoils the workload's state. */
#include "../../../workloads/adpcm_decode/adpcm_decode.c"

#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

static void samples_are_those_of_a_calculation_by_hand(void)
{
    /* Code 7 with step 7: 0 + 7 + 3 + 1 = 11, the step becomes 16 (index 8). Code 8 + 5: down by 2
     * + 16 + 4. */
    static const uint8_t codes[] = {0xd7};
    int16_t samples[2];

    workload_adpcm_decode(codes, 2, samples);
    CHECK_EQUAL(samples[0], 11);
    CHECK_EQUAL(samples[1], -11);
}

static void changed_sample_fails_the_teardown(void)
{
    CHECK_EQUAL(INIT("small"), 0);
    CHECK(!job_fails());
    decode.decoded[3000] = (int16_t)~decode.decoded[3000];
    CHECK(teardown_fails());
    free(decode.samples);
}

static void other_signal_fails_the_teardown(void)
{
    CHECK_EQUAL(INIT("small"), 0);
    CHECK(!job_fails());
    workload_adpcm_make_signal(decode.samples, decode.count, 2);
    CHECK(teardown_fails());
    free(decode.samples);
}

static void changed_code_fails_the_next_job(void)
{
    CHECK_EQUAL(INIT("small"), 0);
    CHECK(!job_fails());
    decode.codes[1999] ^= 0x10;
    CHECK(job_fails());
    free(decode.samples);
}

int main(void)
{
    RUN(samples_are_those_of_a_calculation_by_hand);
    RUN(changed_sample_fails_the_teardown);
    RUN(other_signal_fails_the_teardown);
    RUN(changed_code_fails_the_next_job);
    run_sized_tests("adpcm_decode", &decode.outcome, 0x425b9afc);
    return test_exit_code();
}
