/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
#include "cli/rtbench_csv.h"

#include "base/error.h"
#include "base/npy.h"
#include "base/port/file.h"
#include "base/port/time.h"
#include "cli/rtbench_counts.h"
#include "cli/rtbench_profile.h"
#include "counters/event.h"
#include "harness/segment.h"
#include "schema/streams.h"

#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* RT-Bench's own text, so that its parsers find their columns. */
static const char *const header =
    "period_start(clock_cycles),period_end(clock_cycles),job_end(clock_cycles),"
    "job_deadline(clock_cycles),job_elapsed(clock_cycles),period_start(seconds),"
    "period_end(seconds),job_end(seconds),job_deadline(seconds),job_elapsed(seconds),"
    "deadline_status(1=met),job_utilization,job_density";
static const char *const counts_header =
    ",job_l1_references,job_l1_misses,job_l1_miss_ratio(%%),job_l2_references,job_l2_misses,"
    "job_l2_miss_ratio(%%),instructions_retired,cpu_clock_count";

enum {
    NATIVE_JSON_BYTES = 64 * 1024,
    ROW_BYTES_MAX = 4096,
    NAME_BYTES = 64,
};

/* Where a column stands in a row; -1 = the run has none. */
struct columns {
    int job;
    int release_ns;
    int abs_deadline_ns;
    int start_ns;
    int finish_ns;
    int start_ticks;
    int finish_ticks;
    int status;
    int cause;
    int counts[LAXITY_RTBENCH_COUNTS];
    int scale_ratios[LAXITY_RTBENCH_COUNTS];
    int n_log_values;
    int log_values[LAXITY_LOG_VALUES_MAX];
    char log_names[LAXITY_LOG_VALUES_MAX][NAME_BYTES];
    size_t row_bytes;
};

struct job {
    uint64_t number;
    int64_t release_ns;
    int64_t abs_deadline_ns;
    int64_t start_ns;
    int64_t finish_ns;
    uint64_t start_ticks;
    uint64_t finish_ticks;
    struct laxity_rtbench_counted counted;
    float log_values[LAXITY_LOG_VALUES_MAX];
    enum laxity_status status;
    enum laxity_end cause; /* of an aborted job */
};

/* One instant on both clocks. */
struct anchor {
    int64_t ns;
    uint64_t ticks;
    bool is_known;
};

/* RT-Bench's columns, once per clock. */
struct times {
    int64_t period_start, period_end, job_end, deadline, elapsed;
};

/* The number behind the first `key` in RUN_DIR/native.json; 0 if there is none, or null. */
static int64_t read_number(const char *run_dir, const char *key)
{
    char path[PATH_MAX];
    laxity_format(path, sizeof path, "%s/native.json", run_dir);
    char *text = calloc(1, NATIVE_JSON_BYTES);
    if (!text) {
        return 0;
    }
    int64_t number = 0;
    const char *found = NULL;
    if (laxity_read_text(path, text, NATIVE_JSON_BYTES) == 0) {
        found = strstr(text, key);
    }
    if (found) {
        number = strtoll(found + strlen(key), NULL, 10); /* "null" gives 0 */
    }
    free(text);
    return number > 0 ? number : 0;
}

int64_t laxity_rtbench_rate_hz(const char *run_dir)
{
    return read_number(run_dir, "\"rate_hz\":");
}

int64_t laxity_rtbench_lost_samples(const char *run_dir)
{
    return read_number(run_dir, "\"lost\":");
}

/* The place for the offset of the column `name`; NULL if it is not one of those we print. */
static int *find_column(struct columns *columns, const char *name)
{
    const struct {
        const char *name;
        int *offset;
    } places[] = {
        {"job", &columns->job},
        {"release_ns", &columns->release_ns},
        {"abs_deadline_ns", &columns->abs_deadline_ns},
        {"start_ns", &columns->start_ns},
        {"finish_ns", &columns->finish_ns},
        {"start_ticks", &columns->start_ticks},
        {"finish_ticks", &columns->finish_ticks},
        {"status", &columns->status},
        {"cause", &columns->cause},
    };
    for (size_t i = 0; i < sizeof places / sizeof places[0]; i++) {
        if (strcmp(places[i].name, name) == 0) {
            return places[i].offset;
        }
    }
    return NULL;
}

