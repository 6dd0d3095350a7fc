/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
#include "cli/run_tables.h"

#include "cli/option.h"
#include "cli/options.h"
#include "schema/run.h"

#include <stddef.h>
#include <stdint.h>

static const struct laxity_option run_options[] = {LAXITY_RUN_OPTIONS(struct laxity_run_options)};
static const struct laxity_option task_options[] = {LAXITY_TASK_OPTIONS(struct laxity_task_options)
};

const struct laxity_option_table laxity_run_table = {
    "Options of the run", run_options, sizeof run_options / sizeof run_options[0]
};
const struct laxity_option_table laxity_task_table = {
    "Options of a task or co-runner", task_options, sizeof task_options / sizeof task_options[0]
};
static const struct laxity_option_table *const tables[] = {&laxity_run_table, &laxity_task_table};

const struct laxity_tool laxity_run_tool = {
    .name = "laxity-run",
    .usage = "laxity-run [OPTIONS] -- WORKLOAD [OPTIONS] [-- WORKLOAD [OPTIONS]]...",
    .summary = "Run workloads as periodic real-time tasks and write their streams.",
    .tables = tables,
    .n_tables = sizeof tables / sizeof tables[0],
};
