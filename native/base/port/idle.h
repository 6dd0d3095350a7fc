/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
/* Idle states: a processor that sleeps deeply wakes late. */
#ifndef LAXITY_BASE_PORT_IDLE_H
#define LAXITY_BASE_PORT_IDLE_H

/*
 * laxity_hold_idle - ask for a wake-up latency of 0 as long as the descriptor is open
 * (/dev/cpu_dma_latency)
 *
 * The kernel takes it back when the process ends, however it ends. Returns 0 or -errno.
 */
int laxity_hold_idle(int *out_fd);

#endif
