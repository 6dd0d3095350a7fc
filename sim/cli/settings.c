/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
#include "cli/settings.h"

#include "base/error.h"
#include "interface/engine.h"
#include "interface/storage.h"
#include "schema/platform.h"

#include <laxity/units.h>

#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    LINE_BYTES = 2048,         /* a number of each core */
    LONGEST_MERGED_BYTES = 64, /* interface/engine.h */
    PAGE_BYTES = 4096,         /* likewise */
    DECIMAL = 10,
};

_Static_assert((int)LAXITY_LEVELS_MAX == (int)LAXITY_SIM_LEVELS_MAX, "both say one number");
_Static_assert((int)LAXITY_CORES_MAX == (int)LAXITY_SIM_CORES_MAX, "both say one number");
_Static_assert((int)LAXITY_REGIONS_MAX == (int)LAXITY_SIM_REGIONS_MAX, "both say one number");
_Static_assert((int)LAXITY_DOMAINS_MAX == (int)LAXITY_SIM_DOMAINS_MAX, "both say one number");

struct setting {
    const char *name;
    size_t offset; /* in the platform */
    size_t bytes;  /* of a number */
    bool is_needed;
    unsigned most; /* numbers */
    uint64_t low;
    uint64_t high;
};

#define SETTING(name_, member_, is_needed_, most_, low_, high_)                                    \
    {                                                                                              \
        .name = (name_),                                                                           \
        .offset = offsetof(struct laxity_sim_platform, member_),                                   \
        .bytes = sizeof(((struct laxity_sim_platform *)NULL)->member_) / (most_),                  \
        .is_needed = (is_needed_),                                                                 \
        .most = (most_),                                                                           \
        .low = (low_),                                                                             \
        .high = (high_),                                                                           \
    },

static const struct setting settings[] = {LAXITY_PLATFORM_SETTINGS(SETTING)};

enum {
    SETTING_COUNT = sizeof settings / sizeof settings[0]
};

/* All parts of a file, and which settings it has. */
struct reading {
    struct laxity_sim_platform platform;
    struct laxity_sim_instructions instructions;
    struct laxity_sim_placed *placed;
    size_t n_placed;
    bool seen[SETTING_COUNT];
};

static void store(unsigned char *at, size_t bytes, uint64_t number)
{
    const bool truth = number != 0;
    const uint32_t word = (uint32_t)number;
    switch (bytes) {
    case sizeof truth:
        memcpy(at, &truth, sizeof truth);
        break;
    case sizeof word:
        memcpy(at, &word, sizeof word);
        break;
    default:
        memcpy(at, &number, sizeof number);
    }
}

/* Numbers with a blank between two; false if one cannot be. */
static bool
read_numbers(const struct setting *setting, const char *text, struct laxity_sim_platform *platform)
{
    unsigned char *at = (unsigned char *)platform + setting->offset;
    for (unsigned i = 0; i < setting->most; i++) {
        if (*text < '0' || *text > '9') {
            return false;
        }
        char *end = NULL;
        errno = 0;
        const uint64_t number = strtoull(text, &end, DECIMAL);
        if (errno != 0 || number < setting->low || number > setting->high) {
            return false;
        }
        store(at + (i * setting->bytes), setting->bytes, number);
        if (*end != ' ') {
            return *end == '\0';
        }
        text = end + 1;
    }
    return false;
}

static bool read_word(const char *text, char *word)
{
    const size_t bytes = strlen(text);
    if (bytes == 0 || bytes >= LAXITY_SIM_WORD_BYTES || strchr(text, ' ')) {
        return false;
    }
    memcpy(word, text, bytes + 1);
    return true;
}

/* Of what is known of instructions; false also if the name is another one. */
static bool
read_instructions(const char *name, const char *text, struct laxity_sim_instructions *instructions)
{
    if (strcmp(name, "architecture") == 0) {
        return read_word(text, instructions->architecture);
    }
    if (strcmp(name, "core.scheduling") == 0) {
        return read_word(text, instructions->scheduling);
    }
    uint64_t ticks = 0;
    const bool is_read =
        strcmp(name, "cycle_ticks") == 0 && laxity_parse_count(text, 1, UINT32_MAX, &ticks) == 0;
    instructions->cycle_ticks = (uint32_t)ticks;
    return is_read;
}

