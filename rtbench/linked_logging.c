/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
/*
 * logging.c of a program that is linked with our harness: -l sets its level, and RT-Bench's command
 * line names its log file.
 *
 * One object with it: whatever makes the linker take the level from the archive takes the
 * constructor along.
 */
#define LAXITY_RTBENCH_HAS_VALUES
#include "harness/workload_ops.h"
#include "logging.c" /* NOLINT(bugprone-suspicious-include): so that they are one object */

#include <logging.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

static void set_log_level(uint32_t level)
{
    /* NOLINTNEXTLINE(concurrency-mt-unsafe): before the port makes a thread */
    const char *path = getenv(LAXITY_LOG_FILE_VARIABLE);
    benchmark_verbosity = (enum log_level)level;
    if (laxity_workload_ops()->has_log_file && path) {
        log_filep = fopen(path, "ae");
    }
}

__attribute__((constructor)) static void set_ops(void)
{
    laxity_workload_ops()->set_log_level = set_log_level;
}
