/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
#include "cli/places.h"

#include "base/error.h"
#include "cli/settings.h"
#include "interface/engine.h"
#include "interface/storage.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

int laxity_sim_places_open(
    struct laxity_sim_places *places,
    uint32_t program,
    const char *path,
    const struct laxity_sim_placed *placed,
    size_t n_placed,
    struct laxity_error *error
)
{
    *places = (struct laxity_sim_places){.storage = NULL};
    bool is_placed = false;
    for (unsigned i = 0; i < LAXITY_SIM_STORAGE_CLASSES; i++) {
        places->places[i].instance = LAXITY_SIM_HOME;
    }
    for (size_t i = 0; i < n_placed; i++) {
        if (placed[i].program == program) {
            places->places[placed[i].storage] = placed[i].place;
            is_placed = true;
        }
    }
    return is_placed ? laxity_sim_storage_open(path, &places->storage, error) : 0;
}

void laxity_sim_places_close(struct laxity_sim_places *places)
{
    laxity_sim_storage_close(places->storage);
    places->storage = NULL;
}

bool laxity_sim_places_has(
    const struct laxity_sim_places *places, enum laxity_sim_storage_class storage
)
{
    const struct laxity_sim_place *place = &places->places[storage];
    return place->region != 0 || place->instance != LAXITY_SIM_HOME;
}

static struct laxity_sim_place place(void *context, uint64_t address)
{
    struct laxity_sim_places *places = context;
    const enum laxity_sim_storage_class storage = laxity_sim_storage_of(places->storage, address);
    places->n_pages[storage]++;
    return places->places[storage];
}

static void on_word(void *context, uint64_t word)
{
    laxity_sim_storage_take(((struct laxity_sim_places *)context)->storage, word);
}

struct laxity_sim_placer laxity_sim_places_placer(struct laxity_sim_places *places)
{
    if (!places->storage) {
        return (struct laxity_sim_placer){.context = NULL};
    }
    return (struct laxity_sim_placer){.context = places, .place = place, .on_word = on_word};
}
