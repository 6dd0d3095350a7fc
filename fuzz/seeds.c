/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
/*
 * Runs a fuzz target without libFuzzer: once with nothing, and once with each file of a folder, if
 * there is one. So targets go on to compile, and their seeds to pass, wherever tests run.
 */
#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void fail(const char *path)
{
    (void)fprintf(stderr, "seeds: %s: %s\n", path, strerror(errno));
    exit(EXIT_FAILURE);
}

static void run_file(const char *path)
{
    FILE *file = fopen(path, "rb");
    struct stat status;
    if (file == NULL || fstat(fileno(file), &status) != 0) {
        fail(path);
    }
    const size_t size = (size_t)status.st_size;
    /* Of this length exactly: what a sanitizer watches ends where the input does. */
    uint8_t *data = (uint8_t *)malloc(size + (size == 0));
    if (data == NULL || fread(data, 1, size, file) != size) {
        fail(path);
    }
    (void)LLVMFuzzerTestOneInput(data, size);
    free(data);
    (void)fclose(file);
}

int main(int argc, char **argv)
{
    const uint8_t nothing = 0;
    (void)LLVMFuzzerTestOneInput(&nothing, 0);
    DIR *folder = argc < 2 ? NULL : opendir(argv[1]);
    if (folder == NULL && argc == 2 && errno != ENOENT) {
        fail(argv[1]);
    }
    for (const struct dirent *entry; folder != NULL && (entry = readdir(folder)) != NULL;) {
        char path[PATH_MAX];
        if (entry->d_name[0] != '.') {
            (void)snprintf(path, sizeof path, "%s/%s", argv[1], entry->d_name);
            run_file(path);
        }
    }
    return folder == NULL ? 0 : closedir(folder);
}
