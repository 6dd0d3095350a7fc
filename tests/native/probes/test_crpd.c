/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
#include "../test.h"
#include "base/error.h"
#include "codegen/code.h"
#include "codegen/isa.h"
#include "codegen/shape.h"
#include "probes/crpd_patterns.h"
#include "probes/probe.h"
#include "schema/probes.h"
#include "schema/streams.h"

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    LINES = 97,
    SEEDS = 50,
    ROUNDS = 600
};

enum {
    LINE_BYTES = 64, /* of most machines; others skip these tests */
    SKIPPED = 77,
};
static const size_t chain_bytes = (size_t)LINES * LINE_BYTES;

static uint32_t visits_of(const unsigned char *line)
{
    uint32_t visits = 0;
    memcpy(&visits, line + sizeof(void *), sizeof visits);
    return visits;
}

static void chain_visits_every_line_once_per_pass(void)
{
    unsigned char *lines = aligned_alloc(LINE_BYTES, chain_bytes);
    uint32_t order[LINES];
    for (uint64_t seed = 0; seed < SEEDS && lines; seed++) {
        uint64_t random = seed;
        memset(lines, 0, chain_bytes);
        CHECK_EQUAL(laxity_crpd_link_chain(lines, chain_bytes, order, &random), LINES);
        laxity_crpd_chase(lines);
        laxity_crpd_chase(lines);
        for (size_t i = 0; i < LINES; i++) {
            CHECK_EQUAL(visits_of(lines + i * LINE_BYTES), 2);
        }
    }
    CHECK(lines != NULL);
    free(lines);
}

static void chain_is_in_random_order(void)
{
    unsigned char *lines = aligned_alloc(LINE_BYTES, chain_bytes);
    uint32_t order[LINES] = {0};
    uint64_t random = 1;
    CHECK(lines != NULL);
    if (lines) {
        (void)laxity_crpd_link_chain(lines, chain_bytes, order, &random);
    }
    int neighbours = 0;
    for (size_t i = 1; i < LINES; i++) {
        neighbours += order[i] == order[i - 1] + 1;
    }
    CHECK_EQUAL(order[0], 0);
    /* One is expected, 96 pairs of which each is in order with 1/97; ten would be no accident. */
    CHECK(neighbours < 10);
    free(lines);
}

static void one_line_is_a_chain(void)
{
    unsigned char *line = aligned_alloc(LINE_BYTES, LINE_BYTES);
    uint32_t order[1];
    uint64_t random = 1;
    CHECK(line != NULL);
    if (line) {
        memset(line, 0, LINE_BYTES);
        CHECK_EQUAL(laxity_crpd_link_chain(line, LINE_BYTES, order, &random), 1);
        laxity_crpd_chase(line);
        CHECK_EQUAL(visits_of(line), 1);
    }
    free(line);
}

static void roles_stand_in_every_order_equally_often(void)
{
    int first[LAXITY_CRPD_ROLE_COUNT] = {0};
    uint64_t random = 7;
    for (int round = 0; round < ROUNDS; round++) {
        uint8_t roles[LAXITY_CRPD_ROLE_COUNT];
        laxity_crpd_shuffle_roles(&random, roles);
        /* 0 + 1 + 2 = 3 and 0² + 1² + 2² = 5: each once. */
        CHECK_EQUAL(roles[0] + roles[1] + roles[2], 3);
        CHECK_EQUAL(roles[0] * roles[0] + roles[1] * roles[1] + roles[2] * roles[2], 5);
        first[roles[0]]++;
    }
    for (int role = 0; role < LAXITY_CRPD_ROLE_COUNT; role++) {
        /* 600 / 3 = 200, standard deviation sqrt(600 * 1/3 * 2/3) = 11.5: six of them are 69. */
        CHECK(first[role] > 131 && first[role] < 269);
    }
}

static void same_seed_gives_the_same_series(void)
{
    /* The first two numbers of splitmix64 from 0, as its authors' reference code prints them. */
    uint64_t random = 0;
    CHECK(laxity_crpd_random(&random) == UINT64_C(0xe220a8397b1dcdaf));
    CHECK(laxity_crpd_random(&random) == UINT64_C(0x6e789e6aa1b965f4));
}

