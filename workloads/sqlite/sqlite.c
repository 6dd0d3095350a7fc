/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
/*
 * sqlite small|large: fills a table of a database in memory and sums it up group by group, through
 * an index.
 *
 * The library allocates and frees within each job. Init has computed the sums.
 */
#include "../common/arguments.h"
#include "../common/outcome.h"
#include "../common/random.h"

#include <laxity/hooks.h>

#include <inttypes.h>
#include <sqlite3.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

enum {
    SMALL_COUNT = 200,
    LARGE_COUNT = 5000,
    GROUP_COUNT = 50,
    VALUE_LIMIT = 1000000
};

struct row {
    int group;
    int value;
};

static const struct workload_sizes sizes = {"sqlite", SMALL_COUNT, LARGE_COUNT};

static struct {
    struct workload_outcome outcome;
    sqlite3 *database;
    sqlite3_stmt *insert;
    sqlite3_stmt *sum_up;
    struct row *rows;
    size_t count;
    int64_t sums[GROUP_COUNT];
} sqlite;

static void expect(const int status, const int expected, const char *const what)
{
    if (status != expected) {
        workload_fail_job("sqlite", "%s: %.150s", what, sqlite3_errmsg(sqlite.database));
    }
}

static void execute(const char *const statement)
{
    expect(sqlite3_exec(sqlite.database, statement, NULL, NULL, NULL), SQLITE_OK, statement);
}

static void insert_rows(void)
{
    for (size_t i = 0; i < sqlite.count; i++) {
        expect(sqlite3_bind_int(sqlite.insert, 1, sqlite.rows[i].group), SQLITE_OK, "bind");
        expect(sqlite3_bind_int(sqlite.insert, 2, sqlite.rows[i].value), SQLITE_OK, "bind");
        expect(sqlite3_step(sqlite.insert), SQLITE_DONE, "insert");
        expect(sqlite3_reset(sqlite.insert), SQLITE_OK, "insert");
    }
}

static uint32_t check_sums(void)
{
    uint32_t digest = WORKLOAD_DIGEST_START;

    for (int group = 0; group < GROUP_COUNT; group++) {
        expect(sqlite3_bind_int(sqlite.sum_up, 1, group), SQLITE_OK, "bind");
        expect(sqlite3_step(sqlite.sum_up), SQLITE_ROW, "select");
        const int64_t sum = sqlite3_column_int64(sqlite.sum_up, 0);

        expect(sqlite3_reset(sqlite.sum_up), SQLITE_OK, "select");
        if (sum != sqlite.sums[group]) {
            workload_fail_job(
                "sqlite",
                "the sum of group %d is %" PRId64 ", expected %" PRId64,
                group,
                sum,
                sqlite.sums[group]
            );
        }
        digest = workload_fold_word(digest, (uint32_t)sum);
    }
    return digest;
}

static int open_database(void)
{
    static const char insert[] = "INSERT INTO readings (unit, value) VALUES (?, ?)";
    static const char sum_up[] = "SELECT sum(value) FROM readings WHERE unit = ?";

    if (sqlite3_open(":memory:", &sqlite.database) != SQLITE_OK ||
        sqlite3_exec(
            sqlite.database,
            "CREATE TABLE readings (id INTEGER PRIMARY KEY, unit INTEGER, value INTEGER);"
            "CREATE INDEX readings_by_unit ON readings (unit)",
            NULL,
            NULL,
            NULL
        ) != SQLITE_OK ||
        sqlite3_prepare_v2(sqlite.database, insert, -1, &sqlite.insert, NULL) != SQLITE_OK ||
        sqlite3_prepare_v2(sqlite.database, sum_up, -1, &sqlite.sum_up, NULL) != SQLITE_OK) {
        (void)fprintf(
            stderr,
            "sqlite: opening a database in memory: %s; install another version\n",
            sqlite3_errmsg(sqlite.database)
        );
        return -1;
    }
    return 0;
}

int benchmark_init(const int argc, void **const argv)
{
    uint64_t state;

    if (workload_begin(&sizes, argc, argv, &sqlite.outcome, &sqlite.count, &state) != 0) {
        return -1;
    }
    sqlite.rows = workload_allocate("sqlite", sqlite.count * sizeof *sqlite.rows);
    if (sqlite.rows == NULL || open_database() != 0) {
        return -1;
    }
    for (int group = 0; group < GROUP_COUNT; group++) {
        sqlite.sums[group] = 0;
    }
    for (size_t i = 0; i < sqlite.count; i++) {
        struct row *const row = &sqlite.rows[i];

        row->group = (int)workload_random_below(&state, GROUP_COUNT);
        row->value = (int)workload_random_below(&state, VALUE_LIMIT);
        sqlite.sums[row->group] += row->value;
    }
    return 0;
}

void benchmark_execution(const int argc, void **const argv)
{
    (void)argc;
    (void)argv;
    execute("BEGIN");
    insert_rows();
    execute("COMMIT");
    const uint32_t digest = check_sums();

    execute("DELETE FROM readings");
    workload_check_digest(&sqlite.outcome, digest);
}

void benchmark_teardown(const int argc, void **const argv)
{
    (void)argc;
    (void)argv;
    workload_print_outcome(&sqlite.outcome);
    (void)sqlite3_finalize(sqlite.insert);
    (void)sqlite3_finalize(sqlite.sum_up);
    (void)sqlite3_close(sqlite.database);
    free(sqlite.rows);
    sqlite.rows = NULL;
}
