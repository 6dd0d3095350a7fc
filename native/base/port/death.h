/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
/* Waiting for the end of a process that is nobody's child here, and who ended one. */
#ifndef LAXITY_BASE_PORT_DEATH_H
#define LAXITY_BASE_PORT_DEATH_H

#include <stdint.h>
#include <sys/types.h>

/*
 * laxity_wait_for_death - until the process is gone or a zombie, for timeout_ms at most
 *
 * Looks every millisecond where the kernel or an emulator has no pidfd_open. Returns 0, or
 * -ETIMEDOUT.
 */
int laxity_wait_for_death(pid_t pid, int timeout_ms);

/* laxity_look_for_death - the second way. A zombie counts as alive. */
int laxity_look_for_death(pid_t pid, int timeout_ms);

/*
 * laxity_oom_kills - how many processes the kernel has killed for want of memory so far
 *
 * In the caller's own control group (memory.events, or memory.oom_control of version 1), else on
 * the machine (/proc/vmstat). Returns -1 if nothing tells.
 */
int64_t laxity_oom_kills(void);

#endif
