/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
/* How laxity-run starts a workload executable: one hidden first argument, then the workload's own
 * words. */
#ifndef LAXITY_HARNESS_PROCESS_H
#define LAXITY_HARNESS_PROCESS_H

/* "--harness=task,INDEX,SEGMENT_FD,GO_FD": everything else stands in the segment. */
#define LAXITY_HARNESS_OPTION "--harness="

enum {
    LAXITY_HARNESS_OPTION_BYTES = 64
};

/*
 * laxity_workload_main - main() of every workload executable
 *
 * Returns the process's exit code: 0 when the role is played to its end, 2 without the hidden
 * argument, else the code of the error in the segment.
 */
int laxity_workload_main(int argc, char **argv);

#endif
