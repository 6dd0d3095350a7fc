/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
/* Values that are no files; laxity.runner.facts takes the same ones of its own process. */
#include "base/cpus.h"
#include "base/error.h"
#include "base/port/sched.h"
#include "base/port/time.h"
#include "facts/collect.h"
#include "schema/run.h"

#include <inttypes.h>
#include <limits.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

enum {
    NUMBER_BYTES = 24,
    CPU_LIST_BYTES = 5 * LAXITY_CPUS_MAX /* "1023," */
};

static void put_value(FILE *out, const char *key, const char *text)
{
    laxity_facts_put(out, "value", key, text, strlen(text));
}

static void put_number(FILE *out, const char *key, int64_t number)
{
    char text[NUMBER_BYTES];
    laxity_format(text, sizeof text, "%" PRId64, number);
    put_value(out, key, text);
}

static void format_limit(char *text, size_t bytes, rlim_t limit)
{
    if (limit == RLIM_INFINITY) {
        laxity_format(text, bytes, "unlimited");
        return;
    }
    laxity_format(text, bytes, "%" PRIu64, (uint64_t)limit);
}

static void put_limit(FILE *out, const char *key, const struct rlimit *limits)
{
    char soft[NUMBER_BYTES];
    char hard[NUMBER_BYTES];
    format_limit(soft, sizeof soft, limits->rlim_cur);
    format_limit(hard, sizeof hard, limits->rlim_max);
    char text[2 * NUMBER_BYTES];
    laxity_format(text, sizeof text, "%s %s", soft, hard);
    put_value(out, key, text);
}

static void put_affinity(FILE *out)
{
    struct laxity_cpus cpus;
    if (laxity_get_affinity(&cpus) != 0) {
        return;
    }
    char list[CPU_LIST_BYTES];
    laxity_cpus_format(&cpus, list, sizeof list);
    put_value(out, "@affinity", list);
}

static void put_names(FILE *out)
{
    struct utsname name;
    if (uname(&name) != 0) {
        return;
    }
    put_value(out, "@uname.sysname", name.sysname);
    put_value(out, "@uname.release", name.release);
    put_value(out, "@uname.version", name.version);
    put_value(out, "@uname.machine", name.machine);
    put_value(out, "@hostname", name.nodename);
}

void laxity_facts_put_process(FILE *out)
{
    put_names(out);
    put_number(out, "@euid", (int64_t)geteuid());
    put_number(out, "@clk_tck", sysconf(_SC_CLK_TCK));
    put_number(out, "@page_bytes", sysconf(_SC_PAGE_SIZE));
    put_affinity(out);
    struct rlimit limits;
    if (getrlimit(RLIMIT_RTPRIO, &limits) == 0) {
        put_limit(out, "@rlimit.rtprio", &limits);
    }
    if (getrlimit(RLIMIT_MEMLOCK, &limits) == 0) {
        put_limit(out, "@rlimit.memlock", &limits);
    }
    if (getrlimit(RLIMIT_RTTIME, &limits) == 0) {
        put_limit(out, "@rlimit.rttime", &limits);
    }
    struct timespec resolution;
    if (clock_getres(CLOCK_MONOTONIC, &resolution) == 0) {
        put_number(out, "@resolution_ns", laxity_timespec_ns(&resolution));
    }
    put_number(out, "@time_ns", laxity_now_ns());
}

void laxity_facts_put_access(FILE *out, const char *path)
{
    if (access(path, F_OK) != 0) {
        return;
    }
    char key[PATH_MAX];
    laxity_format(key, sizeof key, "@access:%s", path);
    char ways[3] = "";
    laxity_format(
        ways,
        sizeof ways,
        "%s%s",
        access(path, R_OK) == 0 ? "r" : "",
        access(path, W_OK) == 0 ? "w" : ""
    );
    put_value(out, key, ways);
}
