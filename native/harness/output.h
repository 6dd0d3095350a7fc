/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
/* What workloads print: gathered into output.log up to a limit, so that a chatty one can neither
 * block nor fill the disk. */
#ifndef LAXITY_HARNESS_OUTPUT_H
#define LAXITY_HARNESS_OUTPUT_H

#include "harness/segment.h"

/*
 * laxity_output_copy - read what stands in one process's pipe
 *
 * `source` counts tasks, then co-runners. The first MiB of the run goes into DIR/output.log, the
 * rest is counted only. Returns 1 while the pipe is open, 0 at its end.
 */
int laxity_output_copy(struct laxity_segment *segment, int dir_fd, int pipe_fd, uint32_t source);

#endif
