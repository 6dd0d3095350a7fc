/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
#include "../test.h"
#include "base/npy.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

static const struct laxity_field fields[] = {{"task", 'u', 2}, {"x_ns", 'i', 8}, {"name", 'S', 6}};
enum {
    N_FIELDS = 3,
    ROW_BYTES = 16
};

static char directory[] = "/tmp/laxity-test-npy-XXXXXX";
static int dir_fd;

static off_t file_bytes(void)
{
    struct stat status;
    return fstatat(dir_fd, "s.npy", &status, 0) == 0 ? status.st_size : -1;
}

static struct laxity_npy new_stream(void)
{
    struct laxity_npy npy = {.fd = -1};
    CHECK_EQUAL(laxity_npy_create(dir_fd, "s.npy", fields, N_FIELDS, &npy), 0);
    return npy;
}

static void header_names_fields_and_rows(void)
{
    struct laxity_npy npy = new_stream();
    const unsigned char rows[2 * ROW_BYTES] = {0};
    CHECK_EQUAL(laxity_npy_write(&npy, 0, rows, 2), 0);
    CHECK_EQUAL(laxity_npy_close(&npy), 0);
    char header[LAXITY_NPY_HEADER_BYTES + 1] = {0};
    const int fd = openat(dir_fd, "s.npy", O_RDONLY);
    CHECK_EQUAL(read(fd, header, LAXITY_NPY_HEADER_BYTES), LAXITY_NPY_HEADER_BYTES);
    (void)close(fd);
    CHECK(memcmp(header, "\x93NUMPY\x01\x00", 8) == 0);
    /* 4096 - 10 = 4086 = 0x0ff6, little-endian whatever the machine */
    CHECK(header[8] == '\xf6' && header[9] == '\x0f');
    CHECK(strstr(header + 10, "'shape': (2,), }") != NULL);
    CHECK(strstr(header + 10, "('name', '|S6')") != NULL);
    CHECK(header[LAXITY_NPY_HEADER_BYTES - 1] == '\n');
}

static void file_is_never_longer_than_its_rows(void)
{
    struct laxity_npy npy = new_stream();
    CHECK_EQUAL(file_bytes(), LAXITY_NPY_HEADER_BYTES);
    const unsigned char rows[3 * ROW_BYTES] = {0};
    CHECK_EQUAL(laxity_npy_write(&npy, 0, rows, 3), 0);
    CHECK_EQUAL(file_bytes(), LAXITY_NPY_HEADER_BYTES + 3 * ROW_BYTES);
    CHECK_EQUAL(laxity_npy_write(&npy, 4, rows, 1), -EINVAL); /* a hole */
    CHECK_EQUAL(laxity_npy_close(&npy), 0);
}

static void reopening_cuts_a_torn_row(void)
{
    struct laxity_npy npy = new_stream();
    const unsigned char rows[2 * ROW_BYTES] = {7};
    CHECK_EQUAL(laxity_npy_write(&npy, 0, rows, 2), 0);
    CHECK_EQUAL(pwrite(npy.fd, rows, 5, LAXITY_NPY_HEADER_BYTES + 2 * ROW_BYTES), 5);
    (void)close(npy.fd);
    CHECK_EQUAL(laxity_npy_reopen(dir_fd, "s.npy", fields, N_FIELDS, 2, &npy), 0);
    CHECK_EQUAL(file_bytes(), LAXITY_NPY_HEADER_BYTES + 2 * ROW_BYTES);
    unsigned char back[2 * ROW_BYTES];
    CHECK_EQUAL(laxity_npy_read(&npy, 0, back, 2), 0);
    CHECK(memcmp(back, rows, sizeof rows) == 0);
    CHECK_EQUAL(laxity_npy_read(&npy, 1, back, 2), -EINVAL);
    CHECK_EQUAL(laxity_npy_close(&npy), 0);
    CHECK_EQUAL(laxity_npy_reopen(dir_fd, "s.npy", fields, N_FIELDS, 3, &npy), -EINVAL);
}

static void full_output_leaves_whole_rows(void)
{
    /* Room for the header, one row and a half. */
    const struct rlimit limit = {LAXITY_NPY_HEADER_BYTES + ROW_BYTES * 3 / 2, RLIM_INFINITY};
    (void)signal(SIGXFSZ, SIG_IGN);
    struct laxity_npy npy = new_stream();
    CHECK_EQUAL(setrlimit(RLIMIT_FSIZE, &limit), 0);
    const unsigned char rows[2 * ROW_BYTES] = {0};
    CHECK_EQUAL(laxity_npy_write(&npy, 0, rows, 1), 0);
    CHECK_EQUAL(laxity_npy_write(&npy, 1, rows, 1), -EFBIG);
    CHECK_EQUAL(npy.rows, 1);
    CHECK_EQUAL(file_bytes(), LAXITY_NPY_HEADER_BYTES + ROW_BYTES);
    CHECK_EQUAL(laxity_npy_close(&npy), 0);
    const struct rlimit none = {RLIM_INFINITY, RLIM_INFINITY};
    CHECK_EQUAL(setrlimit(RLIMIT_FSIZE, &none), 0);
}

int main(void)
{
    if (!mkdtemp(directory)) {
        return 1;
    }
    dir_fd = open(directory, O_RDONLY | O_DIRECTORY);
    RUN(header_names_fields_and_rows);
    RUN(file_is_never_longer_than_its_rows);
    RUN(reopening_cuts_a_torn_row);
    RUN(full_output_leaves_whole_rows);
    (void)unlinkat(dir_fd, "s.npy", 0);
    (void)rmdir(directory);
    return test_exit_code();
}
