/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
/* Output of a job, whole or with parts that are not compared. */
#include "../test.h"
#include "guests/fnv.h"
#include "guests/guest_streams.h"

#include <errno.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <unistd.h>

/* FNV-1a of a text, byte by byte. */
static uint64_t hash_of(const char *text)
{
    uint64_t hash = LAXITY_FNV_BASIS;
    for (const char *at = text; *at != '\0'; at++) {
        hash = laxity_fnv_add(hash, (unsigned char)*at);
    }
    return hash;
}

/* Standard output of this test, and of the job. */
static int own_fd;
static int job_fd;

static void write_to(int fd)
{
    (void)fflush(stdout);
    (void)dup2(fd, STDOUT_FILENO);
}

static struct laxity_guest_output written(const char *text)
{
    struct laxity_guest_output output;
    write_to(job_fd);
    laxity_guest_streams_begin();
    (void)fputs(text, stdout);
    laxity_guest_streams_take(&output);
    write_to(own_fd);
    return output;
}

static void output_is_whole_without_a_filter(void)
{
    CHECK_EQUAL(written("a 1\nb 2\n").hash, hash_of("a 1\nb 2\n"));
    CHECK_EQUAL(written("a 1\nb 2\n").bytes, 8);
}

static void a_wrong_expression_is_refused(void)
{
    CHECK_EQUAL(laxity_guest_streams_filter("("), -EINVAL);
    CHECK_EQUAL(laxity_guest_streams_filter(""), 0);
    CHECK_EQUAL(written("(").hash, hash_of("("));
}

/* All matches go, ^ is the beginning of a line only, and an empty match (x*) takes nothing away. */
static void matches_are_cut_from_each_line(void)
{
    CHECK_EQUAL(laxity_guest_streams_filter("^t[0-9]+|: .*|x*"), 0);
    CHECK_EQUAL(written("t12t3 a: 4\nxxb x\n").hash, hash_of("t3 a\nb \n"));
    CHECK_EQUAL(written("t12t3 a: 4\nxxb x\n").bytes, 8);
    CHECK_EQUAL(written("").hash, hash_of(""));
    CHECK_EQUAL(written("xx").hash, hash_of(""));
    CHECK_EQUAL(written("a").hash, hash_of("a"));
}

int main(void)
{
    own_fd = dup(STDOUT_FILENO);
    if (own_fd < 0 || laxity_guest_streams_open(NULL)) {
        return 1;
    }
    job_fd = dup(STDOUT_FILENO);
    if (job_fd < 0) {
        return 1;
    }
    write_to(own_fd);
    RUN(output_is_whole_without_a_filter);
    RUN(a_wrong_expression_is_refused);
    RUN(matches_are_cut_from_each_line);
    return test_exit_code();
}
