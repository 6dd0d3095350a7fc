/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
#include "guests/guest_streams.h"

#include "guests/fnv.h"

#include <errno.h>
#include <fcntl.h>
#include <regex.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdio_ext.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <unistd.h>

enum {
    BUFFER_BYTES = 4096, /* what the C library gives a file */
    FIRST_KEPT_FD = 900, /* below the usual limit of 1024 */
};

/* Of the output of every job; a wrapped job has no argument that could lead it there. */
static regex_t filter;
static bool has_filter;
static int kept_fd = -1;

static int replace(int fd, int with)
{
    if (with < 0) {
        return -errno;
    }
    const int rc = dup2(with, fd) < 0 ? -errno : 0;
    (void)close(with);
    return rc;
}

/* Buffers of ours, or the C library would take them from the heap in the first job that needs one.
 */
static void give_buffers(void)
{
    static char input[BUFFER_BYTES];
    static char output[BUFFER_BYTES];
    (void)setvbuf(stdin, input, _IOFBF, sizeof input);
    (void)setvbuf(stdout, output, _IOFBF, sizeof output);
}

int laxity_guest_streams_open(const char *input)
{
    int rc = replace(STDIN_FILENO, open(input ? input : "/dev/null", O_RDONLY));
    rc = rc ? rc : replace(STDOUT_FILENO, memfd_create("stdout", 0));
    rc = rc ? rc : replace(STDERR_FILENO, memfd_create("stderr", 0));
    if (rc == 0) {
        give_buffers();
    }
    return rc;
}

int laxity_guest_streams_keep(const char *path)
{
    const int fd = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, S_IRUSR | S_IWUSR);
    if (fd < 0) {
        return -errno;
    }
    /* Where no guest expects one: what it opens gets the numbers that it would get without us. */
    kept_fd = fcntl(fd, F_DUPFD_CLOEXEC, FIRST_KEPT_FD);
    const int rc = kept_fd < 0 ? -errno : 0;
    (void)close(fd);
    return rc;
}

static void keep(const struct laxity_guest_output *output, const char *data, size_t n)
{
    const uint64_t kept = output->bytes;
    if (kept_fd >= 0 && kept < LAXITY_KEPT_OUTPUT_BYTES) {
        const size_t room = (size_t)(LAXITY_KEPT_OUTPUT_BYTES - kept);
        (void)!write(kept_fd, data, n < room ? n : room);
    }
}

static void empty(int fd)
{
    (void)!ftruncate(fd, 0);
    (void)lseek(fd, 0, SEEK_SET);
}

void laxity_guest_streams_begin(void)
{
    __fpurge(stdin);
    clearerr(stdin);
    (void)lseek(STDIN_FILENO, 0, SEEK_SET);
    (void)fseek(stdin, 0, SEEK_SET);
    clearerr(stdout);
    empty(STDOUT_FILENO);
    empty(STDERR_FILENO);
}

int laxity_guest_streams_filter(const char *pattern)
{
    if (!pattern || pattern[0] == '\0') {
        return 0;
    }
    if (regcomp(&filter, pattern, REG_EXTENDED | REG_NEWLINE) != 0) {
        return -EINVAL;
    }
    has_filter = true;
    return 0;
}

static void hash_bytes(struct laxity_guest_output *output, const char *data, size_t n)
{
    keep(output, data, n);
    for (size_t i = 0; i < n; i++) {
        output->hash = laxity_fnv_add(output->hash, (unsigned char)data[i]);
    }
    output->bytes += n;
}

/* Both ends of the text that is looked at stand in `match`, so that it may hold a NUL. */
static bool find_match(const char *data, size_t from, size_t length, regmatch_t *match)
{
    const int flags = REG_STARTEND | (from > 0 && data[from - 1] != '\n' ? REG_NOTBOL : 0);
    *match = (regmatch_t){.rm_so = (regoff_t)from, .rm_eo = (regoff_t)length};
    return regexec(&filter, data, 1, match, flags) == 0;
}

static void hash_filtered(struct laxity_guest_output *output, const char *data, size_t length)
{
    size_t from = 0;
    regmatch_t match;
    while (from < length && find_match(data, from, length, &match)) {
        /* An empty match cuts nothing: the byte behind it is passed over. */
        const size_t end = (size_t)match.rm_eo;
        const bool is_empty = match.rm_so == match.rm_eo;
        hash_bytes(output, data + from, (size_t)match.rm_so - from + (is_empty && end < length));
        from = end + is_empty;
    }
    if (from < length) {
        hash_bytes(output, data + from, length - from);
    }
}

static void hash_filtered_file(int fd, struct laxity_guest_output *output)
{
    const off_t length = lseek(fd, 0, SEEK_END);
    if (length <= 0) {
        return;
    }
    char *data = mmap(NULL, (size_t)length, PROT_READ, MAP_PRIVATE, fd, 0);
    if (data == MAP_FAILED) {
        output->hash = 0; /* like no other output */
        return;
    }
    hash_filtered(output, data, (size_t)length);
    (void)munmap(data, (size_t)length);
}

static void hash_file(int fd, struct laxity_guest_output *output)
{
    char data[BUFFER_BYTES];
    output->hash = LAXITY_FNV_BASIS;
    if (has_filter) {
        hash_filtered_file(fd, output);
        return;
    }
    for (;;) {
        const ssize_t n = pread(fd, data, sizeof data, (off_t)output->bytes);
        if (n <= 0) {
            return;
        }
        hash_bytes(output, data, (size_t)n);
    }
}

void laxity_guest_streams_take(struct laxity_guest_output *out_output)
{
    memset(out_output, 0, sizeof *out_output);
    (void)fflush(NULL); /* files, too: as a process that ends would */
    hash_file(STDOUT_FILENO, out_output);
    const ssize_t n =
        pread(STDERR_FILENO, out_output->complaint, sizeof out_output->complaint - 1, 0);
    out_output->complaint[n > 0 ? n : 0] = '\0';
    out_output->complaint[strcspn(out_output->complaint, "\n")] = '\0';
    const off_t at = lseek(STDIN_FILENO, 0, SEEK_CUR);
    out_output->input_bytes = at > 0 ? (uint64_t)at : 0;
}
