/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
/* A log file that the harness opens. rtbench.mk asks the linker for the symbol, and so for this
 * object, where a port is built with FEAT_BMARK_LOG_FILE=y or FEAT_DEBUG_FILE=y. */
#include "harness/workload_ops.h"

#include <stdbool.h>

extern const char laxity_rtbench_log_file;
const char laxity_rtbench_log_file = 1;

__attribute__((constructor)) static void set_ops(void)
{
    laxity_workload_ops()->has_log_file = true;
}
