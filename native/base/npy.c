/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
#include "base/npy.h"

#include "base/error.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <unistd.h>

enum {
    MAGIC_BYTES = 10,
    FILE_MODE = 0644
};

#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
static const char *const byte_order = ">";
#else
static const char *const byte_order = "<";
#endif

static const unsigned char magic[] = {0x93, 'N', 'U', 'M', 'P', 'Y', 1, 0};

static uint32_t sum_bytes(const struct laxity_field *fields, unsigned n_fields)
{
    uint32_t bytes = 0;
    for (unsigned i = 0; i < n_fields; i++) {
        bytes += fields[i].bytes;
    }
    return bytes;
}

static int write_all(int fd, const void *data, size_t bytes, off_t at)
{
    const char *rest = data;
    while (bytes > 0) {
        const ssize_t written = pwrite(fd, rest, bytes, at);
        if (written < 0 && errno == EINTR) {
            continue;
        }
        if (written < 0) {
            return -errno;
        }
        rest += written;
        at += written;
        bytes -= (size_t)written;
    }
    return 0;
}

/* Format version 1.0: magic, version, little-endian u16 length, then a Python dict padded with
 * blanks and a newline. */
static int write_header(const struct laxity_npy *npy)
{
    unsigned char header[LAXITY_NPY_HEADER_BYTES];
    memset(header, ' ', sizeof header);
    memcpy(header, magic, sizeof magic);
    const unsigned dict_bytes = sizeof header - MAGIC_BYTES;
    header[8] = (unsigned char)(dict_bytes & 0xff);
    header[9] = (unsigned char)(dict_bytes >> 8);

    char dict[LAXITY_NPY_HEADER_BYTES];
    laxity_format(dict, sizeof dict, "{'descr': [");
    for (unsigned i = 0; i < npy->n_fields; i++) {
        const struct laxity_field *field = &npy->fields[i];
        const bool is_orderless = field->bytes == 1 || field->kind == 'S';
        const size_t used = strlen(dict);
        laxity_format(
            dict + used,
            sizeof dict - used,
            "('%s', '%s%c%u'), ",
            field->name,
            is_orderless ? "|" : byte_order,
            field->kind,
            field->bytes
        );
    }
    const size_t used = strlen(dict);
    laxity_format(
        dict + used,
        sizeof dict - used,
        "], 'fortran_order': False, 'shape': (%" PRIu64 ",), }",
        npy->rows
    );
    const size_t length = strlen(dict);
    if (length + 1 > dict_bytes) {
        return -E2BIG;
    }
    /* NOLINTNEXTLINE(bugprone-not-null-terminated-result): blanks follow, up to the newline */
    memcpy(header + MAGIC_BYTES, dict, length);
    header[sizeof header - 1] = '\n';
    return write_all(npy->fd, header, sizeof header, 0);
}

static off_t row_offset(const struct laxity_npy *npy, uint64_t row)
{
    return (off_t)(LAXITY_NPY_HEADER_BYTES + row * npy->row_bytes);
}

int laxity_npy_create(
    int dir_fd,
    const char *name,
    const struct laxity_field *fields,
    unsigned n_fields,
    struct laxity_npy *out_npy
)
{
    struct laxity_npy npy = {.fields = fields, .n_fields = n_fields};
    npy.row_bytes = sum_bytes(fields, n_fields);
    npy.fd = openat(dir_fd, name, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, FILE_MODE);
    if (npy.fd < 0) {
        return -errno;
    }
    const int rc = write_header(&npy);
    if (rc) {
        (void)close(npy.fd);
        return rc;
    }
    *out_npy = npy;
    return 0;
}

int laxity_npy_reopen(
    int dir_fd,
    const char *name,
    const struct laxity_field *fields,
    unsigned n_fields,
    uint64_t rows,
    struct laxity_npy *out_npy
)
{
    struct laxity_npy npy = {.fields = fields, .n_fields = n_fields, .rows = rows};
    npy.row_bytes = sum_bytes(fields, n_fields);
    npy.fd = openat(dir_fd, name, O_RDWR | O_CLOEXEC);
    if (npy.fd < 0) {
        return -errno;
    }
    int rc = 0;
    struct stat status;
    if (fstat(npy.fd, &status) != 0) {
        rc = -errno;
    } else if (status.st_size < row_offset(&npy, rows)) {
        rc = -EINVAL;
    }
    if (rc == 0 && ftruncate(npy.fd, row_offset(&npy, rows)) != 0) {
        rc = -errno;
    }
    if (rc) {
        (void)close(npy.fd);
        return rc;
    }
    *out_npy = npy;
    return 0;
}

int laxity_npy_write(struct laxity_npy *npy, uint64_t at, const void *rows, uint64_t n)
{
    if (at > npy->rows) {
        return -EINVAL;
    }
    const int rc = write_all(npy->fd, rows, (size_t)(n * npy->row_bytes), row_offset(npy, at));
    if (rc) {
        /* A torn row may stand at the end; if even this fails the reader still drops it, by size.
         */
        (void)!ftruncate(npy->fd, row_offset(npy, npy->rows));
        return rc;
    }
    if (at + n > npy->rows) {
        npy->rows = at + n;
    }
    return 0;
}

int laxity_npy_read(const struct laxity_npy *npy, uint64_t at, void *out_rows, uint64_t n)
{
    if (at + n > npy->rows) {
        return -EINVAL;
    }
    char *rest = out_rows;
    size_t bytes = (size_t)(n * npy->row_bytes);
    off_t offset = row_offset(npy, at);
    while (bytes > 0) {
        const ssize_t got = pread(npy->fd, rest, bytes, offset);
        if (got < 0 && errno == EINTR) {
            continue;
        }
        if (got <= 0) {
            return got < 0 ? -errno : -EIO;
        }
        rest += got;
        offset += got;
        bytes -= (size_t)got;
    }
    return 0;
}

int laxity_npy_patch(struct laxity_npy *npy)
{
    return write_header(npy);
}

int laxity_npy_close(struct laxity_npy *npy)
{
    int rc = write_header(npy);
    if (fsync(npy->fd) != 0 && rc == 0) {
        rc = -errno;
    }
    if (close(npy->fd) != 0 && rc == 0) {
        rc = -errno;
    }
    npy->fd = -1;
    return rc;
}
