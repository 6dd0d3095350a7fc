/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
#include "../test.h"
#include "base/port/memory.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum {
    PATH_BYTES = 256
};

static char root[] = "/tmp/laxity-memory-XXXXXX";

static void write_file(const char *name, const char *text)
{
    char path[PATH_BYTES];
    (void)snprintf(path, sizeof path, "%s/%s", root, name);
    for (char *slash = strchr(path + sizeof root, '/'); slash; slash = strchr(slash + 1, '/')) {
        *slash = '\0';
        (void)mkdir(path, 0700);
        *slash = '/';
    }
    FILE *file = fopen(path, "we");
    CHECK(file != NULL);
    if (file) {
        (void)fputs(text, file);
        (void)fclose(file);
    }
}

static uint64_t available(void)
{
    char groups[PATH_BYTES];
    (void)snprintf(groups, sizeof groups, "%s/groups", root);
    return laxity_available_bytes(root, groups);
}

static void without_files_nothing_is_known(void)
{
    CHECK_EQUAL(available(), UINT64_MAX);
}

static void without_a_limited_group_it_is_what_the_machine_has(void)
{
    write_file("meminfo", "MemTotal: 8000 kB\nMemFree: 10 kB\nMemAvailable:    3000 kB\n");
    CHECK_EQUAL(available(), 3000 * 1024);
    write_file("self/cgroup", "0::/a/b\n");
    write_file("groups/a/b/memory.max", "max\n");
    write_file("groups/a/b/memory.current", "4096\n");
    CHECK_EQUAL(available(), 3000 * 1024);
}

static void a_limit_of_any_level_counts_without_pages_that_are_taken_back(void)
{
    write_file("groups/a/memory.max", "1000000\n");
    write_file("groups/a/memory.current", "700000\n");
    write_file("groups/a/memory.stat", "anon 5\ninactive_file 200000\nactive_file 1\n");
    /* 1000000 - (700000 - 200000) */
    CHECK_EQUAL(available(), 500000);
    write_file("groups/a/memory.stat", "anon 5\n");
    CHECK_EQUAL(available(), 300000);
    write_file("groups/a/memory.current", "1000001\n");
    CHECK_EQUAL(available(), 0);
    write_file("groups/a/memory.max", "max\n");
}

static void a_group_of_the_first_version_is_read_too(void)
{
    write_file("self/cgroup", "9:cpu,cpuacct:/x\n7:memory:/outside/x\n0::/\n");
    /* In a container: the path is not there, its group is the mount point. */
    write_file("groups/memory/memory.limit_in_bytes", "2000000\n");
    write_file("groups/memory/memory.usage_in_bytes", "1500000\n");
    write_file("groups/memory/memory.stat", "inactive_file 7\ntotal_inactive_file 100000\n");
    /* 2000000 - (1500000 - 100000) */
    CHECK_EQUAL(available(), 600000);
}

int main(void)
{
    if (!mkdtemp(root)) {
        return 1;
    }
    RUN(without_files_nothing_is_known);
    RUN(without_a_limited_group_it_is_what_the_machine_has);
    RUN(a_limit_of_any_level_counts_without_pages_that_are_taken_back);
    RUN(a_group_of_the_first_version_is_read_too);
    return test_exit_code();
}
