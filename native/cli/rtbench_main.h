/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
/* A workload executable that a user starts: the supervisor of itself, with RT-Bench's options. */
#ifndef LAXITY_CLI_RTBENCH_MAIN_H
#define LAXITY_CLI_RTBENCH_MAIN_H

/*
 * laxity_rtbench_main - options → run of one task in a temporary directory → CSV
 *
 * Prints; returns the exit code: 0 also when stopped by a signal, as RT-Bench by SIGINT.
 */
int laxity_rtbench_main(int argc, char **argv);

#endif
