/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
#include "guests/guest_files.h"

#include "base/error.h"
#include "guests/fnv.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <unistd.h>

enum {
    BUFFER_BYTES = 64 * 1024,
    KEPT_BYTES_MAX = 256 << 20,
    PERMISSIONS = 07777,
};

/* Called for each entry below the working directory, by name, a directory after what it holds. */
typedef int visit_entry(void *context, const char *path, const struct stat *status);

static int is_entry(const struct dirent *entry)
{
    return strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0;
}

/* Not alphasort: what that does depends on the guest's locale. */
static int by_name(const struct dirent **one, const struct dirent **other)
{
    return strcmp((*one)->d_name, (*other)->d_name);
}

static int each_entry(const char *directory, visit_entry *visit, void *context);

static int visit_one(const char *path, visit_entry *visit, void *context)
{
    struct stat status;
    if (lstat(path, &status) != 0) {
        return -errno;
    }
    const int rc = S_ISDIR(status.st_mode) ? each_entry(path, visit, context) : 0;
    return rc ? rc : visit(context, path, &status);
}

/* `directory` "" is the working directory. Recursive: as deep as the guest has made it.
 * NOLINTNEXTLINE(misc-no-recursion) */
static int each_entry(const char *directory, visit_entry *visit, void *context)
{
    struct dirent **entries = NULL;
    const bool is_top = directory[0] == '\0';
    const int n = scandir(is_top ? "." : directory, &entries, is_entry, by_name);
    int rc = n < 0 ? -errno : 0;
    for (int i = 0; i < n; i++) {
        char path[PATH_MAX];
        laxity_format(
            path, sizeof path, "%s%s%s", directory, is_top ? "" : "/", entries[i]->d_name
        );
        rc = rc ? rc : visit_one(path, visit, context);
        free(entries[i]);
    }
    free((void *)entries);
    return rc;
}

static uint64_t hash_bytes(uint64_t hash, const void *data, size_t bytes)
{
    const unsigned char *byte = data;
    for (size_t i = 0; i < bytes; i++) {
        hash = laxity_fnv_add(hash, byte[i]);
    }
    return hash;
}

static uint64_t hash_contents(const char *path, const struct stat *status)
{
    static unsigned char data[BUFFER_BYTES];
    uint64_t hash = LAXITY_FNV_BASIS;
    if (S_ISLNK(status->st_mode)) {
        const ssize_t n = readlink(path, (char *)data, sizeof data);
        return hash_bytes(hash, data, n > 0 ? (size_t)n : 0);
    }
    /* Nobody reads a pipe or a device to look at it. */
    const int fd = S_ISREG(status->st_mode) ? open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW) : -1;
    if (fd < 0) {
        return hash;
    }
    for (ssize_t n = read(fd, data, sizeof data); n > 0; n = read(fd, data, sizeof data)) {
        hash = hash_bytes(hash, data, (size_t)n);
    }
    (void)close(fd);
    return hash;
}

static int look_at(void *context, const char *path, const struct stat *status)
{
    struct laxity_files_look *look = context;
    const uint64_t contents = hash_contents(path, status);
    look->hash = hash_bytes(look->hash, path, strlen(path) + 1);
    look->hash = laxity_fnv_add(look->hash, status->st_mode & S_IFMT);
    look->hash = laxity_fnv_add(look->hash, contents);
    if (!S_ISDIR(status->st_mode) && look->n_told < LAXITY_FILES_TOLD) {
        struct laxity_told_file *told = &look->told[look->n_told++];
        laxity_format(told->path, sizeof told->path, "%s", path);
        told->bytes = (uint64_t)status->st_size;
        told->hash = contents;
    }
    return 0;
}

void laxity_guest_files_look(struct laxity_files_look *out_look)
{
    out_look->n_told = 0;
    out_look->hash = LAXITY_FNV_BASIS;
    /* What cannot be read differs from what can: its hash says so. */
    (void)each_entry("", look_at, out_look);
}

