/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
/* What RT-Bench's harness defines for the programs that were ported to it. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE /* NOLINT(bugprone-reserved-identifier): the C library's; asprintf() */
#endif
#include <logging.h>
#include <stdio.h>
#include <stdlib.h>

enum log_level benchmark_verbosity = LOG_LEVEL_INFO;
FILE *log_filep = NULL;

#ifndef LAXITY_RTBENCH_HAS_VALUES /* else extra_measurement.c has it, and reads it */
struct benchmark_extra_data extra_measurement;
#endif

FILE *open_log_file(char *filename)
{
    return fopen(filename, "we");
}

FILE *
open_output_file(char *default_filename, char *filename_prefix, char *filename_suffix, char *mode)
{
    char *path = NULL;
    const int length = filename_prefix ? asprintf(&path, "%s%s", filename_prefix, filename_suffix)
                                       : asprintf(&path, "%s", default_filename);
    if (length < 0) {
        return NULL;
    }
    FILE *file = fopen(path, mode ? mode : "a");
    free(path);
    return file;
}

int close_log_file(FILE *file)
{
    return file ? fclose(file) : 0;
}

int close_output_file(FILE *file)
{
    return close_log_file(file);
}
