/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
/*
 * Hand-made rows → text. Period 10 ms, deadline 5 ms, first release at 2.000000007 s, counter at
 * 1 GHz and 500000 ticks ahead of the clock.
 */
#include "../test.h"
#include "base/npy.h"
#include "base/port/time.h"
#include "cli/rtbench_counts.h"
#include "cli/rtbench_csv.h"
#include "cli/rtbench_profile.h"
#include "counters/event.h"
#include "harness/release.h"
#include "harness/segment.h"
#include "schema/streams.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
    PERIOD_NS = 10 * LAXITY_NS_PER_MS,
    DEADLINE_NS = 5 * LAXITY_NS_PER_MS,
    TICKS_AHEAD = 500000,
    TEXT_BYTES = 4096,
};

#define FIRST_NS INT64_C(2000000007)

struct __attribute__((packed)) row {
    uint16_t task;
    uint64_t job;
    int64_t release_ns;
    int64_t abs_deadline_ns;
    int64_t start_ns;
    int64_t finish_ns;
    uint64_t start_ticks;
    uint64_t finish_ticks;
    uint8_t status;
    uint8_t cause;
    float log_value;
};

static const struct laxity_field fields[] = {
    {"task", 'u', 2},
    {"job", 'u', 8},
    {"release_ns", 'i', 8},
    {"abs_deadline_ns", 'i', 8},
    {"start_ns", 'i', 8},
    {"finish_ns", 'i', 8},
    {"start_ticks", 'u', 8},
    {"finish_ticks", 'u', 8},
    {"status", 'u', 1},
    {"cause", 'u', 1},
    {"success(exp:1)", 'f', 4},
};

static char directory[] = "/tmp/laxity-test-csv-XXXXXX";
static int dir_fd;
static char text[TEXT_BYTES];

static struct row job_row(uint64_t job, int64_t latency_ns, int64_t response_ns)
{
    const int64_t release_ns = FIRST_NS + (int64_t)job * PERIOD_NS;
    return (struct row){
        .job = job,
        .release_ns = release_ns,
        .abs_deadline_ns = release_ns + DEADLINE_NS,
        .start_ns = release_ns + latency_ns,
        .finish_ns = release_ns + response_ns,
        .start_ticks = (uint64_t)(release_ns + latency_ns + TICKS_AHEAD),
        .finish_ticks = (uint64_t)(release_ns + response_ns + TICKS_AHEAD),
        .status = response_ns <= DEADLINE_NS ? LAXITY_STATUS_DONE : LAXITY_STATUS_MISSED,
        .log_value = 1.0F,
    };
}

static struct row absent_row(uint64_t job, enum laxity_status status)
{
    struct row row = job_row(job, 0, 0);
    row.start_ns = LAXITY_ABSENT_NS;
    row.finish_ns = LAXITY_ABSENT_NS;
    row.start_ticks = UINT64_MAX;
    row.finish_ticks = UINT64_MAX;
    row.status = (uint8_t)status;
    row.log_value = nanf("");
    return row;
}

/* Writes the rows as a stream, then as text. `n_fields` leaves the log column out or in. */
static int
convert(const struct row *rows, unsigned n, unsigned n_fields, enum laxity_rtbench_level level)
{
    struct laxity_npy npy;
    CHECK_EQUAL(laxity_npy_create(dir_fd, "jobs.npy", fields, n_fields, &npy), 0);
    for (unsigned i = 0; i < n; i++) {
        CHECK_EQUAL(laxity_npy_write(&npy, i, &rows[i], 1), 0);
    }
    CHECK_EQUAL(laxity_npy_close(&npy), 0);
    const struct laxity_rtbench_format format = {
        .level = level, .period_ns = PERIOD_NS, .rate_hz = LAXITY_NS_PER_S
    };
    memset(text, 0, sizeof text);
    FILE *out = fmemopen(text, sizeof text - 1, "w");
    const int rc = laxity_rtbench_write_jobs(directory, &format, out);
    (void)fclose(out);
    return rc;
}

enum {
    WITHOUT_LOG = sizeof fields / sizeof fields[0] - 1,
    WITH_LOG
};

static void job_that_meets_its_deadline_has_all_columns(void)
{
    const struct row row = job_row(0, 1000, 2000000);
    CHECK_EQUAL(convert(&row, 1, WITHOUT_LOG, LAXITY_RTBENCH_STDOUT), 0);
    /* release 2000000007 ns, + 10 ms, + 2 ms, + 5 ms; ticks are ns + 500000; 2/10 and 2/5 */
    CHECK_TEXT(
        text,
        "2000500007,2010500007,2002500007,2005500007,2000000,"
        "2.000000007,2.010000007,2.002000007,2.005000007,0.002000000,1,0.2,0.4\n"
    );
}

