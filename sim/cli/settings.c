/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
#include "cli/settings.h"

#include "base/error.h"
#include "interface/engine.h"
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

/* Both parts of a file, and which settings it has. */
struct reading {
    struct laxity_sim_platform platform;
    struct laxity_sim_instructions instructions;
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
    return read_instructions(line, text, &reading->instructions);
}

static bool is_power_of_two(uint64_t value)
{
    return value != 0 && (value & (value - 1)) == 0;
}

static bool is_cache(const struct laxity_sim_cache *cache, uint32_t line_bytes)
{
    return is_power_of_two(cache->size_bytes) && is_power_of_two(cache->ways) &&
           (uint64_t)cache->ways * line_bytes <= cache->size_bytes;
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
           is_first_level(&platform->dtlb, PAGE_BYTES) && are_levels(platform);
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
    if (result == 0) {
        *out_instructions = reading.instructions;
    }
    return result;
}
