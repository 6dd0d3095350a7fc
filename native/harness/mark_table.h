/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
/* The table of marks, whose addresses tell a simulated platform where a program is. */
#ifndef LAXITY_HARNESS_MARK_TABLE_H
#define LAXITY_HARNESS_MARK_TABLE_H

/*
 * What a platform sees that runs the program in virtual time: each mark stores one byte at an
 * address that says which mark it is, a probe then one byte for each byte of its value.
 *
 *   MARK_PHASES + id, MARK_PROBES + id    ids below 256
 *   MARK_WIDE_PHASE, MARK_WIDE_PROBE      other ids: four bytes follow, the lowest first
 *   MARK_BYTES + byte                     a byte of a wide id, or of a probe's value (eight, lowest
 *                                         first)
 *   MARK_JOB_START, MARK_JOB_FINISH       borders of a job (sim/target/main.c)
 */
enum {
    LAXITY_MARK_BYTE_VALUES = 256,
    LAXITY_MARK_PHASES = 0,
    LAXITY_MARK_PROBES = LAXITY_MARK_PHASES + LAXITY_MARK_BYTE_VALUES,
    LAXITY_MARK_BYTES = LAXITY_MARK_PROBES + LAXITY_MARK_BYTE_VALUES,
    LAXITY_MARK_WIDE_PHASE = LAXITY_MARK_BYTES + LAXITY_MARK_BYTE_VALUES,
    LAXITY_MARK_WIDE_PROBE,
    LAXITY_MARK_JOB_START,
    LAXITY_MARK_JOB_FINISH,
    LAXITY_MARK_TABLE_BYTES,
};

#endif
