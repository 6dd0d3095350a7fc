/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
/*
 * localization [SIZE_NAME]: where a robot is, from what it believes to have driven and how far away
 * it sees its landmarks.
 *
 * A particle filter. Sources: Dellaert, Fox, Burgard and Thrun, "Monte Carlo localization for
 * mobile robots", ICRA 1999; Thrun, Burgard and Fox, "Probabilistic robotics", MIT Press 2005,
 * tables 4.4 (low variance resampling) and 8.2.
 *
 * The drive is known, and what the robot perceives of it is wrong by a known amount.
 */
#include "../common/arguments.h"
#include "../common/fixed.h"
#include "../common/image.h"
#include "../common/outcome.h"

#include <laxity/hooks.h>

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

/* Lengths have 8 bits after the point of a metre. */
enum {
    METRE = 256,
    STEP_COUNT = 24,
    STEP_LENGTH = METRE,
    LANDMARK_COUNT = 8,
    LANDMARK_DISTANCE = 24 * METRE, /* between those of a square of 3 x 3 without the middle */
    LANDMARK_JITTER = 6 * METRE,
    /* Beyond this distance from the middle the robot turns back. */
    DRIVE_RADIUS = 16 * METRE,
    SHARPEST_TURN = 1 << 11, /* 1/32 turn per step */
    /* Standard deviations of what the robot perceives. */
    LENGTH_ERROR = METRE / 20,
    TURN_ERROR = 1 << 7, /* 1/512 turn */
    RANGE_ERROR = METRE / 2,
    /* And of what the particles assume: larger, so that few of them suffice (Thrun et al., section
     * 8.3.5). */
    ASSUMED_LENGTH_ERROR = METRE / 4,
    ASSUMED_TURN_ERROR = 1 << 9,
    TWICE_ASSUMED_RANGE_VARIANCE = 2, /* square metres: a deviation of 1 m */
    /* The robot knows at first where it is within this, and its direction within a sixteenth. */
    START_RADIUS = 6 * METRE,
    START_TURN = 1 << 12,
    /* Of the mean error over the second half of the drive. */
    HIGHEST_ERROR = 2 * METRE
};

static const size_t particle_counts[WORKLOAD_SCALE_COUNT] = {64, 96, 128, 256, 512, 2048, 8192};

struct position {
    int32_t x, y;
};

struct pose {
    struct position position;
    uint16_t heading;
};

struct perception {
    int32_t length; /* driven */
    int32_t turn;   /* before */
    int32_t ranges[LANDMARK_COUNT];
};

static struct {
    struct workload_outcome outcome;
    struct position landmarks[LANDMARK_COUNT];
    struct pose start;
    struct position path[STEP_COUNT]; /* the truth */
    struct perception perceived[STEP_COUNT];
    uint64_t seed; /* of every job's random numbers */
    size_t particle_count;
    struct pose *particles;
    struct pose *resampled;
    uint64_t *misfits_q16; /* minus the logarithm of a particle's likelihood */
    uint32_t *weights_q16;
    struct position found[STEP_COUNT]; /* the job's result */
} localization;

/* A normal number with that standard deviation. */
static int32_t random_error(uint64_t *const random, const int32_t deviation)
{
    return workload_random_normal_q12(random) * deviation / 4096;
}

static void drive(struct pose *const pose, const int32_t turn, const int32_t length)
{
    int32_t direction[2];

    pose->heading = (uint16_t)(pose->heading + turn);
    workload_cos_sin_q14(pose->heading, direction);
    pose->position.x += length * direction[0] / Q14_ONE;
    pose->position.y += length * direction[1] / Q14_ONE;
}

static int32_t distance(const struct position a, const struct position b)
{
    const int64_t x = (int64_t)a.x - b.x;
    const int64_t y = (int64_t)a.y - b.y;

    return (int32_t)workload_square_root((uint64_t)(x * x + y * y));
}

static void scatter_particles(uint64_t *const random)
{
    for (size_t i = 0; i < localization.particle_count; i++) {
        struct pose *const particle = &localization.particles[i];

        particle->position.x = localization.start.position.x +
                               workload_random_between(random, -START_RADIUS, START_RADIUS);
        particle->position.y = localization.start.position.y +
                               workload_random_between(random, -START_RADIUS, START_RADIUS);
        particle->heading = (uint16_t)(localization.start.heading +
                                       workload_random_between(random, -START_TURN, START_TURN));
    }
}

