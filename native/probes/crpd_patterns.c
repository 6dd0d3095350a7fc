/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
#include "probes/crpd_patterns.h"

#include "base/error.h"
#include "base/port/flush.h"
#include "codegen/code.h"
#include "codegen/isa.h"
#include "codegen/shape.h"
#include "schema/probes.h"
#include "schema/streams.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

static const char *const evict_words[] = {LAXITY_CRPD_EVICT_WORDS};
static const char *const pattern_words[] = {LAXITY_CRPD_PATTERN_WORDS};

/* splitmix64: Steele, Lea, Flood, "Fast splittable pseudorandom number generators", figure 16. */
uint64_t laxity_crpd_random(uint64_t *random)
{
    uint64_t value = *random += UINT64_C(0x9e3779b97f4a7c15);
    value = (value ^ value >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    value = (value ^ value >> 27) * UINT64_C(0x94d049bb133111eb);
    return value ^ value >> 31;
}

void laxity_crpd_shuffle_roles(uint64_t *random, uint8_t roles[LAXITY_CRPD_ROLE_COUNT])
{
    for (unsigned i = 0; i < LAXITY_CRPD_ROLE_COUNT; i++) {
        const uint64_t at = laxity_crpd_random(random) % (i + 1);
        roles[i] = roles[at];
        roles[at] = (uint8_t)i;
    }
}

size_t
laxity_crpd_link_chain(unsigned char *working_set, size_t bytes, uint32_t *order, uint64_t *random)
{
    const size_t n = bytes / laxity_crpd_line_bytes();
    for (size_t i = 0; i < n; i++) {
        /* Line 0 stays first: i = 0 and later draws only from 1...i. */
        const size_t at = i == 0 ? 0 : 1 + (size_t)(laxity_crpd_random(random) % i);
        order[i] = order[at];
        order[at] = (uint32_t)i;
    }
    for (size_t i = 0; i < n; i++) {
        laxity_crpd_line(working_set, order[i])->next =
            laxity_crpd_line(working_set, order[(i + 1) % n]);
    }
    return n;
}

int laxity_crpd_make_code(
    enum laxity_crpd_pattern pattern,
    size_t bytes,
    size_t copies,
    struct laxity_code *out_code,
    struct laxity_error *error
)
{
    const struct laxity_shape shape = {
        .bytes = bytes - bytes % laxity_crpd_line_bytes(),
        .line_bytes = (uint32_t)laxity_crpd_line_bytes(),
        .miss_ratio = pattern == LAXITY_CRPD_PATTERN_JUMPS
                          ? (uint32_t)LAXITY_RATIO_ONE
                          : laxity_shape_lowest_ratio((uint32_t)laxity_crpd_line_bytes()),
    };
    return laxity_code_make(&shape, copies, out_code, error);
}

/* Whether something that was asked for is served by something else that was asked for. */
static bool is_served(const struct laxity_crpd_settings *settings, int evict, int pattern)
{
    for (int i = 0; i < (int)LAXITY_CRPD_EVICT_COUNT * (int)LAXITY_CRPD_PATTERN_COUNT; i++) {
        const int one_evict = i / LAXITY_CRPD_PATTERN_COUNT;
        const int one_pattern = i % LAXITY_CRPD_PATTERN_COUNT;
        if ((one_evict == evict || one_pattern == pattern) && settings->has_evict[one_evict] &&
            settings->has_pattern[one_pattern] &&
            laxity_crpd_serves(
                (enum laxity_crpd_evict)one_evict, (enum laxity_crpd_pattern)one_pattern
            )) {
            return true;
        }
    }
    return false;
}

/* Nothing that was asked for may be left out in silence. Returns 0, or -1 with error set. */
static int check_served(const struct laxity_crpd_settings *settings, struct laxity_error *error)
{
    enum {
        NONE = -1
    };
    for (int i = 0; i < LAXITY_CRPD_EVICT_COUNT; i++) {
        if (settings->has_evict[i] && !is_served(settings, i, NONE)) {
            return laxity_refuse(
                error,
                LAXITY_EXIT_USAGE,
                "--evict %s: serves %s only; add such a --pattern",
                evict_words[i],
                i == LAXITY_CRPD_EVICT_EXECUTE ? "code and jumps" : "sequential and chase"
            );
        }
    }
    for (int i = 0; i < LAXITY_CRPD_PATTERN_COUNT; i++) {
        if (settings->has_pattern[i] && !is_served(settings, NONE, i)) {
            return laxity_refuse(
                error,
                LAXITY_EXIT_USAGE,
                "--pattern %s: no way to evict that serves it; add --evict write",
                pattern_words[i]
            );
        }
    }
    return 0;
}

/* What this build lacks. Returns 0, or -1 with error set. */
static int check_build(const struct laxity_crpd_settings *settings, struct laxity_error *error)
{
    if (settings->has_evict[LAXITY_CRPD_EVICT_FLUSH] && !laxity_can_flush()) {
        return laxity_refuse(
            error,
            LAXITY_EXIT_LACKING,
            "--evict flush: this build knows no instruction that flushes a line; use write"
        );
    }
    if ((settings->has_pattern[LAXITY_CRPD_PATTERN_CODE] ||
         settings->has_pattern[LAXITY_CRPD_PATTERN_JUMPS]) &&
        !laxity_isa_host()) {
        return laxity_refuse(
            error,
            LAXITY_EXIT_LACKING,
            "--pattern code, jumps: this build writes no code for its processor; use chase"
        );
    }
    return 0;
}

int laxity_crpd_check(void *from, struct laxity_error *error)
{
    const struct laxity_crpd_settings *settings = from;
    return check_served(settings, error) ? -1 : check_build(settings, error);
}
