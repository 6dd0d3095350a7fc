/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
#include "base/cpus.h"

#include "base/error.h"
#include "schema/run.h"

#include <laxity/units.h>

#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum {
    RANGE_TEXT_BYTES = 32
};

void laxity_cpus_add(struct laxity_cpus *cpus, unsigned cpu)
{
    if (cpu < LAXITY_CPUS_MAX) {
        cpus->words[cpu / 64] |= UINT64_C(1) << (cpu % 64);
    }
}

bool laxity_cpus_has(const struct laxity_cpus *cpus, unsigned cpu)
{
    return cpu < LAXITY_CPUS_MAX && (cpus->words[cpu / 64] >> (cpu % 64) & 1) != 0;
}

unsigned laxity_cpus_count(const struct laxity_cpus *cpus)
{
    unsigned count = 0;
    for (unsigned i = 0; i < LAXITY_CPUS_WORDS; i++) {
        count += (unsigned)__builtin_popcountll(cpus->words[i]);
    }
    return count;
}

unsigned laxity_cpus_end(const struct laxity_cpus *cpus)
{
    for (unsigned i = LAXITY_CPUS_WORDS; i-- > 0;) {
        if (cpus->words[i] != 0) {
            return 64 * i + 64 - (unsigned)__builtin_clzll(cpus->words[i]);
        }
    }
    return 0;
}

bool laxity_cpus_is_empty(const struct laxity_cpus *cpus)
{
    return laxity_cpus_count(cpus) == 0;
}

struct laxity_cpus
laxity_cpus_without(const struct laxity_cpus *from, const struct laxity_cpus *taken)
{
    struct laxity_cpus rest;
    for (unsigned i = 0; i < LAXITY_CPUS_WORDS; i++) {
        rest.words[i] = from->words[i] & ~taken->words[i];
    }
    return rest;
}

/* One member of the list: "3" or "0-1". */
static int add_range(struct laxity_cpus *cpus, const char *text, size_t length)
{
    char range[RANGE_TEXT_BYTES];
    if (length == 0 || length >= sizeof range) {
        return -EINVAL;
    }
    memcpy(range, text, length);
    range[length] = '\0';

    char *dash = strchr(range, '-');
    if (dash) {
        *dash = '\0';
    }
    uint64_t first = 0;
    uint64_t last = 0;
    int rc = laxity_parse_count(range, 0, LAXITY_CPUS_MAX - 1, &first);
    if (rc) {
        return rc;
    }
    rc = laxity_parse_count(dash ? dash + 1 : range, 0, LAXITY_CPUS_MAX - 1, &last);
    if (rc) {
        return rc;
    }
    if (last < first) {
        return -EINVAL;
    }
    for (uint64_t cpu = first; cpu <= last; cpu++) {
        laxity_cpus_add(cpus, (unsigned)cpu);
    }
    return 0;
}

int laxity_cpus_parse(const char *text, struct laxity_cpus *out_cpus)
{
    struct laxity_cpus cpus = {{0}};
    const char *rest = text;
    for (;;) {
        const size_t length = strcspn(rest, ",");
        const int rc = add_range(&cpus, rest, length);
        if (rc) {
            return rc;
        }
        if (rest[length] == '\0') {
            break;
        }
        rest += length + 1;
    }
    *out_cpus = cpus;
    return 0;
}

void laxity_cpus_format(const struct laxity_cpus *cpus, char *text, size_t bytes)
{
    size_t used = 0;
    text[0] = '\0';
    for (unsigned first = 0; first < LAXITY_CPUS_MAX; first++) {
        if (!laxity_cpus_has(cpus, first)) {
            continue;
        }
        unsigned last = first;
        while (laxity_cpus_has(cpus, last + 1)) {
            last++;
        }
        const char *comma = used > 0 ? "," : "";
        if (last > first) {
            laxity_format(text + used, bytes - used, "%s%u-%u", comma, first, last);
        } else {
            laxity_format(text + used, bytes - used, "%s%u", comma, first);
        }
        used = strlen(text);
        first = last;
    }
}