static void move_particles(const struct perception *const perceived, uint64_t *const random)
{
    for (size_t i = 0; i < localization.particle_count; i++) {
        const int32_t turn = perceived->turn + random_error(random, ASSUMED_TURN_ERROR);
        const int32_t length = perceived->length + random_error(random, ASSUMED_LENGTH_ERROR);

        drive(&localization.particles[i], turn, length);
    }
}

/* Likelihood exp(-sum of (range - perceived range)^2 / (2 s^2)). A length has 8 bits after the
 * point, so its square has 16. */
static uint64_t misfit_q16(const struct pose *const pose, const struct perception *const perceived)
{
    uint64_t sum = 0;

    for (size_t i = 0; i < LANDMARK_COUNT; i++) {
        const int64_t error =
            (int64_t)distance(pose->position, localization.landmarks[i]) - perceived->ranges[i];

        sum += (uint64_t)(error * error);
    }
    return sum / TWICE_ASSUMED_RANGE_VARIANCE;
}

/* Relative to the best particle, which has weight 1, so that they cannot all become 0. Returns the
 * sum, at most 8192 * 2^16. */
static uint64_t weigh_particles(const struct perception *const perceived)
{
    uint64_t least = UINT64_MAX;
    uint64_t weight_sum = 0;

    for (size_t i = 0; i < localization.particle_count; i++) {
        const uint64_t misfit = misfit_q16(&localization.particles[i], perceived);

        localization.misfits_q16[i] = misfit;
        least = misfit < least ? misfit : least;
    }
    for (size_t i = 0; i < localization.particle_count; i++) {
        const uint64_t misfit = localization.misfits_q16[i] - least;

        localization.weights_q16[i] =
            workload_exp_minus_q16(misfit > UINT32_MAX ? UINT32_MAX : (uint32_t)misfit);
        weight_sum += localization.weights_q16[i];
    }
    if (weight_sum == 0) {
        workload_fail_job("localization", "no particle has a weight, not even the best one");
    }
    return weight_sum;
}

static struct position mean_position(const uint64_t weight_sum)
{
    int64_t x = 0;
    int64_t y = 0;

    for (size_t i = 0; i < localization.particle_count; i++) {
        const int64_t weight = localization.weights_q16[i];

        x += weight * localization.particles[i].position.x;
        y += weight * localization.particles[i].position.y;
    }
    return (struct position){(int32_t)(x / (int64_t)weight_sum), (int32_t)(y / (int64_t)weight_sum)
    };
}

/* Table 4.4, times the number of particles so that all stays whole: the i-th is the one in which
 * the running sum of weights passes (i + random part) / count of the whole sum. */
static void resample_particles(const uint64_t weight_sum, uint64_t *const random)
{
    const uint64_t count = localization.particle_count;
    const uint64_t first = workload_next_random(random) % weight_sum;
    uint64_t running_sum = localization.weights_q16[0];
    size_t taken = 0;

    for (size_t i = 0; i < count; i++) {
        while (running_sum * count <= i * weight_sum + first) {
            taken++;
            running_sum += localization.weights_q16[taken];
        }
        localization.resampled[i] = localization.particles[taken];
    }
    struct pose *const swapped = localization.particles;

    localization.particles = localization.resampled;
    localization.resampled = swapped;
}

static void follow_drive(void)
{
    uint64_t random = localization.seed;

    scatter_particles(&random);
    for (size_t step = 0; step < STEP_COUNT; step++) {
        move_particles(&localization.perceived[step], &random);
        const uint64_t weight_sum = weigh_particles(&localization.perceived[step]);

        localization.found[step] = mean_position(weight_sum);
        resample_particles(weight_sum, &random);
    }
}

static uint32_t digest_found(void)
{
    uint64_t digest = workload_digest_start();

    for (size_t step = 0; step < STEP_COUNT; step++) {
        digest = workload_digest_add(digest, (uint32_t)localization.found[step].x);
        digest = workload_digest_add(digest, (uint32_t)localization.found[step].y);
    }
    return workload_digest_end(digest);
}

