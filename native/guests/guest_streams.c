/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
#include "guests/guest_streams.h"

#include "guests/fnv.h"

#include <errno.h>
#include <fcntl.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdio_ext.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/types.h>
#include <unistd.h>

enum {
    BUFFER_BYTES = 4096 /* what the C library gives a file */
};

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

static void hash_file(int fd, struct laxity_guest_output *output)
{
    unsigned char data[BUFFER_BYTES];
    output->hash = LAXITY_FNV_BASIS;
    for (;;) {
        const ssize_t n = pread(fd, data, sizeof data, (off_t)output->bytes);
        if (n <= 0) {
            return;
        }
        for (ssize_t i = 0; i < n; i++) {
            output->hash = laxity_fnv_add(output->hash, data[i]);
        }
        output->bytes += (uint64_t)n;
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