static void deadline_is_met_up_to_its_last_nanosecond(void)
{
    const struct row rows[] = {job_row(0, 0, DEADLINE_NS), job_row(1, 0, DEADLINE_NS + 1)};
    CHECK_EQUAL(convert(rows, 2, WITHOUT_LOG, LAXITY_RTBENCH_STDOUT), 0);
    CHECK(strstr(text, ",0.005000000,1,0.5,1\n") != NULL);
    /* 5.000001 ms of 10 ms and of 5 ms, in six digits */
    CHECK(strstr(text, ",0.005000001,0,0.5,1\n") != NULL);
}

static void skipped_deadline_is_a_row_of_zeros_but_for_the_deadline(void)
{
    /* Job 0 takes 15 ms; job 1's deadline is 10 + 5 ms after the first release. */
    const struct row rows[] = {
        job_row(0, 0, INT64_C(15000000)), absent_row(1, LAXITY_STATUS_SKIPPED)
    };
    CHECK_EQUAL(convert(rows, 2, WITH_LOG, LAXITY_RTBENCH_STDOUT), 0);
    CHECK_TEXT(
        strchr(text, '\n'),
        "\n0,0,0,2015500007,0,"
        "0.000000000,0.000000000,0.000000000,2.015000007,0.000000000,0,0,0,0\n"
    );
}

static void job_that_was_aborted_has_a_start_and_no_end(void)
{
    struct row rows[] = {job_row(0, 0, 1), absent_row(1, LAXITY_STATUS_ABORTED)};
    rows[1].cause = LAXITY_END_SIGNAL;
    CHECK_EQUAL(convert(rows, 2, WITHOUT_LOG, LAXITY_RTBENCH_STDOUT), 0);
    CHECK_TEXT(
        strchr(text, '\n'),
        "\n2010500007,0,0,2015500007,0,"
        "2.010000007,0.000000000,0.000000000,2.015000007,0.000000000,0,0,0\n"
    );
}

static void job_that_an_interrupt_cut_off_is_no_missed_one(void)
{
    struct row rows[] = {job_row(0, 0, 1), absent_row(1, LAXITY_STATUS_ABORTED)};
    rows[1].cause = LAXITY_END_INTERRUPT;
    CHECK_EQUAL(convert(rows, 2, WITHOUT_LOG, LAXITY_RTBENCH_STDOUT), 0);
    CHECK_TEXT(strchr(text, '\n'), "\n");
}

static void header_without_comma_of_a_workload_does_not_stick_to_the_last_column(void)
{
    const struct row row = job_row(0, 0, 1);
    CHECK_EQUAL(convert(&row, 1, WITH_LOG, LAXITY_RTBENCH_FILE), 0);
    CHECK(strstr(text, ",job_density,success(exp:1)\n") != NULL);
    CHECK_TEXT(strrchr(text, ','), ",1\n");
}

static void header_stands_in_the_file_only(void)
{
    const struct row row = job_row(0, 0, 1);
    CHECK_EQUAL(convert(&row, 1, WITHOUT_LOG, LAXITY_RTBENCH_FILE), 0);
    CHECK_EQUAL(strncmp(text, "period_start(clock_cycles),period_end(", 38), 0);
    CHECK(strstr(text, ",deadline_status(1=met),job_utilization,job_density\n2000500007,") != NULL);
    CHECK_EQUAL(convert(&row, 1, WITHOUT_LOG, LAXITY_RTBENCH_ERRORS), 0);
    CHECK_TEXT(text, "");
}

static void without_a_counter_its_columns_are_zero(void)
{
    const struct row row = job_row(0, 0, 2000000);
    (void)convert(&row, 1, WITHOUT_LOG, LAXITY_RTBENCH_STDOUT);
    const struct laxity_rtbench_format format = {
        .level = LAXITY_RTBENCH_STDOUT, .period_ns = PERIOD_NS
    };
    memset(text, 0, sizeof text);
    FILE *out = fmemopen(text, sizeof text - 1, "w");
    CHECK_EQUAL(laxity_rtbench_write_jobs(directory, &format, out), 0);
    (void)fclose(out);
    CHECK_EQUAL(strncmp(text, "0,0,0,0,0,2.000000007,", 22), 0);
}