/* The place for the offset of a column of an event; NULL if it is none. */
static int *find_count(struct columns *columns, const struct laxity_event *events, const char *name)
{
    for (unsigned i = 0; events && i < LAXITY_RTBENCH_COUNTS; i++) {
        if (strcmp(events[i].name, name) == 0) {
            return &columns->counts[i];
        }
        if (strcmp(events[i].ratio_name, name) == 0) {
            return &columns->scale_ratios[i];
        }
    }
    return NULL;
}

static struct columns no_columns(void)
{
    struct columns columns = {-1, -1, -1, -1, -1, -1, -1, -1, -1, .n_log_values = 0};
    for (unsigned i = 0; i < LAXITY_RTBENCH_COUNTS; i++) {
        columns.counts[i] = -1;
        columns.scale_ratios[i] = -1;
    }
    return columns;
}

static int *add_log_value(struct columns *columns, const char *name)
{
    if (columns->n_log_values == LAXITY_LOG_VALUES_MAX) {
        return NULL;
    }
    laxity_format(columns->log_names[columns->n_log_values], NAME_BYTES, "%s", name);
    return &columns->log_values[columns->n_log_values++];
}

/*
 * The descr of a header of ours is "('NAME', '<u8'), ('NAME', ...": neither quotes nor backslashes
 * are ever in a name. Beside ratios of events the only float columns are the workload's own.
 */
static int
parse_columns(const char *dict, const struct laxity_event *events, struct columns *out_columns)
{
    struct columns columns = no_columns();
    for (const char *rest = strstr(dict, "('"); rest; rest = strstr(rest, "('")) {
        const char *name = rest + 2;
        const size_t length = strcspn(name, "'");
        char copy[NAME_BYTES];
        const char *type = name + length + strlen("', '");
        if (length >= sizeof copy || strncmp(name + length, "', '", 4) != 0) {
            return -EINVAL;
        }
        laxity_format(copy, sizeof copy, "%.*s", (int)length, name);
        const bool has_type = type[0] != '\0' && type[1] != '\0';
        const long bytes = has_type ? strtol(type + 2, NULL, 10) : 0;
        int *offset = find_column(&columns, copy);
        offset = offset ? offset : find_count(&columns, events, copy);
        if (!offset && has_type && type[1] == 'f') {
            offset = add_log_value(&columns, copy);
        }
        if (bytes <= 0 || columns.row_bytes + (size_t)bytes > ROW_BYTES_MAX) {
            return -EINVAL;
        }
        if (offset) {
            *offset = (int)columns.row_bytes;
        }
        columns.row_bytes += (size_t)bytes;
        rest = type;
    }
    const bool is_ours = columns.job >= 0 && columns.release_ns >= 0 &&
                         columns.abs_deadline_ns >= 0 && columns.start_ns >= 0 &&
                         columns.finish_ns >= 0 && columns.status >= 0;
    if (!is_ours) {
        return -EINVAL;
    }
    *out_columns = columns;
    return 0;
}

static int64_t signed_at(const unsigned char *row, int offset)
{
    int64_t value = 0;
    memcpy(&value, row + offset, sizeof value);
    return value;
}

static uint64_t unsigned_at(const unsigned char *row, int offset)
{
    uint64_t value = UINT64_MAX; /* absent */
    if (offset >= 0) {
        memcpy(&value, row + offset, sizeof value);
    }
    return value;
}

static int64_t count_at(const struct columns *columns, const unsigned char *row, unsigned count)
{
    float scale_ratio = 1.0F;
    if (columns->counts[count] < 0) {
        return INT64_MIN;
    }
    if (columns->scale_ratios[count] >= 0) {
        memcpy(&scale_ratio, row + columns->scale_ratios[count], sizeof scale_ratio);
    }
    return laxity_rtbench_scaled(signed_at(row, columns->counts[count]), scale_ratio);
}

