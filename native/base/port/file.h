/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
/* Small files: reading kernel text, writing results, shared segments. */
#ifndef LAXITY_BASE_PORT_FILE_H
#define LAXITY_BASE_PORT_FILE_H

#include <stdbool.h>
#include <stddef.h>

enum {
    LAXITY_NOT_REGULAR = 1
};

/* laxity_read_text - the first bytes - 1 bytes of a file, terminated. Returns 0 or -errno. */
int laxity_read_text(const char *path, char *text, size_t bytes);

/*
 * laxity_read_regular - the first `bytes` bytes of a file, not terminated
 *
 * Does not block on a pipe or a device, nor reads one. Returns 0, LAXITY_NOT_REGULAR or -errno.
 */
int laxity_read_regular(const char *path, char *data, size_t bytes, size_t *out_bytes);

/* laxity_write_file - replace dir/name by `text`: written beside it, fsynced, renamed. Returns 0 or
 * -errno. */
int laxity_write_file(int dir_fd, const char *name, const char *text, size_t bytes);

/* laxity_is_deleted - was an open directory removed? */
bool laxity_is_deleted(int dir_fd);

/*
 * laxity_create_shared - a new file of `bytes` zero bytes on a tmpfs
 *
 * Never on a disk: writing through a mapping that is written back costs a job up to 11 us at p99.
 * `path` (room for PATH_MAX) gets its name, *out_fd a close-on-exec descriptor. Returns 0, -ENOENT
 * without a tmpfs, or -errno.
 */
int laxity_create_shared(size_t bytes, char *path, int *out_fd);

/* laxity_each_shared - call for each file that laxity_create_shared has left in its directories */
void laxity_each_shared(void (*on_file)(const char *path));

/* laxity_map_shared - map all of it for reading and writing. Returns 0 or -errno. */
int laxity_map_shared(int fd, void **out_base, size_t *out_bytes);

#endif
