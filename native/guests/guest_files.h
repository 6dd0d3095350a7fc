/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
/*
 * The files of a guest: what lies in its working directory after each job, and as it was before.
 *
 * Only of a directory that is the guest's own: what a job leaves there is removed. Files that it
 * reaches by absolute paths nobody looks at.
 */
#ifndef LAXITY_GUESTS_GUEST_FILES_H
#define LAXITY_GUESTS_GUEST_FILES_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

enum {
    LAXITY_FILES_TOLD = 16,
    LAXITY_FILE_PATH_BYTES = 80,
};

/* One file, its path cut if it is longer. */
struct laxity_told_file {
    char path[LAXITY_FILE_PATH_BYTES];
    uint64_t bytes;
    uint64_t hash;
};

/* What is there now: the hash is of all, the list has the first ones by name. */
struct laxity_files_look {
    uint64_t hash;
    unsigned n_told;
    struct laxity_told_file told[LAXITY_FILES_TOLD];
};

/* Something that was there before the first job: of a file its contents, of a link its target. */
struct laxity_kept_file {
    char *path;
    mode_t mode;
    unsigned char *data;
    size_t bytes;
};

struct laxity_guest_files {
    struct laxity_kept_file *kept; /* what a directory holds comes before it */
    size_t n_kept;
    size_t bytes; /* of all contents */
    uint64_t hash;
};

/*
 * laxity_guest_files_keep - copy what the working directory holds
 *
 * Returns 0, -errno, or -EFBIG: it holds more than anybody gives a guest. Freed by nobody: it lives
 * as long as the guest.
 */
int laxity_guest_files_keep(struct laxity_guest_files *out_files);

/* laxity_guest_files_look - what the working directory holds now; streams must be flushed */
void laxity_guest_files_look(struct laxity_files_look *out_look);

/* laxity_guest_files_restore - make the working directory hold what was kept, and nothing else */
void laxity_guest_files_restore(const struct laxity_guest_files *files);

#endif
