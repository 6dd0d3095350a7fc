/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
/* No rows of skipped deadlines. rtbench.mk asks the linker for the symbol, and so for this object,
 * where a port is built with FEAT_PRINT_SKIPPED_DEADLINE=n. */
#include "harness/workload_ops.h"

#include <stdbool.h>

extern const char laxity_rtbench_hides_skipped;
const char laxity_rtbench_hides_skipped = 1;

__attribute__((constructor)) static void set_ops(void)
{
    laxity_workload_ops()->hides_skipped = true;
}
