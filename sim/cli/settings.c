/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
#include "cli/settings.h"

#include "base/error.h"
#include "interface/engine.h"
#include "schema/platform.h"

#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    LINE_BYTES = 2048, /* a number of each core */
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

/* A line without its end; the setting that it has is noted as seen. */
static bool read_line(char *line, struct laxity_sim_platform *platform, bool *seen)
{
    char *text = strchr(line, ' ');
    if (!text) {
        return false;
    }
    *text++ = '\0';
    for (unsigned i = 0; i < SETTING_COUNT; i++) {
        if (strcmp(line, settings[i].name) == 0) {
            seen[i] = true;
            return read_numbers(&settings[i], text, platform);
        }
    }
    return false;
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
        before = level->cores;
    }
    return true;
}

static bool is_whole(const struct laxity_sim_platform *platform, const bool *seen)
{
    for (unsigned i = 0; i < SETTING_COUNT; i++) {
        if (settings[i].is_needed && !seen[i]) {
            return false;
        }
    }
    return platform->ticks_per_s[1] != 0 && is_power_of_two(platform->line_bytes) &&
           is_first_level(&platform->l1i, platform->line_bytes) &&
           is_first_level(&platform->l1d, platform->line_bytes) && are_levels(platform);
}

int laxity_sim_settings_read(
    const char *path, struct laxity_sim_platform *out_platform, struct laxity_error *error
)
{
    *out_platform = (struct laxity_sim_platform){.cores = 0};
    FILE *file = fopen(path, "re");
    if (!file) {
        return laxity_refuse(
            error, LAXITY_EXIT_USAGE, "%.120s: cannot be read: %s", path, strerrordesc_np(errno)
        );
    }
    char line[LINE_BYTES];
    bool seen[SETTING_COUNT] = {false};
    unsigned number = 0;
    bool is_good = true;
    while (is_good && fgets(line, sizeof line, file)) {
        number++;
        char *end = strchr(line, '\n');
        is_good = end != NULL;
        if (is_good) {
            *end = '\0';
            is_good = read_line(line, out_platform, seen);
        }
    }
    (void)fclose(file);
    if (!is_good) {
        return laxity_refuse(
            error, LAXITY_EXIT_USAGE, "%.120s: line %u cannot be understood", path, number
        );
    }
    if (!is_whole(out_platform, seen)) {
        return laxity_refuse(
            error, LAXITY_EXIT_USAGE, "%.120s: does not say everything, or what cannot be", path
        );
    }
    return 0;
}