static void a_skipped_deadline_has_no_row_where_it_is_hidden(void)
{
    const struct row rows[] = {absent_row(0, LAXITY_STATUS_SKIPPED), job_row(1, 0, 1)};
    (void)convert(rows, 2, WITHOUT_LOG, LAXITY_RTBENCH_STDOUT);
    CHECK_EQUAL(strncmp(text, "0,0,0,", 6), 0);
    const struct laxity_rtbench_format format = {
        .level = LAXITY_RTBENCH_STDOUT, .period_ns = PERIOD_NS, .hides_skipped = true
    };
    memset(text, 0, sizeof text);
    FILE *out = fmemopen(text, sizeof text - 1, "w");
    CHECK_EQUAL(laxity_rtbench_write_jobs(directory, &format, out), 0);
    (void)fclose(out);
    CHECK(strchr(text, '\n') != NULL);
    CHECK(strchr(text, '\n') == strrchr(text, '\n'));
    CHECK(strstr(text, ",2.010000007,") != NULL); /* released after the first period of 10 ms */
}

static void people_read_sentences(void)
{
    const struct row rows[] = {
        job_row(0, 0, INT64_C(15000000)), absent_row(1, LAXITY_STATUS_SKIPPED)
    };
    CHECK_EQUAL(convert(rows, 2, WITH_LOG, LAXITY_RTBENCH_HUMAN), 0);
    CHECK_TEXT(
        text,
        "job 0: released 2.000000007 s, ended 2.015000007 s, deadline 2.005000007 s missed, "
        "elapsed 0.015000000 s, utilization 1.5, density 3, success(exp:1) 1\n"
        "job 1: skipped, deadline 2.015000007 s\n"
    );
}

struct __attribute__((packed)) counted_row {
    struct row row;
    int64_t counts[LAXITY_RTBENCH_COUNTS];
    float scale_ratios[LAXITY_RTBENCH_COUNTS];
};

/* Six events by RT-Bench's order; a stream has their columns in pairs, hence the copies. */
static const char *const event_names[LAXITY_RTBENCH_COUNTS] = {
    "l1d_access", "l1d_refill", "l2_access", "l2_refill", "instructions", "cycles"
};
static struct laxity_event events[LAXITY_RTBENCH_COUNTS];

static void name_events(void)
{
    for (unsigned i = 0; i < LAXITY_RTBENCH_COUNTS; i++) {
        (void)snprintf(events[i].name, sizeof events[i].name, "%s", event_names[i]);
        (void)snprintf(
            events[i].ratio_name, sizeof events[i].ratio_name, "%s_scale_ratio", event_names[i]
        );
    }
}

/* The first `n_counted` events have columns. */
static void
write_counted(const struct counted_row *rows, unsigned n, unsigned n_counted, unsigned level)
{
    struct laxity_field all[WITH_LOG + 2 * LAXITY_RTBENCH_COUNTS];
    memcpy(all, fields, WITHOUT_LOG * sizeof all[0]);
    unsigned n_fields = WITHOUT_LOG;
    for (unsigned i = 0; i < n_counted; i++) {
        all[n_fields++] = (struct laxity_field){events[i].name, 'i', sizeof(int64_t)};
        all[n_fields++] = (struct laxity_field){events[i].ratio_name, 'f', sizeof(float)};
    }
    all[n_fields++] = fields[WITHOUT_LOG];
    struct laxity_npy npy;
    CHECK_EQUAL(laxity_npy_create(dir_fd, "jobs.npy", all, n_fields, &npy), 0);
    for (unsigned i = 0; i < n; i++) {
        unsigned char bytes[256];
        size_t used = offsetof(struct row, log_value);
        memcpy(bytes, &rows[i].row, used);
        for (unsigned j = 0; j < n_counted; j++) {
            memcpy(bytes + used, &rows[i].counts[j], sizeof(int64_t));
            memcpy(bytes + used + sizeof(int64_t), &rows[i].scale_ratios[j], sizeof(float));
            used += sizeof(int64_t) + sizeof(float);
        }
        memcpy(bytes + used, &rows[i].row.log_value, sizeof(float));
        CHECK_EQUAL(laxity_npy_write(&npy, i, bytes, 1), 0);
    }
    CHECK_EQUAL(laxity_npy_close(&npy), 0);
    const struct laxity_rtbench_format format = {
        .level = (enum laxity_rtbench_level)level, .period_ns = PERIOD_NS, .events = events
    };
    memset(text, 0, sizeof text);
    FILE *out = fmemopen(text, sizeof text - 1, "w");
    CHECK_EQUAL(laxity_rtbench_write_jobs(directory, &format, out), 0);
    (void)fclose(out);
}

