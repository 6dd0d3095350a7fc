/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
/*
 * Streams: NumPy .npy files with a structured dtype, written by appending.
 *
 * The header has a fixed size, so that its row count can be patched while rows are still appended.
 * The file never extends beyond written rows: a reader finds out how many there are from the size,
 * whatever the header says.
 */
#ifndef LAXITY_BASE_NPY_H
#define LAXITY_BASE_NPY_H

#include <stddef.h>
#include <stdint.h>

/* NumPy reads headers up to 10,000 bytes; ours are padded to this, room for about 60 fields. */
enum {
    LAXITY_NPY_HEADER_BYTES = 4096
};

/* One column: `kind` is NumPy's letter (u, i, f, S), `bytes` its size. */
struct laxity_field {
    const char *name;
    char kind;
    uint8_t bytes;
};

struct laxity_npy {
    int fd;
    const struct laxity_field *fields;
    unsigned n_fields;
    uint32_t row_bytes;
    uint64_t rows; /* complete rows in the file */
};

/*
 * laxity_npy_create - start an empty stream DIR/NAME; an existing one is replaced
 *
 * `fields` must live as long as the stream. Returns 0 or -errno; the caller closes with
 * laxity_npy_close.
 */
int laxity_npy_create(
    int dir_fd,
    const char *name,
    const struct laxity_field *fields,
    unsigned n_fields,
    struct laxity_npy *out_npy
);

/*
 * laxity_npy_reopen - go on with a stream that another process left, cut to `rows` complete rows
 *
 * Returns 0, -ENOENT if it is not there, -EINVAL if it is shorter than that, or -errno.
 */
int laxity_npy_reopen(
    int dir_fd,
    const char *name,
    const struct laxity_field *fields,
    unsigned n_fields,
    uint64_t rows,
    struct laxity_npy *out_npy
);

/*
 * laxity_npy_write - write `n` packed rows at row index `at` (at most npy->rows: no holes)
 *
 * All or nothing: after an error the file is as long as before. Returns 0 or -errno (-ENOSPC,
 * -EFBIG: output full).
 */
int laxity_npy_write(struct laxity_npy *npy, uint64_t at, const void *rows, uint64_t n);

/* laxity_npy_read - `n` packed rows from row index `at`. Returns 0, -EINVAL beyond the end, or
 * -errno. */
int laxity_npy_read(const struct laxity_npy *npy, uint64_t at, void *out_rows, uint64_t n);

/* laxity_npy_patch - bring the header's row count up to date. Returns 0 or -errno. */
int laxity_npy_patch(struct laxity_npy *npy);

/* laxity_npy_close - patch, fsync, close. Returns 0 or the first -errno; closed in any case. */
int laxity_npy_close(struct laxity_npy *npy);

#endif
