/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
/*
 * What laxity-sim is told of the platform, in a file that the Python side makes of the platform
 * file: a line "NAME VALUE" each.
 *
 *   clock_hz, instruction_ticks, switch_ticks
 *   l1i, l1d, l2                          SIZE_BYTES WAYS LINE_BYTES MISS_TICKS
 */
#ifndef LAXITY_SIM_SETTINGS_H
#define LAXITY_SIM_SETTINGS_H

#include "base/error.h"
#include "interface/engine.h"

/* laxity_sim_settings_read - 0, or -1 with error set: a name or a value that cannot be */
int laxity_sim_settings_read(
    const char *path, struct laxity_sim_platform *out_platform, struct laxity_error *error
);

#endif
