/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
#include "vision.h"

/* NOLINTNEXTLINE(bugprone-suspicious-include): the test spoils the workload's state. */
#include "../../../workloads/localization/localization.c"

#include <stddef.h>
#include <stdint.h>
#include <string.h>

static void jobs_succeed_for_many_seeds(void)
{
    check_seeds_succeed("sim_fast", 30);
    check_seeds_succeed("sim", 10);
    check_seeds_succeed("sqcif", 5);
}

static void digest_follows_from_seed_and_size(void)
{
    check_digest_follows_from_seed(&localization.outcome, 0x421868da);
}

/* 1 m to the east, a quarter turn to the left, 2 m to the north. */
static void robot_drives_where_it_is_headed(void)
{
    struct pose pose = {{0, 0}, 0};

    drive(&pose, 0, METRE);
    CHECK_EQUAL(pose.position.x, METRE);
    CHECK_EQUAL(pose.position.y, 0);
    drive(&pose, QUARTER_TURN, 2 * METRE);
    CHECK_EQUAL(pose.position.x, METRE);
    CHECK_EQUAL(pose.position.y, 2 * METRE);
    CHECK_EQUAL(pose.heading, QUARTER_TURN);
}

/* With weights 1/2, 0, 1/4, 1/4, and so on, a particle gets its share, rounded up or down. */
static void resampling_follows_the_weights(void)
{
    uint64_t random = 3;
    size_t taken[4] = {0, 0, 0, 0};

    CHECK_EQUAL(INIT("sim_fast"), 0);
    memset(localization.weights_q16, 0, localization.particle_count * sizeof(uint32_t));
    localization.weights_q16[0] = 500;
    localization.weights_q16[2] = 250;
    localization.weights_q16[3] = 250;
    for (size_t i = 0; i < localization.particle_count; i++) {
        localization.particles[i].position.x = (int32_t)i;
    }
    resample_particles(1000, &random);
    for (size_t i = 0; i < localization.particle_count; i++) {
        taken[localization.particles[i].position.x % 4]++;
    }
    CHECK_EQUAL(localization.particle_count, 64);
    CHECK_EQUAL(taken[0], 32);
    CHECK_EQUAL(taken[1], 0);
    CHECK_EQUAL(taken[2], 16);
    CHECK_EQUAL(taken[3], 16);
    free_memory();
}

static void job_does_not_see_what_the_last_one_left(void)
{
    CHECK_EQUAL(INIT("sim_fast"), 0);
    memset(localization.particles, 0x55, localization.particle_count * sizeof(struct pose));
    memset(localization.resampled, 0x55, localization.particle_count * sizeof(struct pose));
    memset(localization.weights_q16, 0x55, localization.particle_count * sizeof(uint32_t));
    memset(localization.misfits_q16, 0x55, localization.particle_count * sizeof(uint64_t));
    memset(localization.found, 0x55, sizeof localization.found);
    check_jobs_succeed(1);
}

static void changed_input_fails_the_job(void)
{
    CHECK_EQUAL(INIT("sim_fast"), 0);
    localization.perceived[3].ranges[0] += METRE;
    check_job_fails_with_other_digest("localization");
    free_memory();
}

static void far_robot_fails_the_teardown(void)
{
    CHECK_EQUAL(INIT("sim_fast"), 0);
    for (size_t step = 0; step < STEP_COUNT; step++) {
        localization.found[step] = localization.path[step];
        localization.found[step].x += 3 * METRE;
    }
    CHECK(teardown_fails());
    CHECK_TEXT(
        driver.reason,
        "localization: the robot was found 300 cm away from its path, expected at most 200"
    );
    free_memory();
}

static void bad_arguments_are_refused_with_what_to_write(void)
{
    check_bad_words_are_refused("localization");
}

int main(void)
{
    RUN(jobs_succeed_for_many_seeds);
    RUN(digest_follows_from_seed_and_size);
    RUN(robot_drives_where_it_is_headed);
    RUN(resampling_follows_the_weights);
    RUN(job_does_not_see_what_the_last_one_left);
    RUN(changed_input_fails_the_job);
    RUN(far_robot_fails_the_teardown);
    RUN(bad_arguments_are_refused_with_what_to_write);
    return test_exit_code();
}
