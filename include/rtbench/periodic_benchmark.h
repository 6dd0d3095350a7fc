/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
/*
 * RT-Bench's hooks, for programs that were ported to it: those of laxity/hooks.h, by name and type.
 * Written from its documented interface.
 *
 * Beside them ports rely on what this header brings: _GNU_SOURCE and the C headers below.
 */
#ifndef LAXITY_RTBENCH_PERIODIC_BENCHMARK_H
#define LAXITY_RTBENCH_PERIODIC_BENCHMARK_H

/* Some ports define it before, some rely on it. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE /* NOLINT(bugprone-reserved-identifier): the C library's */
#endif

#include <inttypes.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>

#ifdef __cplusplus
extern "C" {
#endif

/* `parameters` holds the words of -b, without a program name. Negative = failure. */
int benchmark_init(int parameters_num, void **parameters);

/* One job. */
void benchmark_execution(int parameters_num, void **parameters);

/* Once, after the last job. */
void benchmark_teardown(int parameters_num, void **parameters);

/* One more column: the header names it, the value is asked for after each job. In C a port declares
 * benchmark_log_data by its definition, since newer versions have another (logging.h). */
#ifdef EXTENDED_REPORT
const char *benchmark_log_header(void);
#ifdef __cplusplus
float benchmark_log_data(void);
#endif
#endif

#ifdef __cplusplus
}
#endif

#endif