static bool is_finished(const struct job *job)
{
    return job->status == LAXITY_STATUS_DONE || job->status == LAXITY_STATUS_MISSED;
}

static struct job read_job(const struct columns *columns, const unsigned char *row)
{
    struct job job = {
        .number = unsigned_at(row, columns->job),
        .release_ns = signed_at(row, columns->release_ns),
        .abs_deadline_ns = signed_at(row, columns->abs_deadline_ns),
        .start_ns = signed_at(row, columns->start_ns),
        .finish_ns = signed_at(row, columns->finish_ns),
        .start_ticks = unsigned_at(row, columns->start_ticks),
        .finish_ticks = unsigned_at(row, columns->finish_ticks),
        .status = row[columns->status],
        .cause = columns->cause >= 0 ? row[columns->cause] : LAXITY_END_NONE,
    };
    for (unsigned i = 0; i < LAXITY_RTBENCH_COUNTS; i++) {
        job.counted.values[i] = is_finished(&job) ? count_at(columns, row, i) : 0;
    }
    for (int i = 0; i < columns->n_log_values; i++) {
        memcpy(&job.log_values[i], row + columns->log_values[i], sizeof job.log_values[i]);
        if (!is_finished(&job)) {
            job.log_values[i] = 0.0F; /* as its other columns */
        }
    }
    return job;
}

/*
 * The instant in ticks: the anchor and the linear distance from it. Seconds and the rest apart: the
 * products stay below 2^63 for every rate up to 9.2 GHz, also where there are no 128-bit integers.
 */
static int64_t ticks_at(const struct anchor *anchor, int64_t rate_hz, int64_t instant_ns)
{
    const int64_t distance_ns = instant_ns - anchor->ns;
    return (int64_t)anchor->ticks + distance_ns / LAXITY_NS_PER_S * rate_hz +
           distance_ns % LAXITY_NS_PER_S * rate_hz / LAXITY_NS_PER_S;
}

static struct times times_in_ns(const struct job *job, const struct laxity_rtbench_format *format)
{
    struct times times = {.deadline = job->abs_deadline_ns};
    if (job->status == LAXITY_STATUS_ABORTED) {
        times.period_start = job->release_ns;
    } else if (is_finished(job)) {
        times.period_start = job->release_ns;
        times.period_end = job->release_ns + format->period_ns;
        times.job_end = job->finish_ns;
        times.elapsed = job->finish_ns - job->release_ns;
    }
    return times;
}

/* An instant that is 0 (not there) stays 0. */
static struct times times_in_ticks(
    const struct times *ns, const struct job *job, const struct anchor *anchor, int64_t rate_hz
)
{
    struct times ticks = {0};
    if (!anchor->is_known) {
        return ticks;
    }
    ticks.deadline = ticks_at(anchor, rate_hz, ns->deadline);
    if (ns->period_start != 0) {
        ticks.period_start = ticks_at(anchor, rate_hz, ns->period_start);
    }
    if (is_finished(job)) {
        ticks.period_end = ticks_at(anchor, rate_hz, ns->period_end);
        ticks.job_end = (int64_t)job->finish_ticks;
        ticks.elapsed = ticks.job_end - ticks.period_start;
    }
    return ticks;
}

static void print_seconds(FILE *out, int64_t ns)
{
    (void)fprintf(out, "%" PRId64 ".%09" PRId64, ns / LAXITY_NS_PER_S, ns % LAXITY_NS_PER_S);
}

