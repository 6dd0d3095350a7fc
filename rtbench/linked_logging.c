/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
/*
 * logging.c of a program that is linked with our harness: -l sets its level.
 *
 * One object with it: whatever makes the linker take the level from the archive takes the
 * constructor along.
 */
#include "harness/workload_ops.h"
#include "logging.c" /* NOLINT(bugprone-suspicious-include): so that they are one object */

#include <logging.h>
#include <stdint.h>

static void set_log_level(uint32_t level)
{
    benchmark_verbosity = (enum log_level)level;
}

__attribute__((constructor)) static void set_ops(void)
{
    laxity_workload_ops()->set_log_level = set_log_level;
}
