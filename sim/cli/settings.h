/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
/*
 * What laxity-sim is told of the platform, in a file that the Python side makes of the platform
 * file: a line "NAME VALUE [VALUE...]" each. Names, and what they set, are of schema/platform.toml;
 * cycles have become ticks, and sizes that the model counts in lines are lines.
 *
 *   ticks_per_s NUMERATOR DENOMINATOR
 *   cycle_ticks N                          of the cores
 *   architecture WORD, core.scheduling WORD
 *   levels N                               how many there are below the first
 *   line, core.KEY, coherence.KEY, memory.KEY
 *   l1i.KEY, l1d.KEY                       all left out: there is none
 *   level.INDEX.KEY, region.INDEX.KEY      from 0 on
 *   domain.hops.FROM TICKS...              what the links from a domain take
 *   place PROGRAM CLASS REGION INSTANCE    once for each class of memory that is placed
 */
#ifndef LAXITY_SIM_SETTINGS_H
#define LAXITY_SIM_SETTINGS_H

#include "base/error.h"
#include "interface/engine.h"
#include "interface/storage.h"

#include <stddef.h>
#include <stdint.h>

enum {
    LAXITY_SIM_WORD_BYTES = 48,
};

/* What is known of instructions. */
struct laxity_sim_instructions {
    char architecture[LAXITY_SIM_WORD_BYTES]; /* as cross builds are named */
    char scheduling[LAXITY_SIM_WORD_BYTES];   /* LLVM's name of a processor; "none" */
    uint32_t cycle_ticks;
};

/* laxity_sim_settings_read - 0, or -1 with error set: a name or a value that cannot be */
int laxity_sim_settings_read(
    const char *path, struct laxity_sim_platform *out_platform, struct laxity_error *error
);

/* laxity_sim_settings_read_instructions - the same file's other part, likewise */
int laxity_sim_settings_read_instructions(
    const char *path, struct laxity_sim_instructions *out_instructions, struct laxity_error *error
);

/* Where a program has memory of a class. */
struct laxity_sim_placed {
    uint32_t program; /* a task, or behind them a co-runner */
    enum laxity_sim_storage_class storage;
    struct laxity_sim_place place;
};

/* laxity_sim_settings_read_placed - the same file's last part, likewise; the caller frees it */
int laxity_sim_settings_read_placed(
    const char *path,
    struct laxity_sim_placed **out_placed,
    size_t *out_n,
    struct laxity_error *error
);

#endif
