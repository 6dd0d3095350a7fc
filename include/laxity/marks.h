/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
/*
 * Marks: a workload says where in its program it is and what it has found, at the price of reading
 * the clock and a few stores.
 *
 *   laxity_phase(ID)         a phase of the program begins here, the one before it ends
 *   laxity_probe(ID, VALUE)  an observation
 *
 * The harness stamps the time, so a workload never reads a clock itself. Any thread may mark, in
 * any hook. Nothing blocks: a mark that finds no room is lost and counted. What a run kept stands
 * in probe.npy. Outside a measured task (a co-runner, a program without the harness) a mark does
 * nothing. The meaning of an ID is the workload's own.
 */
#ifndef LAXITY_MARKS_H
#define LAXITY_MARKS_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Provided by the harness; missing where a workload is built without it. Use the two below. */
__attribute__((weak)) void laxity_record_phase(uint32_t id);
__attribute__((weak)) void laxity_record_probe(uint32_t id, int64_t value);

static inline void laxity_phase(uint32_t id)
{
    if (laxity_record_phase) {
        laxity_record_phase(id);
    }
}

static inline void laxity_probe(uint32_t id, int64_t value)
{
    if (laxity_record_probe) {
        laxity_record_probe(id, value);
    }
}

#ifdef __cplusplus
}
#endif

#endif