static void
print_csv(FILE *out, const struct times *ticks, const struct times *ns, bool is_met, double period)
{
    const int64_t tick_columns[] = {
        ticks->period_start, ticks->period_end, ticks->job_end, ticks->deadline, ticks->elapsed
    };
    const int64_t ns_columns[] = {
        ns->period_start, ns->period_end, ns->job_end, ns->deadline, ns->elapsed
    };
    for (size_t i = 0; i < sizeof tick_columns / sizeof tick_columns[0]; i++) {
        (void)fprintf(out, "%" PRId64 ",", tick_columns[i]);
    }
    for (size_t i = 0; i < sizeof ns_columns / sizeof ns_columns[0]; i++) {
        print_seconds(out, ns_columns[i]);
        (void)putc(',', out);
    }
    const double elapsed = (double)ns->elapsed;
    const double deadline = (double)(ns->deadline - ns->period_start);
    (void)fprintf(out, "%d,%.6g,%.6g", is_met, elapsed / period, elapsed / deadline);
}

static void print_human(FILE *out, const struct job *job, const struct times *ns, double period)
{
    (void)fprintf(out, "job %" PRIu64 ": ", job->number);
    if (is_finished(job)) {
        (void)fputs("released ", out);
        print_seconds(out, ns->period_start);
        (void)fputs(" s, ended ", out);
        print_seconds(out, ns->job_end);
        (void)fputs(" s, ", out);
    } else {
        const bool was_started = job->status == LAXITY_STATUS_ABORTED;
        (void)fputs(was_started ? "started, not finished, " : "skipped, ", out);
    }
    (void)fputs("deadline ", out);
    print_seconds(out, ns->deadline);
    (void)fputs(" s", out);
    if (is_finished(job)) {
        (void
        )fputs(job->status == LAXITY_STATUS_DONE ? " met, elapsed " : " missed, elapsed ", out);
        print_seconds(out, ns->elapsed);
        const double elapsed = (double)ns->elapsed;
        const double deadline = (double)(ns->deadline - ns->period_start);
        (void
        )fprintf(out, " s, utilization %.3g, density %.3g", elapsed / period, elapsed / deadline);
    }
}

/* printf() may give a NaN a sign. */
static void print_value(FILE *out, float value)
{
    if (isnan(value)) {
        (void)fputs("nan", out);
    } else {
        (void)fprintf(out, "%.9g", (double)value);
    }
}

/* Of no references there is no ratio. */
static void print_ratio(FILE *out, int64_t part, int64_t whole)
{
    if (part == INT64_MIN || whole == INT64_MIN || whole <= 0) {
        (void)fputs("nan", out);
    } else {
        (void)fprintf(out, "%.6g", (double)part / (double)whole);
    }
}

static void print_level(FILE *out, const struct job *job, enum laxity_rtbench_count references)
{
    const int64_t *values = &job->counted.values[references];
    (void)putc(',', out);
    laxity_rtbench_print_count(out, values[0]);
    (void)putc(',', out);
    laxity_rtbench_print_count(out, values[1]); /* its refills come next */
    (void)putc(',', out);
    if (is_finished(job)) {
        print_ratio(out, values[1], values[0]);
    } else {
        (void)putc('0', out);
    }
}

static void print_counts(FILE *out, const struct job *job)
{
    print_level(out, job, LAXITY_RTBENCH_L1_REFERENCES);
    print_level(out, job, LAXITY_RTBENCH_L2_REFERENCES);
    (void)putc(',', out);
    laxity_rtbench_print_count(out, job->counted.values[LAXITY_RTBENCH_INSTRUCTIONS]);
    (void)putc(',', out);
    laxity_rtbench_print_count(out, job->counted.values[LAXITY_RTBENCH_CYCLES]);
}

static void
print_counts_for_people(FILE *out, const struct laxity_event *events, const struct job *job)
{
    for (unsigned i = 0; i < LAXITY_RTBENCH_COUNTS; i++) {
        (void)fprintf(out, ", %s ", events[i].name);
        laxity_rtbench_print_count(out, job->counted.values[i]);
    }
}

