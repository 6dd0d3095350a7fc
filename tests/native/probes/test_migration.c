/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
#include "../test.h"
#include "probes/migration.h"
#include "probes/probe.h"
#include "schema/probes.h"
#include "schema/streams.h"

#include <stddef.h>
#include <stdint.h>

enum {
    ROUNDS = 3000
};

static const struct laxity_cpu_pair near = {.cpu = 0, .cpu_to = 1};
static const struct laxity_cpu_pair far = {.cpu = 0, .cpu_to = 1, .node = 0, .node_to = 1};
static const struct laxity_cpu_pair nowhere = {
    .cpu = 0, .cpu_to = 1, .node = INT32_MIN, .node_to = INT32_MIN
};

static void check_roles(const struct laxity_cpu_pair *pair, size_t expected)
{
    uint64_t random = 1;
    unsigned first[LAXITY_MIGRATION_ROLE_COUNT] = {0};
    for (int round = 0; round < ROUNDS; round++) {
        uint8_t roles[LAXITY_MIGRATION_ROLE_COUNT];
        unsigned seen = 0;
        const size_t n = laxity_migration_roles(pair, &random, roles);
        CHECK_EQUAL(n, expected);
        for (size_t i = 0; i < n; i++) {
            seen |= 1U << roles[i];
        }
        CHECK_EQUAL(seen, (1U << expected) - 1);
        first[roles[0]]++;
    }
    /* 3000 rounds of 5 or 6 roles: each is first in about 500 or 600 of them, give or take 23. */
    for (size_t role = 0; role < expected; role++) {
        CHECK(first[role] > 400 && first[role] < 700);
    }
}

static void every_role_has_its_turn_and_each_is_first_as_often(void)
{
    check_roles(&near, LAXITY_MIGRATION_ROLE_FETCH);
    check_roles(&nowhere, LAXITY_MIGRATION_ROLE_FETCH);
}

static void memory_goes_along_only_between_nodes(void)
{
    check_roles(&far, LAXITY_MIGRATION_ROLE_COUNT);
}

static uint64_t rows_of(struct laxity_migration_settings *settings, uint64_t repetitions)
{
    const struct laxity_probe_plan plan = {.repetitions = repetitions, .settings = settings};
    return laxity_probe_migration.count_rows(&plan);
}

static void rows_are_counted_before_they_are_measured(void)
{
    struct laxity_cpu_pair pairs[] = {near, far};
    uint64_t sizes[] = {4096, 8192, 16384};
    struct laxity_migration_settings settings = {
        .sizes_bytes = {sizes, 3},
        .pairs = {pairs, 1},
        .has_pattern = {true, true},
    };
    /* 5 roles * 3 sizes * 2 patterns * 7 */
    CHECK_EQUAL(rows_of(&settings, 7), 210);
    settings.pairs.n = 2;
    /* (5 + 6) roles * 3 sizes * 2 patterns * 7 */
    CHECK_EQUAL(rows_of(&settings, 7), 462);
    CHECK(rows_of(&settings, UINT64_MAX / 2) > UINT32_MAX);
}

int main(void)
{
    RUN(every_role_has_its_turn_and_each_is_first_as_often);
    RUN(memory_goes_along_only_between_nodes);
    RUN(rows_are_counted_before_they_are_measured);
    return test_exit_code();
}
