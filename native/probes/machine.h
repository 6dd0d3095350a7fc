/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
/*
 * The machine that probes measure, as far as it is not what they measure: its clock, its CPUs.
 *
 * Implemented twice, and linked once: by this directory for the machine that a program runs on, and
 * by sim/measure for a simulated platform. So are the passes, batches, stamps and companions of the
 * probes; what they are asked for, in which order, is the same.
 */
#ifndef LAXITY_PROBES_MACHINE_H
#define LAXITY_PROBES_MACHINE_H

#include <stdbool.h>
#include <stdint.h>

struct laxity_machine {
    const char *clock; /* its name in native.json */
    bool is_simulated; /* measuring disturbs nobody here, and nobody disturbs it */
    int64_t t0_ns;     /* of a simulated one: when measuring begins */
};

extern const struct laxity_machine laxity_machine;

int64_t laxity_machine_now_ns(void);

/* laxity_machine_pause_ns - the caller does nothing for so long */
void laxity_machine_pause_ns(int64_t duration_ns);

#endif
