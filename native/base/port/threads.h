/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
/* The threads of the calling process: which there are, what they used, how they are scheduled. */
#ifndef LAXITY_BASE_PORT_THREADS_H
#define LAXITY_BASE_PORT_THREADS_H

#include "base/port/sched.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct rusage;

/* laxity_threads_open - a descriptor for laxity_threads_list, or -errno */
int laxity_threads_open(void);

/*
 * laxity_threads_list - numbers of the live threads, the caller's included, in no order
 *
 * Allocates nothing. Returns how many were stored (at most `max`), or -errno.
 */
int laxity_threads_list(int fd, int32_t *out_tids, unsigned max);

/* laxity_thread_name - of one thread; empty if it is gone */
void laxity_thread_name(int32_t tid, char *out_name, size_t bytes);

/* laxity_is_thread_of - does the process have this thread? */
bool laxity_is_thread_of(int32_t pid, int32_t tid);

/* laxity_set_thread_policy - as laxity_set_policy, of FIFO or RR, for a thread of this process or
 * of its child */
int laxity_set_thread_policy(int32_t tid, enum laxity_policy policy, int priority);

/*
 * laxity_update_thread_time - have the kernel account what a thread has used until now
 *
 * The clock of a process counts a thread that runs on another CPU only up to its last tick or
 * switch, up to 10 ms ago; asking for that thread's own clock brings the count up to date.
 */
void laxity_update_thread_time(int32_t tid);

/*
 * laxity_others_time_ns - processor time of all other threads of this process, dead ones included
 *
 * Exact for threads that are not running, or have just been brought up to date; less a constant,
 * the time between two readings of a clock.
 */
int64_t laxity_others_time_ns(void);

/*
 * laxity_others_time_bounds - between which two values that time lies
 *
 * Wider apart the longer the readings took; both move only by what other threads use.
 */
void laxity_others_time_bounds(int64_t *out_low_ns, int64_t *out_high_ns);

/* laxity_others_usage - switches and faults of all other threads; no other field is set */
void laxity_others_usage(struct rusage *out_usage);

/*
 * laxity_signal_main_thread - send a signal to the main thread of a process, and to no other
 *
 * kill() lets the kernel choose any thread that has not blocked the signal. Returns 0 or -errno.
 */
int laxity_signal_main_thread(int32_t pid, int signal_number);

#endif