/* Returns how many bytes were read into data, which has room for `bytes`. */
static size_t read_contents(const char *path, mode_t mode, unsigned char *data, size_t bytes)
{
    if (S_ISLNK(mode)) {
        const ssize_t n = readlink(path, (char *)data, bytes);
        return n > 0 ? (size_t)n : 0;
    }
    const int fd = S_ISREG(mode) ? open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW) : -1;
    size_t got = 0;
    while (fd >= 0 && got < bytes) {
        const ssize_t n = read(fd, data + got, bytes - got);
        if (n <= 0) {
            break;
        }
        got += (size_t)n;
    }
    if (fd >= 0) {
        (void)close(fd);
    }
    return got;
}

static int keep_one(void *context, const char *path, const struct stat *status)
{
    struct laxity_guest_files *files = context;
    const bool has_contents = S_ISREG(status->st_mode) || S_ISLNK(status->st_mode);
    const size_t bytes = has_contents ? (size_t)status->st_size : 0;
    if (bytes > KEPT_BYTES_MAX || files->bytes + bytes > KEPT_BYTES_MAX) {
        return -EFBIG;
    }
    struct laxity_kept_file *kept = realloc(files->kept, (files->n_kept + 1) * sizeof *kept);
    if (!kept) {
        return -ENOMEM;
    }
    files->kept = kept;
    kept += files->n_kept;
    *kept = (struct laxity_kept_file){
        .path = strdup(path),
        .mode = status->st_mode,
        .data = malloc(bytes + 1),
    };
    if (!kept->path || !kept->data) {
        free(kept->path);
        free(kept->data);
        return -ENOMEM;
    }
    kept->bytes = read_contents(path, status->st_mode, kept->data, bytes);
    files->bytes += bytes;
    files->n_kept++;
    return 0;
}

int laxity_guest_files_keep(struct laxity_guest_files *out_files)
{
    struct laxity_files_look look;
    *out_files = (struct laxity_guest_files){.n_kept = 0};
    const int rc = each_entry("", keep_one, out_files);
    laxity_guest_files_look(&look);
    out_files->hash = look.hash;
    return rc;
}

static int remove_new(void *context, const char *path, const struct stat *status)
{
    const struct laxity_guest_files *files = context;
    for (size_t i = 0; i < files->n_kept; i++) {
        if (strcmp(files->kept[i].path, path) == 0 &&
            (files->kept[i].mode & S_IFMT) == (status->st_mode & S_IFMT)) {
            return 0;
        }
    }
    (void)(S_ISDIR(status->st_mode) ? rmdir(path) : unlink(path));
    return 0;
}

static bool is_as_kept(const struct laxity_kept_file *kept)
{
    struct stat status;
    if (lstat(kept->path, &status) != 0 || status.st_mode != kept->mode ||
        (size_t)status.st_size != kept->bytes) {
        return false;
    }
    unsigned char *now = malloc(kept->bytes + 1);
    const bool is_alike = now &&
                          read_contents(kept->path, kept->mode, now, kept->bytes) == kept->bytes &&
                          memcmp(now, kept->data, kept->bytes) == 0;
    free(now);
    return is_alike;
}

static void write_back(const struct laxity_kept_file *kept)
{
    const mode_t permissions = kept->mode & PERMISSIONS;
    if (S_ISDIR(kept->mode)) {
        (void)mkdir(kept->path, permissions);
        return;
    }
    if (is_as_kept(kept)) {
        return;
    }
    /* Anew, not into the old one: the guest may have given that another name, too. */
    (void)unlink(kept->path);
    if (S_ISLNK(kept->mode)) {
        kept->data[kept->bytes] = '\0';
        (void)!symlink((const char *)kept->data, kept->path);
        return;
    }
    const int fd = open(kept->path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, permissions);
    if (fd >= 0) {
        (void)!write(fd, kept->data, kept->bytes);
        (void)fchmod(fd, permissions);
        (void)close(fd);
    }
}

void laxity_guest_files_restore(const struct laxity_guest_files *files)
{
    struct laxity_guest_files own =
        *files; /* visitors may write to their context; this one does not */
    (void)each_entry("", remove_new, &own);
    /* Backwards: a directory comes before what it holds. */
    for (size_t i = files->n_kept; i > 0; i--) {
        const struct laxity_kept_file *kept = &files->kept[i - 1];
        if (S_ISREG(kept->mode) || S_ISDIR(kept->mode) || S_ISLNK(kept->mode)) {
            write_back(kept);
        }
    }
}
