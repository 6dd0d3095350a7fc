/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
/* The process of a task, of a single job of it, or of a co-runner. */
#ifndef LAXITY_HARNESS_PROCESS_H
#define LAXITY_HARNESS_PROCESS_H

/*
 * laxity_workload_main - of every workload executable that is a process of a run
 *
 * Returns the process's exit code: 0 when the role is played to its end, 2 without the hidden
 * argument, else the code of the error in the segment.
 */
int laxity_workload_main(int argc, char **argv);

#endif
