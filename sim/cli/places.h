/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
/* Where programs have their memory: what kind of memory a page is, and where such memory lies. */
#ifndef LAXITY_SIM_PLACES_H
#define LAXITY_SIM_PLACES_H

#include "base/error.h"
#include "cli/settings.h"
#include "interface/engine.h"
#include "interface/storage.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Of one program. */
struct laxity_sim_places {
    struct laxity_sim_storage *storage; /* NULL: nothing of it is placed */
    struct laxity_sim_place places[LAXITY_SIM_STORAGE_CLASSES];
    uint64_t n_pages[LAXITY_SIM_STORAGE_CLASSES]; /* that have been placed */
};

/*
 * laxity_sim_places_open - begin with a program, an ELF file, whose memory is where `placed` says
 *
 * Returns 0, or -1 with error set: it cannot be read.
 */
int laxity_sim_places_open(
    struct laxity_sim_places *places,
    uint32_t program,
    const char *path,
    const struct laxity_sim_placed *placed,
    size_t n_placed,
    struct laxity_error *error
);
void laxity_sim_places_close(struct laxity_sim_places *places);

/* laxity_sim_places_has - whether it says where memory of a class lies */
bool laxity_sim_places_has(
    const struct laxity_sim_places *places, enum laxity_sim_storage_class storage
);

/* laxity_sim_places_placer - what the engine asks; where nothing is placed, nothing */
struct laxity_sim_placer laxity_sim_places_placer(struct laxity_sim_places *places);

#endif
