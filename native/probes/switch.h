/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
/*
 * Probe "switch": what the kernel takes from tasks when it switches between them, wakes them and
 * handles interrupts, seen by the tasks themselves.
 *
 * A victim takes time stamps in a tight loop; a partner preempts it, is released below it,
 * exchanges turns with it or is woken by it from another CPU, and stamps what it does. Rows hold
 * the stamps only; what follows from them is computed elsewhere
 * (python/laxity/costs/switch/costs.py).
 *
 * Source: Sebek, "The real cost of task pre-emptions", section 3.4, whose four probes stand inside
 * the kernel; ours stand where a task notices.
 */
#ifndef LAXITY_PROBES_SWITCH_H
#define LAXITY_PROBES_SWITCH_H

#include "probes/probe.h"

extern const struct laxity_probe laxity_probe_switch;

#endif