static void counts_of_a_job_stand_between_its_times_and_its_own_value(void)
{
    /* Half of the instructions' time was counted: 250 * 2 = 500. */
    const struct counted_row rows[] = {
        {job_row(0, 1000, 2000000), {1000, 50, 40, 10, 250, 900}, {1, 1, 1, 1, 2, 1}},
        {absent_row(1, LAXITY_STATUS_SKIPPED), {INT64_MIN, 0, 0, 0, 0, 0}, {0}},
    };
    write_counted(rows, 2, LAXITY_RTBENCH_COUNTS, LAXITY_RTBENCH_FILE);
    CHECK(strstr(
        text,
        "job_density,job_l1_references,job_l1_misses,job_l1_miss_ratio(%%),job_l2_references,"
        "job_l2_misses,job_l2_miss_ratio(%%),instructions_retired,cpu_clock_count,success(exp:1)\n"
    ));
    /* 50 / 1000 and 10 / 40 */
    CHECK(strstr(text, ",1,0.2,0.4,1000,50,0.05,40,10,0.25,500,900,1\n"));
    CHECK(strstr(text, ",0,0,0,0,0,0,0,0,0,0,0,0\n"));
}

static void count_that_nobody_took_is_no_number(void)
{
    const struct counted_row row = {
        job_row(0, 1000, 2000000), {0, 0, INT64_MIN, 0, 0, 0}, {1, 1, NAN, 1, 1, 1}
    };
    /* The third event did not get its turn, the others behind it have no column. Of no references
     * there is no ratio. */
    write_counted(&row, 1, 3, LAXITY_RTBENCH_STDOUT);
    CHECK(strstr(text, ",1,0.2,0.4,0,0,nan,nan,nan,nan,nan,nan,1\n"));
    write_counted(&row, 1, 3, LAXITY_RTBENCH_HUMAN);
    CHECK(strstr(text, ", l1d_access 0, l1d_refill 0, l2_access nan, "));
}

/* One sample of two events: the first and instructions. */
static unsigned
sample(struct laxity_counters_row *rows, unsigned n, int64_t time_ns, int64_t l1, int64_t instrs)
{
    rows[n] = (struct laxity_counters_row
    ){.time_ns = time_ns, .event = LAXITY_RTBENCH_L1_REFERENCES, .value = l1, .scale_ratio = 1};
    rows[n + 1] = (struct laxity_counters_row
    ){.time_ns = time_ns, .event = LAXITY_RTBENCH_INSTRUCTIONS, .value = instrs, .scale_ratio = 1};
    return n + 2;
}

static void profile_adds_up_what_jobs_had_counted_at_their_samples(void)
{
    static const struct laxity_field counter_fields[] = {LAXITY_COUNTERS_FIELDS};
    struct laxity_counters_row rows[12];
    unsigned n = sample(rows, 0, 50, 1, 1); /* before the first job */
    n = sample(rows, n, 100, 10, 100);      /* the first job's zero, at its start */
    n = sample(rows, n, 200, 30, 500);      /* 20 and 400 more */
    n = sample(rows, n, 300, 35, 700);      /* at its finish: 25 and 600 more */
    n = sample(rows, n, 1000, 40, 800);     /* the second job's zero */
    n = sample(rows, n, 1100, 45, 900);     /* 5 and 100 more */
    struct laxity_npy npy;
    CHECK_EQUAL(
        laxity_npy_create(
            dir_fd, "counters.npy", counter_fields, LAXITY_COUNTERS_FIELD_COUNT, &npy
        ),
        0
    );
    CHECK_EQUAL(laxity_npy_write(&npy, 0, rows, n), 0);
    CHECK_EQUAL(laxity_npy_close(&npy), 0);
    struct laxity_rtbench_profile *profile = NULL;
    CHECK_EQUAL(laxity_rtbench_profile_open(directory, &profile), 0);
    CHECK_EQUAL(laxity_rtbench_profile_add(profile, 100, 300), 0);
    CHECK_EQUAL(laxity_rtbench_profile_add(profile, 500, 600), 0); /* too short for a sample */
    CHECK_EQUAL(laxity_rtbench_profile_add(profile, 1000, 1150), 0);
    memset(text, 0, sizeof text);
    FILE *out = fmemopen(text, sizeof text - 1, "w");
    CHECK_EQUAL(laxity_rtbench_profile_write(profile, out), 0);
    (void)fclose(out);
    laxity_rtbench_profile_close(profile);
    /* 20 + 5 and 400 + 100; the third sample is the first job's alone. */
    CHECK_TEXT(
        text,
        "samples,l1_references,l1_refills,l2_references,l2_refills,inst_retired\n"
        "2, 0, nan, nan, nan, 0\n"
        "2, 25, nan, nan, nan, 500\n"
        "1, 25, nan, nan, nan, 600\n"
    );
}

