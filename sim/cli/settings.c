/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
#include "cli/settings.h"

#include "base/error.h"
#include "interface/engine.h"

#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    LINE_BYTES = 128,
    SMALLEST_LINE_BYTES = 4,
    DECIMAL = 10,
};

#define CLOCK_MAX_HZ UINT64_C(100000000000)
#define CACHE_MAX_BYTES (UINT64_C(1) << 30)

static bool is_power_of_two(uint64_t value)
{
    return value != 0 && (value & (value - 1)) == 0;
}

/* A number and what stands behind it; false if there is none, or one above most. */
static bool read_number(const char **text, uint64_t most, uint64_t *out_value)
{
    char *end = NULL;
    errno = 0;
    if (**text < '0' || **text > '9') {
        return false;
    }
    *out_value = strtoull(*text, &end, DECIMAL);
    *text = *end == ' ' ? end + 1 : end;
    return errno == 0 && *out_value <= most && (*end == ' ' || *end == '\0');
}

static bool read_cache(const char *text, struct laxity_sim_cache *cache)
{
    uint64_t ways = 0;
    uint64_t line_bytes = 0;
    uint64_t miss_ticks = 0;
    const bool is_read = read_number(&text, CACHE_MAX_BYTES, &cache->size_bytes) &&
                         read_number(&text, CACHE_MAX_BYTES, &ways) &&
                         read_number(&text, CACHE_MAX_BYTES, &line_bytes) &&
                         read_number(&text, UINT32_MAX, &miss_ticks) && *text == '\0';
    cache->ways = (uint32_t)ways;
    cache->line_bytes = (uint32_t)line_bytes;
    cache->miss_ticks = (uint32_t)miss_ticks;
    return is_read && is_power_of_two(cache->size_bytes) && is_power_of_two(ways) &&
           is_power_of_two(line_bytes) && line_bytes >= SMALLEST_LINE_BYTES &&
           ways * line_bytes <= cache->size_bytes;
}

static bool read_ticks(const char *text, uint32_t *out_ticks)
{
    uint64_t ticks = 0;
    const bool is_read = read_number(&text, UINT32_MAX, &ticks) && *text == '\0';
    *out_ticks = (uint32_t)ticks;
    return is_read;
}

static bool read_value(struct laxity_sim_platform *platform, const char *name, const char *text)
{
    if (strcmp(name, "clock_hz") == 0) {
        return read_number(&text, CLOCK_MAX_HZ, &platform->clock_hz) && *text == '\0';
    }
    if (strcmp(name, "instruction_ticks") == 0) {
        return read_ticks(text, &platform->instruction_ticks);
    }
    if (strcmp(name, "switch_ticks") == 0) {
        return read_ticks(text, &platform->switch_ticks);
    }
    if (strcmp(name, "l1i") == 0) {
        return read_cache(text, &platform->l1i);
    }
    if (strcmp(name, "l1d") == 0) {
        return read_cache(text, &platform->l1d);
    }
    return strcmp(name, "l2") == 0 && read_cache(text, &platform->l2);
}

static bool is_whole(const struct laxity_sim_platform *platform)
{
    return platform->clock_hz && platform->instruction_ticks && platform->l1i.ways &&
           platform->l1d.ways && platform->l2.ways;
}

int laxity_sim_settings_read(
    const char *path, struct laxity_sim_platform *out_platform, struct laxity_error *error
)
{
    *out_platform = (struct laxity_sim_platform){.clock_hz = 0};
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
        char *text = strchr(line, ' ');
        is_good = end && text;
        if (is_good) {
            *end = '\0';
            *text++ = '\0';
            is_good = read_value(out_platform, line, text);
        }
    }
    (void)fclose(file);
    if (!is_good) {
        return laxity_refuse(
            error, LAXITY_EXIT_USAGE, "%.120s: line %u cannot be understood", path, number
        );
    }
    if (!is_whole(out_platform)) {
        return laxity_refuse(error, LAXITY_EXIT_USAGE, "%.120s: does not say everything", path);
    }
    return 0;
}