static void rows_are_counted_before_anything_is_measured(void)
{
    uint64_t sizes[] = {4096, 8192};
    uint64_t buffers[] = {1024, 2048, 4096};
    const struct laxity_crpd_settings settings = {
        .evict_sizes_bytes = {buffers, 3},
        .sizes_bytes = {sizes, 2},
        .has_case = {true, true},
        .has_evict = {true, false, true},
        .has_pattern = {true, false},
    };
    struct laxity_probe_plan plan = {.repetitions = 10, .settings = &settings};
    laxity_cpus_add(&plan.cpus, 1);
    /* 2 sizes * 10 repetitions * 3 roles * 2 cases * (3 buffers written + 1 flush) * 1 pattern */
    CHECK_EQUAL(laxity_probe_crpd.count_rows(&plan), 480);
}

/* Data is not evicted by executing, code not by reading; the rest is measured with both. */
static void rows_of_ways_that_do_not_serve_are_not_counted(void)
{
    uint64_t sizes[] = {4096};
    uint64_t buffers[] = {1024, 2048};
    const struct laxity_crpd_settings settings = {
        .evict_sizes_bytes = {buffers, 2},
        .sizes_bytes = {sizes, 1},
        .has_case = {true, false},
        .has_evict = {true, true, true, true},
        .has_pattern = {false, true, true, true},
    };
    struct laxity_probe_plan plan = {.repetitions = 1, .settings = &settings};
    laxity_cpus_add(&plan.cpus, 0);
    /* 3 roles * (chase: 2 written + 2 read + 1 flush; code and jumps: 2 written + 2 executed + 1
     * flush each) = 3 * 15 */
    CHECK_EQUAL(laxity_probe_crpd.count_rows(&plan), 45);
}

/* What is no whole line is left out: 36 bytes of 64. */
static void code_of_a_pattern_is_executed_whole_or_by_jumps(void)
{
    struct laxity_error error = {0};
    struct laxity_code code = {0};
    const struct laxity_isa *isa = laxity_isa_host();
    unsigned char expected[4 * LINE_BYTES];
    const struct laxity_shape straight = {sizeof expected, LINE_BYTES, 62500};
    const struct laxity_shape jumps = {sizeof expected, LINE_BYTES, 1000000};
    CHECK_EQUAL(
        laxity_crpd_make_code(LAXITY_CRPD_PATTERN_CODE, sizeof expected + 36, 1, &code, &error), 0
    );
    CHECK_EQUAL(code.bytes, sizeof expected);
    laxity_code_write(isa, &straight, LAXITY_CODE_ADD_ZERO, expected);
    CHECK(memcmp(code.start, expected, sizeof expected) == 0);
    laxity_code_free(&code);
    CHECK_EQUAL(
        laxity_crpd_make_code(LAXITY_CRPD_PATTERN_JUMPS, sizeof expected, 2, &code, &error), 0
    );
    CHECK_EQUAL(code.bytes, 2 * sizeof expected);
    laxity_code_write(isa, &jumps, LAXITY_CODE_ADD_ZERO, expected);
    CHECK(memcmp(code.start, expected, sizeof expected) == 0);
    CHECK(memcmp(code.start + sizeof expected, expected, sizeof expected) == 0);
    laxity_code_free(&code);
}

static void row_has_the_bytes_of_its_fields(void)
{
    unsigned bytes = 0;
    for (unsigned i = 0; i < laxity_probe_crpd.n_fields; i++) {
        bytes += laxity_probe_crpd.fields[i].bytes;
    }
    CHECK_EQUAL(bytes, laxity_probe_crpd.row_bytes);
    CHECK_EQUAL(offsetof(struct laxity_crpd_row, cpu), 88); /* eleven columns of eight bytes */
}

int main(void)
{
    if (laxity_crpd_line_bytes() != LINE_BYTES) {
        (void)puts("1..0 # skip lines of other than 64 bytes");
        return SKIPPED;
    }
    RUN(chain_visits_every_line_once_per_pass);
    RUN(chain_is_in_random_order);
    RUN(one_line_is_a_chain);
    RUN(roles_stand_in_every_order_equally_often);
    RUN(same_seed_gives_the_same_series);
    RUN(rows_are_counted_before_anything_is_measured);
    RUN(rows_of_ways_that_do_not_serve_are_not_counted);
    RUN(code_of_a_pattern_is_executed_whole_or_by_jumps);
    RUN(row_has_the_bytes_of_its_fields);
    return test_exit_code();
}
