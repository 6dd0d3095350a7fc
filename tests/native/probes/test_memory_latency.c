/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
#include "../test.h"
#include "probes/memory_patterns.h"
#include "probes/probe.h"
#include "schema/probes.h"
#include "schema/streams.h"

#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum {
    LINE_BYTES = 64,
    LINES = 97,
    PARTS = 3,
    SEEDS = 50,
    WORD_BYTES = 4,
    DRAWS = 20000,
};

static const size_t array_bytes = (size_t)LINES * LINE_BYTES;

static struct laxity_memory_array make_array(size_t line_bytes)
{
    unsigned char *start = aligned_alloc(LINE_BYTES, array_bytes);
    CHECK(start != NULL);
    if (start) {
        memset(start, 0, array_bytes);
    }
    return (struct laxity_memory_array){start, array_bytes, line_bytes};
}

/* In several parts, as the probe does it. */
static void make_chain(const struct laxity_memory_array *array, uint32_t *order, uint64_t seed)
{
    const size_t n = array->bytes / array->line_bytes;
    const size_t part = n / PARTS + 1;
    for (size_t from = 0; from < n; from += part) {
        laxity_memory_shuffle(order, from, from + part < n ? from + part : n, &seed);
    }
    for (size_t from = 0; from < n; from += part) {
        laxity_memory_link(array, order, n, from, from + part < n ? from + part : n);
    }
}

static size_t
line_of(const struct laxity_memory_array *array, const struct laxity_memory_link *link)
{
    return (size_t)((const unsigned char *)link - array->start) / array->line_bytes;
}

static void chain_comes_to_every_line_once_and_back(void)
{
    const struct laxity_memory_array array = make_array(LINE_BYTES);
    uint32_t order[LINES];
    for (uint64_t seed = 0; seed < SEEDS && array.start; seed++) {
        int visits[LINES] = {0};
        make_chain(&array, order, seed);
        struct laxity_memory_link *link = (struct laxity_memory_link *)array.start;
        for (int i = 0; i < LINES; i++) {
            visits[line_of(&array, link)]++;
            link = link->next;
        }
        CHECK(link == (struct laxity_memory_link *)array.start);
        for (int i = 0; i < LINES; i++) {
            CHECK_EQUAL(visits[i], 1);
        }
    }
    free(array.start);
}

static void chain_is_in_random_order(void)
{
    const struct laxity_memory_array array = make_array(LINE_BYTES);
    uint32_t order[LINES] = {0};
    if (array.start) {
        make_chain(&array, order, 1);
    }
    int neighbours = 0;
    for (size_t i = 1; i < LINES; i++) {
        neighbours += order[i] == order[i - 1] + 1;
    }
    CHECK_EQUAL(order[0], 0);
    /* One is expected, 96 pairs of which each is in order with 1/97; ten would be no accident. */
    CHECK(neighbours < 10);
    free(array.start);
}

static void chase_makes_the_steps_in_eights(void)
{
    const struct laxity_memory_array array = make_array(LINE_BYTES);
    uint32_t order[LINES] = {0};
    if (array.start) {
        make_chain(&array, order, 1);
        struct laxity_memory_link *first = (struct laxity_memory_link *)array.start;
        CHECK_EQUAL(line_of(&array, laxity_memory_chase(first, 16)), order[16]);
        /* 9 steps are rounded up to 16. */
        CHECK_EQUAL(line_of(&array, laxity_memory_chase(first, 9)), order[16]);
        CHECK_EQUAL(line_of(&array, laxity_memory_chase(first, 8)), order[8]);
    }
    free(array.start);
}

static void longer_lines_hold_one_link_each(void)
{
    const struct laxity_memory_array array = make_array((size_t)2 * LINE_BYTES);
    uint32_t order[LINES] = {0};
    int n = 0;
    if (array.start) {
        make_chain(&array, order, 1);
        const struct laxity_memory_link *first = (struct laxity_memory_link *)array.start;
        for (const struct laxity_memory_link *link = first; n == 0 || link != first; n++) {
            link = link->next;
        }
    }
    CHECK_EQUAL(n, LINES / 2); /* 97 lines of 64 bytes are 48 whole ones of 128 */
    free(array.start);
}