static void profile_of_a_run_without_samples_is_not_there(void)
{
    struct laxity_rtbench_profile *profile = NULL;
    (void)unlinkat(dir_fd, "counters.npy", 0);
    CHECK_EQUAL(laxity_rtbench_profile_open(directory, &profile), -ENOENT);
}

static void write_text(const char *name, const char *content)
{
    const int fd = openat(dir_fd, name, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
    CHECK_EQUAL(write(fd, content, strlen(content)), strlen(content));
    (void)close(fd);
}

static void rate_and_lost_samples_are_those_of_the_run(void)
{
    write_text("native.json", "{\"counter\":{\"name\":\"tsc\",\"rate_hz\":2500000000}}");
    CHECK_EQUAL(laxity_rtbench_rate_hz(directory), INT64_C(2500000000));
    write_text("native.json", "{\"counter\":{\"name\":\"tsc\",\"rate_hz\":null}}");
    CHECK_EQUAL(laxity_rtbench_rate_hz(directory), 0);
    write_text("native.json", "{\"counter\":null}");
    CHECK_EQUAL(laxity_rtbench_rate_hz(directory), 0);
    write_text("native.json", "{\"sampling\":{\"samples\":9,\"lost\":4},\"lost_rows\":3}");
    CHECK_EQUAL(laxity_rtbench_lost_samples(directory), 4);
    (void)unlinkat(dir_fd, "native.json", 0);
    CHECK_EQUAL(laxity_rtbench_rate_hz(directory), 0);
    CHECK_EQUAL(laxity_rtbench_lost_samples(directory), 0);
}

static void stream_that_is_not_ours_is_refused(void)
{
    const struct laxity_rtbench_format format = {
        .level = LAXITY_RTBENCH_STDOUT, .period_ns = PERIOD_NS
    };
    write_text("jobs.npy", "not a stream");
    CHECK_EQUAL(laxity_rtbench_write_jobs(directory, &format, stdout), -EINVAL);
    struct laxity_npy npy;
    CHECK_EQUAL(laxity_npy_create(dir_fd, "jobs.npy", fields, 3, &npy), 0);
    CHECK_EQUAL(laxity_npy_close(&npy), 0);
    CHECK_EQUAL(laxity_rtbench_write_jobs(directory, &format, stdout), -EINVAL);
    (void)unlinkat(dir_fd, "jobs.npy", 0);
    CHECK_EQUAL(laxity_rtbench_write_jobs(directory, &format, stdout), -ENOENT);
}

int main(void)
{
    if (!mkdtemp(directory)) {
        return 1;
    }
    dir_fd = open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    name_events();
    RUN(job_that_meets_its_deadline_has_all_columns);
    RUN(deadline_is_met_up_to_its_last_nanosecond);
    RUN(skipped_deadline_is_a_row_of_zeros_but_for_the_deadline);
    RUN(job_that_was_aborted_has_a_start_and_no_end);
    RUN(job_that_an_interrupt_cut_off_is_no_missed_one);
    RUN(header_without_comma_of_a_workload_does_not_stick_to_the_last_column);
    RUN(header_stands_in_the_file_only);
    RUN(without_a_counter_its_columns_are_zero);
    RUN(a_skipped_deadline_has_no_row_where_it_is_hidden);
    RUN(counts_of_a_job_stand_between_its_times_and_its_own_value);
    RUN(count_that_nobody_took_is_no_number);
    RUN(profile_adds_up_what_jobs_had_counted_at_their_samples);
    RUN(profile_of_a_run_without_samples_is_not_there);
    RUN(people_read_sentences);
    RUN(rate_and_lost_samples_are_those_of_the_run);
    RUN(stream_that_is_not_ours_is_refused);
    (void)close(dir_fd);
    (void)rmdir(directory);
    return test_exit_code();
}
