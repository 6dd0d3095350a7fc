/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
/* In place of a header of RT-Bench's newer versions that is not there: says so, and what to do. */
#ifndef LAXITY_RTBENCH_MULTITHREAD_H
#define LAXITY_RTBENCH_MULTITHREAD_H

#error                                                                                             \
    "not supported: multithread.h (threads that the harness makes and releases with each job); \
make them in benchmark_init and release them in benchmark_execution, as laxity's workload `parallel`"

#endif
