/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
/* A port in the older manner: defines _GNU_SOURCE itself, declares the log hooks by their
 * definition, and names its column without the comma. Prints one line for each level that the
 * user's -l lets through, and what lies between to a file of its own. */
#define _GNU_SOURCE
/* Declares logf, which is a macro from logging.h on. */
/* clang-format off */
#include <math.h>
#include <stdio.h>
#include "logging.h"
#include "optional_features.h"
#include "periodic_benchmark.h"
/* clang-format on */

static FILE *own_log;
static float result;

int benchmark_init(int parameters_num, void **parameters)
{
    own_log = open_log_file("levels.log");
    if (!own_log) {
        return -1;
    }
    elogf(LOG_LEVEL_ERR, "level %d\n", LOG_LEVEL_ERR);
    elogf(LOG_LEVEL_FILE, "level %d\n", LOG_LEVEL_FILE);
    logf(LOG_LEVEL_INFO, "level %d\n", LOG_LEVEL_INFO);
    logf(LOG_LEVEL_TRACE, "level %d\n", LOG_LEVEL_TRACE);
    logf(LOG_LEVEL_DEBUG, "level 5\n");
    flogf(LOG_LEVEL_FILE, own_log, "own log at %d\n", (int)benchmark_verbosity);
    return 0;
}

void benchmark_execution(int parameters_num, void **parameters)
{
    if (parameters_num > 0) {
        flogf(LOG_LEVEL_FILE, own_log, "not without words\n");
    }
    /* As in RT-Bench's own suites, the semicolon is missing. */
    /* clang-format off */
    elogf(LOG_LEVEL_DEBUG, "in a job\n") result = sqrtf(6.25F);
    /* clang-format on */
}

const char *benchmark_log_header()
{
    return "root(exp:2.5)";
}

float benchmark_log_data()
{
    return result;
}

void benchmark_teardown(int parameters_num, void **parameters)
{
    if (DEADLINE_MISSED == DEADLINE_MET || close_log_file(own_log) != 0) {
        abort();
    }
}