static void random_indices_leave_links_alone_and_reach_every_line(void)
{
    const struct laxity_memory_array array = make_array(LINE_BYTES);
    static uint32_t indices[DRAWS];
    int draws[LINES] = {0};
    uint64_t random = 7;
    laxity_memory_draw(&array, indices, DRAWS, &random);
    for (int i = 0; i < DRAWS; i++) {
        const size_t byte = (size_t)indices[i] * WORD_BYTES;
        CHECK(byte < array_bytes);
        CHECK(byte % LINE_BYTES >= sizeof(struct laxity_memory_link));
        draws[byte / LINE_BYTES]++;
    }
    for (int i = 0; i < LINES; i++) {
        /* 20000 / 97 = 206, standard deviation sqrt(206) = 14.4: six of them are 86. */
        CHECK(draws[i] > 120 && draws[i] < 292);
    }
    free(array.start);
}

static void random_writes_write_those_words_only(void)
{
    const struct laxity_memory_array array = make_array(LINE_BYTES);
    const uint32_t indices[] = {2, 15, 18, 2};
    if (array.start) {
        memset(array.start, 0xff, array_bytes);
        laxity_memory_read(array.start, indices, 4);
        laxity_memory_write(array.start, indices, 4);
        int changed = 0;
        for (size_t i = 0; i < array_bytes / WORD_BYTES; i++) {
            uint32_t word = 0;
            memcpy(&word, array.start + i * WORD_BYTES, sizeof word);
            changed += word != UINT32_MAX;
        }
        uint32_t second = 0;
        memcpy(&second, array.start + (size_t)15 * WORD_BYTES, sizeof second);
        CHECK_EQUAL(changed, 3); /* word 2 twice */
        CHECK_EQUAL(second, 1);  /* the number of the access */
    }
    free(array.start);
}

static void streams_copy_and_clear_whole_lines(void)
{
    unsigned char *from = aligned_alloc(LINE_BYTES, (size_t)2 * LINE_BYTES);
    unsigned char *to = aligned_alloc(LINE_BYTES, (size_t)2 * LINE_BYTES);
    CHECK(from != NULL && to != NULL);
    if (from && to) {
        memset(from, 5, (size_t)2 * LINE_BYTES);
        memset(to, 7, (size_t)2 * LINE_BYTES);
        laxity_memory_stream_read(from, LINE_BYTES);
        laxity_memory_stream_copy(to, from, LINE_BYTES);
        CHECK(memcmp(to, from, LINE_BYTES) == 0);
        CHECK_EQUAL(to[LINE_BYTES], 7);
        laxity_memory_stream_write(to, LINE_BYTES);
        CHECK_EQUAL(to[0] + to[LINE_BYTES - 1], 0);
        CHECK_EQUAL(to[LINE_BYTES], 7);
    }
    free(from);
    free(to);
}

static void rows_are_counted_before_anything_is_measured(void)
{
    uint64_t sizes[] = {4096, 8192, 16384};
    uint64_t nodes[] = {0, 1};
    struct laxity_memory_latency_settings settings = {
        .sizes_bytes = {sizes, 3},
        .nodes = {nodes, 2},
        .line_bytes = LINE_BYTES,
        .has_case = {true, true, false, true},
    };
    struct laxity_probe_plan plan = {.repetitions = 10, .settings = &settings};
    laxity_cpus_add(&plan.cpus, 0);
    laxity_cpus_add(&plan.cpus, 5);
    /* 3 sizes * 2 nodes * 3 cases * 2 CPUs * 10 repetitions */
    CHECK_EQUAL(laxity_probe_memory_latency.count_rows(&plan), 360);
    settings.nodes.n = 0; /* wherever the kernel lets it lie: one place */
    CHECK_EQUAL(laxity_probe_memory_latency.count_rows(&plan), 180);
}

static void row_has_the_bytes_of_its_fields(void)
{
    unsigned bytes = 0;
    for (unsigned i = 0; i < laxity_probe_memory_latency.n_fields; i++) {
        bytes += laxity_probe_memory_latency.fields[i].bytes;
    }
    CHECK_EQUAL(bytes, laxity_probe_memory_latency.row_bytes);
    CHECK_EQUAL(
        offsetof(struct laxity_memory_latency_row, cpu), 40
    ); /* five columns of eight bytes */
}

int main(void)
{
    RUN(chain_comes_to_every_line_once_and_back);
    RUN(chain_is_in_random_order);
    RUN(chase_makes_the_steps_in_eights);
    RUN(longer_lines_hold_one_link_each);
    RUN(random_indices_leave_links_alone_and_reach_every_line);
    RUN(random_writes_write_those_words_only);
    RUN(streams_copy_and_clear_whole_lines);
    RUN(rows_are_counted_before_anything_is_measured);
    RUN(row_has_the_bytes_of_its_fields);
    return test_exit_code();
}
