/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
#include "probes/migration.h"

#include "base/error.h"
#include "base/lists.h"
#include "base/npy.h"
#include "base/port/nodes.h"
#include "probes/crpd_patterns.h"
#include "probes/machine.h"
#include "probes/probe.h"
#include "probes/working_set.h"
#include "schema/probes.h"
#include "schema/streams.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

enum {
    /* Before an event; caches without LRU replacement need more than one. */
    WARM_PASSES = 4,
    /* Six observations are the fewest that a median's 95 % interval can be told of. */
    FEWEST_ROUNDS = 6,
};

static const struct laxity_field fields[] = {LAXITY_MIGRATION_FIELDS};

/* The task that moves: the measuring process itself. */
struct traveller {
    unsigned char *working_set;
    size_t mapped_bytes;
    size_t bytes; /* of the working set now measured */
    enum laxity_crpd_pattern pattern;
    bool is_spread;     /* the CPUs are of several nodes, so that it matters where memory lies */
    int32_t node;       /* where its memory lies; INT32_MIN: nobody has put it anywhere */
    uint32_t *order;    /* of the lines of a chain, while it is linked */
    uint32_t *turns;    /* pairs, in the order of this repetition */
    int64_t *moving_ns; /* by pair: what moving took last */
    uint64_t random;
};

static size_t n_roles(const struct laxity_cpu_pair *pair)
{
    return pair->node != pair->node_to ? LAXITY_MIGRATION_ROLE_COUNT : LAXITY_MIGRATION_ROLE_FETCH;
}

size_t laxity_migration_roles(
    const struct laxity_cpu_pair *pair, uint64_t *random, uint8_t roles[LAXITY_MIGRATION_ROLE_COUNT]
)
{
    const size_t n = n_roles(pair);
    for (size_t i = 0; i < n; i++) {
        roles[i] = (uint8_t)i;
    }
    for (size_t left = n; left > 1; left--) {
        const size_t at = (size_t)(laxity_crpd_random(random) % left);
        const uint8_t role = roles[at];
        roles[at] = roles[left - 1];
        roles[left - 1] = role;
    }
    return n;
}

static uint64_t n_patterns(const struct laxity_migration_settings *settings)
{
    uint64_t n = 0;
    for (int i = 0; i < LAXITY_CRPD_PATTERN_COUNT; i++) {
        n += settings->has_pattern[i];
    }
    return n;
}

static uint64_t count_rows(const struct laxity_probe_plan *plan)
{
    const struct laxity_migration_settings *settings = plan->settings;
    uint64_t rows = 0;
    for (size_t i = 0; i < settings->pairs.n; i++) {
        rows += n_roles(&settings->pairs.items[i]);
    }
    rows *= n_patterns(settings);
    if (__builtin_mul_overflow(rows, settings->sizes_bytes.n, &rows) ||
        __builtin_mul_overflow(rows, plan->repetitions, &rows)) {
        return UINT64_MAX / sizeof(struct laxity_migration_row);
    }
    return rows;
}

/* Whether the CPUs are of several nodes, so that it matters where memory lies. */
static bool is_spread(const struct laxity_migration_settings *settings)
{
    for (size_t i = 0; i < settings->pairs.n; i++) {
        const struct laxity_cpu_pair *pair = &settings->pairs.items[i];
        if (pair->node != settings->pairs.items[0].node ||
            pair->node_to != settings->pairs.items[0].node) {
            return true;
        }
    }
    return false;
}

static int setup(struct laxity_probe_run *run)
{
    const struct laxity_migration_settings *settings = run->plan->settings;
    struct traveller *traveller = calloc(1, sizeof *traveller);
    run->state = traveller;
    if (!traveller) {
        return laxity_refuse(&run->shared->error, LAXITY_EXIT_LACKING, "migration: no memory");
    }
    const size_t largest = laxity_largest_size(&settings->sizes_bytes, laxity_crpd_line_bytes());
    traveller->random = run->plan->seed;
    traveller->is_spread = is_spread(settings);
    traveller->mapped_bytes = largest;
    traveller->order = calloc(largest / laxity_crpd_line_bytes() + 1, sizeof *traveller->order);
    traveller->turns = calloc(settings->pairs.n + 1, sizeof *traveller->turns);
    traveller->moving_ns = calloc(settings->pairs.n + 1, sizeof *traveller->moving_ns);
    /* As crpd's: the two are compared. */
    unsigned char *base = laxity_map_inherited(largest);
    if (!base || !traveller->order || !traveller->turns || !traveller->moving_ns) {
        return laxity_refuse_working_set(run, largest);
    }
    traveller->working_set = base;
    return 0;
}