static void print_job(
    FILE *out,
    const struct laxity_rtbench_format *format,
    const struct columns *columns,
    const struct job *job,
    const struct anchor *anchor
)
{
    const struct times ns = times_in_ns(job, format);
    const double period = (double)format->period_ns;
    if (format->level >= LAXITY_RTBENCH_HUMAN) {
        print_human(out, job, &ns, period);
        if (format->events && is_finished(job)) {
            print_counts_for_people(out, format->events, job);
        }
        for (int i = 0; i < columns->n_log_values && is_finished(job); i++) {
            (void)fprintf(out, ", %s ", columns->log_names[i]);
            print_value(out, job->log_values[i]);
        }
    } else {
        const struct times ticks = times_in_ticks(&ns, job, anchor, format->rate_hz);
        print_csv(out, &ticks, &ns, job->status == LAXITY_STATUS_DONE, period);
        if (format->events) {
            print_counts(out, job);
        }
        for (int i = 0; i < columns->n_log_values; i++) {
            (void)putc(',', out);
            print_value(out, job->log_values[i]);
        }
    }
    (void)putc('\n', out);
}

/* Returns 0 or -errno. */
static int print_jobs(
    FILE *in, FILE *out, const struct laxity_rtbench_format *format, const struct columns *columns
)
{
    if (format->level == LAXITY_RTBENCH_FILE) {
        (void)fputs(header, out);
        if (format->events) {
            (void)fputs(counts_header, out);
        }
        for (int i = 0; i < columns->n_log_values; i++) {
            /* The comma between is ours: RT-Bench leaves it to the workload, and many forget it. */
            (void)fprintf(out, ",%s", columns->log_names[i]);
        }
        (void)putc('\n', out);
    }
    struct anchor anchor = {.is_known = false};
    unsigned char row[ROW_BYTES_MAX];
    while (fread(row, columns->row_bytes, 1, in) == 1) {
        const struct job job = read_job(columns, row);
        if (format->rate_hz > 0 && job.start_ticks != UINT64_MAX) {
            anchor = (struct anchor){job.start_ns, job.start_ticks, true};
        }
        /* RT-Bench prints none for a job that SIGINT cuts off, and status 0 would say "missed". */
        const bool is_cut_off =
            job.status == LAXITY_STATUS_ABORTED && job.cause == LAXITY_END_INTERRUPT;
        const bool is_hidden = job.status == LAXITY_STATUS_SKIPPED && format->hides_skipped;
        if (!is_cut_off && !is_hidden && format->level != LAXITY_RTBENCH_ERRORS) {
            print_job(out, format, columns, &job, &anchor);
        }
        if (format->profile && is_finished(&job)) {
            const int rc = laxity_rtbench_profile_add(format->profile, job.start_ns, job.finish_ns);
            if (rc) {
                return rc;
            }
        }
    }
    return 0;
}

int laxity_rtbench_write_jobs(
    const char *run_dir, const struct laxity_rtbench_format *format, FILE *out
)
{
    if (format->level == LAXITY_RTBENCH_ERRORS && !format->profile) {
        return 0;
    }
    char path[PATH_MAX];
    laxity_format(path, sizeof path, "%s/jobs.npy", run_dir);
    FILE *in = fopen(path, "re");
    if (!in) {
        return -errno;
    }
    char dict[LAXITY_NPY_HEADER_BYTES + 1] = "";
    struct columns columns;
    int rc = -EINVAL;
    if (fread(dict, LAXITY_NPY_HEADER_BYTES, 1, in) == 1) {
        /* Before the dict stand magic and length, which may hold a zero byte. */
        const char *begin = memchr(dict, '{', LAXITY_NPY_HEADER_BYTES);
        rc = begin ? parse_columns(begin, format->events, &columns) : -EINVAL;
    }
    if (rc == 0) {
        rc = print_jobs(in, out, format, &columns);
    }
    if (rc == 0) {
        errno = 0;
        if (ferror(in) || fflush(out) != 0 || ferror(out)) {
            rc = errno != 0 ? -errno : -EIO;
        }
    }
    (void)fclose(in);
    return rc;
}