static void place_landmarks(uint64_t *const random)
{
    for (int i = 0; i < LANDMARK_COUNT; i++) {
        const int place = i < LANDMARK_COUNT / 2 ? i : i + 1; /* of nine, not the middle one */

        localization.landmarks[i].x =
            (place % 3 - 1) * LANDMARK_DISTANCE +
            workload_random_between(random, -LANDMARK_JITTER, LANDMARK_JITTER);
        localization.landmarks[i].y =
            (place / 3 - 1) * LANDMARK_DISTANCE +
            workload_random_between(random, -LANDMARK_JITTER, LANDMARK_JITTER);
    }
}

/* At random, or back to the middle. */
static int32_t choose_turn(const struct pose *const pose, uint64_t *const random)
{
    const struct position middle = {0, 0};
    const int32_t turn = workload_random_between(random, -SHARPEST_TURN, SHARPEST_TURN);

    if (distance(pose->position, middle) < DRIVE_RADIUS) {
        return turn;
    }
    const uint16_t homewards = workload_angle_of(-pose->position.x, -pose->position.y);
    const bool is_left = (uint16_t)(homewards - pose->heading) < 2 * QUARTER_TURN;

    return is_left ? SHARPEST_TURN : -SHARPEST_TURN;
}

static void make_drive(uint64_t *const random)
{
    struct pose pose = {
        {workload_random_between(random, -DRIVE_RADIUS / 2, DRIVE_RADIUS / 2),
         workload_random_between(random, -DRIVE_RADIUS / 2, DRIVE_RADIUS / 2)},
        (uint16_t)workload_next_random(random)
    };

    localization.start = pose;
    for (size_t step = 0; step < STEP_COUNT; step++) {
        struct perception *const perceived = &localization.perceived[step];
        const int32_t turn = choose_turn(&pose, random);

        drive(&pose, turn, STEP_LENGTH);
        localization.path[step] = pose.position;
        perceived->turn = turn + random_error(random, TURN_ERROR);
        perceived->length = STEP_LENGTH + random_error(random, LENGTH_ERROR);
        for (size_t i = 0; i < LANDMARK_COUNT; i++) {
            perceived->ranges[i] = distance(pose.position, localization.landmarks[i]) +
                                   random_error(random, RANGE_ERROR);
        }
    }
}

static void check_against_truth(void)
{
    int32_t error_sum = 0;

    for (size_t step = STEP_COUNT / 2; step < STEP_COUNT; step++) {
        error_sum += distance(localization.found[step], localization.path[step]);
    }
    const int32_t mean_error = error_sum / (STEP_COUNT - STEP_COUNT / 2);

    if (mean_error > HIGHEST_ERROR) {
        workload_fail_job(
            "localization",
            "the robot was found %d cm away from its path, expected at most %d",
            (int)(mean_error * 100 / METRE),
            HIGHEST_ERROR * 100 / METRE
        );
    }
}

static bool allocate_memory(void)
{
    const size_t count = localization.particle_count;

    localization.particles = workload_allocate("localization", count * sizeof(struct pose));
    localization.resampled = workload_allocate("localization", count * sizeof(struct pose));
    localization.misfits_q16 = workload_allocate("localization", count * sizeof(uint64_t));
    localization.weights_q16 = workload_allocate("localization", count * sizeof(uint32_t));
    return localization.particles != NULL && localization.resampled != NULL &&
           localization.misfits_q16 != NULL && localization.weights_q16 != NULL;
}

static void free_memory(void)
{
    free(localization.particles);
    free(localization.resampled);
    free(localization.misfits_q16);
    free(localization.weights_q16);
}

int benchmark_init(const int argc, void **const argv)
{
    const struct workload_scale *scale;
    uint64_t seed;

    if (workload_read_words("localization", argc, argv, &scale, &seed) != 0) {
        return -1;
    }
    localization.particle_count = particle_counts[scale->level];
    if (!allocate_memory()) {
        return -1;
    }
    place_landmarks(&seed);
    make_drive(&seed);
    localization.seed = workload_next_random(&seed);
    follow_drive();
    check_against_truth();
    localization.outcome =
        (struct workload_outcome){"localization", scale->name, digest_found(), true};
    return 0;
}

void benchmark_execution(const int argc, void **const argv)
{
    (void)argc;
    (void)argv;
    follow_drive();
    workload_check_digest(&localization.outcome, digest_found());
}

void benchmark_teardown(const int argc, void **const argv)
{
    (void)argc;
    (void)argv;
    check_against_truth();
    workload_print_outcome(&localization.outcome);
    free_memory();
}