static void teardown(struct laxity_probe_run *run)
{
    struct traveller *traveller = run->state;
    if (!traveller) {
        return;
    }
    if (traveller->working_set) {
        (void)munmap(traveller->working_set, traveller->mapped_bytes);
    }
    free(traveller->moving_ns);
    free(traveller->turns);
    free(traveller->order);
    free(traveller);
    run->state = NULL;
}

static void pass_over(const struct traveller *traveller)
{
    if (traveller->pattern == LAXITY_CRPD_PATTERN_CHASE) {
        laxity_crpd_chase(traveller->working_set);
    } else {
        laxity_crpd_walk(traveller->working_set, traveller->bytes);
    }
}

/* `n` passes, one after the other from `before_ns` on. */
static void
time_passes(const struct traveller *traveller, int64_t *pass_ns, int n, int64_t before_ns)
{
    for (int i = 0; i < n; i++) {
        pass_over(traveller);
        const int64_t now_ns = laxity_machine_now_ns();
        pass_ns[i] = now_ns - before_ns;
        before_ns = now_ns;
    }
}

static int fetch_memory(struct laxity_probe_run *run, int32_t node)
{
    struct traveller *traveller = run->state;
    if (!traveller->is_spread || traveller->node == node) {
        return 0;
    }
    const int rc = laxity_move_memory(traveller->working_set, traveller->bytes, node);
    if (rc == 0) {
        traveller->node = node;
        return 0;
    }
    return laxity_refuse(
        &run->shared->error,
        LAXITY_EXIT_LACKING,
        "migration: cannot move memory to node %d: %s; choose CPUs of one node",
        (int)node,
        strerrordesc_np(-rc)
    );
}

/* What a role does between the warm pass and the passes that are compared with it. */
static int
act(struct laxity_probe_run *run,
    const struct laxity_cpu_pair *pair,
    enum laxity_migration_role role,
    int64_t sleep_ns)
{
    switch (role) {
    case LAXITY_MIGRATION_ROLE_STAY:
    case LAXITY_MIGRATION_ROLE_CONTROL:
        return laxity_probe_go_to(run, pair->cpu);
    case LAXITY_MIGRATION_ROLE_MOVE:
        return laxity_probe_go_to(run, pair->cpu_to);
    case LAXITY_MIGRATION_ROLE_SLEEP:
        laxity_machine_pause_ns(sleep_ns);
        return 0;
    case LAXITY_MIGRATION_ROLE_RETURN:
        return laxity_probe_go_to(run, pair->cpu_to) ? -1 : laxity_probe_go_to(run, pair->cpu);
    case LAXITY_MIGRATION_ROLE_FETCH:
        return laxity_probe_go_to(run, pair->cpu_to) ? -1 : fetch_memory(run, pair->node_to);
    }
    return -1;
}

static int observe(
    struct laxity_probe_run *run,
    size_t at,
    enum laxity_migration_role role,
    struct laxity_migration_row *out_row
)
{
    const struct laxity_migration_settings *settings = run->plan->settings;
    const struct laxity_cpu_pair *pair = &settings->pairs.items[at];
    struct traveller *traveller = run->state;
    int64_t warm_ns[WARM_PASSES];
    if (laxity_probe_go_to(run, pair->cpu) || fetch_memory(run, pair->node)) {
        return -1;
    }
    *out_row = (struct laxity_migration_row){
        .working_set_bytes = traveller->bytes,
        .cpu = (int32_t)pair->cpu,
        .cpu_to = (int32_t)pair->cpu_to,
        .node = role == LAXITY_MIGRATION_ROLE_FETCH ? pair->node_to : pair->node,
        .role = (uint16_t)role,
        .pattern = (uint16_t)traveller->pattern,
    };
    time_passes(traveller, warm_ns, WARM_PASSES, laxity_machine_now_ns());
    out_row->warm_ns = warm_ns[WARM_PASSES - 1];
    out_row->time_ns = laxity_machine_now_ns();
    if (act(run, pair, role, traveller->moving_ns[at])) {
        return -1;
    }
    const int64_t resumed_ns = laxity_machine_now_ns();
    time_passes(traveller, out_row->pass_ns, LAXITY_MIGRATION_PASS_COUNT, resumed_ns);
    out_row->event_ns = resumed_ns - out_row->time_ns;
    if (role == LAXITY_MIGRATION_ROLE_MOVE) {
        traveller->moving_ns[at] = out_row->event_ns;
    }
    return 0;
}