/* Of a program, a class of its memory, a region and which of it; false also without memory. */
static bool read_placed(const char *text, struct reading *reading)
{
    enum {
        NUMBERS = 4
    };
    uint64_t numbers[NUMBERS];
    for (unsigned i = 0; i < NUMBERS; i++) {
        char *end = NULL;
        errno = 0;
        numbers[i] = *text >= '0' && *text <= '9' ? strtoull(text, &end, DECIMAL) : UINT64_MAX;
        if (errno != 0 || numbers[i] > UINT32_MAX || *end != (i + 1 < NUMBERS ? ' ' : '\0')) {
            return false;
        }
        text = end + 1;
    }
    struct laxity_sim_placed *placed =
        realloc(reading->placed, (reading->n_placed + 1) * sizeof *placed);
    if (!placed || numbers[1] >= LAXITY_SIM_STORAGE_CLASSES) {
        reading->placed = placed ? placed : reading->placed;
        return false;
    }
    reading->placed = placed;
    placed[reading->n_placed++] = (struct laxity_sim_placed){
        .program = (uint32_t)numbers[0],
        .storage = (enum laxity_sim_storage_class)numbers[1],
        .place = {.region = (uint32_t)numbers[2], .instance = (uint32_t)numbers[3]},
    };
    return true;
}

/* A line without its end; a setting of the platform that it has is noted as seen. */
static bool read_line(char *line, struct reading *reading)
{
    char *text = strchr(line, ' ');
    if (!text) {
        return false;
    }
    *text++ = '\0';
    for (unsigned i = 0; i < SETTING_COUNT; i++) {
        if (strcmp(line, settings[i].name) == 0) {
            reading->seen[i] = true;
            return read_numbers(&settings[i], text, &reading->platform);
        }
    }
    if (strcmp(line, "place") == 0) {
        return read_placed(text, reading);
    }
    return read_instructions(line, text, &reading->instructions);
}

static bool is_power_of_two(uint64_t value)
{
    return value != 0 && (value & (value - 1)) == 0;
}

static bool is_cache(const struct laxity_sim_cache *cache, uint32_t line_bytes)
{
    const uint64_t set_bytes = (uint64_t)cache->ways * line_bytes;
    const bool is_tree = cache->replacement == LAXITY_SIM_PLRU;
    return set_bytes != 0 && cache->size_bytes % set_bytes == 0 &&
           is_power_of_two(cache->size_bytes / set_bytes) &&
           (!is_tree || is_power_of_two(cache->ways));
}

static bool is_first_level(const struct laxity_sim_cache *cache, uint32_t line_bytes)
{
    return cache->size_bytes == 0 || is_cache(cache, line_bytes);
}

/* Levels are shared by more and more, and by whole groups. */
static bool are_levels(const struct laxity_sim_platform *platform)
{
    uint32_t before = 1;
    for (uint32_t i = 0; i < platform->n_levels; i++) {
        const struct laxity_sim_level *level = &platform->levels[i];
        if (!is_cache(&level->cache, platform->line_bytes) || level->hit_ticks == 0 ||
            level->cores == 0 || platform->cores % level->cores != 0 ||
            level->cores % before != 0) {
            return false;
        }
        for (uint32_t core = 0; core < platform->cores; core++) {
            if (level->cache.ways < 64 && level->way_masks[core] >> level->cache.ways != 0) {
                return false;
            }
        }
        before = level->cores;
    }
    return true;
}

/* Regions have no banks, rows and choice; their times are those of every access. */
static void complete_regions(struct laxity_sim_platform *platform)
{
    for (uint32_t i = 0; i < platform->n_regions; i++) {
        struct laxity_sim_region *region = &platform->regions[i];
        struct laxity_sim_memory *memory = &region->memory;
        memory->channels = 1;
        memory->reorder = 1;
        memory->banks = 1;
        memory->row_lines = 1;
        memory->empty_ticks = memory->hit_ticks;
        memory->conflict_ticks = memory->hit_ticks;
        region->is_alias = region->alias > 0;
        region->alias -= region->is_alias ? 1 : 0;
    }
}

static uint32_t domains_of(const struct laxity_sim_platform *platform)
{
    const uint32_t per_domain = platform->domain_cores;
    return per_domain == 0 ? 1 : (platform->cores + per_domain - 1) / per_domain;
}

/* Each is told whole; an alias leads to the main memory or to one before that is none. */
static bool are_regions(const struct laxity_sim_platform *platform)
{
    const uint32_t n_domains = domains_of(platform);
    for (uint32_t i = 0; i < platform->n_regions; i++) {
        const struct laxity_sim_region *region = &platform->regions[i];
        const bool is_main = region->alias == 0;
        if (region->is_alias &&
            (region->alias > i || (!is_main && platform->regions[region->alias - 1].is_alias))) {
            return false;
        }
        if (region->domain >= n_domains || region->memory.request_ticks == 0 ||
            region->memory.line_ticks == 0 || region->memory.word_ticks == 0 ||
            region->memory.read_queue == 0 || region->memory.write_queue == 0) {
            return false;
        }
    }
    return n_domains <= LAXITY_SIM_DOMAINS_MAX;
}

