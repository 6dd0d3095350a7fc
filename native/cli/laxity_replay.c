/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
/*
 * laxity-replay: replay regulated jobs from recorded runs (regulator/replay.h).
 *
 * Standard input: four numbers of 64 bits, which are the bytes of the plan and the counts of
 * points, marks and runs; then the plan; then points, marks and runs as structs of
 * regulator/replay.h. Standard output: a line for each run: own_ns allowed_ns stops is_void
 * is_beyond.
 */
#include "base/error.h"
#include "base/visible.h"
#include "cli/options.h"
#include "regulator/plan.h"
#include "regulator/replay.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

enum {
    COUNT_MAX = 1 << 22,
    N_PARTS = 4,
};

static const size_t part_bytes[N_PARTS] = {
    1,
    sizeof(struct laxity_course_point),
    sizeof(struct laxity_course_mark),
    sizeof(struct laxity_replay_run),
};

static const struct laxity_tool tool = {
    .name = "laxity-replay",
    .usage = "laxity-replay <RUNS >RESULTS",
    .summary = "Replay regulated jobs from recorded runs; laxity contention does.",
};

struct input {
    int64_t counts[N_PARTS];
    void *parts[N_PARTS]; /* each has an element of zeroes at its end */
};

static bool read_input(struct input *input)
{
    if (fread(input->counts, sizeof input->counts, 1, stdin) != 1) {
        return false;
    }
    for (unsigned i = 0; i < N_PARTS; i++) {
        const int64_t count = input->counts[i];
        if (count < 0 || count > COUNT_MAX) {
            return false;
        }
        input->parts[i] = calloc((size_t)count + 1, part_bytes[i]);
        if (!input->parts[i] ||
            fread(input->parts[i], part_bytes[i], (size_t)count, stdin) != (size_t)count) {
            return false;
        }
    }
    return true;
}

static bool rises(const struct laxity_course_point *from, const struct laxity_course_point *to)
{
    return to->alone_ns >= from->alone_ns && to->loaded_ns >= from->loaded_ns &&
           to->alone_bytes >= from->alone_bytes && to->loaded_bytes >= from->loaded_bytes;
}

static bool is_course(const struct laxity_course *course)
{
    if (course->n_points < 2 || !rises(&(struct laxity_course_point){0}, &course->points[0])) {
        return false;
    }
    for (int64_t i = 1; i < course->n_points; i++) {
        if (!rises(&course->points[i - 1], &course->points[i])) {
            return false;
        }
    }
    int64_t last = 0;
    for (int64_t i = 0; i < course->n_marks; i++) {
        if (course->marks[i].point < last || course->marks[i].point >= course->n_points) {
            return false;
        }
        last = course->marks[i].point;
    }
    return true;
}

/* Neither number so large that an instant overflows; best-effort work that pauses also runs. */
static bool is_run(const struct laxity_replay_run *run)
{
    const int64_t most = INT64_C(1) << 50;
    return run->start_ns >= 0 && run->start_ns < most && run->on_ns >= 0 && run->on_ns < most &&
           run->off_ns >= 0 && run->off_ns < most && (run->off_ns == 0 || run->on_ns > 0);
}

static int replay(const struct input *input, struct laxity_error *error)
{
    static struct laxity_regulation_plan plan;
    const struct laxity_course course = {
        .points = input->parts[1],
        .n_points = input->counts[1],
        .marks = input->parts[2],
        .n_marks = input->counts[2],
    };
    const struct laxity_replay_run *runs = input->parts[3];
    if (laxity_regulation_plan_parse(input->parts[0], &plan, error)) {
        return -1;
    }
    if (!is_course(&course)) {
        return laxity_refuse(error, LAXITY_EXIT_USAGE, "a value of the course falls");
    }
    for (int64_t i = 0; i < input->counts[3]; i++) {
        struct laxity_replay_result result;
        if (!is_run(&runs[i])) {
            return laxity_refuse(error, LAXITY_EXIT_USAGE, "run %" PRId64 " cannot be", i);
        }
        laxity_replay(&plan, &course, &runs[i], &result);
        (void)printf(
            "%" PRId64 " %" PRId64 " %" PRIu64 " %d %d\n",
            result.own_ns,
            result.allowed_ns,
            result.stops,
            result.is_void,
            result.is_beyond
        );
    }
    return 0;
}

int main(int argc, char **argv)
{
    if (argc == 2 && laxity_options_answer(&tool, argv[1])) {
        return LAXITY_EXIT_DONE;
    }
    struct laxity_error error = {0};
    struct input input = {0};
    if (argc > 1) {
        laxity_error_set(
            &error, LAXITY_EXIT_USAGE, "unexpected word \"%.60s\"; see --help", argv[1]
        );
    } else if (!read_input(&input)) {
        laxity_error_set(&error, LAXITY_EXIT_USAGE, "standard input is no recorded run");
    } else if (replay(&input, &error) == 0 && (fflush(stdout) != 0 || ferror(stdout))) {
        laxity_error_set(&error, LAXITY_EXIT_LACKING, "standard output cannot be written");
    }
    for (unsigned i = 0; i < N_PARTS; i++) {
        free(input.parts[i]);
    }
    if (error.exit_code != 0) {
        laxity_write_message("laxity-replay", error.text);
    }
    return error.exit_code;
}