/* One of each role in random order. Returns 0, 1 if the user wants an end, or -1. */
static int measure_block(struct laxity_probe_run *run, size_t at)
{
    const struct laxity_migration_settings *settings = run->plan->settings;
    struct traveller *traveller = run->state;
    uint8_t roles[LAXITY_MIGRATION_ROLE_COUNT];
    const size_t n = laxity_migration_roles(&settings->pairs.items[at], &traveller->random, roles);
    for (size_t i = 0; i < n; i++) {
        struct laxity_migration_row row;
        if (observe(run, at, (enum laxity_migration_role)roles[i], &row)) {
            return -1;
        }
        if (!laxity_probe_add_row(run, &row)) {
            return 1;
        }
        laxity_probe_pause(run);
    }
    return 0;
}

static void shuffle_turns(struct traveller *traveller, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        const size_t at = (size_t)(laxity_crpd_random(&traveller->random) % (i + 1));
        traveller->turns[i] = traveller->turns[at];
        traveller->turns[at] = (uint32_t)i;
    }
}

/* One working set in one pattern: every pair once, in random order. Returns as measure_block. */
static int measure_pairs(struct laxity_probe_run *run)
{
    const struct laxity_migration_settings *settings = run->plan->settings;
    struct traveller *traveller = run->state;
    traveller->node = INT32_MIN;
    if (traveller->pattern == LAXITY_CRPD_PATTERN_CHASE) {
        (void)laxity_crpd_link_chain(
            traveller->working_set, traveller->bytes, traveller->order, &traveller->random
        );
    }
    shuffle_turns(traveller, settings->pairs.n);
    for (size_t turn = 0; turn < settings->pairs.n; turn++) {
        const int rc = measure_block(run, traveller->turns[turn]);
        if (rc) {
            return rc;
        }
    }
    return 0;
}

/* Everything once. Returns as measure_block. */
static int measure_round(struct laxity_probe_run *run)
{
    const struct laxity_migration_settings *settings = run->plan->settings;
    struct traveller *traveller = run->state;
    for (size_t i = 0; i < settings->sizes_bytes.n * LAXITY_CRPD_PATTERN_COUNT; i++) {
        traveller->bytes = (size_t)settings->sizes_bytes.items[i / LAXITY_CRPD_PATTERN_COUNT];
        traveller->pattern = (enum laxity_crpd_pattern)(i % LAXITY_CRPD_PATTERN_COUNT);
        const int rc = settings->has_pattern[traveller->pattern] ? measure_pairs(run) : 0;
        if (rc) {
            return rc;
        }
    }
    return 0;
}

/* How long moving takes, before the first sleep that is as long. */
static int look_at_moves(struct laxity_probe_run *run)
{
    const struct laxity_migration_settings *settings = run->plan->settings;
    struct traveller *traveller = run->state;
    struct laxity_migration_row unused;
    traveller->pattern = LAXITY_CRPD_PATTERN_SEQUENTIAL;
    traveller->bytes = (size_t)settings->sizes_bytes.items[0];
    traveller->node = INT32_MIN;
    for (size_t at = 0; at < settings->pairs.n; at++) {
        if (observe(run, at, LAXITY_MIGRATION_ROLE_MOVE, &unused)) {
            return -1;
        }
    }
    return 0;
}

/*
 * Round after round, so that what changes slowly changes every figure: the hosts of virtual
 * machines move CPUs, too, and then the distance between two of them is another one.
 */
static int measure(struct laxity_probe_run *run)
{
    const struct laxity_migration_settings *settings = run->plan->settings;
    if (laxity_probe_enter_policy(run, (int)run->plan->priority)) {
        return -1;
    }
    const int64_t start_ns = laxity_machine_now_ns();
    run->worked_since_ns = start_ns; /* on whichever CPU */
    if (look_at_moves(run)) {
        return -1;
    }
    for (uint64_t i = 0; i < run->plan->repetitions; i++) {
        if (i >= FEWEST_ROUNDS && laxity_machine_now_ns() - start_ns > settings->budget_ns) {
            return 0;
        }
        const int rc = measure_round(run);
        if (rc) {
            return rc < 0 ? -1 : 0;
        }
    }
    return 0;
}

/* A simulated platform has no nodes: those of its CPUs' numbers are the host's. */
static int check(void *from, struct laxity_error *error)
{
    const struct laxity_migration_settings *settings = from;
    (void)error;
    for (size_t i = 0; laxity_machine.is_simulated && i < settings->pairs.n; i++) {
        settings->pairs.items[i].node = INT32_MIN;
        settings->pairs.items[i].node_to = INT32_MIN;
    }
    return 0;
}

const struct laxity_probe laxity_probe_migration = {
    .name = "migration",
    .stream = "migration.npy",
    .fields = fields,
    .n_fields = sizeof fields / sizeof fields[0],
    .row_bytes = sizeof(struct laxity_migration_row),
    .setup = setup,
    .measure = measure,
    .teardown = teardown,
    .count_rows = count_rows,
    .check = check,
};
