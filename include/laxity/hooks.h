/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
/*
 * The interface between a workload and the harness: RT-Bench's hooks, by name and type.
 *
 * A workload defines the three benchmark_ functions and is linked with the harness, which owns
 * main(). `argv` holds the words that the user gave, without a program name. Contract: rt-bench's
 * generator/periodic_benchmark.h.
 */
#ifndef LAXITY_HOOKS_H
#define LAXITY_HOOKS_H

#ifdef __cplusplus
extern "C" {
#endif

/* Called once, outside every figure. Negative = failure: the run ends with exit code 1 before the
 * first release. */
int benchmark_init(int argc, void **argv);

/* One job. */
void benchmark_execution(int argc, void **argv);

/* Called once after the last job, outside every figure. */
void benchmark_teardown(int argc, void **argv);

/*
 * Optional: one extra column per job. The header names it (a leading comma, as RT-Bench wants it,
 * is dropped; of several columns the first is used, with a note); the data hook is called after
 * each job, outside the figures, and its value becomes that job's `f4` field.
 */
__attribute__((weak)) const char *benchmark_log_header(void);
__attribute__((weak)) float benchmark_log_data(void);

/*
 * laxity_job_failed - a workload found its own result wrong
 *
 * May be called from any hook. Ends the task: its running job is recorded as aborted (cause: exit),
 * the run exits with 1 and prints `reason` (at most 200 bytes). Provided by the harness. Does not
 * return.
 */
__attribute__((noreturn)) void laxity_job_failed(const char *reason);

#ifdef __cplusplus
}
#endif

#endif
