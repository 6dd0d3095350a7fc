/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
#include "facts/collect.h"

#include "base/cpus.h"
#include "base/error.h"
#include "base/port/file.h"
#include "base/port/namespaces.h"
#include "base/port/sched.h"
#include "base/port/time.h"
#include "facts/request.h"
#include "schema/run.h"

#include <dirent.h>
#include <errno.h>
#include <fnmatch.h>
#include <inttypes.h>
#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

enum {
    NUMBER_BYTES = 24,
    CPU_LIST_BYTES = 5 * LAXITY_CPUS_MAX /* "1023," */
};

/* Where records of one request go, and from where. */
struct collector {
    const char *root;
    FILE *out;
    const struct laxity_facts_request *request;
    char *buffer; /* of limit_bytes + 1: the last byte tells whether there is more */
};

static void put_record(FILE *out, const char *kind, const char *key, const char *data, size_t bytes)
{
    (void)fprintf(out, "%s %zu %s\n", kind, bytes, key);
    (void)fwrite(data, 1, bytes, out);
    (void)fputc('\n', out);
}

static void put_error(FILE *out, const char *key, int error_number)
{
    const char *name =
        error_number == LAXITY_NOT_REGULAR ? "not a regular file" : strerrorname_np(-error_number);
    name = name ? name : "unknown error";
    put_record(out, "error", key, name, strlen(name));
}

/* A key with a newline could not be told from the next record; the kernel makes none. */
static void read_one(const struct collector *collector, const char *directory, const char *name)
{
    char path[PATH_MAX];
    const int length = snprintf(path, sizeof path, "%s%s/%s", collector->root, directory, name);
    if (length < 0 || (size_t)length >= sizeof path || strchr(path, '\n')) {
        return;
    }
    const char *key = path + strlen(collector->root);
    const size_t limit_bytes = collector->request->limit_bytes;
    size_t bytes = 0;
    const int rc = laxity_read_regular(path, collector->buffer, limit_bytes + 1, &bytes);
    if (rc) {
        put_error(collector->out, key, rc);
        return;
    }
    const bool is_cut = bytes > limit_bytes;
    put_record(
        collector->out,
        is_cut ? "cut" : "file",
        key,
        collector->buffer,
        is_cut ? limit_bytes : bytes
    );
}

static void read_names(const struct collector *collector, const char *directory)
{
    char names[LAXITY_FACTS_LINE_BYTES];
    laxity_format(names, sizeof names, "%s", collector->request->names);
    char *rest = names;
    for (const char *name = laxity_facts_next_name(&rest); name;
         name = laxity_facts_next_name(&rest)) {
        read_one(collector, directory, name);
    }
}

/* Length of the part of `pattern` before the first component with * or [; all of it if none. */
static size_t literal_length(const char *pattern)
{
    const char *wild = strpbrk(pattern, "*[");
    if (!wild) {
        return strlen(pattern);
    }
    while (wild > pattern && *wild != '/') {
        wild--;
    }
    return (size_t)(wild - pattern);
}

/*
 * Reads the names in every directory that known/pattern matches: one component with a wildcard per
 * call, no deeper than the pattern.
 */
static void expand(const struct collector *collector, const char *known, const char *pattern)
{
    char directory[PATH_MAX];
    const size_t literal = literal_length(pattern);
    laxity_format(directory, sizeof directory, "%s%.*s", known, (int)literal, pattern);
    if (pattern[literal] == '\0') {
        read_names(collector, directory);
        return;
    }
    const char *component = pattern + literal + 1;
    char wanted[NAME_MAX + 1];
    const size_t length = strcspn(component, "/");
    laxity_format(wanted, sizeof wanted, "%.*s", (int)length, component);
    char path[PATH_MAX];
    laxity_format(path, sizeof path, "%s%s/", collector->root, directory);
    DIR *stream = opendir(path);
    if (!stream) {
        return;
    }
    /* NOLINTNEXTLINE(concurrency-mt-unsafe): one thread */
    for (const struct dirent *entry = readdir(stream); entry; entry = readdir(stream)) {
        if (fnmatch(wanted, entry->d_name, FNM_PERIOD) != 0) {
            continue;
        }
        laxity_format(path, sizeof path, "%s/%s", directory, entry->d_name);
        expand(collector, path, component + length);
    }
    (void)closedir(stream);
}

static int answer_read(struct collector *collector)
{
    collector->buffer = malloc(collector->request->limit_bytes + 1);
    if (!collector->buffer) {
        return -ENOMEM;
    }
    expand(collector, "", collector->request->directory);
    free(collector->buffer);
    return 0;
}

/* Values that are no files; laxity.platform.facts takes the same ones of its own process. */
static void put_value(FILE *out, const char *key, const char *text)
{
    put_record(out, "value", key, text, strlen(text));
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

static void put_pid_namespace(FILE *out)
{
    struct laxity_namespaces here;
    if (laxity_namespaces_read(&here) == 0) {
        put_value(out, "@pid_namespace", here.has_machine_tids ? "first" : "own");
    }
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

static void put_process(FILE *out)
{
    put_names(out);
    put_number(out, "@euid", (int64_t)geteuid());
    put_number(out, "@clk_tck", sysconf(_SC_CLK_TCK));
    put_number(out, "@page_bytes", sysconf(_SC_PAGE_SIZE));
    put_affinity(out);
    put_pid_namespace(out);
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

static void put_access(FILE *out, const char *path)
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

static int answer(const char *root, FILE *out, const struct laxity_facts_request *request)
{
    if (request->kind == LAXITY_FACTS_READ) {
        struct collector collector = {.root = root, .out = out, .request = request};
        return answer_read(&collector);
    }
    if (root[0] != '\0') {
        return 0;
    }
    if (request->kind == LAXITY_FACTS_ACCESS) {
        put_access(out, request->directory);
    } else {
        put_process(out);
    }
    return 0;
}

static int answer_lines(const char *root, FILE *in, FILE *out, struct laxity_error *error)
{
    static char line[LAXITY_FACTS_LINE_BYTES];
    while (fgets(line, sizeof line, in)) {
        line[strcspn(line, "\n")] = '\0';
        struct laxity_facts_request request;
        if (laxity_facts_parse(line, &request)) {
            return laxity_refuse(
                error,
                LAXITY_EXIT_USAGE,
                "request \"%.60s\": not known; host and board need the same version",
                line
            );
        }
        if (answer(root, out, &request)) {
            return laxity_refuse(
                error, LAXITY_EXIT_LACKING, "no memory for a file; end other programs"
            );
        }
    }
    return 0;
}

int laxity_facts_collect(const char *root, FILE *in, FILE *out, struct laxity_error *error)
{
    (void)fprintf(out, "laxity-facts %s\n", LAXITY_VERSION);
    if (answer_lines(root, in, out, error)) {
        return -1;
    }
    put_record(out, "end", "", "", 0);
    if (fflush(out) != 0 || ferror(out)) {
        return laxity_refuse(
            error, LAXITY_EXIT_LACKING, "cannot write the answer: %s", strerrordesc_np(errno)
        );
    }
    return 0;
}
