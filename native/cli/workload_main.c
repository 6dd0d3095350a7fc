/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
/* Every workload executable: a process of a run, or, started by a user, RT-Bench's command line. */
#include "cli/rtbench_main.h"
#include "harness/process.h"
#include "harness/workload_ops.h"

#include <string.h>

int main(int argc, char **argv)
{
    const int is_of_a_run =
        argc > 1 && strncmp(argv[1], LAXITY_HARNESS_OPTION, sizeof LAXITY_HARNESS_OPTION - 1) == 0;
    if (is_of_a_run && laxity_workload_ops()->hand_over) {
        laxity_workload_ops()->hand_over(argv);
    }
    return is_of_a_run ? laxity_workload_main(argc, argv) : laxity_rtbench_main(argc, argv);
}
