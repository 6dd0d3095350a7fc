/* SPDX-FileCopyrightText: 2026 The laxity authors */
/* SPDX-License-Identifier: MIT */
/* Dates. What localtime() and its like return is the C library's, and so are names of zones. */
#include "trace.h"
#include "wrappers.h"

#include <stddef.h>
#include <string.h>
#include <time.h>

/* Not what follows tm_isdst: mktime() only writes it, strftime() reads it for "%Z" and "%z" alone.
 */
static void read_date(const struct tm *date)
{
    laxity_trace_read(date, offsetof(struct tm, tm_isdst) + sizeof(date->tm_isdst));
}

time_t laxity_traced_mktime(struct tm *date)
{
    time_t result;

    read_date(date);
    result = mktime(date);
    if (result != (time_t)-1) {
        laxity_trace_write(date, sizeof(*date));
    }
    return result;
}

struct tm *laxity_traced_localtime(const time_t *moment)
{
    laxity_trace_read(moment, sizeof(*moment));
    return localtime(moment); /* NOLINT(concurrency-mt-unsafe): the program has one thread */
}

struct tm *laxity_traced_gmtime(const time_t *moment)
{
    laxity_trace_read(moment, sizeof(*moment));
    return gmtime(moment); /* NOLINT(concurrency-mt-unsafe): the program has one thread */
}

char *laxity_traced_ctime(const time_t *moment)
{
    laxity_trace_read(moment, sizeof(*moment));
    return ctime(moment); /* NOLINT: what the program called; it has one thread */
}

struct tm *laxity_traced_localtime_r(const time_t *moment, struct tm *out_date)
{
    struct tm *date;

    laxity_trace_read(moment, sizeof(*moment));
    date = localtime_r(moment, out_date);
    if (date) {
        laxity_trace_write(date, sizeof(*date));
    }
    return date;
}

struct tm *laxity_traced_gmtime_r(const time_t *moment, struct tm *out_date)
{
    struct tm *date;

    laxity_trace_read(moment, sizeof(*moment));
    date = gmtime_r(moment, out_date);
    if (date) {
        laxity_trace_write(date, sizeof(*date));
    }
    return date;
}

__attribute__((format(strftime, 3, 0))) size_t
laxity_traced_strftime(char *to, size_t size_bytes, const char *format, const struct tm *date)
{
    size_t length;

    laxity_trace_read(format, strlen(format) + 1);
    read_date(date);
    if (strstr(format, "%z")) {
        laxity_trace_read(&date->tm_gmtoff, sizeof(date->tm_gmtoff));
    }
    if (strstr(format, "%Z") && date->tm_zone) {
        laxity_trace_read(&date->tm_zone, sizeof(date->tm_zone));
        laxity_trace_read(date->tm_zone, strlen(date->tm_zone) + 1);
    }
    length = strftime(to, size_bytes, format, date);
    if (length > 0) { /* 0: what is there is not defined */
        laxity_trace_write(to, length + 1);
    }
    return length;
}