/* How many memories a region has; 0: there is no such region. */
static uint32_t instances_of(const struct laxity_sim_platform *platform, uint32_t number)
{
    if (number > platform->n_regions) {
        return 0;
    }
    const struct laxity_sim_region *region = number > 0 ? &platform->regions[number - 1] : NULL;
    if (region && region->is_alias) {
        return instances_of(platform, region->alias);
    }
    const enum laxity_sim_of main_of =
        platform->has_memory_each ? LAXITY_SIM_OF_DOMAIN : LAXITY_SIM_OF_PLATFORM;
    switch (region ? region->of : main_of) {
    case LAXITY_SIM_OF_DOMAIN:
        return domains_of(platform);
    case LAXITY_SIM_OF_CORE:
        return platform->cores;
    default:
        return 1;
    }
}

/* Nobody is placed where nothing is. */
static bool are_placed(const struct reading *reading)
{
    const struct laxity_sim_platform *platform = &reading->platform;
    for (size_t i = 0; i < reading->n_placed; i++) {
        const struct laxity_sim_place *place = &reading->placed[i].place;
        const uint32_t n = instances_of(platform, place->region);
        const bool is_main =
            place->region == 0 || (platform->regions[place->region - 1].is_alias &&
                                   platform->regions[place->region - 1].alias == 0);
        const bool is_at_home = is_main && place->instance == LAXITY_SIM_HOME;
        if (n == 0 || (!is_at_home && place->instance >= n)) {
            return false;
        }
    }
    return true;
}

static bool is_whole(const struct reading *reading)
{
    const struct laxity_sim_platform *platform = &reading->platform;
    for (unsigned i = 0; i < SETTING_COUNT; i++) {
        if (settings[i].is_needed && !reading->seen[i]) {
            return false;
        }
    }
    if (platform->switch_ticks == 0 &&
        platform->kernel_code_lines + platform->kernel_data_lines > 0) {
        return false;
    }
    if (platform->timer_interval > 0 && platform->timer_ticks == 0) {
        return false;
    }
    if (platform->predictor_entries != 0 && !is_power_of_two(platform->predictor_entries)) {
        return false;
    }
    if (platform->merges_stores && platform->line_bytes > LONGEST_MERGED_BYTES) {
        return false;
    }
    return reading->instructions.architecture[0] != '\0' &&
           reading->instructions.scheduling[0] != '\0' && reading->instructions.cycle_ticks != 0 &&
           platform->ticks_per_s[1] != 0 && is_power_of_two(platform->colours) &&
           is_power_of_two(platform->line_bytes) &&
           is_first_level(&platform->l1i, platform->line_bytes) &&
           is_first_level(&platform->l1d, platform->line_bytes) &&
           is_first_level(&platform->itlb, PAGE_BYTES) &&
           is_first_level(&platform->dtlb, PAGE_BYTES) && are_levels(platform) &&
           are_regions(platform) && are_placed(reading);
}

static int read_file(const char *path, struct reading *out_reading, struct laxity_error *error)
{
    *out_reading = (struct reading){.platform.cores = 0};
    FILE *file = fopen(path, "re");
    if (!file) {
        return laxity_refuse(
            error, LAXITY_EXIT_USAGE, "%.120s: cannot be read: %s", path, strerrordesc_np(errno)
        );
    }
    char line[LINE_BYTES];
    unsigned number = 0;
    bool is_good = true;
    while (is_good && fgets(line, sizeof line, file)) {
        number++;
        char *end = strchr(line, '\n');
        is_good = end != NULL;
        if (is_good) {
            *end = '\0';
            is_good = read_line(line, out_reading);
        }
    }
    (void)fclose(file);
    complete_regions(&out_reading->platform);
    if (!is_good) {
        return laxity_refuse(
            error, LAXITY_EXIT_USAGE, "%.120s: line %u cannot be understood", path, number
        );
    }
    if (!is_whole(out_reading)) {
        return laxity_refuse(
            error, LAXITY_EXIT_USAGE, "%.120s: does not say everything, or what cannot be", path
        );
    }
    return 0;
}

int laxity_sim_settings_read(
    const char *path, struct laxity_sim_platform *out_platform, struct laxity_error *error
)
{
    struct reading reading;
    const int result = read_file(path, &reading, error);
    free(reading.placed);
    if (result == 0) {
        *out_platform = reading.platform;
    }
    return result;
}

int laxity_sim_settings_read_instructions(
    const char *path, struct laxity_sim_instructions *out_instructions, struct laxity_error *error
)
{
    struct reading reading;
    const int result = read_file(path, &reading, error);
    free(reading.placed);
    if (result == 0) {
        *out_instructions = reading.instructions;
    }
    return result;
}

int laxity_sim_settings_read_placed(
    const char *path,
    struct laxity_sim_placed **out_placed,
    size_t *out_n,
    struct laxity_error *error
)
{
    struct reading reading;
    const int result = read_file(path, &reading, error);
    if (result) {
        free(reading.placed);
        return result;
    }
    *out_placed = reading.placed;
    *out_n = reading.n_placed;
    return 0;
}
