/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
/*
 * RT-Bench's log levels and macros, for programs that were ported to it. Written from its
 * documented interface; docs/rt-bench.md says what differs.
 *
 * flogf(level, file, format, ...) prints to `file`, unless that is NULL, if the user's -l is at
 * least `level`; logf, which newer versions call ologf, to standard output, elogf to standard
 * error. `logf` hides libm's: in C, whoever wants that one too includes <math.h> before this
 * header, as with RT-Bench.
 */
#ifndef LAXITY_RTBENCH_LOGGING_H
#define LAXITY_RTBENCH_LOGGING_H

#ifdef __cplusplus
#include <cmath> /* declares logf, which is a macro from here on */
#include <cstdio>
extern "C" {
#else
#include <stdio.h>
#endif

#define DEADLINE_MISSED 0
#define DEADLINE_MET 1

/* The values of -l; the last two come from RT-Bench's newer versions. */
enum log_level {
    LOG_LEVEL_MIN = 0,
    LOG_LEVEL_ERR = 1,
    LOG_LEVEL_FILE = 2,
    LOG_LEVEL_INFO = 3,
    LOG_LEVEL_TRACE = 4,
    LOG_LEVEL_DEBUG = 5,
    LOG_LEVEL_MAX = 6
};

/* The user's -l; LOG_LEVEL_INFO, its default, where something else than RT-Bench's command line
 * started the program. */
extern enum log_level benchmark_verbosity;

enum extra_measurement_status {
    EXTRA_MEASUREMENT_INVALID, /* a job has no values: they are `nan` */
    EXTRA_MEASUREMENT_VALID
};

/*
 * Of newer versions: several values a job, in place of benchmark_log_header. benchmark_init fills
 * it in; `void benchmark_log_data(void)` is called after each job, puts the values into `data`, and
 * may take back the status, which is valid before it. Up to 16 values are printed.
 */
struct benchmark_extra_data {
    int num_elements;
    char *header; /* names between commas; one in front is left out */
    double *data;
    enum extra_measurement_status status;
};

extern struct benchmark_extra_data extra_measurement;

/* The log file of newer versions, where FEAT_BMARK_LOG_FILE or FEAT_DEBUG_FILE asked for it and the
 * user started the program by RT-Bench's command line; else NULL, and nothing is written to it. */
extern FILE *log_filep;

/* NOLINTBEGIN(readability-identifier-naming): RT-Bench's names */
/* Blocks, because ports leave out semicolons behind RT-Bench's, which are bare `if`s. */
#define flogf(level, file, ...)                                                                    \
    {                                                                                              \
        FILE *laxity_log_file = (file);                                                            \
        if (laxity_log_file && (int)(level) <= (int)benchmark_verbosity) {                         \
            (void)fprintf(laxity_log_file, __VA_ARGS__);                                           \
        }                                                                                          \
    }
/* Everything goes to the log file where the port is built so. */
#ifdef FEAT_DEBUG_FILE
#define ologf(level, ...) flogf(level, log_filep, __VA_ARGS__)
#define elogf(level, ...) flogf(level, log_filep, __VA_ARGS__)
#else
#define ologf(level, ...) flogf(level, stdout, __VA_ARGS__)
#define elogf(level, ...) flogf(level, stderr, __VA_ARGS__)
#endif
#define logf(level, ...) ologf(level, __VA_ARGS__)
/* NOLINTEND(readability-identifier-naming) */

/*
 * open_log_file - a file of the benchmark's own, emptied
 *
 * Returns NULL with errno set if it cannot be written. close_log_file closes it and returns 0, or
 * EOF with errno set; NULL is closed already.
 */
FILE *open_log_file(char *filename);
int close_log_file(FILE *file);

/*
 * open_output_file - of newer versions: a file of this prefix and suffix, or of the default name
 *
 * `filename_prefix` NULL: the default; `mode` as of fopen(), NULL: appended to. Returns NULL if it
 * cannot be opened. close_output_file is close_log_file.
 */
FILE *
open_output_file(char *default_filename, char *filename_prefix, char *filename_suffix, char *mode);
int close_output_file(FILE *file);

#ifdef __cplusplus
}
#endif

#endif
